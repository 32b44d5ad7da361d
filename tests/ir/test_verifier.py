"""Each rule, broken."""

from __future__ import annotations

import pytest

from sidra.errors import VerifyError
from sidra.ir.core import Block, Function, Operation, Use
from sidra.ir.parser import parse_module
from sidra.ir.types import tensor
from sidra.ir.verifier import verify, verify_function

F2 = tensor("f32[2]")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%0 = t.a %x : f32[2]", "there is no op t.a"),
        ("%0 = graph.exp %x : f32[3]", "its result types are (f32[3]), but must be (f32[2])"),
        ("%0 = graph.exp %x, %x : f32[2]", "graph.exp takes 1 operands, not 2"),
        ("%0 = graph.exp %x {k = 1} : f32[2]", "graph.exp has no attribute k; it has none"),
        ("%0 = graph.topk %x : f32[2]", "graph.topk needs the attribute k"),
        ("%0 = graph.resource {name = @w} : f32[2]", "there is no resource @w"),
        ("%0 = graph.exp %x : f32[2] {\nyield }", "it has 1 regions, not 0"),
        ("return\n%0 = graph.exp %x : f32[2]", "operations follow it"),
        ("yield", "operations follow it"),
    ],
)
def test_broken_text(body: str, message: str) -> None:
    module = parse_module(f"func @main(%x: f32[2]) -> () {{ {body}\nreturn }}")
    with pytest.raises(VerifyError) as caught:
        verify(module)
    assert message in str(caught.value)


def test_error_shows_the_function_with_the_message_under_the_op() -> None:
    module = parse_module("func @main(%x: f32[2]) -> () {\n%0 = t.a %x : f32[2]\nreturn }")
    with pytest.raises(VerifyError) as caught:
        verify(module)
    assert str(caught.value) == (
        "@main: t.a: there is no op t.a\n"
        "func @main(%x: f32[2]) -> () {\n"
        "  %0 = t.a %x : f32[2]\n"
        "  ^ there is no op t.a\n"
        "  return\n"
        "}\n"
    )


def refusal(function: Function) -> str:
    with pytest.raises(VerifyError) as caught:
        verify_function(function)
    return str(caught.value).splitlines()[0]


def test_no_terminator() -> None:
    assert refusal(Function("f", Block())) == "@f: the block does not end in return"


def test_use_before_definition() -> None:
    block = Block([F2])
    first = Operation("graph.exp", block.arguments, [F2])
    second = Operation("graph.exp", first.results, [F2])
    for operation in (second, first, Operation("return")):
        block.append(operation)
    assert refusal(Function("f", block)) == "@f: graph.exp: operand 0 is not defined before it"


def test_use_lists() -> None:
    block = Block([F2])
    (x,) = block.arguments
    made = block.append(Operation("graph.exp", [x], [F2]))
    block.append(Operation("return"))
    function = Function("f", block)
    del x._uses[Use(made, 0)]
    assert refusal(function) == "@f: graph.exp: operand 0 does not list this use"
    x._uses[Use(made, 0)] = None
    x._uses[Use(made, 1)] = None
    assert refusal(function) == "@f: a value lists a use by graph.exp that is none"
    del x._uses[Use(made, 1)]
    Operation("t.elsewhere", made.results)
    message = "@f: graph.exp: a value is used by a t.elsewhere that is not there"
    assert refusal(function) == message


def test_parents_and_names() -> None:
    block = Block()
    made = block.append(Operation("return"))
    function = Function("f", block)
    block.parent = None
    assert refusal(function) == "@f: a block does not know its parent"
    block.parent = function
    made.parent = None
    assert refusal(function) == "@f: return: it does not know its block"
    module = parse_module("func @a() -> () { return }")
    module.functions["b"] = module.functions.pop("a")
    with pytest.raises(VerifyError, match="the function @a is entered as @b"):
        verify(module)
