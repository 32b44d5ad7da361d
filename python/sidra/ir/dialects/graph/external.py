"""`external`: a PyTorch operator that the dialect has no op for.

Its attributes are the operator's schema arguments that are not tensors, by name; its result types
are whoever imports it. The interpreter asks its callback.
"""

from __future__ import annotations

import re

from sidra.ir.core import Module, Operation
from sidra.ir.dialects.graph.inference import require
from sidra.ir.registry import EXTERNAL, OpDefinition, attribute, define


def _verify(operation: Operation, module: Module) -> None:
    name = operation.attributes["operator"]
    fits = isinstance(name, str) and re.fullmatch(r"\w+::\w+(\.\w+)?", name)
    require(bool(fits), f'operator is "{name}", but must be like "aten::add.Tensor"')


define(
    OpDefinition(
        "graph.external",
        (0, None),
        {"operator": attribute("str")},
        verify=_verify,
        flags=frozenset({EXTERNAL}),
        open_attributes=True,
        summary="whatever the PyTorch operator does",
    )
)
