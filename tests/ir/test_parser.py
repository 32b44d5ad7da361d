"""Round trip, errors with their place, and texts that are no IR."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sidra.errors import ParseError
from sidra.ir.parser import parse_module
from sidra.ir.printer import module_text

TEXT = """module {
  resource @w0 : f32[3, 4]
  func @main(%x: f32[s0, 4], %y: f32[2*s0+1, (s0+3)//4, s0%4]) -> (f32[s0, 3]) {
    %0 = graph.resource {name = @w0} : f32[3, 4]
    %1 = graph.linear %x, %0 : f32[s0, 3] loc("encoder.query", "model.py", 12)
    t.barrier
    %2, %3 = graph.topk %1 {k = 2} : f32[s0, 2], i64[s0, 2]
    %4 = t.loop %2 {trip = [1, none, -0.0, nan], "a b" = f32[2]} : f32[s0, 2] { (%i: i64[])
      yield %i
    } {
      t.empty {
      }
      yield
    }
    return %1
  }
  func @other() -> () {
    return
  }
}
"""


def test_round_trip() -> None:
    assert module_text(parse_module(TEXT)) == TEXT


def test_functions_may_stand_alone_with_comments() -> None:
    module = parse_module("// what\nfunc @a() -> () { return } // end\n")
    assert list(module.functions) == ["a"]


def test_defaults_are_filled() -> None:
    topk = next(op for op in parse_module(TEXT).walk() if op.name == "graph.topk")
    assert topk.attributes == {"k": 2, "dim": -1, "largest": True}


def test_data_of_resources() -> None:
    data = {"w0": np.ones((3, 4), np.float32), "unknown": np.ones(1)}
    assert parse_module(TEXT, data=data).resources["w0"].data is data["w0"]
    with pytest.raises(ParseError, match=r"m\.sir: resource @w0: an array float64\(1,\)"):
        parse_module(TEXT, "m.sir", {"w0": np.ones(1)})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module {", "m:1:9: expected '}', found the end"),
        ("func main", "m:1:6: expected a name like @main, found 'main'"),
        ("func @a() -> (f32[1]) { return }", "m:1:6: @a returns (), not what it declares"),
        ("func @a() -> () { t.a %x\nreturn }", "m:1:23: there is no value %x here"),
        ("func @a(%x: f32[1], %x: f32[1]) -> () { return }", "m:1:21: %x is defined twice"),
        ("func @a() -> () { %0 = t.a\nreturn }", "m:1:24: 1 results, but 0 types"),
        ("func @a() -> () { return } func @a() -> () { return }", "a function @a already"),
        ("resource @w : f33[1]", "m:1:15: expected a type like f32[2, s0], found 'f33'"),
        ("resource @w : f32[1] resource @w : f32[1]", "there is a resource @w already"),
        ("func @a() -> () { return } x", "expected 'func', 'resource' or the end"),
        ("func @a(%x: f32[]) -> () { t.a %x, 3 }", "expected a name like %x, found '3'"),
        ("func @a() -> () {" + " t.a {" * 40, "expected at most 32 nested regions"),
        ('func @a() -> () { t.a loc("m", "f", 1.5) }', "expected an integer, found '1.5'"),
    ],
)
def test_errors_have_their_place(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_module(text, "m")
    assert message in str(caught.value)


def mutated(chance: random.Random, text: str) -> str:
    """The text with a few pieces removed, doubled, swapped or replaced."""
    for _ in range(chance.randrange(1, 4)):
        a, b = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        b = min(b, a + chance.choice([1, 3, 30]))
        piece = chance.choice(
            ["", text[a:b] * 2, chance.choice('%@{}[]()<>:=,"-+*/0\\\n \x00\u00e9'), "nan", "1e999"]
        )
        text = text[:a] + piece + text[b:]
    return text


def test_any_text_is_read_or_refused_with_a_parse_error() -> None:
    chance = random.Random(0)
    refused = 0
    for _ in range(3000):
        try:
            module = parse_module(mutated(chance, TEXT))
        except ParseError:
            refused += 1
        else:
            printed = module_text(module)
            assert module_text(parse_module(printed)) == printed
    assert 1000 < refused < 3000


def test_deep_and_long_texts_are_refused_quickly() -> None:
    for piece in ("[", "(", "{", "f32[", "dense<", "-", "%", "module {", "func @a(", "9"):
        with pytest.raises(ParseError):
            parse_module("func @a() -> () { t.a {b = " + piece * 20_000)
        with pytest.raises(ParseError):
            parse_module(piece * 20_000)
