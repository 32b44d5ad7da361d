"""out=: into tensors of the right size, and into empty ones that the operator resizes."""

from __future__ import annotations

from typing import Any

import torch
from tests.torch.case import Call, Case, CpuCannot, Kind, both
from torch.utils._pytree import tree_map


def check(case: Case, where: str, call: Call, inputs: Any, kind: Kind) -> None:
    """Compare out= with the CPU's, where the operator has it."""
    if not case.info.supports_out:
        return
    for prepare in (_with_gaps, _empty):
        try:
            both(case, "out=", where, _into(call, prepare), inputs, kind)
        except CpuCannot:
            continue


def _into(call: Call, prepare: Any) -> Call:
    def run(device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        plain = call(device, args, kwargs)
        buffers = tree_map(lambda leaf: prepare(leaf) if _is_tensor(leaf) else leaf, plain)
        call(device, args, {**kwargs, "out": buffers})
        return buffers

    return run


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor)


def _with_gaps(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same shape in which every other element is somebody else's."""
    whole = torch.zeros((*tensor.shape, 2), dtype=tensor.dtype, device=tensor.device)
    return whole.select(-1, 0)


def _empty(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty(0, dtype=tensor.dtype, device=tensor.device)
