"""The rules that hold between passes.

- A value is used only after its definition, in the same block or a block nested in it.
- Use lists and operands say the same; nothing outside the function uses its values.
- Every op is registered, its attributes are complete and of their kinds, and its result types are
  those that `infer` gives.
- A function's block ends in `return`, a region's in `yield`; neither is elsewhere.
- A resource that is named exists.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidra.errors import InferenceError, VerifyError
from sidra.ir.attributes import Attribute, ResourceRef
from sidra.ir.core import Block, Function, Module, Operation, Use, Value
from sidra.ir.printer import function_text
from sidra.ir.registry import TERMINATOR, OpDefinition, definition_of


def verify(module: Module) -> None:
    """Raise VerifyError, with the function and the message under the op, if a rule breaks."""
    for name, function in module.functions.items():
        if name != function.name:
            raise VerifyError(f"the function @{function.name} is entered as @{name}")
        verify_function(function, module)


def verify_function(function: Function, module: Module | None = None) -> None:
    """As `verify`, for one function; `module` holds its resources."""
    inside = set(function.walk())
    checker = _Checker(module or Module(), inside)
    checker.block(function.body, set(), "return", function)
    if checker.problem:
        operation, message = checker.problem
        text = function_text(function, {operation: message} if operation else {})
        where = f"{operation.name}: " if operation else ""
        raise VerifyError(f"@{function.name}: {where}{message}\n{text}")


class _Broken(Exception):
    """A rule is broken at the op at hand."""


class _Checker:
    """Goes through a function; `problem` is the first broken rule and its op."""

    def __init__(self, module: Module, inside: set[Operation]) -> None:
        self.module = module
        self.inside = inside
        self.problem: tuple[Operation | None, str] | None = None

    def block(
        self, block: Block, visible: set[Value], terminator: str, parent: Operation | Function
    ) -> None:
        visible = visible | set(block.arguments)
        last = block.last
        if block.parent is not parent:
            self.report(None, "a block does not know its parent")
        for argument in block.arguments:
            self.uses(argument, None)
        for operation in block.operations:
            if self.problem:
                return
            self.operation(operation, block, visible)
            visible.update(operation.results)
        if last is None or last.name != terminator:
            self.report(last, f"the block does not end in {terminator}")

    def report(self, operation: Operation | None, message: str) -> None:
        self.problem = self.problem or (operation, message)

    def operation(self, operation: Operation, block: Block, visible: set[Value]) -> None:
        try:
            definition = definition_of(operation)
            self.place(operation, block, definition)
            self.operands(operation, visible)
            self.attributes(operation, definition)
            self.types(operation, definition)
            if definition.verify is not None:
                definition.verify(operation, self.module)
        except (_Broken, InferenceError) as error:
            self.report(operation, str(error))
        for result in operation.results:
            self.uses(result, operation)
        for region in operation.regions:
            self.block(region, visible, "yield", operation)

    def place(self, operation: Operation, block: Block, definition: OpDefinition) -> None:
        if operation.parent is not block:
            raise _Broken("it does not know its block")
        if TERMINATOR in definition.flags and operation is not block.last:
            raise _Broken("operations follow it")
        if operation.name == "return" and not isinstance(block.parent, Function):
            raise _Broken("return is in a region")
        if len(operation.regions) != definition.regions:
            raise _Broken(f"it has {len(operation.regions)} regions, not {definition.regions}")

    def operands(self, operation: Operation, visible: set[Value]) -> None:
        for index, value in enumerate(operation.operands):
            if value not in visible:
                raise _Broken(f"operand {index} is not defined before it")
            if Use(operation, index) not in value._uses:
                raise _Broken(f"operand {index} does not list this use")

    def attributes(self, operation: Operation, definition: OpDefinition) -> None:
        complete = definition.complete(operation.attributes)
        missing = [name for name in complete if name not in operation.attributes]
        if missing:
            raise _Broken(f"the attribute {missing[0]} is missing")
        for value in operation.attributes.values():
            for name in _resources(value):
                if name not in self.module.resources:
                    raise _Broken(f"there is no resource @{name}")

    def types(self, operation: Operation, definition: OpDefinition) -> None:
        definition.check_operands(len(operation.operands))
        if definition.infer is None:
            return
        types = [value.type for value in operation.operands]
        inferred = definition.result_types(types, operation.attributes)
        actual = tuple(result.type for result in operation.results)
        if inferred != actual:
            raise _Broken(f"its result types are {_list(actual)}, but must be {_list(inferred)}")

    def uses(self, value: Value, operation: Operation | None) -> None:
        for user, index in value.uses:
            if user not in self.inside:
                self.report(operation, f"a value is used by a {user.name} that is not there")
            elif index >= len(user.operands) or user.operands[index] is not value:
                self.report(operation, f"a value lists a use by {user.name} that is none")


def _resources(value: Attribute) -> Iterator[str]:
    if isinstance(value, ResourceRef):
        yield value.name
    elif isinstance(value, tuple):
        for element in value:
            yield from _resources(element)


def _list(types: tuple[object, ...]) -> str:
    return f"({', '.join(map(str, types))})"
