"""torch.distributed: collectives on device tensors, over gloo and the host's memory.

The backend is called `sidra_gloo`, and takes tensors of the host too. It is the device's default,
so that `init_process_group()` alone finds it; `init_process_group("cpu:gloo,sidra:sidra_gloo")`
leaves those of the host to gloo itself.
"""

from __future__ import annotations

from datetime import timedelta
from types import ModuleType
from typing import Any

import torch

from sidra.integrations.insides import replace

NAME = "sidra_gloo"


def install(c10d: ModuleType) -> None:
    """Register the backend, and make it what a process group that has it asks first."""
    c10d.Backend.register_backend(NAME, create_backend, devices=["cpu", "sidra"])
    replace(c10d, "_new_process_group_helper", ("group_size", "group_rank"), _with_default)


def _with_default(original: Any) -> Any:
    """Let a group that has our backend ask it when no tensor says which, and for host tensors.

    torch names gloo, or none, for a group of the accelerator or of several devices; what it names
    may not exist, and DistributedDataParallel then finds no backend at all. And torch gives a group
    of the accelerator no backend for the CPU.
    """

    def _new_process_group_helper(*positional: Any, **options: Any) -> Any:
        made = original(*positional, **options)
        group, custom = made[0], torch.distributed.ProcessGroup.BackendType.CUSTOM
        if _has_ours(group):
            group._set_default_backend(custom)
            if torch.device("cpu") not in group._device_types:
                ours = group._get_backend(torch.device("sidra"))
                group._register_backend(torch.device("cpu"), custom, ours)
        return made

    return _new_process_group_helper


def _has_ours(group: Any) -> bool:
    device = torch.device("sidra")
    if not isinstance(group, torch.distributed.ProcessGroup) or device not in group._device_types:
        return False
    return bool(group._get_backend(device).name() == NAME)


def create_backend(store: Any, rank: int, size: int, timeout: timedelta) -> Any:
    """Return the c10d Backend of one process group. Raises RuntimeError if torch has no gloo."""
    from torch.distributed import PrefixStore, is_gloo_available

    from sidra import _C

    if not is_gloo_available():
        raise RuntimeError(
            f"the backend {NAME} needs gloo, which this build of torch does not have"
        )
    from torch.distributed import ProcessGroupGloo

    transport = ProcessGroupGloo(PrefixStore(NAME, store), rank, size, timeout=timeout)
    transport._set_sequence_number_for_group()
    return _C.staged_backend(transport, NAME)
