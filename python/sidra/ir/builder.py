"""Making operations: at an insertion point, with a location, through the registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sidra.errors import InferenceError
from sidra.ir.attributes import Attribute
from sidra.ir.core import UNKNOWN, Block, Function, Location, Operation, Value
from sidra.ir.registry import lookup
from sidra.ir.types import TensorType


class Builder:
    """Inserts at the end of `block`, or before the operation `before`, which is in it."""

    def __init__(self, block: Block, before: Operation | None = None):
        self.block = block
        self.before = before
        self.location = UNKNOWN

    @staticmethod
    def before_operation(operation: Operation) -> Builder:
        """Return a builder that inserts before an operation and takes its location.

        Raises ValueError if the operation is in no block.
        """
        if operation.parent is None:
            raise ValueError(f"{operation.name} is in no block")
        builder = Builder(operation.parent, operation)
        builder.location = operation.location
        return builder

    @contextmanager
    def at(self, location: Location) -> Iterator[None]:
        """Give what the body creates this location."""
        outer, self.location = self.location, location
        try:
            yield
        finally:
            self.location = outer

    def build(
        self,
        name: str,
        operands: Sequence[Value] = (),
        attributes: Mapping[str, Attribute] | None = None,
        result_types: Sequence[TensorType] | None = None,
        regions: Sequence[Block] = (),
    ) -> Operation:
        """Create an operation and insert it. Result types are inferred unless given.

        Raises InferenceError for an unknown op, and for operands or attributes that it cannot take.
        """
        definition = lookup(name)
        if definition is None:
            raise InferenceError(f"there is no op {name}")
        complete = definition.complete(attributes or {})
        definition.check_operands(len(operands))
        if result_types is None:
            result_types = definition.result_types([v.type for v in operands], complete)
        made = Operation(name, operands, result_types, complete, regions, self.location)
        return self.insert(made)

    def create(
        self,
        name: str,
        operands: Sequence[Value] = (),
        attributes: Mapping[str, Attribute] | None = None,
        result_types: Sequence[TensorType] | None = None,
    ) -> Value:
        """`build`, for an op with one result, which it gives."""
        return self.build(name, operands, attributes, result_types).result

    def insert(self, operation: Operation) -> Operation:
        """Insert a detached operation."""
        if self.before is None:
            return self.block.append(operation)
        return self.block.insert_before(operation, self.before)

    def finish(self, values: Sequence[Value]) -> Operation:
        """End the block: `return` in a function, `yield` in a region."""
        is_function = isinstance(self.block.parent, Function)
        return self.build("return" if is_function else "yield", values)


def function_builder(
    name: str, argument_types: Sequence[TensorType], names: Sequence[str] = ()
) -> tuple[Function, Builder]:
    """Return an empty function and a builder at its end."""
    function = Function(name, Block(argument_types, names))
    return function, Builder(function.body)
