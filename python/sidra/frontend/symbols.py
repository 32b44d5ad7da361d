"""Sizes: PyTorch's symbolic integers as dimensions of the IR."""

from __future__ import annotations

from typing import Any

import torch

from sidra.errors import UnsupportedOperator
from sidra.frontend.dtypes import FROM_TORCH
from sidra.ir import dims
from sidra.ir.dims import Dimension
from sidra.ir.types import TensorType


def dimension(size: int | torch.SymInt) -> Dimension:
    """Return a size as a dimension. Raises UnsupportedOperator for one that depends on data."""
    if isinstance(size, int):
        return size
    return _expression(size.node.expr)


def tensor_type(value: torch.Tensor) -> TensorType:
    """Return the type of a (fake) tensor. Raises UnsupportedOperator for a dtype of no IR type."""
    dtype = FROM_TORCH.get(value.dtype)
    if dtype is None or value.layout is not torch.strided:
        raise UnsupportedOperator(
            f"the compiler has no type for a {value.layout} tensor of {value.dtype}; "
            f"use a strided one of {', '.join(str(d) for d in FROM_TORCH)}"
        )
    return TensorType(tuple(dimension(size) for size in value.shape), dtype)


def _expression(expr: Any) -> Dimension:
    if expr.is_Integer:
        return int(expr)
    if expr.is_Symbol:
        if str(expr).startswith("u"):
            raise UnsupportedOperator(
                f"the size {expr} depends on data; run what computes it outside torch.compile"
            )
        return dims.symbol(str(expr))
    parts = [_expression(part) for part in expr.args]
    if expr.is_Add:
        return sum(parts[1:], start=parts[0])
    if expr.is_Mul:
        return dims.product(tuple(parts))
    if expr.is_Pow and isinstance(parts[1], int) and 0 < parts[1] <= 8:
        return dims.product((parts[0],) * parts[1])
    name = type(expr).__name__
    if name in ("FloorDiv", "CleanDiv"):
        return dims.floordiv(parts[0], parts[1])
    if name in ("Mod", "PythonMod"):
        return dims.modulo(parts[0], parts[1])
    raise UnsupportedOperator(f"the compiler has no dimension for the size {expr}")
