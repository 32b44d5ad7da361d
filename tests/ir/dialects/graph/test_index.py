"""Selection and order, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from sidra.errors import InferenceError, InterpreterError
from sidra.ir.builder import function_builder
from sidra.ir.interpreter import interpret
from sidra.ir.types import tensor

Check = Callable[..., None]

X = torch.tensor([[3.0, float("nan"), 1.0, 3.0], [0.0, -1.0, 5.0, -1.0]])


def test_index_select(check: Check) -> None:
    check("index_select", lambda x, i: x[:, i], X, torch.tensor([2, 0, 2]), dim=1)
    check("index_select", lambda x, i: x[i], X, torch.tensor([[1, 0], [1, 1]]))
    check("index_select", lambda x, i: x[i], X, torch.tensor(-1))


def test_embedding(check: Check) -> None:
    check("embedding", lambda w, i: torch.nn.functional.embedding(i, w), X, torch.tensor([[1, 0]]))


def test_take_along_a_part(check: Check) -> None:
    index = torch.tensor([[3, 0, 1]])
    check("take_along", lambda x, i: torch.gather(x, 1, i), X, index)
    check("take_along", lambda x, i: torch.gather(x, 0, i), X, index.clamp(max=1), dim=0)


def test_cumsum(check: Check) -> None:
    check("cumsum", lambda x: torch.cumsum(x, 0), X, dim=0)


@pytest.mark.parametrize("descending", [False, True])
def test_sort_is_stable_and_nan_is_largest(check: Check, descending: bool) -> None:
    def expected(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, indices = torch.sort(x, dim=-1, descending=descending, stable=True)
        return values, indices

    check("sort", expected, X, descending=descending)


def test_topk(check: Check) -> None:
    x = torch.tensor([[3.0, 9.0, 1.0], [0.0, -1.0, 5.0]])
    check("topk", lambda x: tuple(torch.topk(x, 2)), x, k=2)
    check("topk", lambda x: tuple(torch.topk(x, 1, 0, largest=False)), x, k=1, dim=0, largest=False)


def test_index_out_of_range() -> None:
    function, builder = function_builder("main", [tensor("f32[3, 2]"), tensor("i64[1]")])
    builder.finish([builder.create("graph.embedding", function.arguments)])
    with pytest.raises(InterpreterError, match=r"graph.embedding: index 3 is out of bounds"):
        interpret(function, [np.zeros((3, 2), np.float32), np.array([3])])


@pytest.mark.parametrize(
    ("name", "types", "attributes", "text"),
    [
        ("embedding", ["f32[3, 2]", "f32[1]"], {}, "the index is f32[1], but must be of integers"),
        ("embedding", ["f32[3]", "i64[1]"], {}, "the weight is f32[3], but must be of rank 2"),
        ("take_along", ["f32[3]", "i64[1, 1]"], {}, "differ in rank"),
        ("take_along", ["f32[3, 2]", "i64[4, 1]"], {}, "is larger than f32[3, 2] in dim 0"),
        ("topk", ["f32[3]"], {"k": 4}, "k 4 is outside 0 to 3"),
        ("sort", ["c64[3]"], {}, "c64 is not float or signed or unsigned or bool"),
    ],
)
def test_refuses(name: str, types: list[str], attributes: dict[str, Any], text: str) -> None:
    function, builder = function_builder("main", [tensor(t) for t in types])
    with pytest.raises(InferenceError) as caught:
        builder.build(f"graph.{name}", function.arguments, attributes)
    assert text in str(caught.value)
