"""Composite ops as plain ones, with the same meaning."""

from __future__ import annotations

import numpy as np
import pytest
from running import evaluate, meaning, region

from sidra.codegen.decompose import decompose
from sidra.ir.registry import lookup

X = np.random.default_rng(0).standard_normal((4, 6, 5)).astype(np.float32)
C = np.abs(np.random.default_rng(1).standard_normal(6)).astype(np.float32)

CASES = {
    "mean": lambda op, x, c: op("mean", x, dims=(1, 2)),
    "var": lambda op, x, c: op("var", x, correction=1),
    "softmax": lambda op, x, c: op("softmax", x, dim=1),
    "log_softmax": lambda op, x, c: op("log_softmax", x, dim=0),
    "layer_norm": lambda op, x, c: op("layer_norm", x, rank=2),
    "rms_norm": lambda op, x, c: op("rms_norm", x),
    "group_norm": lambda op, x, c: op("group_norm", x, c, c, groups=3),
    "batch_norm": lambda op, x, c: op("batch_norm", x, c, c, c, c),
    "any": lambda op, x, c: op("any", x, dims=(0,), keepdim=True),
}


@pytest.mark.parametrize("name", CASES)
def test_keeps_the_meaning(name):
    block = region(["f32[4, 6, 5]", "f32[6]"], CASES[name])
    plain = decompose(block)
    assert all(op.name != f"graph.{name}" or name == "any" for op in plain.operations)
    assert all(lookup(op.name) is not None for op in plain.operations)
    for a, b in zip(meaning(plain, [X, C]), meaning(block, [X, C]), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-6)


def test_half_precision_is_rounded_once():
    block = region(["f16[4, 300]"], lambda op, x: op("layer_norm", x))
    x = np.random.default_rng(0).standard_normal((4, 300)).astype(np.float16)
    (a,), (b,) = meaning(decompose(block), [x]), meaning(block, [x])
    np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("axis", "shape"), [(None, ""), (1, "6")])
def test_quantisation_is_its_meaning(axis, shape):
    x = (np.arange(-60, 60, dtype=np.float32) / 8).reshape(5, 6, 4)
    size = (6,) if axis else ()
    scale = np.full(size, 0.25, np.float32)
    zero = np.full(size, 3, np.int64)
    types = ["f32[5, 6, 4]", f"f32[{shape}]", f"i64[{shape}]"]
    (got,), (want,) = evaluate(
        types, lambda op, *a: op("quantize", *a, axis=axis, low=-20, high=20), [x, scale, zero]
    )
    np.testing.assert_array_equal(got, want)
    types[0] = "i8[5, 6, 4]"
    (got,), (want,) = evaluate(
        types, lambda op, *a: op("dequantize", *a, axis=axis), [want, scale, zero]
    )
    np.testing.assert_array_equal(got, want)
