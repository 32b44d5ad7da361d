"""Ranges that the user names."""

from __future__ import annotations

import threading

import pytest
import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

BOTH = [ProfilerActivity.CPU, ProfilerActivity.SIDRA]


def names(profiled: profile, device_type: DeviceType) -> list[str]:
    events = [event for event in profiled.events() if event.device_type == device_type]
    return [event.name for event in events if event.is_user_annotation]


def test_range_lies_on_both_tracks(device) -> None:
    with profile(activities=BOTH) as profiled, device.profiler.range("step {}", 3):
        torch.ones(64, device="sidra").add_(1)
    assert names(profiled, DeviceType.CPU) == ["step 3"]
    assert names(profiled, DeviceType.PrivateUse1) == ["step 3"]


def test_range_takes_braces_that_are_not_fields(device) -> None:
    with profile(activities=BOTH) as profiled, device.profiler.range("{not a field"):
        pass
    assert names(profiled, DeviceType.CPU) == ["{not a field"]


def test_range_decorates(device) -> None:
    @device.profiler.range("decorated")
    def work() -> None:
        torch.ones(64, device="sidra").add_(1)

    with profile(activities=BOTH) as profiled:
        work()
        work()
    assert names(profiled, DeviceType.PrivateUse1) == ["decorated", "decorated"]


def test_range_ends_with_an_exception(device) -> None:
    with profile(activities=BOTH) as profiled:
        with pytest.raises(KeyError), device.profiler.range("broken"):
            raise KeyError("x")
        torch.ones(64, device="sidra").add_(1)
    assert names(profiled, DeviceType.CPU) == ["broken"]
    assert names(profiled, DeviceType.PrivateUse1) == []


def test_pushed_ranges_nest(device) -> None:
    with profile(activities=BOTH) as profiled:
        assert device.profiler.range_push("outer") == 0
        assert device.profiler.range_push("inner") == 1
        torch.ones(64, device="sidra").add_(1)
        assert device.profiler.range_pop() == 1
        assert device.profiler.range_pop() == 0
    assert sorted(names(profiled, DeviceType.PrivateUse1)) == ["inner", "outer"]


def test_pop_without_push_says_so(device) -> None:
    with pytest.raises(RuntimeError, match=r"this thread has no open range; range_push opens one"):
        device.profiler.range_pop()


def test_pushed_ranges_belong_to_their_thread(device) -> None:
    failed = []

    def pop() -> None:
        try:
            device.profiler.range_pop()
        except RuntimeError as error:
            failed.append(error)

    device.profiler.range_push("of the main thread")
    thread = threading.Thread(target=pop)
    thread.start()
    thread.join()
    assert len(failed) == 1
    assert device.profiler.range_pop() == 0


def test_mark_is_on_the_threads_track(device) -> None:
    with profile(activities=BOTH) as profiled:
        device.profiler.mark("here")
    assert names(profiled, DeviceType.CPU) == ["here"]


def test_nvtx_is_the_same_module(device) -> None:
    assert device.nvtx is device.profiler


def test_range_opens_no_device(printed) -> None:
    code = """
import torch
with torch.sidra.profiler.range("nothing"):
    torch.sidra.profiler.mark("either")
print(torch.sidra.is_initialized())
"""
    assert printed(code) == "False"
