"""Ops that say which element: against NumPy, in maps whose loops do not fit them too."""

from __future__ import annotations

import numpy as np
import pytest
from running import compiled, evaluate, meaning, region, run

from sidra.ir.types import i64

X = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)

MOVES = {
    "permute": lambda op, x: op("permute", x, dims=(2, 0, 3, 1)),
    "reshape": lambda op, x: op("neg", op("reshape", x, shape=(6, 20))),
    "split": lambda op, x: op("permute", op("reshape", x, shape=(3, 2, 10, 2)), dims=(3, 1, 0, 2)),
    "slice": lambda op, x: op("slice", x, start=(0, 1, 0, 2), stop=(2, 3, 4, 5), step=(1, 1, 2, 1)),
    "flip": lambda op, x: op("flip", x, dims=(1, 3)),
    "pad": lambda op, x: op("pad", x, low=(0, 1, 2, 0), high=(1, 0, -1, 3), value=7.5),
    "broadcast": lambda op, x: op(
        "broadcast",
        op("slice", x, start=(0, 0, 0, 0), stop=(2, 1, 4, 5), step=(1, 1, 1, 1)),
        shape=(2, 3, 4, 5),
    ),
    "concat": lambda op, x: op("concat", x, op("neg", x), op("exp", x), dim=2),
    "concat last": lambda op, x: op("concat", x, x, dim=-1),
    "chain": lambda op, x: op(
        "add",
        op("reshape", op("permute", x, dims=(0, 2, 1, 3)), shape=(2, 4, 15)),
        op("iota", size=15, start=0.5, step=2.0, dtype=x.type.dtype),
    ),
}


@pytest.mark.parametrize("cuts", [(), (1, 2, 7, 50)])
@pytest.mark.parametrize("name", MOVES)
def test_moves(name, cuts):
    (got,), (want,) = evaluate(["f32[2, 3, 4, 5]"], MOVES[name], [X], cuts=cuts)
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("name", ["permute", "slice", "concat", "chain", "reshape"])
def test_moves_of_strided_operands(name):
    block = region(["f32[2, 3, 4, 5]"], MOVES[name])
    wide = np.zeros((5, 2, 4, 6), np.float32)
    view = wide.transpose(1, 3, 2, 0)[:, ::2]
    view[...] = X
    strides = tuple(step // 4 for step in view.strides)
    (want,) = meaning(block, [X])
    got = np.zeros_like(want)
    assert run(compiled(block, (strides,)), [view], [got]) == 0
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_gathers_count_from_the_end():
    index = np.array([[0, -1], [3, -4]], np.int64)
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    write = lambda op, t, i: op("embedding", t, i)  # noqa: E731
    (got,), (want,) = evaluate(["f32[4, 3]", "i64[2, 2]"], write, [table, index])
    assert np.array_equal(got, want)
    write = lambda op, t, i: op("index_select", t, i, dim=1)  # noqa: E731
    index = np.array([2, 0, -1], np.int64)
    (got,), (want,) = evaluate(["f32[4, 3]", "i64[3]"], write, [table, index])
    assert np.array_equal(got, want)
    index = np.array([[2, 0], [1, 1]], np.int64)
    write = lambda op, t, i: op("take_along", t, i, dim=1)  # noqa: E731
    (got,), (want,) = evaluate(["f32[4, 3]", "i64[2, 2]"], write, [table, index])
    assert np.array_equal(got, want)


@pytest.mark.parametrize("wrong", [4, -5, 2**40])
def test_an_index_out_of_range_is_told(wrong):
    block = region(["f32[4, 3]", "i64[2]"], lambda op, t, i: op("embedding", t, i))
    table, index = np.ones((4, 3), np.float32), np.array([1, wrong], np.int64)
    assert run(compiled(block), [table, index], [np.zeros((2, 3), np.float32)]) == 1


def test_created_values():
    from sidra.ir.attributes import Dense
    from sidra.ir.types import type_of

    table = np.array([[1.5, -2.0], [0.25, 8.0]], np.float32)

    def write(op, x):
        constant = op("constant", value=Dense(type_of(table), table))
        full = op("full", shape=(2, 2), value=3.0, dtype=x.type.dtype)
        count = op("convert", op("dimension", value=5), dtype=x.type.dtype)
        places = op("convert", op("iota", size=2, start=3, step=-2, dtype=i64), dtype=x.type.dtype)
        return op("add", op("mul", op("add", x, constant), full), op("mul", places, count))

    x = np.ones((2, 2), np.float32)
    (got,), (want,) = evaluate(["f32[2, 2]"], write, [x])
    assert np.array_equal(got, want)
