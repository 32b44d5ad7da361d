from __future__ import annotations

from sidra.device.memory_table import format_memory_table

STATS = {
    "num_ooms": 2,
    "num_alloc_retries": 3,
    "allocated_bytes.all.current": 3 << 29,
    "allocated_bytes.all.peak": 1000,
    "allocated_bytes.small_pool.freed": 1 << 20,
    "allocation.all.allocated": 1234567,
}


def test_table_has_a_line_for_each_figure() -> None:
    lines = format_memory_table(STATS, 1, abbreviated=False).splitlines()
    assert lines[0] == "Memory of sidra:1"
    assert lines[1] == "Out of memory: 2, emptied the cache to go on: 3"
    table = {line.split("|")[0].strip(): line for line in lines[2:]}
    assert [f.strip() for f in table["Allocated memory"].split("|")[1:]] == [
        "1.5 GiB",
        "1000 B",
        "0 B",
        "0 B",
    ]
    assert "1,234,567" in table["Allocations"]
    assert sum("small pool" in line for line in lines) == 9
    assert "1.0 MiB" in next(line for line in lines if "small pool" in line)
    assert len({len(line) for line in lines[2:]}) == 1


def test_abbreviated_table_has_no_pools() -> None:
    text = format_memory_table(STATS, 0, abbreviated=True)
    assert "pool" not in text
    assert len(text.splitlines()) == 13


def test_unused_device_is_all_zeros() -> None:
    text = format_memory_table({}, 0, abbreviated=True)
    assert "Out of memory: 0" in text
    assert "Allocated memory        |          0 B |" in text


def test_summary_of_the_device(device) -> None:
    assert device.memory_summary("sidra:0").startswith("Memory of sidra:0\n")
    assert "pool" not in device.memory_summary(abbreviated=True)
