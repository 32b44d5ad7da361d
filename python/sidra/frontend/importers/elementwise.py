"""Elementwise operators with one tensor."""

from __future__ import annotations

from typing import Any

import torch

from sidra.errors import InferenceError
from sidra.frontend.importers import importer
from sidra.frontend.importers.scribe import Scribe, dtype_of
from sidra.ir.core import Value

# ATen's name and ours, where integers are computed in float32.
OF_REALS = {
    "exp": "exp", "expm1": "expm1", "log": "log", "log2": "log2", "log1p": "log1p",
    "sqrt": "sqrt", "rsqrt": "rsqrt", "reciprocal": "reciprocal", "erf": "erf", "tanh": "tanh",
    "sigmoid": "sigmoid", "sin": "sin", "cos": "cos", "tan": "tan", "atan": "atan",
}  # fmt: skip
SAME_TYPE = {
    "neg": "neg", "abs": "abs", "relu": "relu", "silu": "silu", "sign": "sign", "sgn": "sign",
    "bitwise_not": "bitwise_not", "logical_not": "logical_not",
}  # fmt: skip
TO_INTEGERS = ("floor", "ceil", "round", "trunc")  # integers are left as they are
OF_FLOATS = ("isnan", "isinf")


def _enter_all() -> None:
    for theirs, ours in OF_REALS.items():
        importer(f"aten.{theirs}.default")(_of_reals(ours))
    for theirs, ours in SAME_TYPE.items():
        importer(f"aten.{theirs}.default")(_same(ours))
    for name in TO_INTEGERS:
        importer(f"aten.{name}.default")(_rounding(name))
    for name in OF_FLOATS:
        importer(f"aten.{name}.default")(_of_floats(name))


def _of_reals(name: str) -> Any:
    return lambda s, x: s.op(name, s.floating(x))


def _same(name: str) -> Any:
    return lambda s, x: s.op(name, x)


def _rounding(name: str) -> Any:
    return lambda s, x: s.op(name, x) if x.type.dtype.is_float else x


def _of_floats(name: str) -> Any:
    return lambda s, x: s.op(name, s.floating(x))


_enter_all()


@importer("aten.gelu.default")
def gelu(s: Scribe, x: Value, *, approximate: str = "none") -> Value:
    """Return the GELU in either form."""
    return s.op("gelu", x, approximate=approximate)


@importer("aten.hardtanh.default", "aten.clamp.default")
def clamp(s: Scribe, x: Value, min: Any = None, max: Any = None) -> Value:
    """Return limits; of integers with float limits the result is a float."""
    bounds = {"min": min, "max": max}
    if any(isinstance(bound, Value) for bound in bounds.values()):
        raise InferenceError("limits that are tensors")
    x = s.convert(x, s.result_dtype)
    if x.type.dtype.is_float:
        bounds = {n: None if b is None else float(b) for n, b in bounds.items()}
    return s.op("clamp", x, **bounds)


@importer("aten.clamp_min.default")
def clamp_min(s: Scribe, x: Value, min: Any) -> Value:
    """Return a lower limit."""
    return clamp(s, x, min=min)


@importer("aten.clamp_max.default")
def clamp_max(s: Scribe, x: Value, max: Any) -> Value:
    """Return an upper limit."""
    return clamp(s, x, max=max)


@importer("aten.softplus.default")
def softplus(s: Scribe, x: Value, beta: float = 1, threshold: float = 20) -> Value:
    """log(1 + exp(x)), with the identity above the threshold."""
    if beta != 1:
        raise InferenceError("softplus with beta")
    above = s.op("gt", *s.together(x, s.constant(threshold, x.type.dtype)))
    return s.op("select", above, x, s.op("softplus", x))


@importer("aten.leaky_relu.default")
def leaky_relu(s: Scribe, x: Value, negative_slope: float = 0.01) -> Value:
    """Return x above 0, else a part of it."""
    dtype = x.type.dtype
    above = s.op("gt", x, s.constant(0, dtype))
    return s.op("select", above, x, s.op("mul", x, s.constant(negative_slope, dtype)))


@importer("aten.square.default")
def square(s: Scribe, x: Value) -> Value:
    """Return x times itself."""
    return s.op("mul", x, x)


@importer("aten._to_copy.default")
def to_copy(
    s: Scribe,
    x: Value,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: torch.memory_format | None = None,
) -> Value:
    """Return another dtype; a copy to another device is kept whole."""
    if device is not None and device.type != "sidra":
        raise InferenceError(f"a copy to {device}")
    return s.convert(x, dtype_of(dtype, x.type.dtype))


@importer("prims.convert_element_type.default")
def convert_element_type(s: Scribe, x: Value, dtype: torch.dtype) -> Value:
    """Return another dtype."""
    return s.convert(x, dtype_of(dtype, x.type.dtype))


@importer(
    "aten.clone.default",
    "aten.detach.default",
    "aten.alias.default",
    "aten.lift_fresh_copy.default",
    "aten.contiguous.default",
)
def same(s: Scribe, x: Value, **settings: Any) -> Value:
    """Return the value itself: values are never written to."""
    return x
