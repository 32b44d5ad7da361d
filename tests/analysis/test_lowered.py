"""What a lowered function may hold."""

from __future__ import annotations

import pytest

from sidra.analysis.lowered import check, is_step
from sidra.ir.parser import parse_module
from sidra.ir.verifier import verify

KERNEL = """%k = tile.kernel %x {{name = "k"}} : f32[s0, 8] {{ (%a: f32[s0, 8])
  %i = graph.{op} %a {attributes} : f32[s0, 8]
  yield %i
}}"""


def reason(body: str, result: str = "%x", type: str = "f32[s0, 8]") -> str | None:
    module = parse_module(f"""module {{
      resource @r : f32[8, 8]
      func @main(%x: f32[s0, 8], %w: f32[8, 8]) -> ({type}) {{
        {body}
        return {result}
      }}
    }}""")
    verify(module)
    return check(module.functions["main"])


def test_what_is_lowered() -> None:
    assert reason(KERNEL.format(op="exp", attributes="")) is None
    assert (
        reason(
            "%t = graph.permute %w {dims = [1, 0]} : f32[8, 8]\n%0 = tile.mvm %x, %t : f32[s0, 8]",
            "%0",
        )
        is None
    )
    assert (
        reason(
            "%t = graph.resource {name = @r} : f32[8, 8]\n%0 = tile.mvm %x, %t : f32[s0, 8]", "%0"
        )
        is None
    )
    external = '%0 = graph.external %x {operator = "aten::relu", arguments = ["$0"]} : f32[s0, 8]'
    assert reason(external, "%0") is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%0 = graph.exp %x : f32[s0, 8]", "@main: graph.exp is in no kernel"),
        (
            "%0 = graph.permute %x {dims = [1, 0]} : f32[8, s0]\n"
            "%1 = graph.reshape %0 {shape = [8*s0]} : f32[8*s0]",
            "@main: graph.reshape of f32[8, s0] needs a copy",
        ),
        (
            KERNEL.format(op="cumsum", attributes=""),
            '@main: the kernel "k" is no loop nest: there are no loops for graph.cumsum',
        ),
        (
            KERNEL.format(op="exp", attributes="") + "\n%0 = tile.mvm %w, %k : f32[8, s0]",
            "@main: the weight of tile.mvm is computed",
        ),
        (
            "%0 = graph.permute %w {dims = [1, 0]} : f32[8, 8]\n%1 = tile.mvm %0, %w : f32[8, 8]",
            "@main: operand 0 of tile.mvm, f32[8, 8], has strides that it cannot read",
        ),
        (
            '%0 = graph.external %x {operator = "aten::relu"} : f32[s0, 8]',
            "@main: aten::relu has no list of arguments",
        ),
    ],
)
def test_what_is_not(body: str, expected: str) -> None:
    assert reason(body) == expected


def test_results_are_whole_buffers() -> None:
    turned = "%0 = graph.permute {x} {{dims = [1, 0]}} : f32[8, s0]"
    assert reason(turned.format(x="%x"), "%0", "f32[8, s0]") is None
    assert (
        reason(
            KERNEL.format(op="exp", attributes="") + "\n" + turned.format(x="%k"),
            "%0",
            "f32[8, s0]",
        )
        == "@main: operand 0 of return, f32[8, s0], has strides that it cannot read"
    )
    constant = "%0 = graph.resource {name = @r} : f32[8, 8]"
    assert reason(constant, "%0", "f32[8, 8]") is not None


def test_steps() -> None:
    module = parse_module("""func @main(%x: f32[8, 8]) -> () {
      %0 = graph.exp %x : f32[8, 8]
      %1 = tile.mvm %x, %x : f32[8, 8]
      return
    }""")
    assert [is_step(op) for op in module.functions["main"].body.operations] == [False, True, True]
