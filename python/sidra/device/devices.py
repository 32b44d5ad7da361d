"""Which devices there are, and which one is current on this thread."""

from __future__ import annotations

from typing import Any, TypeAlias

import torch

from sidra import _C
from sidra.device._utils import DEVICE_TYPE, _get_device_index

Device: TypeAlias = torch.device | str | int | None


def is_available() -> bool:
    """Return whether the driver opens and offers a device. Never raises, does not initialise."""
    return bool(_C.device_count() > 0)


def device_count() -> int:
    """Return the number of devices, 0 without a driver. Never raises, does not initialise."""
    return int(_C.device_count())


def current_device() -> int:
    """Return the index of the current device of this thread."""
    return int(_C.current_device())


def set_device(device: Device) -> None:
    """Make `device` current on this thread. A negative index leaves it as it is."""
    index = _get_device_index(device, optional=True)
    if index >= 0:
        _C.exchange_device(index)


def _exchange_device(index: int) -> int:
    """Make a device current and return the previous one's index; -1 for a negative `index`."""
    return int(_C.exchange_device(index)) if index >= 0 else -1


def _maybe_exchange_device(index: int) -> int:
    """Do what `_exchange_device` does: no device has a context whose making could be avoided."""
    return _exchange_device(index)


class device:
    """Context in which `device` is current. A negative index changes nothing."""

    def __init__(self, device: Any) -> None:
        self.idx = _get_device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *exception: object) -> None:
        self.idx = _exchange_device(self.prev_idx)


class device_of(device):
    """Context in which the device of a tensor or storage is current; the CPU's changes nothing."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.device.index if obj.device.type == DEVICE_TYPE else -1)


def synchronize(device: Device = None) -> None:
    """Wait until all streams of `device` (default: the current one) have done their commands."""
    _C.synchronize_device(_get_device_index(device, optional=True))


def can_device_access_peer(device: Device, peer_device: Device) -> bool:
    """Return whether copies from `device` to `peer_device` need no detour: all devices of a driver.

    Raises RuntimeError for a device that does not exist.
    """
    return int(_C.check_device(_get_device_index(device, optional=True))) != int(
        _C.check_device(_get_device_index(peer_device, optional=True))
    )
