"""Attribute values and their text."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sidra.ir.attributes import Attribute, Dense, ResourceRef, attribute_text, same
from sidra.ir.dims import symbol
from sidra.ir.types import f32, tensor


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "true"),
        (-3, "-3"),
        (1e-5, "1e-05"),
        (2.0, "2.0"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        ('a"b\n', '"a\\"b\\n"'),
        (f32, "f32"),
        (tensor("f32[2]"), "f32[2]"),
        (symbol("s0") + 1, "s0+1"),
        ((1, (2.5, None)), "[1, [2.5, none]]"),
        (ResourceRef("w"), "@w"),
    ],
)
def test_text(value: Attribute, text: str) -> None:
    assert attribute_text(value) == text


@pytest.mark.parametrize(
    ("type", "values", "text"),
    [
        ("f32[2]", [0.1, -0.0], "dense<f32[2]: [0.10000000149011612, -0.0]>"),
        ("i1[2]", [True, False], "dense<i1[2]: [1, 0]>"),
        ("u8[]", 255, "dense<u8[]: [255]>"),
        ("c64[1]", [1 - 2j], "dense<c64[1]: [1.0, -2.0]>"),
    ],
)
def test_dense_text(type: str, values: object, text: str) -> None:
    kind = tensor(type)
    dense = Dense(kind, np.array(values, kind.dtype.numpy))
    assert str(dense) == text
    assert dense == Dense(kind, np.array(values, kind.dtype.numpy))
    assert hash(dense) == hash(text)


def test_dense_refuses_another_type_and_many_elements() -> None:
    with pytest.raises(ValueError, match=r"an array float64\(2,\) is no f32\[2\]"):
        Dense(tensor("f32[2]"), np.zeros(2))
    with pytest.raises(ValueError, match="at most 4096 elements, not 5000; use a resource"):
        Dense(tensor("f32[5000]"), np.zeros(5000, np.float32))


def test_same_tells_types_apart() -> None:
    assert same(math.nan, math.nan)
    assert not same(1, True)
    assert not same(1, 1.0)
    assert not same(0.0, -0.0)
