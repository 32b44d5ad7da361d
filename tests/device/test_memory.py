from __future__ import annotations

import gc
import re
import threading

import pytest
import torch

MIB = 1 << 20
COUNTS = ["num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc"]


@pytest.fixture(autouse=True)
def settled(device) -> None:
    gc.collect()
    device.init()
    device.reset_peak_memory_stats()


def test_sizes_are_rounded_to_512_bytes(device) -> None:
    before = device.memory_allocated()
    x = torch.empty(513, dtype=torch.uint8, device="sidra")
    assert device.memory_allocated() - before == 1024
    assert device.memory_stats()["requested_bytes.all.current"] % 512 != 0
    assert x.data_ptr() % 64 == 0
    del x
    assert device.memory_allocated() == before


def test_released_memory_is_used_again(device) -> None:
    first = torch.empty(3 * MIB, dtype=torch.uint8, device="sidra")
    address, reserved = first.data_ptr(), device.memory_reserved()
    del first
    second = torch.empty(3 * MIB, dtype=torch.uint8, device="sidra")
    assert second.data_ptr() == address
    assert device.memory_reserved() == reserved


def test_neighbours_merge_when_they_are_free(device) -> None:
    device.empty_cache()
    parts = [torch.empty(4 * MIB, dtype=torch.uint8, device="sidra") for _ in range(4)]
    address, reserved = min(x.data_ptr() for x in parts), device.memory_reserved()
    for index in (1, 3, 0, 2):
        parts[index] = None
    whole = torch.empty(9 * MIB, dtype=torch.uint8, device="sidra")
    assert whole.data_ptr() == address
    assert device.memory_reserved() == reserved


def test_small_and_large_requests_have_their_own_pools(device) -> None:
    before = device.memory_stats()
    small = torch.empty(MIB, dtype=torch.uint8, device="sidra")
    large = torch.empty(MIB + 1, dtype=torch.uint8, device="sidra")
    after = device.memory_stats()
    for pool, tensor in (("small_pool", small), ("large_pool", large)):
        key = f"allocated_bytes.{pool}.current"
        assert after[key] - before[key] == -(-tensor.numel() // 512) * 512
        key = f"allocation.{pool}.allocated"
        assert after[key] - before[key] == 1


def test_peaks_and_totals(device) -> None:
    base = device.memory_allocated()
    x = torch.empty(8 * MIB, dtype=torch.uint8, device="sidra")
    del x
    assert device.memory_allocated() == base
    assert device.max_memory_allocated() == base + 8 * MIB
    assert device.max_memory_reserved() >= 8 * MIB
    device.reset_peak_memory_stats()
    assert device.max_memory_allocated() == base
    device.reset_accumulated_memory_stats()
    stats = device.memory_stats()
    assert stats["allocated_bytes.all.allocated"] == stats["allocation.all.freed"] == 0
    assert stats["allocated_bytes.all.current"] == base
    assert all(stats[key] == 0 for key in COUNTS)


def test_empty_cache_gives_memory_back(device) -> None:
    x = torch.empty(64 * MIB, dtype=torch.uint8, device="sidra")
    reserved = device.memory_reserved()
    free = device.mem_get_info()[0]
    del x
    device.empty_cache()
    assert device.memory_reserved() <= reserved - 64 * MIB
    assert device.mem_get_info()[0] >= free + 64 * MIB


def test_torch_accelerator_agrees(device) -> None:
    x = torch.empty(1000, device="sidra")
    accelerator = torch.accelerator
    assert accelerator.memory_allocated() == device.memory_allocated() > 0
    assert accelerator.max_memory_allocated() == device.max_memory_allocated()
    assert accelerator.memory_reserved() == device.memory_reserved()
    assert accelerator.max_memory_reserved() == device.max_memory_reserved()
    assert accelerator.get_memory_info() == device.mem_get_info()
    stats = device.memory_stats()
    for key, value in accelerator.memory_stats().items():
        assert stats[key] == value, key
    del x


def test_keys_are_cudas(device) -> None:
    stats = device.memory_stats()
    for what in ("allocation", "segment", "active", "inactive_split"):
        assert stats[f"{what}.all.current"] >= 0
    for what in ("allocated", "reserved", "active", "inactive_split", "requested"):
        for pool in ("all", "large_pool", "small_pool"):
            for how in ("current", "peak", "allocated", "freed"):
                assert f"{what}_bytes.{pool}.{how}" in stats
    assert list(stats) == sorted(stats)
    nested = device.memory.memory_stats_as_nested_dict()
    assert nested["allocated_bytes"]["all"]["peak"] == stats["allocated_bytes.all.peak"]


def test_no_bytes_carry_the_device(device) -> None:
    before = device.memory_stats()["allocation.all.allocated"]
    x = torch.empty(0, 7, device="sidra")
    assert (x.device, x.data_ptr(), x.untyped_storage().device) == (
        torch.device("sidra:0"),
        0,
        torch.device("sidra:0"),
    )
    assert device.memory_stats()["allocation.all.allocated"] == before


def test_out_of_memory_gives_the_figures(device) -> None:
    ooms = device.memory_stats()["num_ooms"]
    x = torch.empty(MIB, dtype=torch.uint8, device="sidra")
    total = device.mem_get_info()[1]
    with pytest.raises(torch.OutOfMemoryError) as caught:
        torch.empty(2 * total, dtype=torch.uint8, device="sidra")
    assert re.fullmatch(
        r"sidra out of memory\. Tried to allocate [\d.]+ GiB\. sidra:0 has a total capacity of "
        r"[\d.]+ [GM]iB of which [\d.]+ [GM]iB is free\. [\d.]+ \w+ is allocated by PyTorch, and "
        r"[\d.]+ \w+ is reserved by PyTorch but unallocated\. torch\.sidra\.memory_summary\(\) "
        r"shows the use",
        str(caught.value).splitlines()[0],
    )
    assert device.memory_stats()["num_ooms"] == ooms + 1
    assert x.numel() == MIB


def test_absurd_size_is_out_of_memory_too(device) -> None:
    with pytest.raises(torch.OutOfMemoryError, match="sidra out of memory"):
        torch.empty(2**62 + 1, dtype=torch.uint8, device="sidra")


def test_full_device_empties_the_cache_before_it_gives_up(late) -> None:
    code = """
import torch
s = torch.sidra
kept = torch.empty(4 << 20, dtype=torch.uint8, device="sidra")
x = torch.empty(18 << 20, dtype=torch.uint8, device="sidra")
del x
x = torch.empty(25 << 20, dtype=torch.uint8, device="sidra")
stats = s.memory_stats()
print(stats["num_alloc_retries"], stats["num_ooms"], s.memory_allocated() >> 20)
"""
    assert late(code) == "1 0 29"


def test_stats_of_an_unused_device_are_zeros(printed) -> None:
    code = """
import torch
torch.ones(1, device="sidra:0")
print(torch.sidra.memory_allocated(1), torch.accelerator.memory_stats(1)["segment.all.peak"])
torch.sidra.reset_peak_memory_stats(1)
torch.accelerator.reset_accumulated_memory_stats(1)
"""
    assert printed(code, SIDRA_DEVICES="2") == "0 0"


def test_everything_works_before_the_first_tensor(printed) -> None:
    code = """
import torch
for module in (torch.accelerator, torch.sidra):
    module.empty_cache()
    print(module.memory_allocated(), module.max_memory_allocated(), module.memory_reserved(),
          module.max_memory_reserved(), len(module.memory_stats()))
    module.reset_peak_memory_stats()
    module.reset_accumulated_memory_stats()
torch.accelerator.empty_host_cache()
print(torch.accelerator.get_memory_info() == torch.sidra.mem_get_info())
print("Allocated memory" in torch.sidra.memory_summary())
"""
    assert printed(code).splitlines() == ["0 0 0 0 0"] * 2 + ["True", "True"]


def test_threads_allocate_at_the_same_time(device) -> None:
    before = device.memory_stats()["allocation.all.current"]
    wrong = []

    def work(seed: int) -> None:
        for size in range(1, 200):
            x = torch.full((size * seed,), seed, device="sidra")
            y = torch.full((size,), -seed, device="sidra")
            if not (bool((x == seed).all()) and bool((y == -seed).all())):
                wrong.append(size)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert device.memory_stats()["allocation.all.current"] == before


def test_streams_do_not_share_cached_memory(device) -> None:
    x = torch.empty(MIB // 2, dtype=torch.uint8, device="sidra")
    address = x.data_ptr()
    del x
    with device.stream(device.Stream()):
        assert torch.empty(MIB // 2, dtype=torch.uint8, device="sidra").data_ptr() != address


RECORDED = """
import torch
s = torch.sidra
side = s.Stream()
x = torch.empty(4096, dtype=torch.uint8, device="sidra")
y = torch.empty(4096, dtype=torch.uint8, device="sidra")
s.synchronize()
address = x.data_ptr()
x.record_stream(side)
x.record_stream(side)
side.record_event()
del x
stats = s.memory_stats()
print(stats["allocation.all.current"], stats["active.all.current"])
print(torch.empty(4096, dtype=torch.uint8, device="sidra").data_ptr() == address)
side.synchronize(); s.synchronize()
print(torch.empty(4096, dtype=torch.uint8, device="sidra").data_ptr() == address)
stats = s.memory_stats()
print(stats["allocation.all.current"], stats["active.all.current"])
"""


def test_recorded_stream_keeps_memory_from_being_reused(late) -> None:
    assert late(RECORDED).splitlines() == ["1 2", "False", "True", "1 1"]


def test_full_device_waits_for_memory_that_a_stream_holds(late) -> None:
    code = """
import torch
s = torch.sidra
side = s.Stream()
x = torch.empty(40 << 20, dtype=torch.uint8, device="sidra")
x.record_stream(side)
side.record_event()
del x
print(torch.empty(40 << 20, dtype=torch.uint8, device="sidra").shape[0] >> 20)
print(s.memory_stats()["num_sync_all_streams"], s.memory_stats()["num_ooms"])
"""
    assert late(code).splitlines() == ["40", "1 0"]


def test_profiler_sees_memory(device) -> None:
    with torch.profiler.profile(profile_memory=True) as profile:
        torch.empty(1000, device="sidra")
    sizes = [e.self_device_memory_usage for e in profile.key_averages() if "empty" in e.key]
    assert 4096 in sizes


def test_process_may_be_limited_to_a_part(printed) -> None:
    code = """
import torch
device = torch.sidra
total = device.mem_get_info()[1]
print(device.get_per_process_memory_fraction())
device.set_per_process_memory_fraction(0.01)
try:
    torch.empty(total // 50, dtype=torch.uint8, device="sidra")
except torch.OutOfMemoryError as error:
    print(device.get_per_process_memory_fraction(), "out of memory" in str(error))
device.set_per_process_memory_fraction(1.0)
print(torch.empty(total // 50, dtype=torch.uint8, device="sidra").numel() == total // 50)
"""
    assert printed(code).split() == ["1.0", "0.01", "True", "True"]


def test_fraction_outside_of_the_whole(device) -> None:
    with pytest.raises(ValueError, match=r"within 0 and 1, which 1\.5 does not"):
        device.set_per_process_memory_fraction(1.5)
    with pytest.raises(TypeError, match="a fraction is a number, not str"):
        device.set_per_process_memory_fraction("half")


def test_old_names_and_the_one_allocator(device) -> None:
    assert device.memory_cached() == device.memory_reserved()
    assert device.max_memory_cached() == device.max_memory_reserved()
    assert device.get_allocator_backend() == "native"
    assert device.ipc_collect() is None
