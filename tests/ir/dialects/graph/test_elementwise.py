"""Unary ops against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from sidra.errors import InferenceError
from sidra.ir.builder import function_builder
from sidra.ir.types import f16, f32, i8, i64, tensor

Check = Callable[..., None]

X = torch.tensor([[-3.5, -1.25, -0.0, 0.5], [1.5, 2.5, 7.0, 90.0]])
SPECIAL = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, 1.0])
POSITIVE = X.abs() + 0.1

ANYWHERE: dict[str, Callable[..., torch.Tensor]] = {
    "neg": torch.neg,
    "abs": torch.abs,
    "exp": torch.exp,
    "expm1": torch.expm1,
    "reciprocal": torch.reciprocal,
    "erf": torch.erf,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "silu": torch.nn.functional.silu,
    "softplus": torch.nn.functional.softplus,
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": torch.tan,
    "atan": torch.atan,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "round": torch.round,
    "trunc": torch.trunc,
    "logical_not": torch.logical_not,
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "isfinite": torch.isfinite,
}
POSITIVE_ONLY = {
    "log": torch.log,
    "log2": torch.log2,
    "log1p": torch.log1p,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
}


@pytest.mark.parametrize("name", ANYWHERE)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_agrees_with_torch(check: Check, name: str, dtype: torch.dtype) -> None:
    check(name, ANYWHERE[name], X.to(dtype))
    check(name, ANYWHERE[name], SPECIAL.to(dtype))


@pytest.mark.parametrize("name", POSITIVE_ONLY)
def test_positive_agrees_with_torch(check: Check, name: str) -> None:
    check(name, POSITIVE_ONLY[name], POSITIVE)
    check(name, POSITIVE_ONLY[name], SPECIAL)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["exp", "tanh", "gelu", "sqrt"])
def test_half_precision_is_within_one_rounding(check: Check, name: str, dtype: torch.dtype) -> None:
    gelu = torch.nn.functional.gelu
    function = {**ANYWHERE, **POSITIVE_ONLY, "gelu": gelu}[name]
    x = torch.linspace(0.1, 4, 64, dtype=torch.float64).to(dtype)
    check(name, function, x, rtol=2**-7 if dtype == torch.bfloat16 else 2**-10)


def test_sign_of_nan_is_zero(check: Check) -> None:
    check("sign", torch.sign, torch.tensor([-2.0, 0.0, 3.0, float("nan")]))


def test_bitwise_not(check: Check) -> None:
    check("bitwise_not", torch.bitwise_not, torch.tensor([0, 5, -7]))
    check("bitwise_not", torch.bitwise_not, torch.tensor([True, False]))


def test_gelu(check: Check) -> None:
    check("gelu", torch.nn.functional.gelu, X)
    check("gelu", lambda x: torch.nn.functional.gelu(x, approximate="tanh"), X, approximate="tanh")


def test_complex(check: Check) -> None:
    z = torch.tensor([1 + 2j, -3j])
    check("abs", torch.abs, z)
    check("exp", torch.exp, z)


@pytest.mark.parametrize("bounds", [{"min": -1.0}, {"max": 2.0}, {"min": -1.0, "max": 2.0}])
def test_clamp(check: Check, bounds: dict[str, float]) -> None:
    check("clamp", lambda x: torch.clamp(x, **bounds), X, **bounds)
    check("clamp", lambda x: torch.clamp(x, **bounds), SPECIAL, **bounds)


def test_convert_rounds_and_truncates(check: Check) -> None:
    check("convert", lambda x: x.long(), X, dtype=i64)
    check("convert", lambda x: x.half(), torch.tensor([1e5, 1 / 3, 6e-8]), dtype=f16)
    check("convert", lambda x: x.float(), torch.tensor([2**53 + 1, 3]), dtype=f32)
    check("convert", lambda x: x.to(torch.int8), torch.tensor([300, -129]), dtype=i8)


@pytest.mark.parametrize(
    ("name", "type", "attributes", "text"),
    [
        ("exp", "i64[2]", {}, "graph.exp(i64[2]): i64 is not float or complex"),
        ("gelu", "f32[2]", {"approximate": "erf"}, 'approximate is "erf"'),
        ("clamp", "f32[2]", {}, "min or max must be given"),
        ("clamp", "i32[2]", {"min": 0.5}, "a bound of i32 must be an integer"),
    ],
)
def test_refuses(name: str, type: str, attributes: dict[str, Any], text: str) -> None:
    function, builder = function_builder("main", [tensor(type)])
    with pytest.raises(InferenceError) as caught:
        builder.create(f"graph.{name}", function.arguments, attributes)
    assert text in str(caught.value)
