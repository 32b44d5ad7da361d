"""Products: matrices, linear layers, attention."""

from __future__ import annotations

from typing import Any

from sidra.errors import InferenceError
from sidra.frontend.importers import importer
from sidra.frontend.importers.scribe import Scribe
from sidra.ir.core import Value


def _is_float(*values: Value) -> bool:
    return all(value.type.dtype.is_float for value in values)


def _transposed(value: Value) -> Value | None:
    """Return the matrix of which the value is the transpose, if it is one."""
    operation = value.operation
    if operation is None or operation.name != "graph.permute":
        return None
    source = operation.operands[0]
    return source if source.type.rank == 2 else None


def _weight(s: Scribe, right: Value) -> Value:
    """Return the right factor [K, N] as a weight [N, K]."""
    source = _transposed(right)
    return source if source is not None else s.permute(right, (1, 0))


def is_parameter(value: Value) -> bool:
    """Return whether it is an argument of the graph, or an argument's transpose or reshape."""
    while value.operation is not None and value.operation.name in ("graph.permute",):
        value = value.operation.operands[0]
    return value.operation is None


@importer("aten.mm.default")
def mm(s: Scribe, a: Value, b: Value) -> Value:
    """Return a product of matrices; with a weight on the right it is a linear layer."""
    if not _is_float(a, b):
        raise InferenceError("a product of integers")
    if is_parameter(b):
        return s.op("linear", a, _weight(s, b))
    return s.op("matmul", a, b)


@importer("aten.addmm.default")
def addmm(s: Scribe, c: Value, a: Value, b: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    """Return a product of matrices plus a bias."""
    columns = b.type.shape[1]
    whole = beta == 1 and alpha == 1 and c.type.shape == (columns,)
    if not (whole and _is_float(a, b, c) and is_parameter(b)):
        raise InferenceError("no linear layer")
    return s.op("linear", a, _weight(s, b), c)


@importer("aten.linear.default")
def linear(s: Scribe, x: Value, weight: Value, bias: Value | None = None) -> Value:
    """Return a linear layer."""
    if weight.type.rank != 2 or not _is_float(x, weight):
        raise InferenceError("no weight matrix")
    return s.op("linear", x, weight, *([] if bias is None else [bias]))


@importer("aten.mv.default")
def mv(s: Scribe, matrix: Value, vector: Value) -> Value:
    """Return a matrix times a vector: a linear layer of one row."""
    if not _is_float(matrix, vector):
        raise InferenceError("a product of integers")
    row = s.reshape(vector, (1, vector.type.shape[0]))
    return s.reshape(s.op("linear", row, matrix), (matrix.type.shape[0],))


@importer("aten.bmm.default")
def bmm(s: Scribe, a: Value, b: Value) -> Value:
    """Return products of matrices."""
    if not _is_float(a, b):
        raise InferenceError("a product of integers")
    return s.op("matmul", a, b)


@importer("aten._scaled_dot_product_fused_attention_overrideable.default")
def fused_attention(
    s: Scribe,
    q: Value,
    k: Value,
    v: Value,
    attn_bias: Value | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    return_debug_mask: bool = False,
    *,
    scale: float | None = None,
) -> tuple[Value, ...]:
    """Return attention alone: what a backward would take besides is only there in a whole call."""
    if dropout_p or return_debug_mask:
        raise InferenceError("attention with dropout, or with its probabilities")
    masks = [] if attn_bias is None else [attn_bias]
    return (s.op("attention", q, k, v, *masks, scale=scale, causal=is_causal),)
