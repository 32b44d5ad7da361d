"""Pools against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from sidra.errors import InferenceError
from sidra.ir.builder import function_builder
from sidra.ir.types import tensor

Check = Callable[..., None]

torch.manual_seed(0)
X = torch.randn(2, 3, 7, 6)
WINDOW: dict[str, Any] = {"kernel": (3, 2), "stride": (2, 3), "padding": (1, 1)}


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("dilation", [(1, 1), (2, 1)])
def test_max_pool(check: Check, ceil_mode: bool, dilation: tuple[int, int]) -> None:
    def expected(x: torch.Tensor) -> torch.Tensor:
        return functional.max_pool2d(x, *WINDOW.values(), dilation, ceil_mode)

    check("max_pool", expected, X, **WINDOW, dilation=dilation, ceil_mode=ceil_mode)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("count", [False, True])
@pytest.mark.parametrize("divisor", [None, 5])
def test_avg_pool(check: Check, ceil_mode: bool, count: bool, divisor: int | None) -> None:
    def expected(x: torch.Tensor) -> torch.Tensor:
        return functional.avg_pool2d(x, *WINDOW.values(), ceil_mode, count, divisor)

    options = {"ceil_mode": ceil_mode, "count_include_pad": count, "divisor": divisor}
    check("avg_pool", expected, X, **WINDOW, **options)


def test_adaptive_avg_pool(check: Check) -> None:
    check("adaptive_avg_pool", lambda x: functional.adaptive_avg_pool2d(x, (3, 4)), X, size=(3, 4))
    check("adaptive_avg_pool", lambda x: functional.adaptive_avg_pool1d(x, 1), X[0], size=(1,))


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({"kernel": (2, 2, 2)}, "a kernel of rank 3 over f32[4, 4]"),
        ({"stride": (1,)}, "stride needs 2 numbers"),
        ({"dilation": (1,)}, "dilation needs 2 numbers"),
        ({"stride": (0, 1)}, "kernel, stride and dilation need 1 or more"),
        ({"padding": (-1, 0)}, "padding needs 0 or more"),
        ({"kernel": (5, 1)}, "a window of 5 is larger than the input"),
    ],
)
def test_refuses(attributes: dict[str, Any], text: str) -> None:
    function, builder = function_builder("main", [tensor("f32[4, 4]")])
    window = {"kernel": (2, 2), "stride": (1, 1), "padding": (0, 0), "dilation": (1, 1)}
    with pytest.raises(InferenceError) as caught:
        builder.create("graph.max_pool", function.arguments, window | attributes)
    assert text in str(caught.value)


def test_adaptive_refuses_a_rank() -> None:
    function, builder = function_builder("main", [tensor("f32[4]")])
    with pytest.raises(InferenceError, match="a size of rank 2 for"):
        builder.create("graph.adaptive_avg_pool", function.arguments, {"size": (1, 1)})
