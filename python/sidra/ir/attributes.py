"""Attribute values of operations: what may be one, and its exact text.

    none  true  -3  1e-05  inf  "text"  f32  s0+1  [1, 2]  f32[2, 3]  @resource
    dense<f32[2]: [1.0, 2.0]>

Tuples are in brackets, and may nest. A float always has a point, an exponent or a name (inf, nan);
what is printed is read back to the same bits, save for the payload of a NaN.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias, Union

import numpy as np

from sidra.ir.dims import Dim
from sidra.ir.types import Array, DType, TensorType

MAX_DENSE_ELEMENTS = 4096  # a larger constant is a resource


@dataclass(frozen=True, eq=False)
class Dense:
    """A small constant tensor. `array`: of the type's shape, in `type.dtype.numpy`."""

    type: TensorType
    array: Array

    def __post_init__(self) -> None:
        if self.array.shape != self.type.shape or self.array.dtype != self.type.dtype.numpy:
            raise ValueError(f"an array {self.array.dtype}{self.array.shape} is no {self.type}")
        if self.array.size > MAX_DENSE_ELEMENTS:
            raise ValueError(
                f"a dense attribute has at most {MAX_DENSE_ELEMENTS} elements, not "
                f"{self.array.size}; use a resource"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dense) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return f"dense<{self.type}: [{', '.join(self._elements())}]>"

    def _elements(self) -> list[str]:
        flat = self.array.reshape(-1)
        if self.type.dtype.is_complex:
            flat = flat.view(flat.real.dtype)
        kind = self.type.dtype.kind
        if kind in ("float", "complex"):
            return [repr(float(v)) for v in flat.astype(np.float64)]
        return [str(int(v)) for v in flat.astype(np.int64)]


@dataclass(frozen=True)
class ResourceRef:
    """A constant of the module, by name."""

    name: str

    def __str__(self) -> str:
        return f"@{self.name}"


Attribute: TypeAlias = Union[
    bool,
    int,
    float,
    str,
    DType,
    TensorType,
    Dim,
    Dense,
    ResourceRef,
    "tuple[Attribute, ...]",
    None,
]


def attribute_text(value: Attribute) -> str:
    """Return the text of an attribute; `parser` reads it back."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, tuple):
        return f"[{', '.join(map(attribute_text, value))}]"
    return str(value)


def same(a: Attribute, b: Attribute) -> bool:
    """Whether type and value are alike: 1, 1.0 and true are not, nan and nan are."""
    return type(a) is type(b) and attribute_text(a) == attribute_text(b)
