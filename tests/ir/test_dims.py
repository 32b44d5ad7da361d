"""Symbolic dimensions: canonical form, text, value."""

from __future__ import annotations

import random

import pytest

from sidra.ir import dims
from sidra.ir.dims import Dimension, parse_dimension

S0, S1 = dims.symbol("s0"), dims.symbol("s1")


@pytest.mark.parametrize(
    ("dimension", "text"),
    [
        (S0, "s0"),
        (S0 * 2 + 1, "2*s0+1"),
        (1 - S0, "-s0+1"),
        (S0 * S1 + S1 * S0, "2*s0*s1"),
        ((S0 + 3) // 4, "(s0+3)//4"),
        ((S0 + 3) // 4 * 2, "2*((s0+3)//4)"),
        (S0 % 4, "s0%4"),
        ((S0 + 1) // S1, "(s0+1)//s1"),
        (7 // S0, "7//s0"),
        (7 % (S0 + 1), "7%(s0+1)"),
        (dims.ceildiv(S0, 4), "(s0+3)//4"),
        (S0 * S0 - S1, "s0*s0-s1"),
    ],
)
def test_text(dimension: Dimension, text: str) -> None:
    assert str(dimension) == text
    assert parse_dimension(text) == dimension


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (S0 - S0, 0),
        (S0 + S1, S1 + S0),
        ((S0 + S1) * (S0 - S1), S0 * S0 - S1 * S1),
        ((S0 * 8 + 3) // 4, S0 * 2),
        ((S0 * 8 + 3) % 4, 3),
        ((S0 * 2) // 4, S0 // 2),
        ((S0 * 2 + 1) // 2, S0),
        (S0 * S1 * 12 // (S0 * 4), S1 * 3),
        ((S0 + 1) // (S0 + 1), 1),
        ((S0 + 1) * 3 // (S0 + 1), 3),
        (S0 * S1 % S0, 0),
        (0 // S0, 0),
        ((S0 - 1) // 2 + 1, (S0 + 1) // 2),
        (S0 // -2, -S0 // 2),
    ],
)
def test_equal_forms(a: Dimension, b: Dimension) -> None:
    assert a == b
    assert hash(a) == hash(b)
    assert type(a) is type(b)


def expression(chance: random.Random, depth: int) -> tuple[str, Dimension]:
    """Text, and the dimension that its arithmetic gives."""
    if depth == 0 or chance.random() < 0.2:
        name = chance.choice(["s0", "s1", "3", "7"])
        return name, parse_dimension(name)
    (a, x), (b, y) = expression(chance, depth - 1), expression(chance, depth - 1)
    operator = chance.choice(["+", "-", "*", "//", "%"])
    if operator in ("//", "%"):
        b = chance.choice(["2", "3", "4", "s1", "(s0+1)"])
        y = parse_dimension(b)
        return f"({a}){operator}{b}", x // y if operator == "//" else x % y
    return f"(({a}){operator}({b}))", {"+": x + y, "-": x - y, "*": x * y}[operator]


def test_arithmetic_keeps_the_value_and_text_the_form() -> None:
    chance = random.Random(0)
    for _ in range(400):
        text, dimension = expression(chance, 4)
        assert parse_dimension(text) == dimension
        assert parse_dimension(str(dimension)) == dimension
        for s0, s1 in ((1, 1), (5, 3), (64, 7)):
            values = {"s0": s0, "s1": s1}
            assert dims.evaluate(dimension, values) == eval(text, dict(values))
            assert dims.substitute(dimension, {"s0": s0, "s1": s1}) == eval(text, dict(values))


def test_symbols_and_values() -> None:
    dimension = (S0 + 3) // S1
    assert dims.symbols(dimension) == {"s0", "s1"}
    assert dims.symbols(4) == frozenset()
    assert dims.product([2, S0, 3]) == S0 * 6
    assert dims.substitute(dimension, {"s1": S0}) == (S0 + 3) // S0
    with pytest.raises(KeyError, match="s1"):
        dims.evaluate(dimension, {"s0": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a number, a symbol or '(' at 0, found ''"),
        ("s0+", "at 3, found ''"),
        ("(s0", "expected ')' at 3"),
        ("s0 s1", "expected an operator at 3, found 's1'"),
        ("s0//0", "expected a divisor other than 0"),
        ("S0", "found 'S0'"),
        ("9" * 20, "expected a number"),
        ("(" * 40 + "s0" + ")" * 40, "expected at most 32 levels"),
        ("*".join(["(s0+s1+1)"] * 30), "a dimension has"),
        ("*".join(["s0"] * 70), "too many terms or factors"),
        ("*".join(["1000000000*s0"] * 3), "too large a coefficient"),
        ("1" + "+1" * 600, "at most 1000 characters"),
    ],
)
def test_refuses_text(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"dimension|expected") as caught:
        parse_dimension(text)
    assert message in str(caught.value)


def test_refuses_a_name_and_zero() -> None:
    with pytest.raises(ValueError, match="'3x' is not a symbol; use a name like s0"):
        dims.symbol("3x")
    for divide in (dims.floordiv, dims.modulo):
        with pytest.raises(ZeroDivisionError):
            divide(S0, 0)
