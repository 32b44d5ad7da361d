"""What torch asks of a device module under this name: the index that a device argument means."""

from __future__ import annotations

from typing import Any

import torch

from sidra import _C

DEVICE_TYPE = "sidra"


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """Return the index of `device`: an int, a string, a torch.device, a `device` context or None.

    None, and a device without an index, are the current device if `optional`, else a ValueError.
    With `allow_cpu` a CPU device gives -1. An int is returned as it is; whether the device exists
    is for the user of the index to find out.
    """
    from sidra.device.devices import device as device_context

    if isinstance(device, device_context):
        return device.idx
    if isinstance(device, int):
        return device
    if isinstance(device, str):
        device = torch.device(device)
    if device is not None and not isinstance(device, torch.device):
        raise TypeError(f"a device is an int, a str or a torch.device, not {type(device).__name__}")
    if device is not None:
        if allow_cpu and device.type == "cpu":
            return -1
        if device.type != DEVICE_TYPE:
            raise ValueError(f"Expected a sidra device, but got: {device}")
        if device.index is not None:
            return int(device.index)
    if not optional:
        raise ValueError(
            f"Expected a sidra device with a specified index or an integer, but got: {device}"
        )
    return int(_C.current_device())
