"""Definitions: attributes, operand counts, look-up."""

from __future__ import annotations

import pytest

from sidra.errors import InferenceError
from sidra.ir import registry
from sidra.ir.core import Operation
from sidra.ir.registry import OpDefinition, attribute
from sidra.ir.types import tensor

TOPK = registry.lookup("graph.topk")
assert TOPK is not None


def test_defaults_are_filled_and_not_shown() -> None:
    complete = TOPK.complete({"k": 2})
    assert complete == {"k": 2, "dim": -1, "largest": True}
    assert TOPK.shown(complete) == {"k": 2}
    assert TOPK.shown({"dim": 1, "extra": 3}) == {"dim": 1, "extra": 3}


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({}, "graph.topk needs the attribute k, a int"),
        ({"k": True}, "graph.topk: k = true is not a int"),
        ({"k": 1, "axis": 0}, "graph.topk has no attribute axis; it has k, dim, largest"),
    ],
)
def test_attributes_are_checked(attributes: dict[str, int], text: str) -> None:
    with pytest.raises(InferenceError) as caught:
        TOPK.complete(attributes)
    assert str(caught.value) == text


def test_kinds() -> None:
    assert attribute("int?").accepts(None)
    assert not attribute("int").accepts(None)
    assert attribute("dims").accepts((1, 2))
    assert not attribute("ints").accepts((1, 2.0))
    assert attribute("number").accepts(1.5)


def test_operand_counts() -> None:
    several = OpDefinition("t.several", (1, None))
    several.check_operands(9)
    with pytest.raises(InferenceError, match=r"t.several takes 1 to many operands, not 0"):
        several.check_operands(0)
    with pytest.raises(InferenceError, match=r"t.several has no inferred types; give them"):
        several.result_types([tensor("f32[]")], {})


def test_lookup() -> None:
    assert registry.lookup("graph.nothing") is None
    assert registry.lookup("os.path") is None
    assert registry.has_flag(Operation("graph.add"), registry.COMMUTATIVE)
    assert not registry.has_flag(Operation("graph.sub"), registry.COMMUTATIVE)
    with pytest.raises(InferenceError, match=r"there is no op graph.nothing"):
        registry.definition_of(Operation("graph.nothing"))
    with pytest.raises(KeyError):
        registry.operations_of("nothing")
    with pytest.raises(ValueError, match=r"graph.topk is defined twice"):
        registry.define(TOPK)
