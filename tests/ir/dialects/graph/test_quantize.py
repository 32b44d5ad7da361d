"""Affine quantisation against PyTorch's quantised decomposition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from sidra.errors import InferenceError
from sidra.ir.builder import function_builder
from sidra.ir.types import f32, tensor, u8

Check = Callable[..., None]

X = torch.tensor([[-3.0, 0.25, 0.75, 100.0], [1.25, -0.25, -1.25, 2.0]])


def codes(x: torch.Tensor, scale: Any, zero: Any) -> torch.Tensor:
    return torch.clamp(torch.round(x / scale) + zero, -128, 127).to(torch.int8)


def test_whole_tensor_ties_to_even(check: Check) -> None:
    check("quantize", codes, X, torch.tensor(0.5), torch.tensor(3))


def test_along_an_axis(check: Check) -> None:
    def expected(x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor) -> torch.Tensor:
        return codes(x, scale[:, None], zero[:, None])

    check("quantize", expected, X, torch.tensor([0.5, 0.01]), torch.tensor([0, 5]), axis=-2)


def test_unsigned(check: Check) -> None:
    def expected(x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor) -> torch.Tensor:
        return torch.clamp(torch.round(x / scale) + zero, 0, 15).to(torch.uint8)

    parameters = (torch.tensor(0.5), torch.tensor(8))
    check("quantize", expected, X, *parameters, dtype=u8, low=0, high=15)


def test_dequantize(check: Check) -> None:
    code = torch.tensor([[-128, 0], [5, 127]], dtype=torch.int8)
    scale, zero = torch.tensor([0.1, 0.2]), torch.tensor([3, -3])
    check("dequantize", lambda c, s, z: (c - z) * s, code, scale, zero, axis=1)


@pytest.mark.parametrize(
    ("types", "attributes", "text"),
    [
        (["f32[2]", "f32[2]", "i64[]"], {}, "the scale is f32[2], but must be f32[]"),
        (["f32[2]", "f32[]", "f32[]"], {}, "the zero point is f32[], but must be of integers"),
        (["f32[2]", "i64[]", "i64[]"], {}, "the scale is i64[], but must be of floats"),
        (["f32[2]", "f32[]", "i64[]"], {"dtype": f32}, "dtype is f32, but must be an integer"),
        (["f32[2]", "f32[]", "i64[]"], {"high": 200}, "-128 to 200 is not within i8's -128 to 127"),
    ],
)
def test_refuses(types: list[str], attributes: dict[str, Any], text: str) -> None:
    function, builder = function_builder("main", [tensor(t) for t in types])
    with pytest.raises(InferenceError) as caught:
        builder.create("graph.quantize", function.arguments, attributes)
    assert text in str(caught.value)


def test_dequantize_refuses_integers() -> None:
    function, builder = function_builder("main", [tensor(t) for t in ("i8[2]", "f32[]", "i64[]")])
    with pytest.raises(InferenceError, match="dtype is u8, but must be a float type"):
        builder.create("graph.dequantize", function.arguments, {"dtype": u8})
