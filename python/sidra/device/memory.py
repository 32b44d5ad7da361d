"""Device memory: what is used, what is cached, and what the device has. All figures in bytes.

The allocator keeps released memory for the next tensor. Allocated is what tensors hold, reserved is
that and the cache. Names and keys are those of torch.cuda.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from sidra import _C
from sidra.device._utils import _get_device_index
from sidra.device.devices import Device
from sidra.device.initialization import is_initialized
from sidra.device.memory_history import (
    _dump_snapshot,
    _record_memory_history,
    _snapshot,
    memory_snapshot,
)
from sidra.device.memory_table import format_memory_table

__all__ = [
    "_dump_snapshot",
    "_record_memory_history",
    "_snapshot",
    "empty_cache",
    "get_allocator_backend",
    "get_per_process_memory_fraction",
    "ipc_collect",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
]

_fractions: dict[int, float] = {}  # by device index, of those that were set


def empty_cache() -> None:
    """Give memory that no tensor uses back to the devices."""
    _C.empty_cache()


def memory_stats_as_nested_dict(device: Device = None) -> dict[str, Any]:
    """Return the statistics of `memory_stats` as nested dicts; empty before initialisation."""
    if not is_initialized():
        return {}
    stats: dict[str, Any] = _C.memory_stats(_get_device_index(device, optional=True))
    return stats


def memory_stats(device: Device = None) -> OrderedDict[str, Any]:
    """Return what the allocator of `device` counts, under torch.cuda's keys, sorted.

    `<what>.<pool>.<how>` with what = allocation, segment, active, inactive_split (numbers),
    allocated_bytes, reserved_bytes, active_bytes, inactive_split_bytes, requested_bytes; pool =
    all, large_pool, small_pool (requests of at most 1 MiB); how = current, peak, allocated, freed.
    And num_alloc_retries, num_ooms, num_sync_all_streams, num_device_alloc, num_device_free.
    Empty before initialisation.
    """
    flat: dict[str, Any] = {}
    _flatten("", memory_stats_as_nested_dict(device), flat)
    return OrderedDict(sorted(flat.items()))


def memory_allocated(device: Device = None) -> int:
    """Return what tensors hold now."""
    return _statistic("allocated_bytes.all.current", device)


def max_memory_allocated(device: Device = None) -> int:
    """Return the most that tensors held since the start or `reset_peak_memory_stats`."""
    return _statistic("allocated_bytes.all.peak", device)


def memory_reserved(device: Device = None) -> int:
    """Return what the allocator has from the device now."""
    return _statistic("reserved_bytes.all.current", device)


def max_memory_reserved(device: Device = None) -> int:
    """Return the most that the allocator had since the start or `reset_peak_memory_stats`."""
    return _statistic("reserved_bytes.all.peak", device)


def reset_peak_memory_stats(device: Device = None) -> None:
    """Let every peak start again at what is current."""
    _C.reset_peak_memory_stats(_get_device_index(device, optional=True))


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Let what was allocated and freed in all, and the counts of events, start again at 0."""
    _C.reset_accumulated_memory_stats(_get_device_index(device, optional=True))


def reset_max_memory_allocated(device: Device = None) -> None:
    """Do what `reset_peak_memory_stats` does, for all peaks, as in torch.cuda."""
    reset_peak_memory_stats(device)


def reset_max_memory_cached(device: Device = None) -> None:
    """Do what `reset_peak_memory_stats` does, for all peaks, as in torch.cuda."""
    reset_peak_memory_stats(device)


def memory_cached(device: Device = None) -> int:
    """Do what `memory_reserved` does, under its old name."""
    return memory_reserved(device)


def max_memory_cached(device: Device = None) -> int:
    """Do what `max_memory_reserved` does, under its old name."""
    return max_memory_reserved(device)


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """Let this process take at most this part of a device's memory, 0 to 1.

    Raises ValueError for a fraction outside of that.
    """
    if not isinstance(fraction, int | float) or isinstance(fraction, bool):
        raise TypeError(f"a fraction is a number, not {type(fraction).__name__}")
    if not 0 <= fraction <= 1:
        raise ValueError(f"a fraction of memory lies within 0 and 1, which {fraction} does not")
    index = _C.check_device(_get_device_index(device, optional=True))
    total = mem_get_info(index)[1]
    _C.set_memory_limit(index, int(total * fraction))
    _fractions[index] = float(fraction)


def get_per_process_memory_fraction(device: Device = None) -> float:
    """Return the part of a device's memory that this process may take, 1.0 unless it was set."""
    return _fractions.get(_C.check_device(_get_device_index(device, optional=True)), 1.0)


def get_allocator_backend() -> str:
    """Return "native": there is one allocator."""
    return "native"


def ipc_collect() -> None:
    """Do nothing: no process holds memory that another one released."""


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Return the free and the total memory of the device, as the driver sees it."""
    free, total = _C.memory_info(_get_device_index(device, optional=True))
    return int(free), int(total)


def memory_summary(device: Device = None, abbreviated: bool = False) -> str:
    """Return a table of `memory_stats`; `abbreviated` leaves the rows per pool out."""
    index = _get_device_index(device, optional=True)
    _C.check_device(index)
    return format_memory_table(memory_stats(index), index, abbreviated)


def _statistic(key: str, device: Device) -> int:
    return int(memory_stats(device).get(key, 0))


def _flatten(prefix: str, value: Any, flat: dict[str, Any]) -> None:
    if not isinstance(value, dict):
        flat[prefix] = value
        return
    for key, inner in value.items():
        _flatten(f"{prefix}.{key}" if prefix else key, inner, flat)
