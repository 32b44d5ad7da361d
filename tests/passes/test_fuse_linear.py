"""fuse-linear gathers what PyTorch takes a linear layer apart into."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidra.ir.core import Module
from sidra.passes.fuse_linear import FuseLinear

Lower = Callable[..., Module]

SIZES = {"s0": 2, "s1": 3}


def ops(lower: Lower, arguments: str, result: str, body: str) -> list[str]:
    text = f"func @main({arguments}) -> ({result}) {{\n{body}\n}}"
    return [op.name for op in lower(text, FuseLinear(), symbols=SIZES).walk()]


def test_a_linear_layer_of_three_dims(lower: Lower) -> None:
    assert ops(
        lower,
        "%x: f32[s0, s1, 8], %w: f32[6, 8], %b: f32[6]",
        "f32[s0, s1, 6]",
        """%0 = graph.reshape %x {shape = [s0*s1, 8]} : f32[s0*s1, 8]
        %1 = graph.permute %w {dims = [1, 0]} : f32[8, 6]
        %2 = graph.matmul %0, %1 : f32[s0*s1, 6]
        %3 = graph.reshape %2 {shape = [s0, s1, 6]} : f32[s0, s1, 6]
        %4 = graph.add %3, %b : f32[s0, s1, 6]
        return %4""",
    ) == ["graph.linear", "return"]


def test_a_bias_before_the_reshape(lower: Lower) -> None:
    assert ops(
        lower,
        "%x: f32[s0, s1, 8], %w: f32[8, 6], %b: f32[1, 6]",
        "f32[s0, s1, 6]",
        """%0 = graph.reshape %x {shape = [s0*s1, 8]} : f32[s0*s1, 8]
        %2 = graph.matmul %0, %w : f32[s0*s1, 6]
        %3 = graph.add %b, %2 : f32[s0*s1, 6]
        %4 = graph.reshape %3 {shape = [s0, s1, 6]} : f32[s0, s1, 6]
        return %4""",
    ) == ["graph.permute", "graph.reshape", "graph.linear", "return"]


def test_a_linear_that_is_one_already(lower: Lower) -> None:
    assert ops(
        lower,
        "%x: f32[s0, s1, 8], %w: f32[6, 8], %b: f32[6]",
        "f32[s0, s1, 2, 3]",
        """%0 = graph.reshape %x {shape = [s0*s1, 8]} : f32[s0*s1, 8]
        %1 = graph.linear %0, %w, %b : f32[s0*s1, 6]
        %2 = graph.reshape %1 {shape = [s0, s1, 2, 3]} : f32[s0, s1, 2, 3]
        return %2""",
    ) == ["graph.linear", "graph.reshape", "return"]


@pytest.mark.parametrize(
    "body",
    [
        # Another value than the sum with its bias is needed.
        "%0 = graph.linear %x, %w : f32[s0, 8]\n%1 = graph.add %0, %b : f32[s0, 8]\n"
        "%2 = graph.add %0, %1 : f32[s0, 8]\nreturn %2",
        # What is added is no weight, or has rows.
        "%0 = graph.linear %x, %w : f32[s0, 8]\n%1 = graph.exp %b : f32[8]\n"
        "%2 = graph.add %0, %1 : f32[s0, 8]\nreturn %2",
        "%0 = graph.linear %x, %w : f32[s0, 8]\n%2 = graph.add %0, %x : f32[s0, 8]\nreturn %2",
        # The weight is computed.
        "%0 = graph.exp %w : f32[8, 8]\n%2 = graph.matmul %x, %0 : f32[s0, 8]\nreturn %2",
        # There is a bias already.
        "%0 = graph.linear %x, %w, %b : f32[s0, 8]\n%2 = graph.add %0, %b : f32[s0, 8]\nreturn %2",
    ],
)
def test_leaves(lower: Lower, body: str) -> None:
    found = ops(lower, "%x: f32[s0, 8], %w: f32[8, 8], %b: f32[8]", "f32[s0, 8]", body)
    assert len(found) == body.count("\n") + 1
