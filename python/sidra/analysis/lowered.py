"""What a lowered function holds, from which an executable is made step by step.

tile.kernel, tile.mvm, tile.attention      steps; a kernel's region is one loop nest
graph.external                             a step that calls a PyTorch operator; `arguments`
                                           has one entry for each argument of its schema
graph.reshape, permute, slice, broadcast   views that need no copy
graph.constant, graph.resource             constants
"""

from __future__ import annotations

from collections.abc import Mapping

from sidra.analysis import kernels
from sidra.analysis.layout import (
    VIEWS,
    Layout,
    is_dense,
    is_weight,
    layouts,
    row_stride,
)
from sidra.ir.core import Function, Operation, Value

CONSTANTS = frozenset({"graph.constant", "graph.resource"})


def check(function: Function) -> str | None:
    """Return what keeps the function from being lowered, None if it is."""
    found = layouts(function)
    for operation in function.body.operations:
        reason = _reason(operation, found)
        if reason is not None:
            return f"@{function.name}: {reason}"
    return None


def is_step(operation: Operation) -> bool:
    """Whether it reads whole buffers and is no part of a kernel: a product, a call, the return."""
    return operation.dialect == "tile" or operation.name in ("graph.external", "return")


def is_readable(operation: Operation, index: int, value: Value, layout: Layout) -> bool:
    """Whether a step can read its operand number `index`, a value with this layout.

    A product reads rows apart from one another, and a bias in one piece; attention reads rows of q,
    k and v; what a function returns is a whole buffer, or a view of an argument or of what a call
    gave. Everything else takes any strides.
    """
    shape, strides = value.type.shape, layout.strides
    if operation.name == "return":
        return _is_returnable(value, layout)
    if operation.name == "tile.mvm" and index == 0:
        return row_stride(shape, strides) not in (None, 0)
    rows_of_attention = operation.name == "tile.attention" and index < 3
    if rows_of_attention or (operation.name == "tile.mvm" and index == 2):
        return shape[-1] == 1 or strides[-1] == 1
    return True


def _is_returnable(value: Value, layout: Layout) -> bool:
    maker = layout.base.operation
    if maker is None or maker.name == "graph.external":
        return True
    whole = is_dense(value.type.shape, layout.strides) and layout.offset == 0
    same = value.type.elements == layout.base.type.elements
    return maker.name not in CONSTANTS and whole and same


def _reason(operation: Operation, found: Mapping[Value, Layout]) -> str | None:
    name = operation.name
    if name in CONSTANTS:
        return None
    if name in VIEWS:
        copied = found[operation.result].base is operation.result
        return f"{name} of {operation.operands[0].type} needs a copy" if copied else None
    if not is_step(operation):
        return f"{name} is in no kernel"
    for index, value in enumerate(operation.operands):
        if not is_readable(operation, index, value, found[value]):
            return f"operand {index} of {name}, {value.type}, has strides that it cannot read"
    return _step_reason(operation)


def _step_reason(operation: Operation) -> str | None:
    if operation.name == "tile.kernel":
        reason = kernels.check(operation.regions[0])
        label = operation.attributes["name"]
        return f'the kernel "{label}" is no loop nest: {reason}' if reason else None
    if operation.name == "tile.mvm" and not is_weight(operation.operands[1]):
        return "the weight of tile.mvm is computed"
    if operation.name == "graph.external":
        given = operation.attributes.get("arguments")
        if not isinstance(given, tuple):
            return f"{operation.attributes['operator']} has no list of arguments"
    return None
