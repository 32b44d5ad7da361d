"""torch.accelerator on this device."""

from __future__ import annotations

import torch


def test_sidra_is_the_accelerator(device) -> None:
    assert torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator(check_available=True) == torch.device("sidra")
    assert torch.accelerator.device_count() == device.device_count()
    assert torch.device(0) == torch.device("sidra:0")
    assert torch.get_device_module() is device


def test_streams_go_through(device) -> None:
    stream = torch.Stream("sidra")
    before = torch.accelerator.current_stream()
    torch.accelerator.set_stream(stream)
    assert device.current_stream() == stream
    torch.accelerator.set_stream(before)
    torch.accelerator.synchronize()
    assert stream.query()


def test_capability_leaves_out_what_has_no_operators(device) -> None:
    dtypes = torch.accelerator.get_device_capability()["supported_dtypes"]
    assert {torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.complex64} <= dtypes
    assert not {torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.bits8} & dtypes


def test_device_index_context(device) -> None:
    with torch.accelerator.device_index(0):
        assert torch.accelerator.current_device_index() == 0
    with torch.accelerator.device_index(None):
        assert torch.accelerator.current_device_index() == 0


def test_generic_objects(device) -> None:
    event = torch.Event("sidra", enable_timing=True)
    stream = torch.Stream("sidra")
    event.record(stream)
    event.synchronize()
    stream.wait_event(event)
    stream.wait_stream(torch.accelerator.current_stream())
    assert event.query()
    assert stream.native_handle != 0
