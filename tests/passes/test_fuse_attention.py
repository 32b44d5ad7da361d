"""fuse-attention against what models write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sidra.ir.core import Module, Operation
from sidra.passes.fuse_attention import FuseAttention

Lower = Callable[..., Module]

SIZES = {"s0": 2, "s1": 5}
Q = "f32[s0, 4, s1, 8]"
SCORES = "f32[s0, 4, s1, s1]"

EAGER = f"""%0 = graph.permute %k {{dims = [0, 1, 3, 2]}} : f32[s0, 4, 8, s1]
  %1 = graph.reshape %q {{shape = [4*s0, s1, 8]}} : f32[4*s0, s1, 8]
  %2 = graph.reshape %0 {{shape = [4*s0, 8, s1]}} : f32[4*s0, 8, s1]
  %3 = graph.matmul %1, %2 : f32[4*s0, s1, s1]
  %4 = graph.reshape %3 {{shape = [s0, 4, s1, s1]}} : {SCORES}
  %5 = graph.constant {{value = dense<f32[]: [0.25]>}} : f32[]
  %6 = graph.mul %4, %5 : {SCORES}
  %7 = graph.add %6, %m : {SCORES}
  %8 = graph.softmax %7 : {SCORES}
  %9 = graph.reshape %8 {{shape = [4*s0, s1, s1]}} : f32[4*s0, s1, s1]
  %10 = graph.reshape %v {{shape = [4*s0, s1, 8]}} : f32[4*s0, s1, 8]
  %11 = graph.matmul %9, %10 : f32[4*s0, s1, 8]
  %12 = graph.reshape %11 {{shape = [s0, 4, s1, 8]}} : {Q}
"""


def fused(lower: Lower, body: str, result: str = "%12", type: str = Q, **more: Any) -> Module:
    mask = more.pop("mask", "f32[s0, 1, 1, s1]")
    text = f"""func @main(%q: {Q}, %k: {Q}, %v: {Q}, %m: {mask}) -> ({type}) {{
      {body}
      return {result}
    }}"""
    return lower(text, FuseAttention(), symbols=SIZES)


def attention_of(module: Module) -> Operation:
    (found,) = [op for op in module.walk() if op.name == "graph.attention"]
    return found


def test_batched_products_of_a_scaled_and_masked_softmax(lower: Lower) -> None:
    module = fused(lower, EAGER)
    found = attention_of(module)
    assert tuple(module.functions["main"].arguments) == found.operands
    assert found.attributes["scale"] == 0.25


def test_a_division_without_a_mask(lower: Lower) -> None:
    module = fused(
        lower,
        EAGER.replace("graph.mul", "graph.div").replace(
            "%8 = graph.softmax %7", "%8 = graph.softmax %6"
        ),
    )
    found = attention_of(module)
    assert found.attributes["scale"] == 4.0
    assert len(found.operands) == 3


@pytest.mark.parametrize("op", ["mul", "div"])
def test_a_scale_that_is_an_argument(lower: Lower, op: str) -> None:
    body = EAGER.replace("graph.mul %4, %5", f"graph.{op} %4, %e")
    one = """%d = graph.slice %m {start = [0, 0, 0, 0], stop = [1, 1, 1, 1], step = [1, 1, 1, 1]}
        : f32[1, 1, 1, 1]
      %e = graph.reshape %d {shape = []} : f32[]
      """
    found = attention_of(fused(lower, one + body))
    assert found.attributes["scale"] == 1.0
    scaled = found.operands[0].operation
    assert scaled is not None
    assert scaled.name == f"graph.{op}"


def test_keys_laid_out_for_the_product(lower: Lower) -> None:
    body = EAGER.replace(
        "%0 = graph.permute %k {dims = [0, 1, 3, 2]}",
        "%a = graph.permute %k {dims = [0, 2, 1, 3]} : f32[s0, s1, 4, 8]\n"
        "%0 = graph.permute %a {dims = [0, 2, 3, 1]}",
    )
    assert body.count("permute") == 2
    keys = attention_of(fused(lower, body)).operands[1].operation
    assert keys is not None
    assert keys.attributes["dims"] == (0, 2, 1, 3)


def test_a_causal_select(lower: Lower) -> None:
    body = EAGER.replace(
        f"%7 = graph.add %6, %m : {SCORES}",
        "%n = graph.full {shape = [], value = -inf} : f32[]\n"
        f"%7 = graph.select %m, %6, %n : {SCORES}",
    )
    lower_triangle = """%i = graph.iota {size = s1} : i64[s1]
      %r = graph.reshape %i {shape = [s1, 1]} : i64[s1, 1]
      %m = graph.ge %r, %i : i1[s1, s1]
      """
    module = fused(lower, lower_triangle.replace("%m =", "%t =") + body.replace("%m", "%t"))
    assert str(attention_of(module).operands[3].type) == "i1[s1, s1]"
    kept = fused(
        lower,
        lower_triangle.replace("%m =", "%t =") + body.replace("%m", "%t").replace("-inf", "-3e38"),
    )
    assert not [op for op in kept.walk() if op.name == "graph.attention"]


def test_keys_and_values_that_heads_share(lower: Lower) -> None:
    repeat = "".join(
        f"""%{x}1 = graph.slice %{x} {{start = [0, 0, 0, 0], stop = [s0, 2, s1, 8],
          step = [1, 1, 1, 1]}} : f32[s0, 2, s1, 8]
        %{x}2 = graph.reshape %{x}1 {{shape = [s0, 2, 1, s1, 8]}} : f32[s0, 2, 1, s1, 8]
        %{x}3 = graph.broadcast %{x}2 {{shape = [s0, 2, 2, s1, 8]}} : f32[s0, 2, 2, s1, 8]
        %{x}4 = graph.reshape %{x}3 {{shape = [s0, 4, s1, 8]}} : {Q}
        """
        for x in "kv"
    )
    body = EAGER.replace("permute %k", "permute %k4").replace("reshape %v ", "reshape %v4 ")
    found = attention_of(fused(lower, repeat + body))
    assert [str(value.type) for value in found.operands[1:3]] == ["f32[s0, 2, s1, 8]"] * 2
    only_keys = EAGER.replace("permute %k", "permute %k4")
    found = attention_of(fused(lower, repeat + only_keys))
    assert [str(value.type) for value in found.operands[1:3]] == [Q] * 2


SAFE = f"""%c = graph.constant {{value = dense<f32[]: [-inf]>}} : f32[]
  %e = graph.eq %7, %c : i1[s0, 4, s1, s1]
  %n = graph.logical_not %e : i1[s0, 4, s1, s1]
  %a = graph.any %n {{dims = [-1], keepdim = true}} : i1[s0, 4, s1, 1]
  %o = graph.logical_not %a : i1[s0, 4, s1, 1]
  %z = graph.full {{shape = [s0, 4, s1, s1], value = 0.0}} : {SCORES}
  %s = graph.select %o, %z, %8 : {SCORES}
  %9 = graph.reshape %s"""


def test_attention_as_pytorch_writes_it_out(lower: Lower) -> None:
    body = EAGER.replace("%9 = graph.reshape %8", SAFE)
    halves = f"""%h = graph.constant {{value = dense<f32[]: [0.5]>}} : f32[]
      %qh = graph.mul %q, %h : {Q}
      %kh = graph.mul %0, %h : f32[s0, 4, 8, s1]
      """
    head, tail = body.split("%1 = ", 1)
    tail = tail.replace("reshape %q ", "reshape %qh ").replace("reshape %0 ", "reshape %kh ")
    module = fused(lower, head + halves + "%1 = " + tail)
    found = attention_of(module)
    assert found.attributes["scale"] == 0.0625
    assert tuple(module.functions["main"].arguments) == found.operands


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[-inf]", "[0.0]"),
        ("dims = [-1]", "dims = [2]"),
        ("eq %7", "eq %6"),
        ("ue = 0.0", "ue = 1.0"),
    ],
)
def test_other_rows_set_to_0_stay(lower: Lower, old: str, new: str) -> None:
    safe = SAFE.replace(old, new)
    if "[2]" in new:
        safe = safe.replace("i1[s0, 4, s1, 1]", "i1[s0, 4, 1, s1]")
    module = fused(lower, EAGER.replace("%9 = graph.reshape %8", safe))
    assert not [op for op in module.walk() if op.name == "graph.attention"]


@pytest.mark.parametrize("needed", ["%8", "%7", "%6"])
def test_what_is_needed_elsewhere_stays(lower: Lower, needed: str) -> None:
    module = fused(lower, EAGER, f"%12, {needed}", f"{Q}, {SCORES}")
    assert not [op for op in module.walk() if op.name == "graph.attention"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("graph.softmax %7", "graph.softmax %7 {dim = 2}"),
        ("graph.add %6, %m", "graph.sub %6, %m"),
        ("graph.mul %4, %5", "graph.mul %4, %m"),
    ],
)
def test_other_formulas_stay(lower: Lower, old: str, new: str) -> None:
    module = fused(lower, EAGER.replace(old, new))
    assert not [op for op in module.walk() if op.name == "graph.attention"]


def test_values_that_the_whole_batch_shares_stay(lower: Lower) -> None:
    body = f"""%0 = graph.permute %k {{dims = [0, 1, 3, 2]}} : f32[s0, 4, 8, s1]
      %1 = graph.matmul %q, %0 : {SCORES}
      %2 = graph.softmax %1 : {SCORES}
      %3 = graph.slice %v {{start = [0, 0, 0, 0], stop = [1, 1, s1, 8], step = [1, 1, 1, 1]}}
        : f32[1, 1, s1, 8]
      %12 = graph.matmul %2, %3 : {Q}
    """
    assert not [op for op in fused(lower, body).walk() if op.name == "graph.attention"]
