"""fuse-kernels over the parts that models are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_graphs import random_arrays, random_function

from sidra.analysis.kernels import check
from sidra.ir.core import Module
from sidra.ir.interpreter import interpret
from sidra.ir.pass_manager import PassManager
from sidra.passes.fuse_kernels import FuseKernels
from sidra.passes.legalize_reductions import LegalizeReductions
from sidra.passes.lower_graph_to_tile import LowerGraphToTile
from sidra.passes.verify_lowered import VerifyLowered

Lower = Callable[..., Module]
Kernels = Callable[..., list[str]]

SIZES = {"s0": 2, "s1": 5}


def fused(lower: Lower, signature: str, body: str, **more: Any) -> Module:
    module = lower(f"func @main{signature} {{\n{body}\n}}", FuseKernels(), symbols=SIZES, **more)
    for operation in module.walk():
        if operation.name == "tile.kernel":
            assert check(operation.regions[0]) is None
    return module


def test_embeddings_and_their_norm_are_one(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%ids: i64[s0, s1], %word: f32[30, 8], %position: f32[9, 8], %g: f32[8])"
        " -> (f32[s0, s1, 8])",
        """%0 = graph.embedding %word, %ids : f32[s0, s1, 8]
        %1 = graph.iota {size = s1} : i64[s1]
        %2 = graph.reshape %1 {shape = [1, s1]} : i64[1, s1]
        %3 = graph.embedding %position, %2 : f32[1, s1, 8]
        %4 = graph.add %0, %3 : f32[s0, s1, 8]
        %5 = graph.layer_norm %4, %g, %g : f32[s0, s1, 8]
        return %5""",
    )
    assert kernels(module) == ["embedding_add_layer_norm"]


def test_a_transformer_block(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, s1, 8], %w: f32[8, 8], %b: f32[8], %up: f32[32, 8], %down: f32[8, 32])"
        " -> (f32[s0, s1, 8])",
        """%0 = tile.mvm %x, %w, %b : f32[s0, s1, 8]
        %1 = graph.reshape %0 {shape = [s0, s1, 2, 4]} : f32[s0, s1, 2, 4]
        %2 = graph.permute %1 {dims = [0, 2, 1, 3]} : f32[s0, 2, s1, 4]
        %3 = tile.attention %2, %2, %2 : f32[s0, 2, s1, 4]
        %4 = graph.permute %3 {dims = [0, 2, 1, 3]} : f32[s0, s1, 2, 4]
        %5 = graph.reshape %4 {shape = [s0, s1, 8]} : f32[s0, s1, 8]
        %6 = tile.mvm %5, %w, %b : f32[s0, s1, 8]
        %7 = graph.add %6, %x : f32[s0, s1, 8]
        %8 = graph.layer_norm %7, %b, %b : f32[s0, s1, 8]
        %9 = tile.mvm %8, %up : f32[s0, s1, 32]
        %10 = graph.gelu %9 : f32[s0, s1, 32]
        %11 = tile.mvm %10, %down : f32[s0, s1, 8]
        %12 = graph.add %11, %8 : f32[s0, s1, 8]
        %13 = graph.layer_norm %12, %b, %b : f32[s0, s1, 8]
        return %13""",
    )
    assert kernels(module) == [
        "tile.mvm",
        "tile.attention",
        "copy",
        "tile.mvm",
        "add_layer_norm",
        "tile.mvm",
        "gelu",
        "tile.mvm",
        "add_layer_norm",
    ]


def test_softmax_written_out_is_one(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, 7]) -> (f32[s0, 7])",
        """%0 = graph.max %x {dims = [1], keepdim = true} : f32[s0, 1]
        %1 = graph.sub %x, %0 : f32[s0, 7]
        %2 = graph.exp %1 : f32[s0, 7]
        %3 = graph.sum %2 {dims = [1], keepdim = true} : f32[s0, 1]
        %4 = graph.div %2, %3 : f32[s0, 7]
        return %4""",
    )
    assert kernels(module) == ["max_sub_exp_sum_div"]


def test_what_others_need_is_a_result_too(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, 8], %y: f32[s0, 8], %w: f32[8]) -> (f32[s0, 8], f32[s0, 8], f32[s0])",
        """%0 = graph.add %x, %y : f32[s0, 8]
        %1 = graph.rms_norm %0, %w : f32[s0, 8]
        %2 = graph.mean %0 {dims = [1]} : f32[s0]
        return %0, %1, %2""",
    )
    assert kernels(module) == ["add_rms_norm_mean"]


def test_a_key_cache_is_extended_and_returned(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, 1, 8], %w: f32[24, 8], %past: f32[s0, 2, s1, 4])"
        " -> (f32[s0, 2, 1, 4], f32[s0, 2, s1+1, 4])",
        """%0 = tile.mvm %x, %w : f32[s0, 1, 24]
        %1 = graph.slice %0 {start = [0, 0, 0], stop = [s0, 1, 8], step = [1, 1, 1]}
          : f32[s0, 1, 8]
        %2 = graph.slice %0 {start = [0, 0, 8], stop = [s0, 1, 16], step = [1, 1, 1]}
          : f32[s0, 1, 8]
        %3 = graph.reshape %1 {shape = [s0, 1, 2, 4]} : f32[s0, 1, 2, 4]
        %4 = graph.permute %3 {dims = [0, 2, 1, 3]} : f32[s0, 2, 1, 4]
        %5 = graph.reshape %2 {shape = [s0, 1, 2, 4]} : f32[s0, 1, 2, 4]
        %6 = graph.permute %5 {dims = [0, 2, 1, 3]} : f32[s0, 2, 1, 4]
        %7 = graph.concat %past, %6 {dim = 2} : f32[s0, 2, s1+1, 4]
        %8 = tile.attention %4, %7, %7 : f32[s0, 2, 1, 4]
        return %8, %7""",
    )
    assert kernels(module) == ["tile.mvm", "concat", "tile.attention"]


def test_rotary_positions_of_queries_and_keys_are_one(lower: Lower, kernels: Kernels) -> None:
    turn = """
        %{n}1 = graph.slice %{x} {{start = [0, 0, 2], stop = [s0, s1, 4], step = [1, 1, 1]}}
          : f32[s0, s1, 2]
        %{n}2 = graph.neg %{n}1 : f32[s0, s1, 2]
        %{n}3 = graph.slice %{x} {{start = [0, 0, 0], stop = [s0, s1, 2], step = [1, 1, 1]}}
          : f32[s0, s1, 2]
        %{n}4 = graph.concat %{n}2, %{n}3 {{dim = -1}} : f32[s0, s1, 4]
        %{n}5 = graph.mul %{x}, %cos : f32[s0, s1, 4]
        %{n}6 = graph.mul %{n}4, %sin : f32[s0, s1, 4]
        %{n}7 = graph.add %{n}5, %{n}6 : f32[s0, s1, 4]
        """
    module = fused(
        lower,
        "(%q: f32[s0, s1, 4], %k: f32[s0, s1, 4], %cos: f32[s1, 4], %sin: f32[s1, 4])"
        " -> (f32[s0, s1, 4], f32[s0, s1, 4])",
        turn.format(n="a", x="q") + turn.format(n="b", x="k") + "return %a7, %b7",
    )
    assert len(kernels(module)) == 1


def test_an_expensive_small_value_is_computed_once(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, s1, 8], %t: f32[s1, 1]) -> (f32[s0, s1, 8])",
        """%0 = graph.exp %t : f32[s1, 1]
        %1 = graph.mul %x, %0 : f32[s0, s1, 8]
        return %1""",
    )
    assert kernels(module) == ["exp", "mul"]


def test_a_batch_norm_takes_its_relu(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, 3, 4, 4], %skip: f32[s0, 3, 4, 4], %m: f32[3]) -> (f32[s0, 3, 4, 4])",
        """%v = graph.mul %m, %m : f32[3]
        %0 = graph.batch_norm %x, %m, %v, %m, %m : f32[s0, 3, 4, 4]
        %1 = graph.add %0, %skip : f32[s0, 3, 4, 4]
        %2 = graph.relu %1 : f32[s0, 3, 4, 4]
        return %2""",
    )
    assert kernels(module) == ["mul_batch_norm_add_relu"]


def test_patches_of_an_image_become_rows(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, 8, 2, 2], %class: f32[1, 1, 8], %position: f32[1, 5, 8], %w: f32[8, 8])"
        " -> (f32[s0, 5, 8])",
        """%0 = graph.reshape %x {shape = [s0, 8, 4]} : f32[s0, 8, 4]
        %1 = graph.permute %0 {dims = [0, 2, 1]} : f32[s0, 4, 8]
        %2 = graph.broadcast %class {shape = [s0, 1, 8]} : f32[s0, 1, 8]
        %3 = graph.concat %2, %1 {dim = 1} : f32[s0, 5, 8]
        %4 = graph.add %3, %position : f32[s0, 5, 8]
        %5 = tile.mvm %4, %w : f32[s0, 5, 8]
        return %5""",
    )
    assert kernels(module) == ["concat_add", "tile.mvm"]


def test_gradients_of_a_norm_are_rows_and_columns(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%g: f32[s0, 8], %x: f32[s0, 8], %w: f32[8]) -> (f32[s0, 8], f32[8], f32[8])",
        """%0 = graph.mul %g, %w : f32[s0, 8]
        %1 = graph.mean %0 {dims = [1], keepdim = true} : f32[s0, 1]
        %2 = graph.sub %0, %1 : f32[s0, 8]
        %3 = graph.mul %g, %x : f32[s0, 8]
        %4 = graph.sum %3 {dims = [0]} : f32[8]
        %5 = graph.sum %g {dims = [0]} : f32[8]
        return %2, %4, %5""",
    )
    assert sorted(kernels(module)) == ["mul_mean_sub", "mul_sum"]


def test_no_cycle_comes_of_a_merge(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, 8], %w: f32[8, 8]) -> (f32[s0, 8])",
        """%0 = graph.exp %x : f32[s0, 8]
        %1 = tile.mvm %0, %w : f32[s0, 8]
        %2 = graph.add %0, %1 : f32[s0, 8]
        return %2""",
    )
    assert kernels(module) == ["exp", "tile.mvm", "add"]


def test_what_a_step_reads_is_in_a_buffer(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[8, s0], %w: f32[8, 8]) -> (f32[s0, 8], f32[3], f32[2], f32[8, s0])",
        """%0 = graph.permute %x {dims = [1, 0]} : f32[s0, 8]
        %1 = tile.mvm %0, %w : f32[s0, 8]
        %2 = graph.full {shape = [3], value = 1.0} : f32[3]
        %3 = graph.constant {value = dense<f32[2]: [1.0, 2.0]>} : f32[2]
        %4 = graph.permute %1 {dims = [1, 0]} : f32[8, s0]
        return %1, %2, %3, %4""",
    )
    assert sorted(kernels(module)) == ["copy", "copy", "copy", "full", "tile.mvm"]


def test_views_of_arguments_stay_views(lower: Lower, kernels: Kernels) -> None:
    module = fused(
        lower,
        "(%x: f32[s0, 8]) -> (f32[8, s0])",
        "%0 = graph.permute %x {dims = [1, 0]} : f32[8, s0]\nreturn %0",
    )
    assert kernels(module) == []


@pytest.mark.parametrize("seed", range(100))
def test_random_graphs_keep_their_meaning(seed: int) -> None:
    module = Module()
    function = module.add(random_function(seed))
    before = function.clone()
    passes = [LegalizeReductions(), LowerGraphToTile(), FuseKernels(), VerifyLowered()]
    PassManager(passes).run(module)
    given = random_arrays(function, seed, 3)
    for a, b in zip(interpret(function, given), interpret(before, given), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
