from __future__ import annotations

import dataclasses

import pytest
import torch

from sidra.chip import load


def test_properties_are_those_of_the_chip(printed) -> None:
    code = "import torch; print(torch.sidra.get_device_properties('sidra'))"
    text = printed(code, SIDRA_CHIP="y1")
    spec = load("y1")
    assert text.startswith("DeviceProperties(name='y1', total_memory=")
    assert f"crossbar_rows={spec.crossbar_rows}, " in text


def test_names_that_readers_of_cuda_know(device) -> None:
    properties = device.get_device_properties(0)
    assert properties.name == device.get_device_name() == device.get_device_name("sidra:0")
    assert properties.total_memory == device.mem_get_info()[1]
    assert properties.multi_processor_count == properties.compute_units > 0


def test_properties_cannot_be_changed(device) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        device.get_device_properties().name = "another"


def test_capability_is_the_driver_abi(device) -> None:
    assert device.get_device_capability() == (1, 0)


def test_bfloat16(device) -> None:
    assert device.is_bf16_supported()
    assert not device.is_bf16_supported(including_emulation=False)
    assert set(device.get_amp_supported_dtype()) == {torch.float16, torch.bfloat16}
