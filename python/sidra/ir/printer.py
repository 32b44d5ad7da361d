"""The text form of the IR, which `parser` reads back to the same text.

    module {
      resource @w0 : f32[3, 4]
      func @main(%x: f32[s0, 4]) -> (f32[s0, 3]) {
        %0 = graph.resource {name = @w0} : f32[3, 4]
        %1 = graph.linear %x, %0 : f32[s0, 3] loc("encoder.query", "model.py", 12)
        %2, %3 = graph.topk %1 {k = 2} : f32[s0, 2], i64[s0, 2]
        return %1
      }
    }

One operation a line: results, name, operands, attributes that differ from their default, result
types, location, regions. A region is `{ (%i: i64[]) ...  }` with its operations indented.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from sidra.ir.attributes import attribute_text
from sidra.ir.core import UNKNOWN, Block, Function, Location, Module, Operation, Value
from sidra.ir.registry import lookup

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]*")
INDENT = "  "


def module_text(module: Module, notes: Mapping[Operation, str] | None = None) -> str:
    """Return the text of a module. `notes`: text to show under some operations; not read back."""
    lines = ["module {"]
    for name, resource in module.resources.items():
        lines.append(f"{INDENT}resource @{name} : {resource.type}")
    for function in module.functions.values():
        lines += [INDENT + line for line in _Printer(notes or {}).function(function)]
    return "\n".join([*lines, "}", ""])


def function_text(function: Function, notes: Mapping[Operation, str] | None = None) -> str:
    """Return the text of a function."""
    return "\n".join([*_Printer(notes or {}).function(function), ""])


def operation_text(operation: Operation) -> str:
    """Return the text of one operation; its operands are numbered in order of appearance."""
    return "\n".join(_Printer({}).operation(operation))


def location_text(location: Location) -> str:
    """`loc("module", "file", line)`, without what is not known; empty for no location."""
    if location == UNKNOWN:
        return ""
    place = [json.dumps(location.file), str(location.line)]
    known = bool(location.file or location.line)
    return f"loc({', '.join([json.dumps(location.module), *(place if known else [])])})"


class _Printer:
    """Names of the values of one function."""

    def __init__(self, notes: Mapping[Operation, str]) -> None:
        self.notes = notes
        self.names: dict[Value, str] = {}
        self.taken: set[str] = set()
        self.hints: dict[str, int] = {}
        self.count = 0

    def function(self, function: Function) -> list[str]:
        arguments = self.arguments(function.body)
        results = ", ".join(map(str, function.result_types))
        head = f"func @{function.name}({arguments}) -> ({results}) {{"
        return [head, *self.body(function.body), "}"]

    def arguments(self, block: Block) -> str:
        return ", ".join(f"{self.name(a)}: {a.type}" for a in block.arguments)

    def body(self, block: Block) -> list[str]:
        return [INDENT + line for op in block.operations for line in self.operation(op)]

    def operation(self, operation: Operation) -> list[str]:
        operands = self.values(operation.operands)
        words = [operation.name, operands, self.attributes(operation)]
        if operation.results:
            words.insert(0, f"{self.values(operation.results)} =")
            words.append(f": {', '.join(str(r.type) for r in operation.results)}")
        words.append(location_text(operation.location))
        lines = [" ".join(word for word in words if word)]
        for region in operation.regions:
            arguments = self.arguments(region)
            lines[-1] += " {" + (f" ({arguments})" if arguments else "")
            lines += [*self.body(region), "}"]
        if operation in self.notes:
            lines.append(f"^ {self.notes[operation]}")
        return lines

    def attributes(self, operation: Operation) -> str:
        definition = lookup(operation.name)
        shown = definition.shown(operation.attributes) if definition else operation.attributes
        pairs = [f"{_key(name)} = {attribute_text(value)}" for name, value in shown.items()]
        return f"{{{', '.join(pairs)}}}" if pairs else ""

    def values(self, values: Sequence[Value]) -> str:
        return ", ".join(map(self.name, values))

    def name(self, value: Value) -> str:
        if value not in self.names:
            self.names[value] = f"%{self.fresh(value.name)}"
        return self.names[value]

    def fresh(self, hint: str) -> str:
        """Return a name no other value has: the hint, the hint with a number, or a number."""
        if not NAME.fullmatch(hint):
            self.count += 1
            return str(self.count - 1)
        name = hint
        while name in self.taken:
            self.hints[hint] = self.hints.get(hint, 0) + 1
            name = f"{hint}_{self.hints[hint]}"
        self.taken.add(name)
        return name


def _key(name: str) -> str:
    return name if NAME.fullmatch(name) else json.dumps(name)
