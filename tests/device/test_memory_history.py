"""Memory snapshots in torch.cuda's format, read by torch.cuda's own tools."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest
import torch
from torch.cuda import _memory_viz as viz

MEBIBYTE = 1 << 20


@pytest.fixture
def history(device) -> Iterator[None]:
    device.memory._record_memory_history(stacks="python", clear_history=True)
    yield
    device.memory._record_memory_history(None, clear_history=True)


def allocate_for_the_test() -> torch.Tensor:
    return torch.empty(3 * MEBIBYTE, dtype=torch.uint8, device="sidra")


def block_of(snapshot: dict, x: torch.Tensor) -> dict:
    (block,) = [
        block
        for segment in snapshot["segments"]
        for block in segment["blocks"]
        if block["address"] == x.data_ptr() and block["state"] != "inactive"
    ]
    return block


def test_blocks_name_the_lines_that_made_them(device, history) -> None:
    x = allocate_for_the_test()
    block = block_of(device.memory._snapshot(), x)
    assert (block["size"], block["requested_size"]) == (3 * MEBIBYTE, 3 * MEBIBYTE)
    assert block["state"] == "active_allocated"
    assert any(frame["name"] == "allocate_for_the_test" for frame in block["frames"])
    assert {"filename", "name", "line"} <= set(block["frames"][0])


def test_segments_add_up_to_the_statistics(device) -> None:
    x = torch.ones(100, device="sidra")
    segments = device.memory_snapshot()
    stats = device.memory_stats()
    for ours, theirs in (
        ("total_size", "reserved_bytes"),
        ("allocated_size", "allocated_bytes"),
        ("active_size", "active_bytes"),
        ("requested_size", "requested_bytes"),
    ):
        assert sum(s[ours] for s in segments) == stats[f"{theirs}.all.current"]
    for segment in segments:
        assert sum(block["size"] for block in segment["blocks"]) == segment["total_size"]
    assert x.sum().item() == 100


def test_events_come_in_order(device, history) -> None:
    device.empty_cache()
    x = torch.empty(30 * MEBIBYTE, dtype=torch.uint8, device="sidra")
    address = x.data_ptr()
    del x
    device.empty_cache()
    events = [e for e in device.memory._snapshot()["device_traces"][0] if e["addr"] == address]
    assert [event["action"] for event in events] == [
        "segment_alloc",
        "alloc",
        "free_requested",
        "free_completed",
        "segment_free",
    ]
    assert {event["size"] for event in events} == {30 * MEBIBYTE}
    assert [e["time_us"] for e in events] == sorted(e["time_us"] for e in events)


def test_out_of_memory_is_an_event(device, history) -> None:
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(1 << 45, dtype=torch.uint8, device="sidra")
    event = device.memory._snapshot()["device_traces"][0][-1]
    assert (event["action"], event["size"]) == ("oom", 1 << 45)
    assert event["device_free"] == device.mem_get_info()[0]


def test_only_so_many_events_are_kept(device) -> None:
    device.memory._record_memory_history(max_entries=3, clear_history=True)
    try:
        for _ in range(5):
            allocate_for_the_test()
        assert len(device.memory._snapshot()["device_traces"][0]) == 3
    finally:
        device.memory._record_memory_history(None, clear_history=True)


def test_state_keeps_stacks_and_no_events(device) -> None:
    device.memory._record_memory_history("state", clear_history=True)
    try:
        x = allocate_for_the_test()
        snapshot = device.memory._snapshot()
    finally:
        device.memory._record_memory_history(None)
    assert block_of(snapshot, x)["frames"]
    assert snapshot["device_traces"][0] == []


def test_nothing_is_kept_unless_asked_for(device) -> None:
    device.memory._record_memory_history(None, clear_history=True)
    x = allocate_for_the_test()
    snapshot = device.memory._snapshot()
    assert block_of(snapshot, x)["frames"] == []
    assert snapshot["device_traces"][0] == []


def test_memory_that_a_stream_uses_awaits_its_release(late) -> None:
    code = """
import torch
device = torch.sidra
x = torch.ones(1000, device="sidra")
x.record_stream(device.Stream())
address = x.data_ptr()
del x
states = {b["address"]: b["state"] for s in device.memory_snapshot() for b in s["blocks"]}
print(states[address])
"""
    assert late(code) == "active_awaiting_free"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"enabled": "some"}, "enabled is None, 'state' or 'all'"),
        ({"stacks": "rust"}, "stacks is 'python' or 'all'"),
        ({"context": "free"}, "context is None, 'state', 'alloc' or 'all'"),
    ],
)
def test_unknown_words_are_refused(device, options: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        device.memory._record_memory_history(**options)


def test_tools_for_cuda_read_it(device, history, tmp_path) -> None:
    x = allocate_for_the_test()
    file = tmp_path / "snapshot.pickle"
    device.memory._dump_snapshot(str(file))
    snapshot = pickle.loads(file.read_bytes())
    assert "allocate_for_the_test" in viz.memory(snapshot, format_flamegraph=str)
    assert "stream_0" in viz.segments(snapshot, format_flamegraph=str)
    assert "allocated" in viz.segsum(snapshot)
    assert ":3.0MiB]" in viz.trace(snapshot)
    assert "snapshot" in viz.trace_plot(snapshot)
    assert x.numel() == 3 * MEBIBYTE


def test_torch_accelerator_gives_the_same(device, printed) -> None:
    assert torch.accelerator.memory._snapshot().keys() == device.memory._snapshot().keys()
    code = "import torch; print(torch.accelerator.memory._snapshot()['segments'])"
    assert printed(code) == "[]"


def test_threads_that_program_weights_do_not_wait_for_each_other(printed) -> None:
    code = """
import threading, time, torch
torch.set_num_threads(1)
device = torch.sidra
device.memory._record_memory_history(max_entries=100)
def work():
    for _ in range(40):
        layer = torch.nn.Linear(64, 64).to("sidra", torch.half)
        layer(torch.ones(4, 64, device="sidra", dtype=torch.half))
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
while any(thread.is_alive() for thread in threads):
    snapshot = device.memory._snapshot()
    time.sleep(0.01)
print(len(snapshot["device_traces"][0]) <= 100)
"""
    assert printed(code) == "True"
