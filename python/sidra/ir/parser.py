"""Read the IR's text. Whatever the text is, the only exception is ParseError.

The grammar is in `printer`. Operations need not be registered and are not verified: that is for
`verifier`, so that a test can hold broken IR. Attributes that the registry knows get their
defaults. Functions may also stand without a module around them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from sidra.errors import ParseError
from sidra.ir.attribute_parser import AttributeParser
from sidra.ir.core import UNKNOWN, Block, Function, Location, Module, Operation, Resource, Value
from sidra.ir.lexer import Source
from sidra.ir.registry import Required, lookup
from sidra.ir.types import Array, TensorType

MAX_REGION_DEPTH = 32


def parse_module(
    text: str, file: str = "<text>", data: Mapping[str, Array] | None = None
) -> Module:
    """Return the module that `text` spells; `data`: the arrays of its resources, by name.

    Raises ParseError with file, line, column and what was expected.
    """
    parser = _Parser(Source(text, file))
    module = parser.module()
    for name, array in (data or {}).items():
        if name in module.resources:
            try:
                module.resources[name] = Resource(module.resources[name].type, array)
            except ValueError as error:
                raise ParseError(f"{file}: resource @{name}: {error}") from None
    return module


class _Parser(AttributeParser):
    """Recursive descent. `scope`: the values that are visible, by name."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.scope: dict[str, Value] = {}
        self.region_depth = 0

    def module(self) -> Module:
        module = Module()
        braced = self.accept("module")
        if braced:
            self.expect("{")
        while self.peek().text in ("resource", "func"):
            if self.accept("resource"):
                self.resource(module)
            else:
                self.function(module)
        if braced:
            self.expect("}")
        if self.peek().kind != "end":
            raise self.error("'func', 'resource' or the end of the module")
        return module

    def resource(self, module: Module) -> None:
        at = self.peek().at
        name = self.kind("symbol", "a name like @w0").text[1:]
        self.expect(":")
        type = self.tensor_type()
        with self.at(at):
            module.add_resource(name, type)

    def function(self, module: Module) -> None:
        self.expect("func")
        at = self.peek().at
        name = self.kind("symbol", "a name like @main").text[1:]
        self.scope = {}
        body = Block()
        self.expect("(")
        self.block_arguments(body)
        self.expect("->")
        self.expect("(")
        results = self.types(")")
        self.operations(body)
        function = Function(name, body)
        with self.at(at):
            if function.result_types != results:
                given = ", ".join(map(str, function.result_types))
                raise ValueError(f"@{name} returns ({given}), not what it declares")
            module.add(function)

    def block_arguments(self, block: Block) -> None:
        """Up to and with the closing parenthesis."""
        while not self.accept(")"):
            if block.arguments:
                self.expect(",")
            token = self.kind("value", "a name like %x")
            self.expect(":")
            self.bind(token.text, block.add_argument(self.tensor_type()), token.at)

    def operations(self, block: Block) -> None:
        self.expect("{")
        while not self.accept("}"):
            block.append(self.operation())

    def operation(self) -> Operation:
        names = []
        while self.peek().kind == "value":
            names.append(self.next())
            self.expect("," if self.peek().text == "," else "=")
            if self.tokens[self.position - 1].text == "=":
                break
        at = self.peek().at
        name = self.kind("word", "the name of an op").text
        operands = self.operands()
        attributes = self.attributes() if self.peek().text == "{" and self.is_dictionary() else {}
        types = self.types("") if self.accept(":") else ()
        if len(types) != len(names):
            raise self.source.error(at, f"{len(names)} results, but {len(types)} types")
        location = self.location() if self.accept("loc") else UNKNOWN
        regions = self.regions()
        operation = Operation(name, operands, types, attributes, regions, location)
        self.fill_defaults(operation)
        for token, value in zip(names, operation.results, strict=True):
            self.bind(token.text, value, token.at)
        return operation

    def fill_defaults(self, operation: Operation) -> None:
        definition = lookup(operation.name)
        if definition is None:
            return
        given = operation.attributes
        known = {
            name: given.get(name, spec.default)
            for name, spec in definition.attributes.items()
            if name in given or not isinstance(spec.default, Required)
        }
        operation.attributes = {k: v for k, v in known.items() if not isinstance(v, Required)}
        operation.attributes |= given

    def operands(self) -> list[Value]:
        operands: list[Value] = []
        if self.starts_line():
            return operands
        while self.peek().kind == "value":
            token = self.next()
            if token.text not in self.scope:
                raise self.source.error(token.at, f"there is no value {token.text} here")
            operands.append(self.scope[token.text])
            if not self.accept(","):
                return operands
        if operands:
            raise self.error("a name like %x")
        return operands

    def starts_line(self) -> bool:
        """Whether the token at hand is the first of its line; then it begins an operation."""
        start = self.tokens[self.position - 1].at
        return "\n" in self.source.text[start : self.peek().at]

    def types(self, closing: str) -> tuple[TensorType, ...]:
        """Types with commas between, up to and with `closing`; one or more if that is empty."""
        if closing and self.accept(closing):
            return ()
        types = [self.tensor_type()]
        while self.accept(","):
            types.append(self.tensor_type())
        if closing:
            self.expect(closing)
        return tuple(types)

    def location(self) -> Location:
        self.expect("(")
        module, file, line = self.string(), "", 0
        if self.accept(","):
            file = self.string()
            self.expect(",")
            line = self.integer()
        self.expect(")")
        return Location(module, file, line)

    def regions(self) -> list[Block]:
        regions = []
        while self.peek().text == "{" and self.peek().kind == "mark":
            if self.region_depth == MAX_REGION_DEPTH:
                raise self.error(f"at most {MAX_REGION_DEPTH} nested regions")
            regions.append(self.region())
        return regions

    def region(self) -> Block:
        outer = dict(self.scope)
        self.region_depth += 1
        block = Block()
        self.expect("{")
        if self.accept("("):
            self.block_arguments(block)
        while not self.accept("}"):
            block.append(self.operation())
        self.region_depth -= 1
        self.scope = outer
        return block

    def bind(self, text: str, value: Value, at: int) -> None:
        if text in self.scope:
            raise self.source.error(at, f"{text} is defined twice")
        value.name = "" if text[1:].isdecimal() else text[1:]
        self.scope[text] = value

    def string(self) -> str:
        token = self.kind("string", "a string")
        with self.at(token.at):
            return str(json.loads(token.text))
