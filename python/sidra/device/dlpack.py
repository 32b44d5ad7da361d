"""DLPack: memory of the device travels as that of an extension device, kDLExtDev.

Capsules need nothing from here. `torch.from_dlpack` and other consumers first ask for the device,
and there torch 2.13 looks for the name "privateuse1", which a device with a name does not have.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.overrides import has_torch_function_unary

from sidra.device._utils import DEVICE_TYPE


def install() -> None:
    """Let `Tensor.__dlpack_device__` answer for this device; for others nothing changes."""
    original = torch.Tensor.__dlpack_device__

    @functools.wraps(original)
    def __dlpack_device__(self: torch.Tensor) -> tuple[Any, int]:
        if self.device.type != DEVICE_TYPE or has_torch_function_unary(self):
            return original(self)
        return torch.utils.dlpack.DLDeviceType.kDLExtDev, self.device.index

    torch.Tensor.__dlpack_device__ = __dlpack_device__  # type: ignore[method-assign]
