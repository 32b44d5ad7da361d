"""Layouts against NumPy's strides, and symbolic ones against their values."""

from __future__ import annotations

import numpy as np
import pytest

from sidra.analysis.layout import (
    Layout,
    broadcast_strides,
    dense_strides,
    is_dense,
    is_weight,
    layouts,
    reshape_strides,
    row_stride,
    source_of,
)
from sidra.ir import dims
from sidra.ir.core import Function
from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module

S0, S1 = dims.symbol("s0"), dims.symbol("s1")


def function(text: str) -> Function:
    return parse_module(text).functions["main"]


def strided(x: np.ndarray, layout: Layout, shape: tuple[int, ...], symbols: dict[str, int]) -> None:
    offset = dims.evaluate(layout.offset, symbols)
    steps = [dims.evaluate(step, symbols) * x.itemsize for step in layout.strides]
    return np.lib.stride_tricks.as_strided(x.reshape(-1)[offset:], shape, steps)


VIEWS = """func @main(%x: f32[s0, 6, 8]) -> (f32[6, 2, s0, 4], f32[s0, 3, 4], f32[5, s0, 6, 8]) {
  %0 = graph.reshape %x {shape = [s0, 6, 2, 4]} : f32[s0, 6, 2, 4]
  %1 = graph.permute %0 {dims = [1, 2, 0, 3]} : f32[6, 2, s0, 4]
  %2 = graph.slice %x {start = [0, 1, 3], stop = [s0, 6, 7], step = [1, 2, 1]} : f32[s0, 3, 4]
  %3 = graph.broadcast %x {shape = [5, s0, 6, 8]} : f32[5, s0, 6, 8]
  return %1, %2, %3
}"""


def test_views_are_what_the_interpreter_gives() -> None:
    main = function(VIEWS)
    x = np.arange(3 * 6 * 8, dtype=np.float32).reshape(3, 6, 8)
    found = layouts(main)
    for value, expected in zip(main.results, interpret(main, [x]), strict=True):
        assert found[value].base is main.arguments[0]
        actual = strided(x, found[value], expected.shape, {"s0": 3})
        np.testing.assert_array_equal(actual, expected)


def test_what_is_no_view_is_its_own_base() -> None:
    main = function("""func @main(%x: f32[s0, 6]) -> (f32[6*s0], f32[s0, 6]) {
      %0 = graph.permute %x {dims = [1, 0]} : f32[6, s0]
      %1 = graph.reshape %0 {shape = [6*s0]} : f32[6*s0]
      %2 = graph.flip %x {dims = [0]} : f32[s0, 6]
      return %1, %2
    }""")
    found = layouts(main)
    for value in main.results:
        assert found[value] == Layout(value, 0, dense_strides(value.type.shape))


@pytest.mark.parametrize(
    ("shape", "order", "target"),
    [
        ((2, 3, 4), (0, 1, 2), (24,)),
        ((2, 3, 4), (0, 1, 2), (6, 2, 2)),
        ((2, 3, 4), (1, 0, 2), (3, 2, 2, 2)),
        ((2, 3, 4), (1, 0, 2), (6, 4)),
        ((2, 3, 4), (2, 0, 1), (4, 6)),
        ((2, 3, 4), (2, 0, 1), (4, 1, 3, 2)),
        ((2, 3, 4), (0, 2, 1), (2, 12)),
        ((2, 1, 4), (1, 2, 0), (4, 1, 2)),
        ((1, 1), (0, 1), (1,)),
        ((2, 3, 4), (0, 1, 2), (1, 2, 1, 12, 1)),
    ],
)
def test_reshapes_are_numpys(
    shape: tuple[int, ...], order: tuple[int, ...], target: tuple[int, ...]
) -> None:
    x = np.zeros(shape, np.int8).transpose(order)
    found = reshape_strides(x.shape, x.strides, target)
    try:
        expected = x.view()
        expected.shape = target
    except AttributeError:
        assert found is None
        return
    assert found is not None
    long = [i for i, size in enumerate(target) if size != 1]
    assert [found[i] for i in long] == [expected.strides[i] for i in long]


def test_symbolic_reshapes() -> None:
    heads = (S0, S1, 12, 64)
    strides = dense_strides(heads)
    assert strides == (768 * S1, 768, 64, 1)
    assert reshape_strides(heads, strides, (S0 * S1, 768)) == (768, 1)
    swapped = ((S0, 12, S1, 64), tuple(strides[i] for i in (0, 2, 1, 3)))
    assert reshape_strides(*swapped, (S0, 12, S1, 8, 8)) == (768 * S1, 64, 768, 8, 1)
    assert reshape_strides(*swapped, (12 * S0, S1, 64)) is None
    # Batch and heads do not lie as one, and no symbol says that s1 is 1.
    assert reshape_strides((S0, S1), (S1, 1), (S1, S0)) == (S0, 1)


def test_broadcasts_and_dense() -> None:
    assert broadcast_strides((S0, 1), (1, 1), (7, S0, 5)) == (0, 1, 0)
    assert is_dense((2, 1, 4), (4, 99, 1))
    assert not is_dense((2, 3), (1, 2))


def test_rows() -> None:
    assert row_stride((S0, S1, 64), (768 * S1, 768, 1)) == 768
    assert row_stride((S0, 64), (64, 1)) == 64
    assert row_stride((64,), (1,)) is not None
    assert row_stride((S0, 64), (1, S0)) is None
    assert row_stride((S0, S1, 64), (64, 64 * S0, 1)) is None
    assert row_stride((), ()) is None


def test_sources_and_weights() -> None:
    main = parse_module("""module {
      resource @w : f32[4, 2]
      func @main(%x: f32[8]) -> (f32[2, 4], f32[2, 4], f32[2, 4]) {
        %0 = graph.reshape %x {shape = [4, 2]} : f32[4, 2]
        %1 = graph.permute %0 {dims = [1, 0]} : f32[2, 4]
        %2 = graph.resource {name = @w} : f32[4, 2]
        %3 = graph.permute %2 {dims = [1, 0]} : f32[2, 4]
        %4 = graph.exp %1 : f32[2, 4]
        return %1, %3, %4
      }
    }""").functions["main"]
    assert [is_weight(value) for value in main.results] == [True, True, False]
    assert source_of(main.results[0]) is main.arguments[0]
