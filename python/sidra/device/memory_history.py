"""Who holds device memory, and who took and released it: snapshots in torch.cuda's format.

What reads those reads these: `torch.cuda._memory_viz` and pytorch.org/memory_viz.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any, Literal

import torch

from sidra import _C
from sidra.device.devices import Device
from sidra.device.initialization import is_initialized


def _record_memory_history(
    enabled: Literal["state", "all"] | None = "all",
    context: Literal["state", "alloc", "all"] | None = "all",
    stacks: Literal["python", "all"] = "all",
    max_entries: int = sys.maxsize,
    device: Device = None,
    clear_history: bool = False,
) -> None:
    """Keep what the allocators of all devices do from now on; None ends it.

    `enabled`: "state" keeps the stack of each living allocation, "all" the events too.
    `context`: of what stacks are kept, "state" of living allocations, "alloc" of the events that
    allocate too, "all" of those that release too. `stacks`: "all" has the frames of C++ too.
    `max_entries` events are kept, the newest. `device` is there for torch.cuda's sake.
    Raises ValueError for other words.
    """
    if enabled not in (None, "state", "all"):
        raise ValueError(f"enabled is None, 'state' or 'all', not {enabled!r}")
    if stacks not in ("python", "all"):
        raise ValueError(f"stacks is 'python' or 'all', not {stacks!r}")
    _C.record_memory_history(
        events=enabled == "all",
        contexts=(context or "") if enabled else "",
        cpp=stacks == "all",
        max_events=max_entries,
        clear=clear_history,
    )


def _snapshot(device: Device = None, augment_with_fx_traces: bool = False) -> dict[str, Any]:
    """Return segments, blocks and events of all devices, as `torch.cuda.memory._snapshot` does.

    Sizes in bytes. Empty before initialisation. `device` is not read, as there.
    """
    if not is_initialized():
        return {
            "segments": [],
            "device_traces": [],
            "allocator_settings": {},
            "external_annotations": [],
        }
    snapshot: dict[str, Any] = _C.memory_snapshot()
    if augment_with_fx_traces:
        augment: Any = torch.cuda.memory._augment_memory_snapshot_stack_traces
        snapshot = augment(snapshot)
    return snapshot


def memory_snapshot(mempool_id: Any = None) -> list[dict[str, Any]]:
    """Return the segments of `_snapshot`. There are no pools to choose from."""
    segments: list[dict[str, Any]] = _snapshot()["segments"]
    return segments


def _dump_snapshot(
    filename: str = "dump_snapshot.pickle", augment_with_fx_traces: bool = False
) -> None:
    """Write `_snapshot` to a file that pytorch.org/memory_viz opens."""
    snapshot = _snapshot(augment_with_fx_traces=augment_with_fx_traces)
    with open(filename, "wb") as file:
        pickle.dump(snapshot, file)


def install() -> None:
    """Let `torch.accelerator.memory._snapshot`, which knows two other devices, ask here."""
    torch.accelerator.memory._snapshot = _snapshot
