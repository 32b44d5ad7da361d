"""Elementwise operators with two tensors, or a tensor and a number."""

from __future__ import annotations

from typing import Any

from sidra.errors import InferenceError
from sidra.frontend.importers import importer
from sidra.frontend.importers.scribe import Scribe
from sidra.ir.core import Value
from sidra.ir.types import i1

PROMOTED = {
    "maximum": "maximum", "minimum": "minimum", "atan2": "atan2",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "fmod": "fmod", "remainder": "remainder", "__lshift__": "shift_left",
    "__rshift__": "shift_right", "bitwise_left_shift": "shift_left",
    "bitwise_right_shift": "shift_right",
    **{name: name for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}  # fmt: skip
LOGICAL = ("logical_and", "logical_or", "logical_xor")
FORMS = ("Tensor", "Scalar", "default")


def _promoted(name: str) -> Any:
    return lambda s, a, b: s.op(name, *s.promoted(a, b))


def _logical(name: str) -> Any:
    return lambda s, a, b: s.op(name, *(s.convert(x, i1) for x in (a, b)))


for _theirs, _ours in PROMOTED.items():
    importer(*(f"aten.{_theirs}.{form}" for form in FORMS))(_promoted(_ours))
for _name in LOGICAL:
    importer(f"aten.{_name}.default")(_logical(_name))


def _scaled(s: Scribe, b: Any, alpha: Any) -> Any:
    """Return alpha * b, in b's dtype."""
    if alpha == 1:
        return b
    if not isinstance(b, Value):
        return b * alpha
    dtype = b.type.dtype
    if not dtype.is_float and isinstance(alpha, float):
        raise InferenceError("an integer tensor times a float")
    return s.op("mul", b, s.constant(alpha, dtype))


@importer("aten.add.Tensor", "aten.add.Scalar")
def add(s: Scribe, a: Value, b: Any, alpha: Any = 1) -> Value:
    """Return a + alpha * b."""
    a, b = s.promoted(a, b)
    return s.op("add", a, _scaled(s, b, alpha))


@importer("aten.sub.Tensor", "aten.sub.Scalar")
def sub(s: Scribe, a: Value, b: Any, alpha: Any = 1) -> Value:
    """Return a - alpha * b."""
    a, b = s.promoted(a, b)
    return s.op("sub", a, _scaled(s, b, alpha))


@importer("aten.rsub.Tensor", "aten.rsub.Scalar")
def rsub(s: Scribe, a: Value, b: Any, alpha: Any = 1) -> Value:
    """Return b - alpha * a."""
    a, b = s.promoted(a, b)
    return s.op("sub", b, _scaled(s, a, alpha))


@importer("aten.mul.Tensor", "aten.mul.Scalar")
def mul(s: Scribe, a: Any, b: Any) -> Value:
    """Return a * b."""
    return s.arithmetic("mul", a, b)


@importer("aten.div.Tensor", "aten.div.Scalar")
def div(s: Scribe, a: Value, b: Any) -> Value:
    """Return true division: integers are divided as the float result."""
    if isinstance(a, Value) and a.type.dtype.is_float:
        return s.arithmetic("div", a, b)
    return s.op("div", s.operand(a, s.result_dtype), s.operand(b, s.result_dtype))


@importer("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def div_mode(s: Scribe, a: Value, b: Any, *, rounding_mode: str | None) -> Value:
    """Return division rounded down or towards zero."""
    if rounding_mode is None:
        return div(s, a, b)
    a, b = s.promoted(a, b)
    if rounding_mode == "floor":
        return s.op("floordiv", a, b)
    if not a.type.dtype.is_float:
        raise InferenceError("integers divided towards zero")
    return s.op("trunc", s.op("div", a, b))


@importer("aten.floor_divide.default", "aten.floor_divide.Scalar")
def floor_divide(s: Scribe, a: Value, b: Any) -> Value:
    """Return division rounded down."""
    return s.op("floordiv", *s.promoted(a, b))


@importer("aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar", "aten.pow.Scalar")
def power(s: Scribe, a: Any, b: Any) -> Value:
    """Return a to the b; small whole exponents are products."""
    if isinstance(a, Value) and b == 2 and not isinstance(b, Value):
        a = s.convert(a, s.result_dtype)
        return s.op("mul", a, a)
    a, b = s.promoted(a, b)
    if not a.type.dtype.is_float:
        raise InferenceError("a power of integers")
    return s.op("pow", a, b)


@importer("aten.where.self", "aten.where.ScalarOther", "aten.where.ScalarSelf")
def where(s: Scribe, condition: Value, a: Any, b: Any) -> Value:
    """Return a where the condition holds, else b."""
    return s.op("select", s.convert(condition, i1), *s.promoted(a, b))


@importer("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def masked_fill(s: Scribe, x: Value, mask: Value, value: Any) -> Value:
    """Return the value where the mask holds, else x."""
    filled = s.op("select", s.convert(mask, i1), s.operand(value, x.type.dtype), x)
    return s.broadcast(filled, s.together(x, mask)[0].type.shape)


@importer("aten.addcmul.default")
def addcmul(s: Scribe, x: Value, a: Value, b: Value, *, value: Any = 1) -> Value:
    """Return x + value * a * b."""
    x, a, b = s.promoted(x, a, b)
    return s.op("add", x, _scaled(s, s.op("mul", a, b), value))


@importer("aten.lerp.Scalar")
def lerp(s: Scribe, a: Value, b: Value, weight: float) -> Value:
    """Return a + weight * (b - a)."""
    if abs(weight) >= 0.5:
        raise InferenceError("lerp counts from the other end")
    difference = s.op("sub", b, a)
    return s.op("add", a, s.op("mul", difference, s.constant(weight, a.type.dtype)))


@importer("aten.tanh_backward.default")
def tanh_backward(s: Scribe, gradient: Value, y: Value) -> Value:
    """Gradient * (1 - y * y)."""
    one = s.constant(1, y.type.dtype)
    return s.op("mul", gradient, s.op("sub", one, s.op("mul", y, y)))


@importer("aten.sigmoid_backward.default")
def sigmoid_backward(s: Scribe, gradient: Value, y: Value) -> Value:
    """Gradient * (1 - y) * y."""
    one = s.constant(1, y.type.dtype)
    return s.op("mul", gradient, s.op("mul", s.op("sub", one, y), y))


@importer("aten.threshold_backward.default")
def threshold_backward(s: Scribe, gradient: Value, x: Value, threshold: Any) -> Value:
    """Return the gradient where x is above the threshold, else 0."""
    dtype = x.type.dtype
    low = s.op("le", x, s.constant(threshold, dtype))
    return s.op("select", low, s.constant(0, gradient.type.dtype), gradient)
