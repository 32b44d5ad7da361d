"""Results, and the arguments after the call. Says first what kind of operator it is."""

from __future__ import annotations

import re
from typing import Any

import torch
from tests.torch.case import SEED, Call, Case, Kind, both, on_cpu
from tests.torch.moving import moved
from torch.utils._pytree import tree_leaves

# The memory of these holds whatever was there before.
UNINITIALISED = re.compile(r"(^|\.|_)(new_)?empty(_|$)|^(new_)?empty|^resize|^as_strided_scatter$")


def kind_of(name: str, call: Call, inputs: Any) -> Kind:
    """Tell whether the CPU repeats its values with the same seed, and with another one.

    Raises CpuCannot.
    """
    if UNINITIALISED.search(name) and "scatter" not in name:
        return Kind.UNINITIALISED
    with torch.no_grad():
        first, again, other = (
            on_cpu(call, *moved(inputs, "cpu", gradients=False), value)
            for value in (SEED, SEED, SEED + 1)
        )
    if not same(first, again):
        return Kind.UNINITIALISED
    return Kind.DEFINED if same(first, other) else Kind.RANDOM


def check(case: Case, where: str, call: Call, inputs: Any) -> Kind:
    """Compare a call with the CPU's and return its kind. Raises CpuCannot."""
    kind = kind_of(case.name, call, inputs)
    both(case, "values", where, call, inputs, kind)
    return kind


def same(left: Any, right: Any) -> bool:
    """Tell whether two results hold the same bits, NaN equal to NaN."""
    return all(
        _same_tensor(a, b) if isinstance(a, torch.Tensor) else _same_number(a, b)
        for a, b in zip(tree_leaves(left), tree_leaves(right), strict=True)
    )


def _same_number(a: Any, b: Any) -> bool:
    return bool(a == b or (a != a and b != b)) if isinstance(a, int | float) else True


def _same_tensor(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.layout != torch.strided or a.is_nested or a.is_quantized:
        return True
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    a, b = a.detach().resolve_conj().resolve_neg(), b.detach().resolve_conj().resolve_neg()
    # Bit for bit, so that every type compares and NaN is NaN.
    a, b = (x.clone(memory_format=torch.contiguous_format).reshape(-1) for x in (a, b))
    return torch.equal(a.view(torch.uint8), b.view(torch.uint8))
