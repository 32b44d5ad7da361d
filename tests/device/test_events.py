from __future__ import annotations

import pytest
import torch


def test_event_is_one_of_torchs(device) -> None:
    event = device.Event()
    assert isinstance(event, torch.Event)
    assert repr(event) == "<torch.sidra.Event not recorded>"
    event.record()
    assert repr(event) == "<torch.sidra.Event recorded>"
    assert event.device == torch.device("sidra:0")


def test_event_never_recorded_is_over(device) -> None:
    event = device.Event()
    assert event.query()
    event.synchronize()
    event.wait()
    event.wait(device.Stream())


def test_elapsed_time_is_chip_time_in_milliseconds(device) -> None:
    stream = device.Stream()
    start, end = device.Event(enable_timing=True), device.Event(enable_timing=True)
    with device.stream(stream):
        start.record()
        before = stream.chip_seconds
        torch.ones(1000, device="sidra").add_(1)
        end.record()
    seconds = stream.chip_seconds - before
    assert seconds > 0
    assert start.elapsed_time(end) == pytest.approx(seconds * 1e3, rel=1e-6)
    assert end.elapsed_time(start) == pytest.approx(-seconds * 1e3, rel=1e-6)


def test_elapsed_time_to_an_event_of_torch(device) -> None:
    start = device.Event(enable_timing=True)
    end = torch.Event("sidra", enable_timing=True)
    start.record()
    end.record()
    assert start.elapsed_time(end) == 0.0


def test_elapsed_time_without_record(device) -> None:
    event, other = device.Event(enable_timing=True), device.Event(enable_timing=True)
    with pytest.raises(ValueError, match="Both events must be recorded before calculating"):
        event.elapsed_time(other)
    event.record()
    with pytest.raises(ValueError, match="Both events must be recorded before calculating"):
        event.elapsed_time(other)
    with pytest.raises(ValueError, match="Both events must be recorded before calculating"):
        torch.Event("sidra", enable_timing=True).elapsed_time(
            torch.Event("sidra", enable_timing=True)
        )


def test_elapsed_time_without_timing(device) -> None:
    event = device.Event()
    event.record()
    with pytest.raises(ValueError, match="must be created with argument 'enable_timing=True'"):
        event.elapsed_time(event)


def test_event_under_way(late) -> None:
    code = """
import torch
start, end = (torch.sidra.Event(enable_timing=True) for _ in range(2))
start.record(); end.record()
print(start.query(), end.query())
try:
    start.elapsed_time(end)
except RuntimeError as error:
    print(error)
end.synchronize()
print(start.query(), end.query(), start.elapsed_time(end))
end.record()
print(end.query())
"""
    assert late(code).splitlines() == [
        "False False",
        "Both events must be completed before calculating elapsed time.",
        "True True 1000.0",
        "False",
    ]


def test_recording_on_another_device(printed) -> None:
    code = """
import torch
event = torch.sidra.Event()
event.record(torch.sidra.current_stream(1))
event.wait(torch.sidra.current_stream(0))
try:
    event.record(torch.sidra.current_stream(0))
except RuntimeError as error:
    print(error)
"""
    assert printed(code, SIDRA_DEVICES="2") == (
        "Event device index 1 does not match recording stream's device index 0; "
        "record it on a stream of its own device"
    )
