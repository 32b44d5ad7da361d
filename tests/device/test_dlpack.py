"""Tensors that travel by DLPack, and what NumPy says to those that cannot."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.dlpack import DLDeviceType, to_dlpack


def test_tensors_name_the_extension_device(device) -> None:
    assert torch.ones(1, device="sidra").__dlpack_device__() == (DLDeviceType.kDLExtDev, 0)
    assert torch.ones(1).__dlpack_device__() == (DLDeviceType.kDLCPU, 0)
    assert torch.nn.Parameter(torch.ones(1, device="sidra")).__dlpack_device__()[1] == 0


def test_consumers_share_the_memory(device) -> None:
    x = torch.arange(3.0, device="sidra")
    for y in (
        torch.from_dlpack(x),
        torch.from_dlpack(x.__dlpack__()),
        torch.from_dlpack(x.__dlpack__(max_version=(1, 0))),
        torch.from_dlpack(to_dlpack(x)),
    ):
        assert y.device == x.device
        assert y.data_ptr() == x.data_ptr()
        y += 1
    assert x.tolist() == [4, 5, 6]


def test_capsules_keep_the_memory(device) -> None:
    x = torch.arange(1 << 18, device="sidra")
    before = device.memory_allocated()
    capsule = x.__dlpack__()
    del x
    y = torch.from_dlpack(capsule)
    assert y[-1].item() == (1 << 18) - 1
    del y, capsule
    assert device.memory_allocated() < before


def test_copies_are_made_when_asked_for(device) -> None:
    x = torch.arange(3.0, device="sidra")
    copied = torch.from_dlpack(x, copy=True)
    assert copied.data_ptr() != x.data_ptr()
    assert torch.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="without copying"):
        torch.from_dlpack(x, device="cpu", copy=False)


def test_second_device_is_named(printed) -> None:
    code = """
import torch
x = torch.ones(2, device="sidra:1")
print(x.__dlpack_device__()[1], torch.from_dlpack(x).device)
"""
    assert printed(code, SIDRA_DEVICES="2") == "1 sidra:1"


def test_views_travel_as_views(device) -> None:
    x = torch.arange(6.0, device="sidra").view(2, 3)
    y = torch.from_dlpack(x.t()[1:])
    assert y.stride() == (1, 3)
    assert y.tolist() == [[1, 4], [2, 5]]


def test_what_capsules_cannot_say_is_refused(device) -> None:
    with pytest.raises(BufferError, match=r"tensor\.detach\(\)"):
        torch.from_dlpack(torch.ones(2, device="sidra", requires_grad=True))
    with pytest.raises(BufferError, match="conjugate"):
        torch.from_dlpack(torch.ones(2, device="sidra", dtype=torch.complex64).conj())


def test_numpy_is_told_to_ask_for_a_host_tensor(device) -> None:
    x = torch.ones(2, device="sidra")
    for convert in (np.asarray, np.array, torch.Tensor.numpy, lambda y: np.add(y, 1)):
        with pytest.raises(TypeError, match=r"can't convert sidra:0 .* Use Tensor\.cpu\(\)"):
            convert(x)
    with pytest.raises((RuntimeError, BufferError), match="Unsupported device"):
        np.from_dlpack(x)
    assert x.numpy(force=True).tolist() == [1, 1]
