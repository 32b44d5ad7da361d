"""The structure of the IR: values, operations, blocks, functions, modules.

SSA: a value is a result of one operation or an argument of one block, and knows its uses. A region
has one block, so control flow is nested, never a graph. Operations of a block are a linked list:
inserting and erasing take constant time, and erasing the operation at hand is safe while iterating.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sidra.ir.attributes import Attribute
from sidra.ir.types import Array, TensorType


@dataclass(frozen=True)
class Location:
    """Where an operation comes from; rewrites keep it. Empty and 0: not known.

    module: path of the nn.Module, such as `encoder.layer.3.attention.query`.
    """

    module: str = ""
    file: str = ""
    line: int = 0


UNKNOWN = Location()


class Use(NamedTuple):
    """One operand, by its position, of one operation."""

    operation: Operation
    position: int


class Value:
    """What an operation computes or a block is given. `name`: a hint for the printer."""

    def __init__(self, type: TensorType, owner: Operation | Block, index: int, name: str = ""):
        self.type = type
        self.owner = owner
        self.index = index
        self.name = name
        self._uses: dict[Use, None] = {}

    @property
    def uses(self) -> tuple[Use, ...]:
        """The operands that are this value, in the order in which they became so."""
        return tuple(self._uses)

    @property
    def users(self) -> tuple[Operation, ...]:
        """The operations that use this value, each once."""
        return tuple(dict.fromkeys(use.operation for use in self._uses))

    @property
    def operation(self) -> Operation | None:
        """The operation that computes it; None for a block argument."""
        return self.owner if isinstance(self.owner, Operation) else None

    def replace_all_uses(self, other: Value) -> None:
        """Let every user use `other` instead. Raises ValueError if the types differ."""
        if other is self:
            return
        if other.type != self.type:
            raise ValueError(f"a value of type {self.type} cannot become one of {other.type}")
        for operation, index in self.uses:
            operation.set_operand(index, other)


class Operation:
    """One instruction. Made detached; `Block.append` or `insert_before` puts it in a place.

    name: `dialect.op`. attributes: see `attributes.py`; every attribute that the registry knows is
    present. regions: one block each.
    """

    def __init__(
        self,
        name: str,
        operands: Sequence[Value] = (),
        result_types: Sequence[TensorType] = (),
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Block] = (),
        location: Location = UNKNOWN,
    ):
        self.name = name
        self.attributes: dict[str, Attribute] = dict(attributes or {})
        self.location = location
        self.results = tuple(Value(type, self, i) for i, type in enumerate(result_types))
        self.regions = tuple(regions)
        self.parent: Block | None = None
        self.previous: Operation | None = None
        self.next: Operation | None = None
        self._operands: list[Value] = []
        self.operands = tuple(operands)
        for region in self.regions:
            region.parent = self

    @property
    def operands(self) -> tuple[Value, ...]:
        """What it computes from. Assigning keeps the use lists right."""
        return tuple(self._operands)

    @operands.setter
    def operands(self, values: Sequence[Value]) -> None:
        for index, old in enumerate(self._operands):
            del old._uses[Use(self, index)]
        self._operands = list(values)
        for index, new in enumerate(self._operands):
            new._uses[Use(self, index)] = None

    @property
    def result(self) -> Value:
        """The only result. Raises ValueError if there is not exactly one."""
        if len(self.results) != 1:
            raise ValueError(f"{self.name} has {len(self.results)} results, not one")
        return self.results[0]

    @property
    def dialect(self) -> str:
        """The part of the name before the point; empty for `return` and `yield`."""
        return self.name.rpartition(".")[0]

    def set_operand(self, index: int, value: Value) -> None:
        """Use `value` as the operand number `index`."""
        del self._operands[index]._uses[Use(self, index)]
        self._operands[index] = value
        value._uses[Use(self, index)] = None

    def remove(self) -> None:
        """Take it out of its block, still whole; it may be inserted elsewhere."""
        if self.parent is None:
            raise ValueError(f"{self.name} is in no block")
        self.parent._unlink(self)

    def erase(self) -> None:
        """Remove it and drop its operands. Raises ValueError if a result is in use."""
        if any(result._uses for result in self.results):
            raise ValueError(f"{self.name} cannot be erased: its results are in use")
        for operation in list(self.walk()):
            operation.operands = ()
        if self.parent is not None:
            self.remove()

    def replace_with(self, values: Sequence[Value]) -> None:
        """Let every user of the results use `values`, then erase it."""
        if len(values) != len(self.results):
            raise ValueError(f"{self.name} has {len(self.results)} results, not {len(values)}")
        for result, value in zip(self.results, values, strict=True):
            if result.name and not value.name:
                value.name = result.name
            result.replace_all_uses(value)
        self.erase()

    def clone(self, mapping: dict[Value, Value] | None = None) -> Operation:
        """Return a detached copy. `mapping`: old to new values, read and extended."""
        mapping = {} if mapping is None else mapping
        regions = [region.clone(mapping) for region in self.regions]
        copy = Operation(
            self.name,
            [mapping.get(v, v) for v in self.operands],
            [r.type for r in self.results],
            self.attributes,
            regions,
            self.location,
        )
        for old, new in zip(self.results, copy.results, strict=True):
            new.name = old.name
            mapping[old] = new
        return copy

    def walk(self) -> Iterator[Operation]:
        """Return the operation, then those in its regions, in order."""
        yield self
        for region in self.regions:
            yield from region.walk()


class Block:
    """Arguments and a sequence of operations. `parent`: the operation or function around it."""

    def __init__(self, argument_types: Sequence[TensorType] = (), names: Sequence[str] = ()):
        self.parent: Operation | Function | None = None
        self.arguments: list[Value] = []
        self.first: Operation | None = None
        self.last: Operation | None = None
        for index, type in enumerate(argument_types):
            self.add_argument(type, names[index] if index < len(names) else "")

    def add_argument(self, type: TensorType, name: str = "") -> Value:
        """Return a new argument, the last."""
        self.arguments.append(Value(type, self, len(self.arguments), name))
        return self.arguments[-1]

    @property
    def operations(self) -> Iterator[Operation]:
        """The operations in order; the one at hand may be erased or moved meanwhile."""
        operation = self.first
        while operation is not None:
            following = operation.next
            yield operation
            operation = following

    def append(self, operation: Operation) -> Operation:
        """Insert it at the end."""
        return self._link(operation, self.last, None)

    def insert_before(self, operation: Operation, anchor: Operation) -> Operation:
        """Insert it before `anchor`, which is in this block."""
        self._check(anchor)
        return self._link(operation, anchor.previous, anchor)

    def insert_after(self, operation: Operation, anchor: Operation) -> Operation:
        """Insert it after `anchor`, which is in this block."""
        self._check(anchor)
        return self._link(operation, anchor, anchor.next)

    def walk(self) -> Iterator[Operation]:
        """Every operation, nested ones too, in order."""
        for operation in self.operations:
            yield from operation.walk()

    def clone(self, mapping: dict[Value, Value]) -> Block:
        """Return a copy; `mapping` as in `Operation.clone`."""
        copy = Block([a.type for a in self.arguments], [a.name for a in self.arguments])
        mapping.update(zip(self.arguments, copy.arguments, strict=True))
        for operation in self.operations:
            copy.append(operation.clone(mapping))
        return copy

    def _check(self, anchor: Operation) -> None:
        if anchor.parent is not self:
            raise ValueError(f"{anchor.name} is not in this block")

    def _link(
        self, operation: Operation, before: Operation | None, after: Operation | None
    ) -> Operation:
        if operation.parent is not None:
            raise ValueError(f"{operation.name} is in a block; remove it first")
        operation.parent, operation.previous, operation.next = self, before, after
        if before is None:
            self.first = operation
        else:
            before.next = operation
        if after is None:
            self.last = operation
        else:
            after.previous = operation
        return operation

    def _unlink(self, operation: Operation) -> None:
        if operation.previous is None:
            self.first = operation.next
        else:
            operation.previous.next = operation.next
        if operation.next is None:
            self.last = operation.previous
        else:
            operation.next.previous = operation.previous
        operation.parent = operation.previous = operation.next = None


class Function:
    """A name and one block that ends in `return`."""

    def __init__(self, name: str, body: Block):
        self.name = name
        self.body = body
        body.parent = self

    @property
    def arguments(self) -> list[Value]:
        """The arguments of the body."""
        return self.body.arguments

    @property
    def results(self) -> tuple[Value, ...]:
        """What it returns; empty while the body does not end in `return`."""
        last = self.body.last
        return last.operands if last is not None and last.name == "return" else ()

    @property
    def result_types(self) -> tuple[TensorType, ...]:
        """The types of what it returns."""
        return tuple(value.type for value in self.results)

    def walk(self) -> Iterator[Operation]:
        """Every operation in order, nested ones too."""
        return self.body.walk()

    def clone(self) -> Function:
        """Return a copy that shares nothing but types, attributes and locations."""
        return Function(self.name, self.body.clone({}))


@dataclass
class Resource:
    """A large constant. `data`: in `type.dtype.numpy`; None where only the text was read."""

    type: TensorType
    data: Array | None = None

    def __post_init__(self) -> None:
        data = self.data
        if data is not None and (
            data.shape != self.type.shape or data.dtype != self.type.dtype.numpy
        ):
            raise ValueError(f"an array {data.dtype}{data.shape} is no {self.type}")


@dataclass
class Module:
    """Functions and resources, each by name, in order."""

    functions: dict[str, Function] = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)

    def add(self, function: Function) -> Function:
        """Add a function. Raises ValueError if the name is taken."""
        if function.name in self.functions:
            raise ValueError(f"there is a function @{function.name} already")
        self.functions[function.name] = function
        return function

    def add_resource(self, name: str, type: TensorType, data: Array | None = None) -> Resource:
        """Add a constant. Raises ValueError if the name is taken or `data` is not of the type."""
        if name in self.resources:
            raise ValueError(f"there is a resource @{name} already")
        self.resources[name] = Resource(type, data)
        return self.resources[name]

    def walk(self) -> Iterator[Operation]:
        """Every operation of every function in order."""
        for function in self.functions.values():
            yield from function.walk()

    def clone(self) -> Module:
        """Return a copy of the functions; the data of resources is shared, nobody writes to it."""
        functions = {name: function.clone() for name, function in self.functions.items()}
        return Module(functions, dict(self.resources))
