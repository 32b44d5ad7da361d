"""Each call against the op it replaces, by the operator's schema and by what it computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sidra.analysis.kernels import is_supported
from sidra.analysis.layout import VIEWS
from sidra.errors import PassError
from sidra.ir.core import Module, Operation
from sidra.ir.registry import operations_of
from sidra.ir.types import f32, i32, tensor
from sidra.passes.lower_to_calls import CALLS, LowerToCalls

Lower = Callable[..., Module]

POOL = "{kernel = [3], stride = [2], padding = [1]"
SQUARE = "{kernel = [2, 3], stride = [2, 1], padding = [1, 1]"
CONVOLUTION = "stride = [2, 1], padding = [1, 0], dilation = [1, 2], output_padding = [0, 0]"

CASES: dict[str, tuple[str, str, str, str, tuple[Any, ...]]] = {
    "matmul": (
        "%a: f32[2, s0, 3, 4], %b: f32[4, 5]",
        "graph.matmul %a, %b",
        "f32[2, s0, 3, 5]",
        "aten::matmul",
        ("$0", "$1"),
    ),
    "linear": (
        "%a: f32[s0, 4], %b: f32[3, 4]",
        "graph.linear %a, %b",
        "f32[s0, 3]",
        "aten::linear",
        ("$0", "$1", "$none"),
    ),
    "linear_bias": (
        "%a: f32[s0, 4], %b: f32[3, 4], %c: f32[3]",
        "graph.linear %a, %b, %c",
        "f32[s0, 3]",
        "aten::linear",
        ("$0", "$1", "$2"),
    ),
    "attention": (
        "%q: f32[2, 4, s0, 8], %k: f32[2, 2, 6, 8]",
        "graph.attention %q, %k, %k {scale = 0.5}",
        "f32[2, 4, s0, 8]",
        "aten::scaled_dot_product_attention",
        ("$0", "$1", "$2", "$none", 0.0, False, 0.5, True),
    ),
    "attention_mask": (
        "%q: f32[2, 4, s0, 8], %m: f32[s0, s0]",
        "graph.attention %q, %q, %q, %m",
        "f32[2, 4, s0, 8]",
        "aten::scaled_dot_product_attention",
        ("$0", "$1", "$2", "$3", 0.0, False, "$none", False),
    ),
    "convolution": (
        "%a: f32[s0, 4, 6, 7], %w: f32[6, 2, 3, 2], %b: f32[6]",
        f"graph.convolution %a, %w, %b {{{CONVOLUTION}, groups = 2}}",
        "f32[s0, 6, 3, 5]",
        "aten::convolution",
        ("$0", "$1", "$2", (2, 1), (1, 0), (1, 2), False, (0, 0), 2),
    ),
    "max_pool": (
        "%a: f32[s0, 4, 6, 7]",
        f"graph.max_pool %a {SQUARE}, dilation = [1, 2]}}",
        "f32[s0, 4, 4, 5]",
        "aten::max_pool2d",
        ("$0", (2, 3), (2, 1), (1, 1), (1, 2), False),
    ),
    "avg_pool": (
        "%a: f32[s0, 4, 6, 7]",
        f"graph.avg_pool %a {SQUARE}, divisor = 5}}",
        "f32[s0, 4, 4, 7]",
        "aten::avg_pool2d",
        ("$0", (2, 3), (2, 1), (1, 1), False, True, 5),
    ),
    "avg_pool_1": (
        "%a: f32[s0, 4, 7]",
        f"graph.avg_pool %a {POOL}, count_include_pad = false}}",
        "f32[s0, 4, 4]",
        "aten::avg_pool1d",
        ("$0", (3,), (2,), (1,), False, False),
    ),
    "adaptive_avg_pool": (
        "%a: f32[s0, 4, 6, 7]",
        "graph.adaptive_avg_pool %a {size = [2, 3]}",
        "f32[s0, 4, 2, 3]",
        "aten::adaptive_avg_pool2d",
        ("$0", (2, 3)),
    ),
    "sort": (
        "%a: f32[s0, 9]",
        "graph.sort %a {descending = true}",
        "f32[s0, 9], i64[s0, 9]",
        "aten::sort.stable",
        ("$0", True, -1, True),
    ),
    "topk": (
        "%a: f32[s0, 9]",
        "graph.topk %a {k = 3}",
        "f32[s0, 3], i64[s0, 3]",
        "aten::topk",
        ("$0", 3, -1, True, True),
    ),
    "cumsum": (
        "%a: i32[s0, 9]",
        "graph.cumsum %a {dim = 0}",
        "i32[s0, 9]",
        "aten::cumsum",
        ("$0", 0, i32),
    ),
    "cumsum_f32": (
        "%a: f32[s0, 9]",
        "graph.cumsum %a",
        "f32[s0, 9]",
        "aten::cumsum",
        ("$0", -1, f32),
    ),
    "argmax": (
        "%a: f32[s0, 9]",
        "graph.argmax %a",
        "i64[]",
        "aten::argmax",
        ("$0", "$none", False),
    ),
    "pow": (
        "%a: i64[s0, 9], %b: i64[9]",
        "graph.pow %a, %b",
        "i64[s0, 9]",
        "aten::pow.Tensor_Tensor",
        ("$0", "$1"),
    ),
    "argmin": (
        "%a: f32[s0, 9]",
        "graph.argmin %a {dim = 1, keepdim = true}",
        "i64[s0, 1]",
        "aten::argmin",
        ("$0", 1, True),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_call_computes_the_same(lower: Lower, case: str) -> None:
    given, operation, types, operator, arguments = CASES[case]
    results = [f"%{n}" for n, _ in enumerate(types.split("], "))]
    text = f"""func @main({given}) -> ({types}) {{
      {", ".join(results)} = {operation} : {types}
      return {", ".join(results)}
    }}"""
    module = lower(text, LowerToCalls(), symbols={"s0": 3})
    call = module.functions["main"].body.first
    assert call is not None
    assert call.name == "graph.external"
    assert call.attributes["operator"] == operator
    assert call.attributes["arguments"] == arguments


def test_powers_of_floats_have_loops(lower: Lower) -> None:
    text = """func @main(%x: f32[s0]) -> (f32[s0]) {
      %0 = graph.pow %x, %x : f32[s0]
      return %0
    }"""
    module = lower(text, LowerToCalls(), symbols={"s0": 3})
    assert [op.name for op in module.walk()] == ["graph.pow", "return"]


def test_every_op_has_loops_or_a_call() -> None:
    known = {"graph.external", "graph.resource"} | VIEWS | set(CALLS)
    function_of = [op.name for op in operations_of("graph")]
    left = [
        name
        for name in function_of
        if name not in known and not is_supported(Operation(name, (), [tensor("f32[]")]))
    ]
    assert not left
    assert {name.partition(".")[2] for name in CALLS} <= CASES.keys()


@pytest.mark.parametrize(
    ("given", "operation", "message"),
    [
        (
            "%q: f32[1, 2, 8], %m: i1[2, 2]",
            "graph.attention %q, %q, %q, %m {causal = true} : f32[1, 2, 8]",
            "a mask and causal is no call",
        ),
        (
            "%x: f32[2, 2, 2, 8]",
            f"graph.avg_pool %x {POOL}}} : f32[2, 2, 2, 4]",
            r"graph\.avg_pool over 1 dims of f32\[2, 2, 2, 8\] is no call",
        ),
        (
            "%x: f32[2, 2, 8]",
            f"graph.avg_pool %x {POOL}, divisor = 3}} : f32[2, 2, 4]",
            "over 1 dim with a divisor is no call",
        ),
    ],
)
def test_what_is_no_call(lower: Lower, given: str, operation: str, message: str) -> None:
    type = operation.rpartition(" : ")[2]
    text = f"func @main({given}) -> ({type}) {{\n%0 = {operation}\nreturn %0\n}}"
    with pytest.raises(PassError, match=message):
        lower(text, LowerToCalls())
