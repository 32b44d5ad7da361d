"""Use lists, the operation list, cloning."""

from __future__ import annotations

import numpy as np
import pytest

from sidra.ir.core import Block, Function, Location, Module, Operation, Resource, Use
from sidra.ir.parser import parse_module
from sidra.ir.printer import module_text
from sidra.ir.types import tensor

F2 = tensor("f32[2]")

NESTED = """module {
  func @main(%x: f32[2]) -> (f32[2]) {
    %0 = t.a %x : f32[2] loc("layer.0")
    %1 = t.loop %0 : f32[2] {
      %2 = t.b %0, %x : f32[2]
      yield %2
    }
    return %1
  }
}
"""


def test_uses_follow_operands() -> None:
    block = Block([F2, F2])
    x, y = block.arguments
    operation = block.append(Operation("t.add", [x, x], [F2]))
    assert x.uses == (Use(operation, 0), Use(operation, 1))
    assert x.users == (operation,)
    operation.set_operand(1, y)
    assert (x.uses, y.uses) == ((Use(operation, 0),), (Use(operation, 1),))
    x.replace_all_uses(y)
    assert (x.uses, operation.operands) == ((), (y, y))
    operation.operands = ()
    assert y.uses == ()
    assert operation.result.operation is operation
    assert x.operation is None


def test_replace_needs_one_type() -> None:
    x, y = Block([F2, tensor("f32[3]")]).arguments
    with pytest.raises(ValueError, match=r"type f32\[2\] cannot become one of f32\[3\]"):
        x.replace_all_uses(y)


def test_order_of_operations() -> None:
    block = Block()
    a, b, c, d = (Operation(f"t.{n}") for n in "abcd")
    block.append(b)
    block.insert_before(a, b)
    block.insert_after(d, b)
    block.insert_before(c, d)
    assert [op.name for op in block.operations] == ["t.a", "t.b", "t.c", "t.d"]
    for op in block.operations:
        if op in (a, c, d):
            op.erase()
    assert (block.first, block.last, b.previous, b.next) == (b, b, None, None)
    with pytest.raises(ValueError, match=r"t\.a is not in this block"):
        block.insert_before(c, a)
    with pytest.raises(ValueError, match=r"t\.b is in a block; remove it first"):
        Block().append(b)
    with pytest.raises(ValueError, match=r"t\.a is in no block"):
        a.remove()


def test_erase_and_replace_refuse() -> None:
    block = Block([F2])
    a = block.append(Operation("t.a", block.arguments, [F2]))
    block.append(Operation("return", a.results))
    with pytest.raises(ValueError, match="cannot be erased: its results are in use"):
        a.erase()
    with pytest.raises(ValueError, match="has 1 results, not 0"):
        a.replace_with([])
    a.replace_with(block.arguments)
    assert Function("f", block).results == tuple(block.arguments)
    assert block.last is not None
    with pytest.raises(ValueError, match="return has 0 results, not one"):
        _ = block.last.result


def test_clone_is_equal_and_apart() -> None:
    module = parse_module(NESTED)
    copy = module.clone()
    assert module_text(copy) == NESTED
    main = module.functions["main"]
    first = main.body.first
    assert first is not None
    assert first.location == Location("layer.0")
    assert {op for op in copy.walk()}.isdisjoint(main.walk())
    loop = first.next
    assert loop is not None
    assert [op.name for op in loop.walk()] == ["t.loop", "t.b", "yield"]
    loop.replace_with(first.results)
    assert first.result.users == (main.body.last,)  # the erased region uses nothing
    assert module_text(copy) == NESTED


def test_names_are_taken_once() -> None:
    module = parse_module(NESTED)
    module.add_resource("w", F2)
    with pytest.raises(ValueError, match="there is a function @main already"):
        module.add(module.functions["main"])
    with pytest.raises(ValueError, match="there is a resource @w already"):
        module.add_resource("w", F2)
    with pytest.raises(ValueError, match=r"an array float64\(2,\) is no f32\[2\]"):
        Resource(F2, np.zeros(2))
    assert Module().functions == {}
