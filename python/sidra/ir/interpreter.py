"""The meaning of the IR: run a function on NumPy arrays.

Symbols are bound by the shapes of the arguments (and of results of external ops, whose shapes may
depend on data). Inside an op floats are float64; its result is rounded to its dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from sidra.errors import InterpreterError
from sidra.ir import dims
from sidra.ir.attributes import Dense, ResourceRef
from sidra.ir.core import Block, Function, Module, Operation, Value
from sidra.ir.dims import Dim
from sidra.ir.registry import EXACT, EXTERNAL, OpDefinition, lookup
from sidra.ir.types import Array, TensorType

# The meaning of external ops: (operation, arrays) -> the arrays of its results.
External: TypeAlias = Callable[[Operation, Sequence[Array]], Sequence[Array]]
# Called with each operation and what it computed.
Observe: TypeAlias = Callable[[Operation, Sequence[Array]], None]


def interpret(
    function: Function,
    arrays: Sequence[Array],
    module: Module | None = None,
    external: External | None = None,
    observe: Observe | None = None,
) -> list[Array]:
    """Return what `function` returns for `arrays`, which are of the arguments' types.

    module: holds the resources. Raises InterpreterError naming the argument or op, the shape or
    dtype that it has and the one that it needs.
    """
    run = _Run(module or Module(), external, observe)
    if len(arrays) != len(function.arguments):
        raise InterpreterError(
            f"@{function.name} takes {len(function.arguments)} arrays, not {len(arrays)}"
        )
    for index, (value, array) in enumerate(zip(function.arguments, arrays, strict=True)):
        run.bind(value, np.asarray(array), f"argument {index} of @{function.name}")
    run.check_pending()
    with np.errstate(all="ignore"):
        return list(run.block(function.body))


class _Run:
    """One execution: the arrays of values, and the integers of symbols."""

    def __init__(self, module: Module, external: External | None, observe: Observe | None) -> None:
        self.module = module
        self.external = external
        self.observe = observe
        self.values: dict[Value, Array] = {}
        self.symbols: dict[str, int] = {}
        self.pending: list[tuple[Dim, int, str]] = []

    def bind(self, value: Value, array: Array, what: str) -> None:
        """Give a value its array, after checking it and binding its symbols."""
        type = value.type
        if array.dtype != type.dtype.numpy:
            raise InterpreterError(f"{what} is {array.dtype}, but {type} needs {type.dtype.numpy}")
        if array.ndim != type.rank:
            raise InterpreterError(f"{what} has the shape {array.shape}, but must be {type}")
        for dimension, size in zip(type.shape, array.shape, strict=True):
            self.bind_dimension(
                dimension, size, f"{what}, of the shape {array.shape}, is no {type}"
            )
        self.values[value] = type.dtype.cast(array)

    def bind_dimension(self, dimension: int | Dim, size: int, what: str) -> None:
        name = str(dimension)
        if isinstance(dimension, Dim) and name not in self.symbols and dims.SYMBOL.fullmatch(name):
            self.symbols[name] = size
        elif isinstance(dimension, Dim) and not dims.symbols(dimension) <= self.symbols.keys():
            self.pending.append((dimension, size, what))
        else:
            self.check(dimension, size, what)

    def check(self, dimension: int | Dim, size: int, what: str) -> None:
        needed = dims.evaluate(dimension, self.symbols)
        if needed != size:
            known = ", ".join(f"{name} = {value}" for name, value in self.symbols.items())
            raise InterpreterError(
                f"{what}: {dimension} is {needed}, not {size}"
                + (f" where {known}" if known else "")
            )

    def check_pending(self) -> None:
        """Check the dimensions whose symbols came after them."""
        for dimension, size, what in self.pending:
            unbound = dims.symbols(dimension) - self.symbols.keys()
            if unbound:
                raise InterpreterError(f"{what}: nothing gives {min(unbound)} a value")
            self.check(dimension, size, what)
        self.pending = []

    def block(self, block: Block, arrays: Sequence[Array] = ()) -> list[Array]:
        """Run a block on its arguments; gives what its terminator is given."""
        if block.parent is not None and not isinstance(block.parent, Function):
            for value, array in zip(block.arguments, arrays, strict=True):
                self.bind(value, array, f"a region of {block.parent.name}")
        for operation in block.operations:
            if operation is block.last:
                return [self.values[value] for value in operation.operands]
            self.operation(operation)
        raise InterpreterError("a block has no terminator")

    def operation(self, operation: Operation) -> None:
        definition = lookup(operation.name)
        if definition is None:
            raise InterpreterError(f"there is no op {operation.name}")
        arrays = [self.values[value] for value in operation.operands]
        results = self.compute(operation, definition, arrays)
        if len(results) != len(operation.results):
            raise InterpreterError(
                f"{operation.name} gave {len(results)} arrays, not {len(operation.results)}"
            )
        is_open = EXTERNAL in definition.flags
        for value, array in zip(operation.results, results, strict=True):
            self.store(value, np.asarray(array), operation.name, is_open)
        self.check_pending()
        if self.observe is not None:
            self.observe(operation, [self.values[value] for value in operation.results])

    def store(self, value: Value, array: Array, name: str, is_open: bool) -> None:
        """Round a result to its type; an external op's must be of it, and binds symbols."""
        if is_open:
            self.bind(value, array, f"the result of {name}")
            return
        shape = self.shape(value.type, name)
        if array.shape != shape:
            raise InterpreterError(
                f"{name} gave the shape {array.shape}, but {value.type} is {shape}"
            )
        self.values[value] = value.type.dtype.cast(array)

    def shape(self, type: TensorType, name: str) -> tuple[int, ...]:
        try:
            return tuple(dims.evaluate(d, self.symbols) for d in type.shape)
        except KeyError as error:
            raise InterpreterError(f"{name}: nothing gives {error.args[0]} a value") from None

    def compute(
        self, operation: Operation, definition: OpDefinition, arrays: Sequence[Array]
    ) -> Sequence[Array]:
        if EXTERNAL in definition.flags:
            if self.external is None:
                raise InterpreterError(f"{operation.name} needs a callback: pass external=")
            return self.external(operation, arrays)
        if definition.interpret is not None:
            return definition.interpret(self.block, operation, arrays)
        if definition.evaluate is None:
            raise InterpreterError(f"{operation.name} has no meaning in NumPy")
        attributes = {k: self.concrete(v, operation) for k, v in operation.attributes.items()}
        if EXACT not in definition.flags:
            arrays = [_widened(array) for array in arrays]
        try:
            results = definition.evaluate(attributes, *arrays)
        except (ValueError, IndexError) as error:
            raise InterpreterError(f"{operation.name}: {error}") from error
        return results if isinstance(results, tuple) else (results,)

    def concrete(self, value: Any, operation: Operation) -> Any:
        """Return an attribute for `evaluate`: symbols as integers, constants as arrays."""
        if isinstance(value, tuple):
            return tuple(self.concrete(element, operation) for element in value)
        if isinstance(value, Dim):
            return self.shape(
                TensorType((value,), operation.results[0].type.dtype), operation.name
            )[0]
        if isinstance(value, Dense):
            return value.array
        if isinstance(value, ResourceRef):
            resource = self.module.resources.get(value.name)
            if resource is None or resource.data is None:
                raise InterpreterError(f"{operation.name}: the resource @{value.name} has no data")
            return resource.data
        return value


def _widened(array: Array) -> Array:
    wide: Mapping[str, type[np.generic]] = {"f": np.float64, "c": np.complex128}
    kind = array.dtype.kind
    return array.astype(wide[kind], copy=False) if kind in wide else array
