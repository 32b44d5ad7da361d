"""Elementwise ops with two tensor operands of one dtype, and `select`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import (
    as_bool,
    broadcast_one_dtype,
    broadcast_shapes,
    one_dtype,
    only,
    require,
)
from sidra.ir.registry import (
    COMMUTATIVE,
    ELEMENTWISE,
    EXACT,
    PURE,
    Attributes,
    Infer,
    Types,
    op,
)
from sidra.ir.types import Array, TensorType, i1

FLAGS = (PURE, ELEMENTWISE)
COMPARES = (PURE, ELEMENTWISE, EXACT)
REALS = "float signed unsigned"
NUMBERS = REALS + " complex"
ALL = NUMBERS + " bool"
INTEGERS = "signed unsigned"


def _binary(
    name: str,
    meaning: Callable[[Any, Any], Any],
    kinds: str,
    formula: str,
    infer: Infer = broadcast_one_dtype,
    flags: tuple[str, ...] = FLAGS,
) -> None:
    def evaluate(attributes: Attributes, a: Array, b: Array) -> Any:
        return meaning(a, b)

    evaluate.__doc__ = formula
    op(f"graph.{name}", 2, only(kinds, infer), flags=flags)(evaluate)


SWAPS = (*FLAGS, COMMUTATIVE)
TRUTH = as_bool(broadcast_one_dtype)

_binary("add", np.add, ALL, "a + b; integers wrap, i1 is or", flags=SWAPS)
_binary("sub", np.subtract, NUMBERS, "a - b")
_binary("mul", np.multiply, ALL, "a * b; i1 is and", flags=SWAPS)
_binary("div", np.divide, "float complex", "a / b")
_binary("floordiv", np.floor_divide, REALS, "a / b, rounded down")
_binary("remainder", np.remainder, REALS, "a - b * floor(a / b): the sign is b's")
_binary("fmod", np.fmod, REALS, "a - b * trunc(a / b): the sign is a's")
_binary("pow", np.power, NUMBERS, "a to the b; integers need b >= 0")
_binary("maximum", np.maximum, REALS + " bool", "the larger; NaN if either is", flags=SWAPS)
_binary("minimum", np.minimum, REALS + " bool", "the smaller; NaN if either is", flags=SWAPS)
_binary("atan2", np.arctan2, "float", "the angle of (b, a)")
_binary("bitwise_and", np.bitwise_and, INTEGERS + " bool", "bits of both", flags=SWAPS)
_binary("bitwise_or", np.bitwise_or, INTEGERS + " bool", "bits of either", flags=SWAPS)
_binary("bitwise_xor", np.bitwise_xor, INTEGERS + " bool", "bits of one", flags=SWAPS)
_binary("shift_left", np.left_shift, INTEGERS, "a * 2^b")
_binary("shift_right", np.right_shift, INTEGERS, "a / 2^b, rounded down")
_binary("logical_and", np.logical_and, ALL, "a and b, as truths", TRUTH, (*COMPARES, COMMUTATIVE))
_binary("logical_or", np.logical_or, ALL, "a or b, as truths", TRUTH, (*COMPARES, COMMUTATIVE))
_binary(
    "logical_xor", np.logical_xor, ALL, "one of them, as truths", TRUTH, (*COMPARES, COMMUTATIVE)
)
_binary("eq", np.equal, ALL, "a == b", TRUTH, (*COMPARES, COMMUTATIVE))
_binary("ne", np.not_equal, ALL, "a != b", TRUTH, (*COMPARES, COMMUTATIVE))
_binary("lt", np.less, REALS + " bool", "a < b", TRUTH, COMPARES)
_binary("le", np.less_equal, REALS + " bool", "a <= b", TRUTH, COMPARES)
_binary("gt", np.greater, REALS + " bool", "a > b", TRUTH, COMPARES)
_binary("ge", np.greater_equal, REALS + " bool", "a >= b", TRUTH, COMPARES)


def _select(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    require(types[0].dtype is i1, f"the condition is {types[0].dtype}, but must be i1")
    dtype = one_dtype(types[1:])
    return (TensorType(broadcast_shapes([t.shape for t in types]), dtype),)


@op("graph.select", 3, _select, flags=(PURE, ELEMENTWISE, EXACT))
def select(attributes: Attributes, condition: Any, a: Any, b: Any) -> Any:
    """Take a where the condition holds, else b."""
    return np.where(condition, a, b)
