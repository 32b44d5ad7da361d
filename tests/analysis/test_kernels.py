"""Which regions one loop nest can compute."""

from __future__ import annotations

import pytest

from sidra.analysis.kernels import FREE, FULL, ROW, Space, analyse, check
from sidra.ir import dims
from sidra.ir.core import Block
from sidra.ir.parser import parse_module
from sidra.ir.verifier import verify

S0 = dims.symbol("s0")


def block(arguments: str, results: str, body: str) -> Block:
    module = parse_module(f"func @f({arguments}) -> ({results}) {{\n{body}\n}}")
    verify(module)
    return module.functions["f"].body


def roles(found: Block) -> list[str]:
    kernel = analyse(found)
    return [kernel.roles[op.result] for op in found.operations if op is not found.last]


def test_a_map() -> None:
    found = block(
        "%x: f32[s0, 4], %w: f32[9, 4], %i: i64[s0, 1]",
        "f32[s0, 4], f32[4*s0]",
        """%0 = graph.embedding %w, %i : f32[s0, 1, 4]
        %1 = graph.reshape %0 {shape = [s0, 4]} : f32[s0, 4]
        %2 = graph.mul %1, %x : f32[s0, 4]
        %3 = graph.reshape %2 {shape = [4*s0]} : f32[4*s0]
        return %2, %3""",
    )
    assert analyse(found).space == Space("map", (S0, 4))
    assert roles(found) == [FREE] * 4


def test_rows_of_a_norm_and_a_softmax() -> None:
    found = block(
        "%x: f32[2, s0, 8], %w: f32[8]",
        "f32[2, s0, 8], f32[2, s0]",
        """%0 = graph.gelu %x : f32[2, s0, 8]
        %1 = graph.layer_norm %0, %w, %w : f32[2, s0, 8]
        %2 = graph.softmax %1 : f32[2, s0, 8]
        %3 = graph.mean %2 {dims = [-1]} : f32[2, s0]
        return %2, %3""",
    )
    assert analyse(found).space == Space("rows", (2, S0), (8,))
    assert roles(found) == [FREE, FULL, FULL, ROW]


def test_a_row_value_broadcasts_along_its_row() -> None:
    found = block(
        "%x: f32[2, s0, 8]",
        "f32[2, s0, 8]",
        """%0 = graph.max %x {dims = [2], keepdim = true} : f32[2, s0, 1]
        %1 = graph.sub %x, %0 : f32[2, s0, 8]
        %2 = graph.sum %1 {dims = [2]} : f32[2, s0]
        %3 = graph.reshape %2 {shape = [2, s0, 1]} : f32[2, s0, 1]
        %4 = graph.broadcast %3 {shape = [2, s0, 8]} : f32[2, s0, 8]
        %5 = graph.div %1, %4 : f32[2, s0, 8]
        return %5""",
    )
    assert roles(found) == [ROW, FULL, ROW, ROW, FULL, FULL]


def test_rows_of_several_dims() -> None:
    found = block(
        "%x: f32[2, 6, 3, 3], %w: f32[6]",
        "f32[2, 6, 3, 3]",
        """%0 = graph.group_norm %x, %w {groups = 3} : f32[2, 6, 3, 3]
        %1 = graph.relu %0 : f32[2, 6, 3, 3]
        return %1""",
    )
    assert analyse(found).space == Space("rows", (2, 3), (2, 3, 3))


def test_columns() -> None:
    found = block(
        "%x: f32[s0, 7, 4], %y: f32[s0, 7, 4]",
        "f32[4], f32[1, 1, 4]",
        """%0 = graph.mul %x, %y : f32[s0, 7, 4]
        %1 = graph.sum %0 {dims = [0, 1], keepdim = true} : f32[1, 1, 4]
        %2 = graph.reshape %1 {shape = [4]} : f32[4]
        %3 = graph.max %x {dims = [0, 1], keepdim = true} : f32[1, 1, 4]
        return %2, %3""",
    )
    assert analyse(found).space == Space("columns", (S0, 7), (4,))


def test_a_permute_of_ones_keeps_rows() -> None:
    found = block(
        "%x: f32[s0, 1, 4]",
        "f32[1, s0, 4]",
        """%0 = graph.softmax %x : f32[s0, 1, 4]
        %1 = graph.permute %0 {dims = [1, 0, 2]} : f32[1, s0, 4]
        return %1""",
    )
    assert roles(found) == [FULL, FULL]


def test_per_channel_ops_in_rows() -> None:
    found = block(
        "%x: f32[2, 6, 9], %w: f32[6]",
        "f32[2, 6, 9]",
        """%0 = graph.softmax %x : f32[2, 6, 9]
        %1 = graph.batch_norm %0, %w, %w : f32[2, 6, 9]
        return %1""",
    )
    assert roles(found) == [FULL, FULL]


SUM = "%0 = graph.sum %x {dims = [2], keepdim = true} : f32[2, 3, 1]"


@pytest.mark.parametrize(
    ("results", "body", "reason"),
    [
        ("", "return", "it has no result"),
        (
            "f32[2, 3, 4]",
            "%0 = graph.cumsum %x : f32[2, 3, 4]\nreturn %0",
            "there are no loops for graph.cumsum",
        ),
        (
            "f32[2, 3, 4], f32[6]",
            "%0 = graph.relu %x : f32[2, 3, 4]\n"
            "%1 = graph.slice %y {start = [0], stop = [6], step = [1]} : f32[6]\nreturn %0, %1",
            "a result f32[6] is neither the whole nor a value a row of map [2, 3, 4]",
        ),
        (
            "f32[2, 4]",
            "%0 = graph.sum %x {dims = [1]} : f32[2, 4]\nreturn %0",
            "graph.sum reduces dims [1] of f32[2, 3, 4]",
        ),
        (
            "f32[2, 3], f32[2]",
            "%0 = graph.sum %x {dims = [2]} : f32[2, 3]\n"
            "%1 = graph.sum %x {dims = [1, 2]} : f32[2]\nreturn %0, %1",
            "graph.sum runs over rows [2] of [3, 4], another over rows [2, 3] of [4]",
        ),
        (
            "f32[3, 2, 1]",
            SUM + "\n%1 = graph.permute %0 {dims = [1, 0, 2]} : f32[3, 2, 1]\nreturn %1",
            "graph.permute needs rows other than the one at hand",
        ),
        (
            "f32[2, 3, 3]",
            SUM + "\n%1 = graph.reshape %0 {shape = [2, 1, 3]} : f32[2, 1, 3]\n"
            "%2 = graph.add %0, %1 : f32[2, 3, 3]\nreturn %2",
            "graph.add broadcasts f32[2, 3, 1] across rows",
        ),
        (
            "f32[3, 4]",
            "%0 = graph.sum %x {dims = [0]} : f32[3, 4]\n%1 = graph.exp %0 : f32[3, 4]\nreturn %1",
            "graph.exp uses a reduction over leading dims",
        ),
        (
            "f32[3, 4], f32[3, 4]",
            "%0 = graph.sum %x {dims = [0]} : f32[3, 4]\n"
            "%1 = graph.reshape %y {shape = [3, 4]} : f32[3, 4]\nreturn %0, %1",
            "a result of columns must be a reduction",
        ),
    ],
)
def test_no_kernel(results: str, body: str, reason: str) -> None:
    found = block("%x: f32[2, 3, 4], %y: f32[12]", results, body)
    assert check(found) == reason


def test_reductions_of_reductions() -> None:
    found = block(
        "%x: f32[2, 2]",
        "f32[2]",
        """%0 = graph.sum %x {dims = [1]} : f32[2]
        %1 = graph.reshape %0 {shape = [1, 2]} : f32[1, 2]
        %2 = graph.softmax %x : f32[2, 2]
        %3 = graph.layer_norm %2, %0 : f32[2, 2]
        return %0""",
    )
    assert check(found) == "a parameter of graph.layer_norm depends on a reduction"
    found = block(
        "%x: f32[1, 2]",
        "f32[1]",
        """%0 = graph.sum %x {dims = [1], keepdim = true} : f32[1, 1]
        %1 = graph.broadcast %0 {shape = [1, 2]} : f32[1, 2]
        %2 = graph.sum %1 {dims = [1]} : f32[1]
        return %2""",
    )
    assert check(found) is None


def test_complex_is_no_kernel() -> None:
    found = block("%x: c64[4]", "c64[4]", "%0 = graph.neg %x : c64[4]\nreturn %0")
    assert check(found) == "c64[4] is complex"
