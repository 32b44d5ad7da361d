"""Reductions against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

Check = Callable[..., None]

X = torch.tensor([[[3.0, -1.5, 2.0], [0.0, 4.0, 4.0]]]).repeat(2, 1, 1) * torch.tensor(
    [1.0, -2.0]
).reshape(2, 1, 1)

MEANINGS: dict[str, Callable[..., torch.Tensor]] = {
    "sum": torch.sum,
    "mean": torch.mean,
    "min": torch.amin,
    "max": torch.amax,
    "any": torch.any,
    "all": torch.all,
    "var": torch.var,
}


@pytest.mark.parametrize("name", MEANINGS)
@pytest.mark.parametrize("dims", [(0,), (1, -1), (0, 1, 2)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_agrees_with_torch(check: Check, name: str, dims: tuple[int, ...], keepdim: bool) -> None:
    def expected(x: torch.Tensor) -> torch.Tensor:
        return MEANINGS[name](x, dim=dims, keepdim=keepdim)

    check(name, expected, X, dims=dims, keepdim=keepdim)


def test_all_dims_by_default(check: Check) -> None:
    check("sum", torch.sum, X)
    check("prod", torch.prod, X + 5)


def test_nothing_is_reduced_over_no_dims(check: Check) -> None:
    check("sum", lambda x: x, X, dims=())


@pytest.mark.parametrize("correction", [0, 2])
def test_var_correction(check: Check, correction: int) -> None:
    check(
        "var", lambda x: torch.var(x, 2, correction=correction), X, dims=(2,), correction=correction
    )


@pytest.mark.parametrize("attributes", [{}, {"dim": 1}, {"dim": -1, "keepdim": True}])
def test_arguments(check: Check, attributes: dict[str, Any]) -> None:
    check("argmax", lambda x: torch.argmax(x, **attributes), X[:1], **attributes)
    check("argmin", lambda x: torch.argmin(x, **attributes), X[:1], **attributes)


def test_nan_wins(check: Check) -> None:
    x = torch.tensor([1.0, float("nan"), 3.0])
    check("max", torch.amax, x)
    check("min", torch.amin, x)
    check("argmax", torch.argmax, x)


def test_float32_sums_round_once(check: Check) -> None:
    x = torch.full((100_000,), 0.1)
    check("sum", lambda x: x.double().sum().float(), x, rtol=0, atol=0)
