"""Lazy conjugates and negatives as inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from tests.torch.case import Call, Case, CpuCannot, Kind, both, on_cpu
from tests.torch.moving import moved
from torch.utils._pytree import tree_map


def check(case: Case, where: str, call: Call, inputs: Any, kind: Kind) -> None:
    """Compare the call on views that carry the conjugate or the negative bit with the CPU's."""
    if case.info.test_conjugated_samples and case.dtype.is_complex:
        _compare(case, "conjugate view", where, call, inputs, kind, _conjugate)
    if case.info.test_neg_view and (case.dtype.is_floating_point or case.dtype.is_complex):
        _compare(case, "negative view", where, call, inputs, kind, _negative)


def _compare(
    case: Case,
    check_name: str,
    where: str,
    call: Call,
    inputs: Any,
    kind: Kind,
    view: Callable[[Any], Any],
) -> None:
    try:
        viewed = tree_map(view, inputs)
    except NotImplementedError:
        return  # a type without negation: float8
    with torch.no_grad():
        # The CPU gets the values themselves: some of its operators misread such views. What it
        # makes of the views counts, too: PyTorch resolves some before any device sees them.
        truth = tree_map(_resolved, viewed)
    try:
        with torch.no_grad():
            on_cpu(_resolving(call), *moved(viewed, "cpu", gradients=False))
        both(case, check_name, where, call, viewed, kind, truth, or_as=viewed)
    except CpuCannot:
        return


def _resolving(call: Call) -> Call:
    """Return the call with its lazy results made real: complex32 has not got every kernel."""
    return lambda device, args, kwargs: tree_map(_resolved, call(device, args, kwargs))


def _conjugate(leaf: Any) -> Any:
    if not isinstance(leaf, torch.Tensor) or not leaf.is_complex() or leaf.layout != torch.strided:
        return leaf
    return leaf.detach().conj_physical().conj()


def _negative(leaf: Any) -> Any:
    if not isinstance(leaf, torch.Tensor) or leaf.layout != torch.strided or leaf.is_nested:
        return leaf
    if not (leaf.is_floating_point() or leaf.is_complex()):
        return leaf
    return torch._neg_view(leaf.detach().neg())


def _resolved(leaf: Any) -> Any:
    if not isinstance(leaf, torch.Tensor) or leaf.layout != torch.strided or leaf.is_nested:
        return leaf
    return leaf.resolve_conj().resolve_neg()
