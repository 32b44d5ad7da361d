"""Rows, columns and maps: reductions and norms, symbolic and empty sizes, cuts anywhere."""

from __future__ import annotations

import numpy as np
import pytest
from running import compiled, evaluate, meaning, region, run

REDUCTIONS = ("sum", "mean", "max", "min", "prod", "var")
X = np.random.default_rng(0).standard_normal((6, 37)).astype(np.float32)


def composite(op, x, w, b):
    y = op("layer_norm", op("add", x, x), w, b, eps=1e-6)
    return op("gelu", y), op("softmax", x, dim=-1), op("mean", x, dims=(1,))


ROWS = {
    "softmax": lambda op, x: op("softmax", x, dim=1),
    "log_softmax": lambda op, x: op("log_softmax", op("mul", x, x), dim=-1),
    "layer_norm": lambda op, x: op("layer_norm", x),
    "rms_norm": lambda op, x: op("rms_norm", op("exp", x)),
    **{
        name: (lambda op, x, name=name: op(name, x, dims=(1,), keepdim=True)) for name in REDUCTIONS
    },
}
COLUMNS = {
    name: (lambda op, x, name=name: op(name, op("mul", x, x), dims=(0,))) for name in REDUCTIONS
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name):
    (got,), (want,) = evaluate(["f32[6, 37]"], ROWS[name], [X])
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns(name):
    (got,), (want,) = evaluate(["f32[6, 37]"], COLUMNS[name], [X])
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)


def test_a_row_of_what_lies_in_columns():
    def write(op, x):
        turned = op("permute", op("gelu", x), dims=(1, 0))
        return op("layer_norm", turned), op("softmax", op("exp", turned), dim=-1)

    x = np.random.default_rng(5).standard_normal((33, 7)).astype(np.float32)
    got, want = evaluate(["f32[33, 7]"], write, [x])
    for a, c in zip(got, want, strict=True):
        np.testing.assert_allclose(a, c, rtol=2e-5, atol=2e-6)


def test_several_results_of_one_row():
    w, b = (np.random.default_rng(n).standard_normal(37).astype(np.float32) for n in (1, 2))
    got, want = evaluate(["f32[6, 37]", "f32[37]", "f32[37]"], composite, [X, w, b])
    for a, c in zip(got, want, strict=True):
        np.testing.assert_allclose(a, c, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("write", [ROWS["softmax"], COLUMNS["var"], lambda op, x: op("exp", x)])
def test_cuts_change_no_bit(write):
    x = np.random.default_rng(3).standard_normal((40, 1100)).astype(np.float32)
    block = region(["f32[40, 1100]"], write)
    code = compiled(block)
    whole = [np.zeros_like(a) for a in meaning(block, [x])]
    parts = [np.zeros_like(a) for a in whole]
    run(code, [x], whole)
    run(code, [x], parts, cuts=(1, 3, 17, 30, 600))
    for a, b in zip(whole, parts, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 70), (70, 3), (0, 4), (5, 1)])
def test_one_compilation_for_all_sizes(sizes):
    def write(op, x, b):
        y = op("add", x, b)
        return op("softmax", y, dim=-1), op("max", y, dims=(1,))

    block = region(["f32[s0, s1]", "f32[s1]"], write)
    code = compiled(block)
    x, b = np.ones(sizes, np.float32) * 2, np.arange(sizes[1], dtype=np.float32)
    want = meaning(block, [x, b])
    got = [np.zeros_like(a) for a in want]
    assert run(code, [x, b], got, dict(zip(("s0", "s1"), sizes, strict=True))) == 0
    for a, c in zip(got, want, strict=True):
        np.testing.assert_allclose(a, c, rtol=1e-5)


def test_a_row_longer_than_scratch():
    x = np.random.default_rng(0).standard_normal((2, 70000)).astype(np.float32)
    block = region(["f32[s0, s1]"], ROWS["softmax"])
    (want,) = meaning(block, [x])
    got = np.zeros_like(want)
    assert run(compiled(block), [x], [got], {"s0": 2, "s1": 70000}) == 0
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64", "i64", "i32", "u8"])
def test_sums_of_other_types(dtype):
    from sidra.ir.types import DTYPES

    x = DTYPES[dtype].cast(np.arange(6 * 9).reshape(6, 9) % 7)
    for dims in ((1,), (0,)):
        write = lambda op, x, dims=dims: op("sum", x, dims=dims)  # noqa: E731
        (got,), (want,) = evaluate([f"{dtype}[6, 9]"], write, [x])
        assert np.array_equal(got, want)


def test_any_and_all():
    x = np.array([[0, 1, 0], [0, 0, 0], [1, 1, 1]], np.int64)
    write = lambda op, x: (op("any", x, dims=(1,)), op("all", x, dims=(1,)))  # noqa: E731
    got, want = evaluate(["i64[3, 3]"], write, [x])
    assert np.array_equal(got, want)


def test_nan_is_the_largest():
    x = np.array([[1, np.nan, 2]], np.float32)
    (got,), _ = evaluate(["f32[1, 3]"], ROWS["max"], [x])
    assert np.isnan(got).all()
