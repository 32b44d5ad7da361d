"""Normalisations that the graph dialect has whole, with the statistics that they also return."""

from __future__ import annotations

from collections.abc import Sequence

from sidra.errors import InferenceError
from sidra.frontend.importers import importer
from sidra.frontend.importers.scribe import Scribe
from sidra.ir.core import Value
from sidra.ir.dims import Dimension


def _parameters(weight: Value | None, bias: Value | None) -> list[Value]:
    if weight is None and bias is not None:
        raise InferenceError("a bias without a weight")
    return [value for value in (weight, bias) if value is not None]


@importer("aten.native_layer_norm.default")
def layer_norm(
    s: Scribe,
    x: Value,
    normalized_shape: Sequence[Dimension],
    weight: Value | None,
    bias: Value | None,
    eps: float,
) -> tuple[Value, ...]:
    """Return layer norm, the mean, and 1 / the standard deviation."""
    if not x.type.dtype.is_float or x.type.dtype.size < 4:
        raise InferenceError("half precision has statistics of its own")
    rank = len(normalized_shape)
    dims = tuple(range(-rank, 0))
    y = s.op("layer_norm", x, *_parameters(weight, bias), rank=rank, eps=eps)
    mean = s.op("mean", x, dims=dims, keepdim=True)
    variance = s.op("var", x, dims=dims, keepdim=True, correction=0)
    shifted = s.op("add", variance, s.constant(eps, x.type.dtype))
    return y, mean, s.op("rsqrt", shifted)


@importer("aten._native_batch_norm_legit_no_training.default")
def batch_norm(
    s: Scribe,
    x: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value,
    running_var: Value,
    momentum: float,
    eps: float,
) -> tuple[Value, ...]:
    """Return batch norm with given statistics; what it saves for a backward is empty."""
    dtype = x.type.dtype
    operands = [running_mean, running_var, *_parameters(weight, bias)]
    if any(value.type.dtype is not dtype for value in operands):
        raise InferenceError("statistics of another dtype")
    empty = s.full((0,), 0.0, dtype)
    return s.op("batch_norm", x, *operands, eps=eps), empty, empty
