"""How much work an op is: for the chip's cost, and for reports.

Elementwise and reducing work is counted as `src/aten/placement.inc` counts it: 32-bit operations
and table look-ups per element of the largest operand or result. A product takes one operation per
multiply-add. Sizes are symbolic where shapes are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sidra.analysis import kernels
from sidra.analysis.kernels import GATHERS, NORMS, REDUCTIONS, analyse
from sidra.analysis.layout import VIEWS
from sidra.ir import dims
from sidra.ir.core import Operation, Value
from sidra.ir.dims import Dimension

SOFTMAX_OPERATIONS = 4  # an online softmax: maximum, subtract, sum, scale

# (32-bit operations, table look-ups) per element; what is not here takes one operation.
RATES: Mapping[str, tuple[int, int]] = {
    "graph.clamp": (2, 0),
    "graph.convert": (0, 0),
    "graph.cos": (0, 1),
    "graph.div": (1, 1),
    "graph.erf": (0, 1),
    "graph.exp": (0, 1),
    "graph.expm1": (1, 1),
    "graph.gelu": (1, 1),
    "graph.log": (0, 1),
    "graph.log1p": (1, 1),
    "graph.log2": (0, 1),
    "graph.pow": (1, 2),
    "graph.reciprocal": (0, 1),
    "graph.rsqrt": (0, 1),
    "graph.sigmoid": (0, 1),
    "graph.silu": (1, 1),
    "graph.sin": (0, 1),
    "graph.softplus": (1, 1),
    "graph.sqrt": (0, 1),
    "graph.tan": (0, 1),
    "graph.tanh": (0, 1),
    "graph.atan": (0, 1),
    "graph.atan2": (1, 1),
    "graph.softmax": (3, 1),
    "graph.log_softmax": (3, 2),
    "graph.batch_norm": (4, 0),
    "graph.var": (3, 0),
    **dict.fromkeys(NORMS, (6, 0)),
}
FREE = VIEWS | {"graph.constant", "graph.resource"}
MOVES = FREE | GATHERS | kernels.MOVES | kernels.CREATIONS  # what computes nothing


@dataclass(frozen=True)
class Work:
    """elements: what a loop visits; of a product, multiply-adds; 0 of an external op."""

    elements: Dimension = 0
    alu_operations: Dimension = 0
    lookups: Dimension = 0
    bytes_read: Dimension = 0
    bytes_written: Dimension = 0


def work_of(operation: Operation) -> Work:
    """Return the work of an op outside kernels, or of a whole kernel; none for views and constants.

    Raises Unfit for a kernel that `kernels.analyse` refuses.
    """
    if operation.name in FREE:
        return Work()
    if operation.name == "tile.kernel":
        return _kernel(operation)
    compute = _compute(operation)
    read = sum((value.type.size_bytes for value in operation.operands), start=0)
    if operation.name in GATHERS:
        read = operation.operands[1].type.size_bytes + operation.result.type.size_bytes
    return Work(*compute, read, _bytes_written(operation))


def _compute(operation: Operation) -> tuple[Dimension, Dimension, Dimension]:
    """Elements, operations, look-ups."""
    if operation.name in ("graph.matmul", "graph.linear", "tile.mvm"):
        elements = operation.result.type.elements * operation.operands[0].type.shape[-1]
        return elements, elements, 0
    if operation.name in ("graph.attention", "tile.attention"):
        return _attention(operation)
    if operation.name == "graph.external":
        return 0, 0, 0
    elements = _elements(operation)
    alu, lookups = (0, 0) if operation.name in MOVES else RATES.get(operation.name, (1, 0))
    return elements, elements * alu, elements * lookups


def _attention(operation: Operation) -> tuple[Dimension, Dimension, Dimension]:
    q, k, v = (value.type.shape for value in operation.operands[:3])
    scores = dims.product(q[:-1]) * k[-2]
    products = scores * (q[-1] + v[-1])
    return products, products + scores * SOFTMAX_OPERATIONS, scores


def _elements(operation: Operation) -> Dimension:
    reduces = operation.name in REDUCTIONS
    return (operation.operands if reduces else operation.results)[0].type.elements


def _kernel(operation: Operation) -> Work:
    (region,) = operation.regions
    parts = [_compute(each) for each in region.operations if each is not region.last]
    return Work(
        analyse(region).space.elements,
        sum((alu for _, alu, _ in parts), start=0),
        sum((lookups for _, _, lookups in parts), start=0),
        sum((_bytes_read(value) for value in region.arguments), start=0),
        _bytes_written(operation),
    )


def _bytes_read(argument: Value) -> Dimension:
    """Return the bytes of a region's argument that are read: a gather reads what it gives."""
    read: Dimension = 0
    for use in argument.uses:
        gathers = use.operation.name in GATHERS and use.position == 0
        if not (gathers or use.operation.name == "graph.slice"):
            return argument.type.size_bytes
        read = read + use.operation.result.type.size_bytes
    return read


def _bytes_written(operation: Operation) -> Dimension:
    return sum((value.type.size_bytes for value in operation.results), start=0)
