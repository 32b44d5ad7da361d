"""Shared rules of result types."""

from __future__ import annotations

import pytest

from sidra.errors import InferenceError
from sidra.ir.dialects.graph import inference
from sidra.ir.dims import symbol
from sidra.ir.types import i1, tensor

S0 = symbol("s0")


def test_shapes_broadcast() -> None:
    assert inference.broadcast_shapes([(S0, 1), (3,), ()]) == (S0, 3)
    assert inference.broadcast_shapes([(1,), (S0,)]) == (S0,)
    with pytest.raises(InferenceError, match=r"\[s0\] and \[3\] do not broadcast: s0 and 3"):
        inference.broadcast_shapes([(S0,), (3,)])


def test_dims_count_from_the_end() -> None:
    assert inference.normal_dims((-1, 0), 3) == (2, 0)
    assert inference.normal_dims(None, 2) == (0, 1)
    with pytest.raises(InferenceError, match="dim 2 is outside -2 to 1"):
        inference.normal_dim(2, 2)


def test_rules_compose() -> None:
    rule = inference.as_bool(inference.only("float", inference.same_as_first))
    assert rule([tensor("f32[2]")], {}) == [tensor("f32[2]").with_dtype(i1)]
    with pytest.raises(InferenceError, match="i64 is not float"):
        rule([tensor("i64[2]")], {})
    with pytest.raises(InferenceError, match="the dtypes differ: f32, i8"):
        inference.broadcast_one_dtype([tensor("f32[]"), tensor("i8[]")], {})
    with pytest.raises(InferenceError, match=r"the bias is f32\[2\], but must be f32\[3\]"):
        inference.require_shape(tensor("f32[2]"), (3,), "the bias")
