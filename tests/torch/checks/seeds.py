"""Random operators: the same seed gives the same values."""

from __future__ import annotations

from typing import Any

import torch
from tests.torch.case import SEED, Call, Case, seed
from tests.torch.checks.values import same
from tests.torch.comparison import Mismatch
from tests.torch.moving import moved
from torch.utils._pytree import tree_map


def check(case: Case, where: str, call: Call, inputs: Any) -> None:
    """Call twice on the device with one seed."""
    with case.record.guard("seeds", where), torch.no_grad():
        first, again = (_draw(case, call, inputs) for _ in range(2))
        if not same(first, again):
            raise Mismatch("the same seed gives other values")


def _draw(case: Case, call: Call, inputs: Any) -> Any:
    copies = moved(inputs, case.device, gradients=False)
    seed(SEED)
    result = call(case.device, *copies)
    return tree_map(lambda leaf: leaf.cpu() if isinstance(leaf, torch.Tensor) else leaf, result)
