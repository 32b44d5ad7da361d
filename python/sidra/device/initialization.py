"""When the process begins to use the device.

Asking what there is (is_available, device_count, get_device_name) does not count as use, so a
process may ask and then fork. After the first tensor, stream or generator a forked child cannot use
the device.
"""

from __future__ import annotations

from sidra import _C


def init() -> None:
    """Open the driver now instead of with the first tensor. Does nothing when it is open.

    Raises DriverError when there is no usable driver, RuntimeError in a child forked after use.
    """
    _C.init()


def _lazy_init() -> None:
    """Do what `init` does; torch calls it before the first tensor of the device is made."""
    _C.init()


def is_initialized() -> bool:
    """Return whether this process uses the device."""
    return bool(_C.is_initialized())


def _is_in_bad_fork() -> bool:
    """Return whether this process was forked from one that used the device."""
    return bool(_C.is_in_bad_fork())
