"""`kernel`: a region of graph ops that becomes one loop nest of machine code.

    %y = tile.kernel %a, %b {name = "add_tanh"} : f32[s0, 4] { (%x: f32[s0, 4], %c: f32[4])
      %0 = graph.add %x, %c : f32[s0, 4]
      %1 = graph.tanh %0 : f32[s0, 4]
      yield %1
    }

The region sees its arguments only, which are the operands. Which regions a loop nest exists for is
said by `sidra.analysis.kernels`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidra.ir.core import Block, Module, Operation
from sidra.ir.dialects.graph.inference import require
from sidra.ir.registry import PURE, OpDefinition, Run, attribute, define, has_flag
from sidra.ir.types import Array

NAME = re.compile(r"[a-z][a-z0-9_]*")


def _verify(operation: Operation, module: Module) -> None:
    name = operation.attributes["name"]
    fits = isinstance(name, str) and NAME.fullmatch(name)
    require(bool(fits), f'name is "{name}", but must be like "add_layer_norm"')
    require(bool(operation.results), "it has no result")
    require(len(operation.regions) == 1, "it needs one region")
    (region,) = operation.regions
    given = [value.type for value in operation.operands]
    taken = [value.type for value in region.arguments]
    require(given == taken, f"its operands are {given}, but its region takes {taken}")
    last = region.last
    if last is not None and last.name == "yield":
        yielded = [value.type for value in last.operands]
        results = [value.type for value in operation.results]
        require(yielded == results, f"its results are {results}, but its region yields {yielded}")
    _verify_region(region)


def _verify_region(region: Block) -> None:
    """Only pure ops of the graph dialect, on values of the region."""
    inside = set(region.arguments)
    for operation in region.operations:
        if operation is not region.last:
            fits = operation.dialect == "graph" and has_flag(operation, PURE)
            require(fits, f"its region holds {operation.name}, which is no pure op of graph")
        for value in operation.operands:
            outside = value not in inside
            require(not outside, f"a {operation.name} in its region uses a value from outside")
        inside.update(operation.results)


def _interpret(run: Run, operation: Operation, arrays: Sequence[Array]) -> Sequence[Array]:
    return run(operation.regions[0], arrays)


define(
    OpDefinition(
        "tile.kernel",
        (0, None),
        {"name": attribute("str")},
        verify=_verify,
        interpret=_interpret,
        flags=frozenset({PURE}),
        regions=1,
        summary="the region, on the operands",
    )
)
