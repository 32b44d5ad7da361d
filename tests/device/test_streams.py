from __future__ import annotations

import threading

import pytest
import torch


def test_ids_are_distinct_and_go_round(device) -> None:
    ids = [device.Stream().stream_id for _ in range(32)]
    assert len(set(ids)) == 32
    assert 0 not in ids
    assert device.Stream().stream_id == ids[0]
    assert not {device.Stream(priority=-1).stream_id for _ in range(32)} & set(ids)


def test_default_stream_is_current_at_first(printed) -> None:
    code = """
import torch
s = torch.sidra
print(s.current_stream() == s.default_stream(), s.default_stream().stream_id,
      torch.accelerator.current_stream() == s.default_stream(), s.current_stream(1).device)
"""
    assert printed(code, SIDRA_DEVICES="2") == "True 0 True sidra:1"


def test_stream_is_one_of_torchs(device) -> None:
    stream = device.Stream()
    assert isinstance(stream, torch.Stream)
    assert stream == torch.Stream(
        stream_id=stream.stream_id,
        device_index=stream.device_index,
        device_type=stream.device_type,
    )
    assert repr(stream) == f"<torch.sidra.Stream device=sidra:0 stream_id={stream.stream_id}>"
    assert torch.Stream("sidra").device == torch.device("sidra:0")


@pytest.mark.parametrize(("asked", "given"), [(0, 0), (-1, -1), (-9, -1), (5, 0)])
def test_priority_is_the_nearest_there_is(device, asked: int, given: int) -> None:
    assert device.Stream(priority=asked).priority == given
    assert device.Stream.priority_range() == (0, -1)


def test_context_makes_current_and_restores(device) -> None:
    before = device.current_stream()
    first, second = device.Stream(), device.Stream()
    with device.stream(first):
        assert device.current_stream() == first == torch.accelerator.current_stream()
        with device.StreamContext(second):
            assert device.current_stream() == second
        with device.stream(None), torch.Stream("sidra") as third:
            assert device.current_stream() == third
        assert device.current_stream() == first
    assert device.current_stream() == before


def test_context_of_another_device_restores_both(printed) -> None:
    code = """
import torch
s = torch.sidra
here, there = s.Stream(0), s.Stream(1)
s.set_stream(here)
with s.stream(there):
    assert s.current_device() == 1 and s.current_stream() == there
assert s.current_device() == 0 and s.current_stream() == here
assert s.current_stream(1) == s.default_stream(1)
print("restored")
"""
    assert printed(code, SIDRA_DEVICES="2") == "restored"


def test_current_stream_belongs_to_the_thread(device) -> None:
    seen = []
    with device.stream(device.Stream()):
        thread = threading.Thread(target=lambda: seen.append(device.current_stream().stream_id))
        thread.start()
        thread.join()
    assert seen == [0]


def test_unknown_stream_is_refused(device) -> None:
    parts = {"stream_id": 999, "device_index": 0, "device_type": 20}
    with pytest.raises(ValueError, match=r"stream 999 of sidra:0 is not a stream of sidra; ids"):
        device.set_stream(torch.Stream(**parts))


def test_clock_is_chip_time(device) -> None:
    stream = device.Stream()
    before = stream.chip_seconds
    with device.stream(stream):
        x = torch.ones(256, 256, device="sidra")
        x = x + x
    stream.synchronize()
    assert stream.query()
    assert stream.chip_seconds > before


def test_waiting_moves_the_clock_up(device) -> None:
    busy, idle = device.Stream(), device.Stream()
    with device.stream(busy):
        torch.ones(1024, device="sidra").add_(1)
    idle.wait_stream(busy)
    idle.synchronize()
    assert idle.chip_seconds >= busy.chip_seconds > 0


def test_query_and_synchronize(late) -> None:
    code = """
import torch
stream = torch.sidra.Stream()
with torch.sidra.stream(stream):
    x = torch.ones(4).to("sidra", non_blocking=True)
print(stream.query())
stream.synchronize()
print(stream.query())
"""
    assert late(code).splitlines()[-1] == "True"


def test_device_synchronize_waits_for_every_stream(late) -> None:
    code = """
import torch
streams = [torch.sidra.Stream() for _ in range(3)]
for stream in streams:
    stream.record_event()
print([stream.query() for stream in streams])
torch.sidra.synchronize(1)
print([stream.query() for stream in streams])
torch.sidra.synchronize()
print([stream.query() for stream in streams])
"""
    assert late(code).splitlines() == ["[False, False, False]"] * 2 + ["[True, True, True]"]


def test_backward_runs_on_the_stream_of_forward(late) -> None:
    code = """
import torch
seen = []
class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, gradient):
        seen.append(torch.sidra.current_stream().stream_id)
        return gradient
stream = torch.sidra.Stream()
x = torch.ones(2, device="sidra", requires_grad=True)
with torch.sidra.stream(stream):
    y = Function.apply(x).sum()
y.backward()
print(seen == [stream.stream_id])
"""
    assert late(code) == "True"
