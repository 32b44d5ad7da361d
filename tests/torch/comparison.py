"""Two results side by side: what the CPU gave and what the device gave."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_flatten

# Relative and absolute tolerance by type of the result. The device may sum in another order.
TOLERANCES = {
    torch.float16: 4e-3,
    torch.bfloat16: 3.2e-2,
    torch.float32: 2e-5,
    torch.float64: 1e-7,
    torch.complex32: 4e-3,
    torch.complex64: 2e-5,
    torch.complex128: 1e-7,
}
# Types that few operators can compare, and a type that holds all their values.
WIDER = {
    torch.complex32: torch.complex64,
    torch.float8_e4m3fn: torch.float32,
    torch.float8_e5m2: torch.float32,
    torch.float8_e4m3fnuz: torch.float32,
    torch.float8_e5m2fnuz: torch.float32,
    torch.uint16: torch.int64,
    torch.uint32: torch.int64,
}


class Mismatch(AssertionError):
    """The device's result is not the CPU's."""


class StrideMismatch(Mismatch):
    """Only the strides differ."""


@dataclass(frozen=True)
class Rules:
    """What is compared. `device` is the type that results must be on; None: anywhere."""

    device: str | None
    values: bool = True
    strides: bool = True
    factor: float = 1.0  # on the tolerances
    truth: str = "on the CPU"  # what the device is compared with, in messages


def compare(expected: Any, actual: Any, rules: Rules) -> None:
    """Raise Mismatch at the first difference; StrideMismatch when nothing else differs."""
    wanted, _ = tree_flatten(expected)
    got, _ = tree_flatten(actual)
    if len(wanted) != len(got):
        raise Mismatch(f"{len(got)} results, {len(wanted)} {rules.truth}")
    pairs = list(zip(wanted, got, strict=True))
    for index, (left, right) in enumerate(pairs):
        try:
            _compare_leaf(left, right, rules)
        except Mismatch as error:
            raise Mismatch(f"result {index}: {error}" if len(pairs) > 1 else str(error)) from None
    if rules.strides:
        for left, right in pairs:
            _compare_strides(left, right, rules.truth)


def _compare_leaf(left: Any, right: Any, rules: Rules) -> None:
    if isinstance(left, torch.Tensor):
        if not isinstance(right, torch.Tensor):
            raise Mismatch(f"a {type(right).__name__}, a tensor {rules.truth}")
        compare_metadata(left, right, rules)
        if rules.values and left.device.type != "meta":
            compare_values(left, right, rules.factor)
    elif isinstance(left, float) and isinstance(right, float):
        if rules.values and not _close(left, right):
            raise Mismatch(f"{right}, {left} {rules.truth}")
    elif isinstance(left, int | bool | str | torch.dtype | torch.Size):
        if rules.values and left != right:
            raise Mismatch(f"{right!r}, {left!r} {rules.truth}")
    elif type(left) is not type(right):
        raise Mismatch(f"a {type(right).__name__}, a {type(left).__name__} {rules.truth}")


def compare_metadata(left: torch.Tensor, right: torch.Tensor, rules: Rules) -> None:
    """Raise Mismatch unless layout, type and shape agree and `right` is where it must be."""
    if rules.device is not None and right.device.type != rules.device:
        raise Mismatch(f"on {right.device}, not on {rules.device}")
    for what in ("layout", "dtype", "shape", "is_sparse", "is_quantized"):
        wanted, got = getattr(left, what), getattr(right, what)
        if what == "shape" and left.is_nested:
            continue
        if wanted != got:
            raise Mismatch(f"{what} {got}, {wanted} {rules.truth}")


def compare_values(left: torch.Tensor, right: torch.Tensor, factor: float = 1.0) -> None:
    """Raise Mismatch unless the values agree within the tolerance of their type."""
    left, right = left.detach(), right.detach().to("cpu")
    if left.dtype in WIDER:
        tolerance = TOLERANCES.get(left.dtype, 0.0)
        left, right = left.to(WIDER[left.dtype]), right.to(WIDER[left.dtype])
    else:
        tolerance = TOLERANCES.get(left.dtype, 0.0)
    if left.layout == torch.strided and not left.is_nested and not left.is_quantized:
        left, right = left.resolve_conj().resolve_neg(), right.resolve_conj().resolve_neg()
        if torch.equal(left, right):
            return
    try:
        torch.testing.assert_close(
            right,
            left,
            rtol=tolerance * factor,
            atol=tolerance * factor,
            equal_nan=True,
            check_stride=False,
            check_device=False,
        )
    except AssertionError as error:
        raise Mismatch(" ".join(str(error).split())[:240]) from None


def _compare_strides(left: Any, right: Any, truth: str) -> None:
    """Strides of dimensions that have more than one element; others mean nothing."""
    if not isinstance(left, torch.Tensor) or left.layout != torch.strided or left.numel() < 2:
        return
    if left.is_nested or type(left) is not torch.Tensor:
        return
    used = [index for index, size in enumerate(left.shape) if size > 1]
    wanted, got = ([tensor.stride()[index] for index in used] for tensor in (left, right))
    if wanted != got:
        raise StrideMismatch(
            f"strides {tuple(right.stride())}, {tuple(left.stride())} {truth} "
            f"(shape {tuple(left.shape)})"
        )


def _close(left: float, right: float) -> bool:
    return (
        left == right
        or (math.isnan(left) and math.isnan(right))
        or abs(left - right) <= (2e-5 * max(1.0, abs(left)))
    )
