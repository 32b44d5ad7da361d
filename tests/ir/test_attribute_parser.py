"""Attribute values read back: to the same value, and refused with a place."""

from __future__ import annotations

import math
import random
import struct

import numpy as np
import pytest

from sidra.errors import ParseError
from sidra.ir.attribute_parser import AttributeParser
from sidra.ir.attributes import Attribute, Dense, ResourceRef, attribute_text, same
from sidra.ir.dims import symbol
from sidra.ir.lexer import Source
from sidra.ir.types import DTYPES, TensorType


def read(text: str) -> Attribute:
    return AttributeParser(Source(text, "t")).attribute()


def value(chance: random.Random, depth: int) -> Attribute:
    """An attribute value of any kind."""
    kind = chance.randrange(11 if depth else 9)
    dtype = chance.choice(list(DTYPES.values()))
    if kind == 0:
        return struct.unpack("<d", chance.randbytes(8))[0]
    if kind == 1:
        return chance.choice([math.inf, -math.inf, math.nan, 0.0, -0.0, 5e-324, 1e16])
    if kind == 2:
        return chance.randrange(-(2**63), 2**63)
    if kind == 3:
        return "".join(chr(chance.randrange(1, 0x3000)) for _ in range(5)) + '"\\'
    if kind == 4:
        return symbol("s0") * chance.randrange(1, 9) // 7 - chance.randrange(9)
    if kind == 5:
        return TensorType((chance.randrange(4), symbol("s1")), dtype)
    if kind == 6:
        return dtype
    if kind == 7:
        return chance.choice([None, True, False, ResourceRef("w.0")])
    if kind == 8:
        array = np.frombuffer(chance.randbytes(48), np.uint8)
        typed = dtype.cast(array[: 2 * 3].reshape(2, 3) * chance.random())
        return Dense(TensorType((2, 3), dtype), typed)
    return tuple(value(chance, depth - 1) for _ in range(chance.randrange(4)))


def test_every_value_reads_back() -> None:
    chance = random.Random(0)
    for _ in range(2000):
        given = value(chance, 3)
        assert same(read(attribute_text(given)), given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a dimension, found the end"),
        ("[1", "expected ',', found the end"),
        ("-", "expected a number, a symbol or '('"),
        ("9999999999999999999999", "expected a number, a symbol"),
        ("1s0", "expected an operator"),
        ("f32[-1]", "a dimension cannot be -1"),
        ("[" * 40, "expected at most 32 nested tuples"),
        ('"\\x"', "Invalid \\escape"),
        ("dense<f32[2]: [1.0]>", "f32[2] has 2 elements, not 1"),
        ("dense<f32[s0]: [1.0]>", "a constant has no symbolic dimension"),
        ("dense<u8[1]: [256]>", "u8 holds 0 to 255"),
        ("dense<u8[1]: [1.5]>", "expected an integer, found '1.5'"),
        ("dense<f32[1]: [x]>", "expected a number, found 'x'"),
        ("dense<c64[1]: [1.0]>", "must be a divisor"),
        ("f32[" + ", ".join(["1"] * 65) + "]", "expected at most 64 dimensions"),
        ("dense<f32[8193]: [" + ", ".join(["1"] * 8193) + "]>", "at most 4096 elements"),
    ],
)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("t:1:")


def test_attributes_are_given_once() -> None:
    parser = AttributeParser(Source('{a = 1, "a" = 2}', "t"))
    with pytest.raises(ParseError, match="t:1:9: the attribute a is given twice"):
        parser.attributes()
