"""Functions of float32 over all of float32, in units in the last place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from running import evaluate

FUNCTIONS = {
    "exp": np.exp,
    "tanh": np.tanh,
    "erf": np.frompyfunc(math.erf, 1, 1),
    "sigmoid": lambda x: np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x))),
}
BOUNDS = {"exp": 2, "tanh": 2, "erf": 2, "sigmoid": 3}


def samples():
    """Every 40,009th float32, of either sign, and those around what matters."""
    bits = np.arange(0, 0x7F800000, 40009, dtype=np.uint32)
    positive = bits.view(np.float32)
    around = np.linspace(-110, 110, 20001, dtype=np.float32)
    return np.concatenate([positive, -positive, around, np.linspace(-2, 2, 9001, dtype=np.float32)])


@pytest.mark.parametrize("isa", ["scalar", "avx2", "avx512"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_is_bounded(name, isa):
    from sidra.codegen.target import host_target
    from sidra.errors import CodegenError

    try:
        host_target(isa)
    except CodegenError as reason:
        pytest.skip(str(reason))
    x = samples()
    if name == "sigmoid":
        x = x[~(x < -87)]  # below, 1 / (1 + exp(-x)) is 0, as in PyTorch
    (got,), _ = evaluate([f"f32[{x.size}]"], lambda op, x: op(name, x), [x], isa=isa)
    with np.errstate(all="ignore"):
        want = FUNCTIONS[name](x.astype(np.float64)).astype(np.float64)
        exact = want.astype(np.float32)
    finite = np.isfinite(exact)
    assert np.array_equal(got[~finite], exact[~finite])
    unit = np.spacing(np.maximum(np.abs(exact[finite]), np.float32(1e-38))).astype(np.float64)
    assert np.max(np.abs(got[finite] - want[finite]) / unit) <= BOUNDS[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_infinities_and_nan(name):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], np.float32)
    (got,), (want,) = evaluate(["f32[5]"], lambda op, x: op(name, x), [x])
    assert np.array_equal(got, want, equal_nan=True)
