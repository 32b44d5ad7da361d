"""Softmax and normalisations against PyTorch."""

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
X = torch.randn(2, 6, 5)
WEIGHT, BIAS = torch.randn(5), torch.randn(5)
CHANNEL = torch.randn(4, 6)


@pytest.mark.parametrize("dim", [0, -1])
def test_softmax(check: Check, dim: int) -> None:
    check("softmax", lambda x: torch.softmax(x, dim), X * 50, dim=dim)
    check("log_softmax", lambda x: torch.log_softmax(x, dim), X * 50, dim=dim)


def test_layer_norm(check: Check) -> None:
    check("layer_norm", lambda x: functional.layer_norm(x, (5,)), X)
    check("layer_norm", lambda x: functional.layer_norm(x, (6, 5)), X, rank=2)
    check("layer_norm", lambda x, w: functional.layer_norm(x, (5,), w), X, WEIGHT)
    check(
        "layer_norm",
        lambda x, w, b: functional.layer_norm(x, (5,), w, b, 0.1),
        X,
        WEIGHT,
        BIAS,
        eps=0.1,
    )


def test_rms_norm(check: Check) -> None:
    check("rms_norm", lambda x: functional.rms_norm(x, (5,), eps=1e-3), X, eps=1e-3)
    check("rms_norm", lambda x, w: functional.rms_norm(x, (5,), w, 1e-5), X, WEIGHT)


def test_batch_norm(check: Check) -> None:
    mean, var = CHANNEL[0], CHANNEL[1].abs() + 0.1
    check("batch_norm", lambda x, m, v: functional.batch_norm(x, m, v), X, mean, var)
    check(
        "batch_norm",
        lambda x, m, v, w, b: functional.batch_norm(x, m, v, w, b),
        X,
        mean,
        var,
        CHANNEL[2],
        CHANNEL[3],
    )


def test_group_norm(check: Check) -> None:
    check("group_norm", lambda x: functional.group_norm(x, 3), X, groups=3, atol=1e-5)
    check(
        "group_norm",
        lambda x, w, b: functional.group_norm(x, 2, w, b),
        X,
        CHANNEL[2],
        CHANNEL[3],
        groups=2,
        atol=1e-5,
    )


def test_nothing_to_normalize(check: Check) -> None:
    check("group_norm", lambda x: x, torch.ones(0, 4, 2), groups=2)


@pytest.mark.parametrize(
    ("name", "types", "attributes", "text"),
    [
        ("softmax", ["f32[2]"], {"dim": 1}, "dim 1 is outside -1 to 0"),
        ("layer_norm", ["f32[2, 3]", "f32[2]"], {}, "the weight is f32[2], but must be f32[3]"),
        ("layer_norm", ["f32[2]"], {"rank": 2}, "rank 2 is outside 1 to 1"),
        ("batch_norm", ["f32[2]", "f32[2]", "f32[2]"], {}, "f32[2] has no channels, dim 1"),
        ("group_norm", ["f32[2, 6]"], {"groups": 4}, "6 channels are not 4 equal groups"),
        ("group_norm", ["f32[2, 6]"], {"groups": 0}, "groups is 0, but must be above 0"),
    ],
)
def test_refuses(name: str, types: list[str], attributes: dict[str, Any], text: str) -> None:
    function, builder = function_builder("main", [tensor(t) for t in types])
    with pytest.raises(InferenceError) as caught:
        builder.create(f"graph.{name}", function.arguments, attributes)
    assert text in str(caught.value)
