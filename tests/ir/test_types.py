"""Element types, tensor types, bf16 rounding."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sidra.ir import types
from sidra.ir.dims import symbol
from sidra.ir.types import TensorType, tensor


def test_text() -> None:
    for text in ("f32[2, s0, 768]", "i1[]", "bf16[2*s0+1, (s0+3)//4]"):
        assert str(tensor(text)) == text
    for text in ("f33[2]", "f32", "f32[2"):
        with pytest.raises(ValueError, match="is not a type; use one like"):
            tensor(text)


def test_sizes() -> None:
    type = tensor("f16[2, s0, 3]")
    assert (type.rank, type.is_static, str(type.elements), str(type.size_bytes)) == (
        3,
        False,
        "6*s0",
        "12*s0",
    )
    assert type.with_shape((1,)).with_dtype(types.i8) == TensorType((1,), types.i8)
    assert type == TensorType((2, symbol("s0"), 3), types.f16)


@pytest.mark.parametrize("dtype", types.DTYPES.values(), ids=str)
def test_sizes_are_numpys(dtype: types.DType) -> None:
    assert dtype.size == (2 if dtype is types.bf16 else dtype.numpy.itemsize)
    assert [dtype.is_float, dtype.is_integer, dtype.is_complex, dtype is types.i1].count(True) == 1


def test_bf16_rounds_as_torch() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2**32, 20_000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    expected = torch.from_numpy(x).bfloat16().float().numpy()
    np.testing.assert_array_equal(types.bf16.cast(x), expected)


def test_bf16_from_float64_rounds_once() -> None:
    tie = 1 + 2.0**-8  # half-way between two bf16 numbers; float32 hides what is added
    assert types.bf16.cast(np.float64(tie + 2.0**-40)) == np.float32(1 + 2.0**-7)
    assert types.bf16.cast(np.float64(tie)) == np.float32(1)


def test_cast_wraps_and_keeps_shape() -> None:
    assert types.i8.cast(np.array([[300]])).tolist() == [[44]]
    assert types.f32.cast(np.array(1 + 2j)) == 1
    assert types.i1.cast(np.array([0.5, 0.0])).tolist() == [True, False]


def test_type_of_arrays() -> None:
    assert types.type_of(np.zeros((2, 0), np.float32)) == tensor("f32[2, 0]")
    with pytest.raises(ValueError, match="arrays of uint32 have no type"):
        types.type_of(np.zeros(1, np.uint32))
