"""Insertion, locations, inferred types."""

from __future__ import annotations

import pytest

from sidra.errors import InferenceError
from sidra.ir.builder import Builder, function_builder
from sidra.ir.core import Block, Location, Operation
from sidra.ir.printer import function_text
from sidra.ir.types import f16, tensor


def test_builds_with_inferred_types_and_locations() -> None:
    function, builder = function_builder("main", [tensor("f32[s0, 4]")], ["x"])
    (x,) = function.arguments
    with builder.at(Location("encoder")):
        y = builder.create("graph.exp", [x])
    values, _ = builder.build("graph.topk", [y], {"k": 2}).results
    builder.finish([values])
    before = Builder.before_operation(values.owner)  # type: ignore[arg-type]
    assert before.create("graph.convert", [y], {"dtype": f16}).type == tensor("f16[s0, 4]")
    assert function_text(function) == (
        "func @main(%x: f32[s0, 4]) -> (f32[s0, 2]) {\n"
        '  %0 = graph.exp %x : f32[s0, 4] loc("encoder")\n'
        "  %1 = graph.convert %0 {dtype = f16} : f16[s0, 4]\n"
        "  %2, %3 = graph.topk %0 {k = 2} : f32[s0, 2], i64[s0, 2]\n"
        "  return %2\n"
        "}\n"
    )


def test_a_region_ends_in_yield() -> None:
    region = Block()
    Operation("t.loop", regions=[region])
    assert Builder(region).finish([]).name == "yield"


def test_refuses() -> None:
    _, builder = function_builder("main", [])
    with pytest.raises(InferenceError, match=r"there is no op graph\.nothing"):
        builder.create("graph.nothing")
    with pytest.raises(InferenceError, match=r"graph\.exp takes 1 operands, not 0"):
        builder.create("graph.exp")
    with pytest.raises(ValueError, match=r"t\.a is in no block"):
        Builder.before_operation(Operation("t.a"))
