"""What code is made from, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sidra.ir import dims
from sidra.ir.attributes import attribute_text
from sidra.ir.core import Block, Operation, Value
from sidra.ir.dims import Dim, Dimension

Strides = tuple[Dimension, ...]


@dataclass(frozen=True)
class KernelSource:
    """name: for messages. region: the kernel's. operand_strides: in elements, of each operand."""

    name: str
    region: Block
    operand_strides: tuple[Strides, ...]

    @property
    def key(self) -> str:
        """A text that equal kernels share."""
        names: dict[Value, int] = {}
        lines = [str([(a.type, s) for a, s in zip(self.region.arguments, self.operand_strides,
                                                  strict=True)])]  # fmt: skip
        for value in self.region.arguments:
            names[value] = len(names)
        for operation in self.region.operations:
            operands = [names[value] for value in operation.operands]
            attributes = [(n, attribute_text(v)) for n, v in operation.attributes.items()]
            lines.append(f"{operation.name}{operands}{attributes}")
            for result in operation.results:
                names[result] = len(names)
                lines.append(str(result.type))
        return "\n".join(lines)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that its shapes and strides hold, by name."""
        found: set[str] = set()
        for value in self.region.arguments:
            _collect(value.type.shape, found)
        for strides in self.operand_strides:
            _collect(strides, found)
        for operation in self.region.operations:
            for result in operation.results:
                _collect(result.type.shape, found)
            for attribute in operation.attributes.values():
                _collect(attribute if isinstance(attribute, tuple) else (attribute,), found)
        return tuple(sorted(found))


@dataclass(frozen=True)
class Kernel:
    """Machine code. address: of the function. extent: items. grain: items worth a thread."""

    name: str
    address: int
    symbols: tuple[str, ...]
    extent: Dimension
    grain: Dimension


def attribute(operation: Operation, name: str) -> Any:
    """Return an attribute, whose kind the registry has checked."""
    return operation.attributes[name]


def _collect(values: tuple[object, ...], found: set[str]) -> None:
    for value in values:
        if isinstance(value, Dim):
            found |= dims.symbols(value)
