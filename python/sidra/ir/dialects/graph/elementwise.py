"""Elementwise ops with one tensor operand, and `clamp`, `convert`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import as_bool, only, require, same_as_first
from sidra.ir.registry import (
    ELEMENTWISE,
    EXACT,
    PURE,
    Attributes,
    Infer,
    Types,
    attribute,
    op,
)
from sidra.ir.types import Array, TensorType, f32, f64

FLAGS = (PURE, ELEMENTWISE)
FLOATS = "float complex"
NUMBERS = "float complex signed unsigned"
REALS = "float signed unsigned"

_python_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x: Any) -> Any:
    """Return the error function in float64, by C's erf: within 1 unit in the last place."""
    return _python_erf(x).astype(np.float64) if np.ndim(x) else np.float64(math.erf(x))


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)); exp never overflows."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def _sign(x: Any) -> Any:
    return np.where(np.isnan(x), 0, np.sign(x)) if x.dtype.kind == "f" else np.sign(x)


def _relu(x: Any) -> Any:
    return np.maximum(x, np.zeros((), x.dtype))


def _softplus(x: Any) -> Any:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _unary(
    name: str,
    meaning: Callable[[Any], Any],
    kinds: str,
    formula: str,
    infer: Infer = same_as_first,
    flags: tuple[str, ...] = FLAGS,
) -> None:
    def evaluate(attributes: Attributes, x: Array) -> Any:
        return meaning(x)

    evaluate.__doc__ = formula
    op(f"graph.{name}", 1, only(kinds, infer), flags=flags)(evaluate)


def _real_of(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    real = {"c64": f32, "c128": f64}
    return (types[0].with_dtype(real.get(types[0].dtype.name, types[0].dtype)),)


_unary("neg", np.negative, NUMBERS, "-x")
_unary("abs", np.abs, NUMBERS, "|x|; real for a complex x", _real_of)
_unary("exp", np.exp, FLOATS, "e to the x")
_unary("expm1", np.expm1, "float", "exp(x) - 1")
_unary("log", np.log, FLOATS, "the natural logarithm")
_unary("log2", np.log2, "float", "the logarithm to base 2")
_unary("log1p", np.log1p, "float", "log(1 + x)")
_unary("sqrt", np.sqrt, FLOATS, "the square root")
_unary("rsqrt", lambda x: 1 / np.sqrt(x), FLOATS, "1 / sqrt(x)")
_unary("reciprocal", lambda x: 1 / x, FLOATS, "1 / x")
_unary("erf", erf, "float", "the error function")
_unary("tanh", np.tanh, FLOATS, "the hyperbolic tangent")
_unary("sigmoid", sigmoid, "float", "1 / (1 + exp(-x))")
_unary("relu", _relu, REALS, "max(x, 0); NaN stays NaN")
_unary("silu", lambda x: x * sigmoid(x), "float", "x * sigmoid(x)")
_unary("softplus", _softplus, "float", "log(1 + exp(x))")
_unary("sin", np.sin, FLOATS, "the sine")
_unary("cos", np.cos, FLOATS, "the cosine")
_unary("tan", np.tan, FLOATS, "the tangent")
_unary("atan", np.arctan, "float", "the inverse tangent")
_unary("floor", np.floor, "float", "the integer not above x")
_unary("ceil", np.ceil, "float", "the integer not below x")
_unary("round", np.rint, "float", "the nearest integer, ties to even")
_unary("trunc", np.trunc, "float", "the integer towards zero")
_unary("sign", _sign, REALS, "-1, 0 or 1; 0 for NaN")
_unary("logical_not", np.logical_not, NUMBERS + " bool", "x == 0", as_bool(same_as_first))
_unary("bitwise_not", np.invert, "signed unsigned bool", "every bit turned")
_unary("isnan", np.isnan, FLOATS, "whether x is NaN", as_bool(same_as_first))
_unary("isinf", np.isinf, FLOATS, "whether x is infinite", as_bool(same_as_first))
_unary("isfinite", np.isfinite, FLOATS, "neither NaN nor infinite", as_bool(same_as_first))


def _gelu(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    form = attributes["approximate"]
    require(form in ("none", "tanh"), f'approximate is "{form}", but must be "none" or "tanh"')
    return (types[0],)


@op("graph.gelu", 1, only("float", _gelu), {"approximate": attribute("str", "none")}, FLAGS)
def gelu(attributes: Attributes, x: Any) -> Any:
    """X * (1 + erf(x / sqrt 2)) / 2, or 1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))."""
    if attributes["approximate"] == "none":
        return x * (1 + erf(x / math.sqrt(2))) / 2
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def _clamp(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    bounds = [b for b in (attributes["min"], attributes["max"]) if b is not None]
    require(bool(bounds), "min or max must be given")
    whole = all(isinstance(b, int) for b in bounds)
    require(types[0].dtype.is_float or whole, f"a bound of {types[0].dtype} must be an integer")
    return (types[0],)


@op(
    "graph.clamp",
    1,
    only(REALS, _clamp),
    {"min": attribute("number?", None), "max": attribute("number?", None)},
    FLAGS,
)
def clamp(attributes: Attributes, x: Any) -> Any:
    """min(max(x, min), max); NaN stays NaN."""
    low, high = attributes["min"], attributes["max"]
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _convert(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    return (types[0].with_dtype(attributes["dtype"]),)


@op("graph.convert", 1, _convert, {"dtype": attribute("dtype")}, (PURE, ELEMENTWISE, EXACT))
def convert(attributes: Attributes, x: Array) -> Array:
    """X as `dtype`: floats round to nearest even, to integers towards zero; i1 is x != 0."""
    return x
