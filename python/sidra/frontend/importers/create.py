"""Operators that make tensors from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sidra.errors import InferenceError
from sidra.frontend.importers import importer
from sidra.frontend.importers.scribe import Scribe
from sidra.ir import dims
from sidra.ir.core import Value
from sidra.ir.dims import Dim, Dimension


def _on_chip(settings: dict[str, Any]) -> None:
    device = settings.get("device")
    if device is not None and device.type != "sidra":
        raise InferenceError(f"a tensor on {device}")


def _filled(s: Scribe, shape: Sequence[Dimension], number: Any) -> Value:
    if isinstance(number, Dim):
        value = s.convert(s.op("dimension", value=number), s.result_dtype)
        return s.broadcast(value, tuple(shape))
    if s.result_dtype.is_complex or isinstance(number, complex):
        raise InferenceError("complex numbers")
    return s.full(tuple(shape), number, s.result_dtype)


@importer("aten.full.default")
def full(s: Scribe, size: Sequence[Dimension], fill_value: Any, **settings: Any) -> Value:
    """Return one number everywhere."""
    _on_chip(settings)
    return _filled(s, size, fill_value)


@importer("aten.full_like.default")
def full_like(s: Scribe, x: Value, fill_value: Any, **settings: Any) -> Value:
    """Return one number everywhere, in the shape of another tensor."""
    _on_chip(settings)
    return _filled(s, x.type.shape, fill_value)


@importer("aten.zeros.default")
def zeros(s: Scribe, size: Sequence[Dimension], **settings: Any) -> Value:
    """Return zeros."""
    return full(s, size, 0, **settings)


@importer("aten.ones.default")
def ones(s: Scribe, size: Sequence[Dimension], **settings: Any) -> Value:
    """Return ones."""
    return full(s, size, 1, **settings)


@importer("aten.zeros_like.default")
def zeros_like(s: Scribe, x: Value, **settings: Any) -> Value:
    """Return zeros in the shape of another tensor."""
    return full_like(s, x, 0, **settings)


@importer("aten.ones_like.default")
def ones_like(s: Scribe, x: Value, **settings: Any) -> Value:
    """Return ones in the shape of another tensor."""
    return full_like(s, x, 1, **settings)


@importer("aten.scalar_tensor.default")
def scalar_tensor(s: Scribe, number: Any, **settings: Any) -> Value:
    """Return one number."""
    return full(s, (), number, **settings)


@importer("aten.arange.default", "aten.arange.start", "aten.arange.start_step")
def arange(s: Scribe, *bounds: Any, **settings: Any) -> Value:
    """Return start + step * i, below the end."""
    _on_chip(settings)
    start, end = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else 1
    if isinstance(start, Dim):
        raise InferenceError("a symbolic start")
    if not all(isinstance(n, int | Dim) for n in (start, end, step)) or step == 0:
        raise InferenceError("a range of fractions")
    return s.range(dims.ceildiv(end - start, step), start, step, s.result_dtype)


@importer("prims.iota.default")
def iota(s: Scribe, length: Dimension, *, start: Any, step: Any, **settings: Any) -> Value:
    """Return start + step * i."""
    _on_chip(settings)
    if isinstance(start, Dim) or isinstance(step, Dim):
        raise InferenceError("a symbolic start or step")
    return s.range(length, start, step, s.result_dtype)
