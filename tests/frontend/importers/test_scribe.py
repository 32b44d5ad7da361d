"""What importers write with."""

from __future__ import annotations

import pytest

from sidra.errors import InferenceError
from sidra.frontend.importers.scribe import Scribe
from sidra.ir.builder import function_builder
from sidra.ir.types import f16, f32, f64, i1, i64, tensor


@pytest.fixture
def writing():
    types = [tensor("i64[2, 3]"), tensor("f32[]"), tensor("f16[3]")]
    function, builder = function_builder("main", types)
    return Scribe(builder), function.arguments


def test_promotion_is_by_dims_then_kinds(writing):
    s, (integers, scalar, halves) = writing
    assert {v.type.dtype for v in s.promoted(integers, 2)} == {i64}
    assert {v.type.dtype for v in s.promoted(integers, 2.5)} == {f32}
    assert {v.type.dtype for v in s.promoted(halves, scalar)} == {f16}
    assert {v.type.dtype for v in s.promoted(integers, halves)} == {f16}


def test_what_is_so_already_is_left(writing):
    s, (integers, scalar, _) = writing
    assert s.convert(scalar, f32) is scalar
    assert s.reshape(integers, (2, -1)) is not None
    assert s.reshape(integers, (2, 3)) is integers
    assert s.permute(integers, (0, 1)) is integers
    assert s.broadcast(scalar, ()) is scalar


def test_numbers_take_the_dtype(writing):
    s, _ = writing
    assert s.full((2,), 1, i1).type.dtype is i1
    assert s.constant(2, f64).type == tensor("f64[]")
    with pytest.raises(InferenceError, match="complex"):
        s.constant(1j, f32)


def test_a_result_without_a_dtype_is_told(writing):
    s, _ = writing
    with pytest.raises(InferenceError, match="no tensor"):
        _ = s.result_dtype
