"""The types of the IR: element types and tensors with possibly symbolic shapes.

A tensor is row-major and contiguous; layouts are a matter of later dialects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidra.ir import dims
from sidra.ir.dims import Dimension

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class DType:
    """An element type. `kind`: float, signed, unsigned, bool or complex. `size`: bytes of one.

    bf16 has no NumPy type: its arrays are float32 arrays whose values are bf16 values; `cast`
    rounds to them.
    """

    name: str
    kind: str
    size: int
    numpy: np.dtype[np.generic]

    @property
    def is_float(self) -> bool:
        """Whether it is a real floating-point type."""
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer type; i1 is not."""
        return self.kind in ("signed", "unsigned")

    @property
    def is_complex(self) -> bool:
        """Whether it is a complex type."""
        return self.kind == "complex"

    def cast(self, array: npt.ArrayLike) -> Array:
        """`array` in this type: rounded to nearest even, integers wrapped, NaN and inf kept."""
        with np.errstate(all="ignore"):
            if self is bf16:
                return round_to_bf16(np.asarray(array))
            values = np.asarray(array)
            if values.dtype.kind == "c" and not self.is_complex:
                values = values.real
            return np.ascontiguousarray(values.astype(self.numpy)).reshape(values.shape)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


def _dtype(name: str, kind: str, size: int, numpy: npt.DTypeLike) -> DType:
    return DType(name, kind, size, np.dtype(numpy))


f64 = _dtype("f64", "float", 8, np.float64)
f32 = _dtype("f32", "float", 4, np.float32)
f16 = _dtype("f16", "float", 2, np.float16)
bf16 = _dtype("bf16", "float", 2, np.float32)
i64 = _dtype("i64", "signed", 8, np.int64)
i32 = _dtype("i32", "signed", 4, np.int32)
i16 = _dtype("i16", "signed", 2, np.int16)
i8 = _dtype("i8", "signed", 1, np.int8)
u8 = _dtype("u8", "unsigned", 1, np.uint8)
i1 = _dtype("i1", "bool", 1, np.bool_)
c64 = _dtype("c64", "complex", 8, np.complex64)
c128 = _dtype("c128", "complex", 16, np.complex128)

DTYPES: Mapping[str, DType] = {
    t.name: t for t in (f64, f32, f16, bf16, i64, i32, i16, i8, u8, i1, c64, c128)
}


def round_to_bf16(array: Array) -> Array:
    """`array` rounded to the nearest bf16, ties to even, as float32.

    float64 goes through float32 by rounding to odd, so that nothing is rounded twice.
    """
    wide = np.asarray(array.real if array.dtype.kind == "c" else array, dtype=np.float64)
    narrow = np.asarray(wide, dtype=np.float32)
    bits = np.atleast_1d(narrow).view(np.uint32).copy()
    wide = np.atleast_1d(wide)
    back = bits.view(np.float32).astype(np.float64)
    inexact = np.isfinite(back) & (back != wide)
    away = inexact & (np.abs(back) > np.abs(wide))
    bits[away] -= np.uint32(1)
    bits[inexact] |= np.uint32(1)
    rounded = (bits + (np.uint32(0x7FFF) + ((bits >> 16) & 1))) & np.uint32(0xFFFF0000)
    rounded = np.where(np.isnan(wide), np.uint32(0x7FC00000), rounded).astype(np.uint32)
    return rounded.view(np.float32).reshape(narrow.shape)


@dataclass(frozen=True)
class TensorType:
    """A tensor: `f32[2, s0, 768]`; a scalar is `f32[]`."""

    shape: tuple[Dimension, ...]
    dtype: DType

    @property
    def rank(self) -> int:
        """How many dimensions."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether no dimension is symbolic."""
        return all(isinstance(d, int) for d in self.shape)

    @property
    def elements(self) -> Dimension:
        """How many elements."""
        return dims.product(self.shape)

    @property
    def size_bytes(self) -> Dimension:
        """How many bytes."""
        return self.elements * self.dtype.size

    def with_shape(self, shape: tuple[Dimension, ...]) -> TensorType:
        """Another shape, the same dtype."""
        return TensorType(shape, self.dtype)

    def with_dtype(self, dtype: DType) -> TensorType:
        """Another dtype, the same shape."""
        return TensorType(self.shape, dtype)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    __repr__ = __str__


def tensor(text: str) -> TensorType:
    """Return the type that `text` spells, such as `f32[2, s0]`. Raises ValueError."""
    match = re.fullmatch(r"(\w+)\[(.*)\]", text)
    if not match or match[1] not in DTYPES:
        raise ValueError(f"{text!r} is not a type; use one like f32[2, s0]")
    parts = match[2].split(",") if match[2].strip() else []
    return TensorType(tuple(dims.parse_dimension(part) for part in parts), DTYPES[match[1]])


def type_of(array: Array) -> TensorType:
    """Return the type of a NumPy array; float32 is f32, never bf16. Raises ValueError."""
    for dtype in DTYPES.values():
        if dtype.numpy == array.dtype and dtype is not bf16:
            return TensorType(array.shape, dtype)
    raise ValueError(f"arrays of {array.dtype} have no type; use one of {', '.join(DTYPES)}")
