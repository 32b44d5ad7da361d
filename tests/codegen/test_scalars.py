"""Each elementwise op by dtype against its meaning."""

from __future__ import annotations

import numpy as np
import pytest
from running import evaluate

from sidra.ir.types import DTYPES

FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("i64", "i32", "i16", "i8", "u8")
UNARY = (
    "neg", "abs", "exp", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "reciprocal", "erf",
    "tanh", "sigmoid", "relu", "silu", "softplus", "sin", "cos", "tan", "atan", "floor", "ceil",
    "round", "trunc", "sign", "isnan", "isinf", "isfinite", "logical_not",
)  # fmt: skip
BINARY = (
    "add", "sub", "mul", "div", "floordiv", "remainder", "fmod", "pow", "maximum", "minimum",
    "atan2", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor",
)  # fmt: skip
INTEGER_BINARY = (
    "add", "sub", "mul", "floordiv", "remainder", "fmod", "maximum", "minimum", "bitwise_and",
    "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "eq", "ne", "lt", "le", "gt", "ge",
    "logical_and",
)  # fmt: skip
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, np.inf, -np.inf, np.nan, 1e-3, 100.0, -30.0]


def floats(dtype, seed=0):
    random = np.random.default_rng(seed).standard_normal(200) * 3
    return DTYPES[dtype].cast(np.concatenate([SPECIAL, random]))


def agree(got, want, dtype):
    if got.dtype.kind != "f":
        assert np.array_equal(got, want)
        return
    tolerance = {"f64": 1e-12, "f32": 1e-6, "f16": 2e-3, "bf16": 1.6e-2}[dtype]
    assert np.array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * 1e-2)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_of_a_float(name, dtype):
    x = floats(dtype)
    (got,), (want,) = evaluate([f"{dtype}[{x.size}]"], lambda op, x: op(name, x), [x])
    agree(got, want, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_of_two_floats(name, dtype):
    a = np.concatenate([np.repeat(floats(dtype)[:13], 13), floats(dtype)])
    b = np.concatenate([np.tile(floats(dtype)[:13], 13), floats(dtype, 1)])
    types = [f"{dtype}[{a.size}]"] * 2
    if name in ("floordiv", "remainder") and dtype in ("f16", "bf16"):
        a, b = a[169:], b[169:]
        types = [f"{dtype}[{a.size}]"] * 2
    (got,), (want,) = evaluate(types, lambda op, a, b: op(name, a, b), [a, b])
    if name == "floordiv":
        # Infinite dividends: NumPy and PyTorch differ, and PyTorch is followed.
        known = np.isfinite(a) & np.isfinite(b) & (b != 0)
        got, want = got[known], want[known]
    if name == "remainder":
        known = np.isfinite(a) & np.isfinite(b) & (b != 0)
        got, want = got[known], want[known]
    agree(got, want, dtype)


@pytest.mark.parametrize("form", ["none", "tanh"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_gelu(dtype, form):
    x = floats(dtype)[10:]
    types = [f"{dtype}[{x.size}]"]
    (got,), (want,) = evaluate(types, lambda op, x: op("gelu", x, approximate=form), [x])
    np.testing.assert_allclose(
        got, want, rtol=0, atol={"f64": 1e-12, "f32": 2e-6, "f16": 4e-3, "bf16": 3e-2}[dtype] * 9
    )


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", INTEGER_BINARY)
def test_of_two_integers(name, dtype):
    numpy = DTYPES[dtype].numpy
    bounds = np.iinfo(numpy)
    random = np.random.default_rng(0)
    a = random.integers(bounds.min, bounds.max, 300, dtype=numpy, endpoint=True)
    b = random.integers(bounds.min, bounds.max, 300, dtype=numpy, endpoint=True)
    if name in ("floordiv", "remainder", "fmod"):
        b[b == 0] = 1
    if name.startswith("shift"):
        b = random.integers(0, 7, 300, dtype=numpy)
    types = [f"{dtype}[300]"] * 2
    (got,), (want,) = evaluate(types, lambda op, a, b: op(name, a, b), [a, b])
    assert np.array_equal(got, want)


def test_division_by_zero_does_not_trap():
    a = np.array([5, -(2**63), 7], np.int64)
    b = np.array([0, -1, 2], np.int64)
    (got,), _ = evaluate(["i64[3]"] * 2, lambda op, a, b: op("floordiv", a, b), [a, b])
    assert got[2] == 3


@pytest.mark.parametrize("target", [*FLOATS, *INTEGERS, "i1"])
@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS, "i1"])
def test_convert(source, target):
    kind = DTYPES[source]
    x = kind.cast(np.array([0, 1, 2, 3, 7, 100, 5.5, 0.25, 1], np.float64))
    types = [f"{source}[9]"]
    (got,), (want,) = evaluate(types, lambda op, x: op("convert", x, dtype=DTYPES[target]), [x])
    assert np.array_equal(got, want)


def test_clamp_and_select():
    x = floats("f32")
    types = [f"f32[{x.size}]"]
    (got,), (want,) = evaluate(types, lambda op, x: op("clamp", x, min=-1.0, max=2.0), [x])
    agree(got, want, "f32")
    types = [f"f32[{x.size}]"] * 2
    write = lambda op, a, b: op("select", op("gt", a, b), a, b)  # noqa: E731
    (got,), (want,) = evaluate(types, write, [x, floats("f32", 1)])
    agree(got, want, "f32")


def test_an_op_without_code_is_refused():
    from running import compiled, region

    from sidra.errors import CodegenError

    block = region(["i64[4]"], lambda op, x: op("pow", x, x))
    with pytest.raises(CodegenError, match=r"there are no loops for graph\.pow"):
        compiled(block)
