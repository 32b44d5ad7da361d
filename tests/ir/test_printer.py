"""Names, notes and places in the text."""

from __future__ import annotations

from sidra.ir.core import Block, Function, Location, Operation
from sidra.ir.printer import function_text, location_text, operation_text
from sidra.ir.types import tensor

F2 = tensor("f32[2]")


def test_names_are_hints_made_unique() -> None:
    block = Block([F2, F2, F2, F2], ["x", "x", "not a name", "x_1"])
    operation = block.append(Operation("t.add", block.arguments, [F2, F2], {"b c": 1}))
    block.append(Operation("return", operation.results[:1]))
    assert function_text(Function("main", block)) == (
        "func @main(%x: f32[2], %x_1: f32[2], %0: f32[2], %x_1_1: f32[2]) -> (f32[2]) {\n"
        '  %1, %2 = t.add %x, %x_1, %0, %x_1_1 {"b c" = 1} : f32[2], f32[2]\n'
        "  return %1\n"
        "}\n"
    )


def test_notes_stand_under_their_operation() -> None:
    block = Block()
    operation = block.append(Operation("t.a"))
    text = function_text(Function("main", block), {operation: "wrong"})
    assert text == "func @main() -> () {\n  t.a\n  ^ wrong\n}\n"


def test_regions_and_lone_operations() -> None:
    region = Block([tensor("i64[]")], ["i"])
    region.append(Operation("yield", region.arguments))
    assert operation_text(Operation("t.loop", regions=[region, Block()])) == (
        "t.loop { (%i: i64[])\n  yield %i\n} {\n}"
    )


def test_locations() -> None:
    assert location_text(Location()) == ""
    assert location_text(Location("a.b")) == 'loc("a.b")'
    assert location_text(Location("", "m.py", 3)) == 'loc("", "m.py", 3)'
