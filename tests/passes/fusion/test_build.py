"""Groups as kernels, in an order that works."""

from __future__ import annotations

import pytest

from sidra.ir.core import Operation
from sidra.ir.parser import parse_module
from sidra.ir.verifier import verify
from sidra.passes.fusion.build import build_kernels, kernel_name
from sidra.passes.fusion.graph import FusionGraph


@pytest.mark.parametrize(
    ("ops", "name"),
    [
        (["add", "add", "reshape", "layer_norm"], "add_layer_norm"),
        (["reshape"], "copy"),
        (["iota", "reshape", "convert"], "iota_convert"),
        (
            ["logical_and", "logical_or", "logical_xor", "logical_not", "batch_norm"],
            "logical_and_logical_or_logical_xor_logical_not_etc",
        ),
    ],
)
def test_names(ops: list[str], name: str) -> None:
    assert kernel_name([Operation(f"graph.{op}") for op in ops]) == name


def test_a_kernel_waits_for_all_that_it_reads() -> None:
    module = parse_module("""func @main(%x: f32[8], %w: f32[8, 8]) -> (f32[8], f32[8]) {
      %0 = graph.exp %x : f32[8] loc("first")
      %1 = graph.sin %x : f32[8]
      %2 = tile.mvm %x, %w : f32[8]
      %3 = graph.add %1, %2 : f32[8]
      return %0, %3
    }""")
    function = module.functions["main"]
    graph = FusionGraph(function, set())
    exp, sin, _, add, _ = graph.units
    graph.merge(graph.merge(exp, sin), add)
    assert build_kernels(function, graph) == 1
    verify(module)
    mvm, kernel, _ = function.body.operations
    assert (mvm.name, kernel.name) == ("tile.mvm", "tile.kernel")
    assert kernel.attributes["name"] == "exp_sin_add"
    assert kernel.location.module == "first"


def test_a_view_of_what_no_buffer_holds_goes() -> None:
    module = parse_module("""func @main(%x: f32[8]) -> (f32[2, 4]) {
      %0 = graph.exp %x : f32[8]
      %1 = graph.reshape %0 {shape = [2, 4]} : f32[2, 4]
      %2 = graph.sin %1 : f32[2, 4]
      return %2
    }""")
    function = module.functions["main"]
    graph = FusionGraph(function, set())
    exp, sin, _ = graph.units
    graph.merge(exp, sin)
    build_kernels(function, graph)
    verify(module)
    assert [op.name for op in function.body.operations] == ["tile.kernel", "return"]
