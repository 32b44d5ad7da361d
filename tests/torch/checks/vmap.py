"""torch.func.vmap over a batch of two, where the CPU can."""

from __future__ import annotations

from typing import Any

import torch
from tests.torch.case import Call, Case, CpuCannot, Kind, both
from tests.torch.moving import moved
from torch.utils._pytree import tree_flatten, tree_unflatten


def check(case: Case, where: str, call: Call, inputs: Any, kind: Kind) -> None:
    """Compare the batched call with the CPU's."""
    leaves, structure = tree_flatten(inputs)
    batched = [index for index, leaf in enumerate(leaves) if _can_batch(leaf)]
    if kind is not Kind.DEFINED or not batched:
        return

    # Moved before, not inside: inside vmap nothing can be.
    here = {device: moved(leaves, device, gradients=False) for device in ("cpu", case.device)}

    def run(device: str, stacks: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        def single(*values: Any) -> Any:
            filled = list(here[device])
            for index, value in zip(batched, values, strict=True):
                filled[index] = value
            return call(device, *tree_unflatten(filled, structure))

        return torch.func.vmap(single)(*stacks)

    stacks = tuple(torch.stack([leaves[index].detach()] * 2) for index in batched)
    try:
        both(case, "vmap", where, run, (stacks, {}), kind)
    except CpuCannot:
        return


def _can_batch(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided and not leaf.is_nested
