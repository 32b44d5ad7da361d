"""Matrix products against PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from sidra.errors import InferenceError
from sidra.ir.builder import function_builder
from sidra.ir.types import tensor

Check = Callable[..., None]

torch.manual_seed(0)
A, B = torch.randn(2, 1, 3, 4), torch.randn(5, 4, 6)
WEIGHT, BIAS = torch.randn(7, 4), torch.randn(7)
Q, K, V = torch.randn(2, 4, 3, 8), torch.randn(2, 4, 5, 8), torch.randn(2, 4, 5, 6)


def test_matmul(check: Check) -> None:
    check("matmul", torch.matmul, A, B)
    check("matmul", torch.matmul, (A * 9).long(), (B * 9).long())


def test_linear(check: Check) -> None:
    check("linear", functional.linear, A, WEIGHT)
    check("linear", functional.linear, A, WEIGHT, BIAS)
    check("linear", functional.linear, A[0, 0, 0], WEIGHT)


def test_attention(check: Check) -> None:
    attend = functional.scaled_dot_product_attention
    check("attention", attend, Q, K, V)
    check("attention", lambda q, k, v: attend(q, k, v, scale=0.3), Q, K, V, scale=0.3)
    check("attention", lambda q, k, v: attend(q, k, v, is_causal=True), Q, K, V, causal=True)
    check("attention", attend, Q, K, V, torch.randn(3, 5))


def test_attention_where_no_key_takes_part(check: Check) -> None:
    mask = torch.tensor([[True] * 5, [False] * 5, [True, False, False, True, False]])
    check("attention", functional.scaled_dot_product_attention, Q, K, V, mask)


def test_attention_with_grouped_heads(check: Check) -> None:
    def expected(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    check("attention", expected, Q, K[:, :2], V[:, :2])


@pytest.mark.parametrize(
    ("name", "types", "text"),
    [
        ("matmul", ["f32[2, 3]", "f32[4, 2]"], "3 columns and 4 rows"),
        ("matmul", ["f32[3]", "f32[3, 2]"], "both operands need rank 2 or more"),
        ("linear", ["f32[2, 3]", "f32[5, 4]"], "the last dims differ"),
        ("linear", ["f32[3]", "f32[5, 3]", "f32[3]"], "the bias is f32[3], but must be f32[5]"),
        ("attention", ["f32[3, 2, 4]", "f32[2, 5, 4]", "f32[2, 5, 4]"], "2 heads of k do not"),
        (
            "attention",
            ["f32[2, 2, 4]", "f32[2, 5, 4]", "f32[2, 5, 4]", "f32[3, 5]"],
            "do not broadcast",
        ),
        (
            "attention",
            ["f32[2, 2, 4]", "f32[2, 5, 4]", "f32[2, 5, 4]", "i64[5]"],
            "the mask is i64, but must be i1 or f32",
        ),
    ],
)
def test_refuses(name: str, types: list[str], text: str) -> None:
    function, builder = function_builder("main", [tensor(t) for t in types])
    with pytest.raises(InferenceError) as caught:
        builder.create(f"graph.{name}", function.arguments)
    assert text in str(caught.value)
