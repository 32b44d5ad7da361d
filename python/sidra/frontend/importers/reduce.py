"""Reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from sidra.errors import InferenceError
from sidra.frontend.importers import importer
from sidra.frontend.importers.scribe import Scribe
from sidra.ir.core import Value
from sidra.ir.types import i1

Dims = int | Sequence[int] | None


def _dims(dim: Dims) -> tuple[int, ...] | None:
    """Return dims; none and () both mean all."""
    if dim is None or (not isinstance(dim, int) and not dim):
        return None
    return (dim,) if isinstance(dim, int) else tuple(dim)


def _reduce(s: Scribe, name: str, x: Value, dim: Dims, keepdim: bool, **more: Any) -> Value:
    if x.type.rank == 0:
        raise InferenceError("a reduction of a scalar")
    return s.op(name, x, dims=_dims(dim), keepdim=keepdim, **more)


@importer("aten.sum.default", "aten.sum.dim_IntList")
def total(
    s: Scribe, x: Value, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None
) -> Value:
    """Return the sum, in the result's dtype."""
    return _reduce(s, "sum", s.convert(x, s.result_dtype), dim, keepdim)


@importer("aten.mean.default", "aten.mean.dim")
def mean(
    s: Scribe, x: Value, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None
) -> Value:
    """Return the mean, in the result's dtype."""
    return _reduce(s, "mean", s.convert(x, s.result_dtype), dim, keepdim)


@importer("aten.amax.default", "aten.max.default")
def amax(s: Scribe, x: Value, dim: Dims = None, keepdim: bool = False) -> Value:
    """Return the largest."""
    return _reduce(s, "max", x, dim, keepdim)


@importer("aten.amin.default", "aten.min.default")
def amin(s: Scribe, x: Value, dim: Dims = None, keepdim: bool = False) -> Value:
    """Return the smallest."""
    return _reduce(s, "min", x, dim, keepdim)


@importer("aten.any.default", "aten.any.dim", "aten.any.dims")
def any_(s: Scribe, x: Value, dim: Dims = None, keepdim: bool = False) -> Value:
    """Return whether one is not 0."""
    return _reduce(s, "any", s.convert(x, i1), dim, keepdim)


@importer("aten.all.default", "aten.all.dim", "aten.all.dims")
def all_(s: Scribe, x: Value, dim: Dims = None, keepdim: bool = False) -> Value:
    """Return whether none is 0."""
    return _reduce(s, "all", s.convert(x, i1), dim, keepdim)


@importer("aten.var.correction")
def var(
    s: Scribe, x: Value, dim: Dims = None, *, correction: Any = None, keepdim: bool = False
) -> Value:
    """Return the variance."""
    number = 1 if correction is None else correction
    return _reduce(s, "var", x, dim, keepdim, correction=number)


@importer("aten.var_mean.correction")
def var_mean(
    s: Scribe, x: Value, dim: Dims = None, *, correction: Any = None, keepdim: bool = False
) -> tuple[Value, Value]:
    """Return the variance and the mean."""
    return (
        var(s, x, dim, correction=correction, keepdim=keepdim),
        _reduce(s, "mean", x, dim, keepdim),
    )


@importer("aten._softmax.default")
def softmax(s: Scribe, x: Value, dim: int, half_to_float: bool) -> Value:
    """exp(x) / sum of exp(x)."""
    if x.type.rank == 0:
        raise InferenceError("a softmax of a scalar")
    return s.op("softmax", s.convert(x, s.result_dtype), dim=dim)


@importer("aten._log_softmax.default")
def log_softmax(s: Scribe, x: Value, dim: int, half_to_float: bool) -> Value:
    """Return the logarithm of softmax."""
    if x.type.rank == 0:
        raise InferenceError("a softmax of a scalar")
    return s.op("log_softmax", s.convert(x, s.result_dtype), dim=dim)


@importer("aten._softmax_backward_data.default")
def softmax_backward(
    s: Scribe, gradient: Value, y: Value, dim: int, input_dtype: torch.dtype
) -> Value:
    """Y * (gradient - sum of gradient * y)."""
    product = s.op("mul", gradient, y)
    along = s.op("sum", product, dims=(dim,), keepdim=True)
    return s.convert(s.op("sub", product, s.op("mul", y, along)), s.result_dtype)
