"""The one list of operations, from which printer, builder, verifier and interpreter derive.

A dialect is a module or package of `dialects/`; `lookup` imports it when first asked. Each op is
its NumPy meaning, decorated:

    @op("graph.softmax", operands=1, attributes={"dim": attribute("int", -1)}, infer=same_as_first)
    def softmax(attributes: Attributes, x: Array) -> Array:
        \"\"\"exp(x) / sum of exp(x) over `dim`.\"\"\"

The meaning gets every float as float64, bf16 to f32 included, unless the op is flagged EXACT; what
it gives is rounded to the result's dtype. Symbols in attributes are integers by then, and a
reference to a resource is its array.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sidra.errors import InferenceError
from sidra.ir import dialects
from sidra.ir.attributes import Attribute, Dense, ResourceRef, attribute_text, same
from sidra.ir.core import Module, Operation
from sidra.ir.dims import Dim
from sidra.ir.types import Array, DType, TensorType

Attributes: TypeAlias = Mapping[str, Any]
Types: TypeAlias = Sequence[TensorType]
Infer: TypeAlias = Callable[[Types, Attributes], Sequence[TensorType]]
Evaluate: TypeAlias = Callable[..., Any]  # (attributes, *arrays) -> an array or a tuple of them
Verify: TypeAlias = Callable[[Operation, Module], None]  # raises InferenceError
# (run, operation, arrays): `run(block, arrays)` gives what the block's terminator is given.
Run: TypeAlias = Callable[..., Sequence[Array]]
Interpret: TypeAlias = Callable[[Run, Operation, Sequence[Array]], Sequence[Array]]

# What a pass may rely on.
PURE = "pure"  # no effect but its results: unused, it may go; used twice, it may be shared
COMMUTATIVE = "commutative"  # both operands may be swapped
ELEMENTWISE = "elementwise"  # one output element needs one element of each operand, broadcast
EXACT = "exact"  # moves, selects or compares elements, never rounds
TERMINATOR = "terminator"  # ends a block
EXTERNAL = "external"  # means whatever the interpreter's callback says

_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "int": lambda v: type(v) is int,
    "float": lambda v: type(v) is float,
    "number": lambda v: type(v) in (int, float, bool),
    "bool": lambda v: type(v) is bool,
    "str": lambda v: type(v) is str,
    "dtype": lambda v: isinstance(v, DType),
    "dim": lambda v: type(v) is int or isinstance(v, Dim),
    "ints": lambda v: isinstance(v, tuple) and all(type(e) is int for e in v),
    "dims": lambda v: isinstance(v, tuple) and all(_KINDS["dim"](e) for e in v),
    "dense": lambda v: isinstance(v, Dense),
    "resource": lambda v: isinstance(v, ResourceRef),
    "any": lambda v: True,
}


class Required:
    """The default of an attribute that must be given."""


REQUIRED = Required()


@dataclass(frozen=True)
class AttributeSpec:
    """One attribute. `kind`: a name in the table above; a `?` after it permits none."""

    kind: str
    default: Attribute | Required = REQUIRED

    def accepts(self, value: Attribute) -> bool:
        """Whether `value` is of the kind."""
        if value is None and self.kind.endswith("?"):
            return True
        return _KINDS[self.kind.rstrip("?")](value)


attribute = AttributeSpec


@dataclass(frozen=True)
class OpDefinition:
    """One op: see the module's docstring. `infer` None: the result types are the builder's."""

    name: str
    operands: tuple[int, int | None]  # fewest, most
    attributes: Mapping[str, AttributeSpec] = field(default_factory=dict)
    infer: Infer | None = None
    evaluate: Evaluate | None = None
    verify: Verify | None = None
    interpret: Interpret | None = None
    flags: frozenset[str] = frozenset()
    regions: int = 0
    open_attributes: bool = False  # any further attribute is accepted
    summary: str = ""

    def complete(self, attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
        """`attributes` with the defaults, checked. Raises InferenceError."""
        unknown = [name for name in attributes if name not in self.attributes]
        if unknown and not self.open_attributes:
            known = ", ".join(self.attributes) or "none"
            raise InferenceError(f"{self.name} has no attribute {unknown[0]}; it has {known}")
        complete: dict[str, Attribute] = {}
        for name, spec in self.attributes.items():
            value = attributes.get(name, spec.default)
            if isinstance(value, Required):
                raise InferenceError(f"{self.name} needs the attribute {name}, a {spec.kind}")
            if not spec.accepts(value):
                text = attribute_text(value)
                raise InferenceError(f"{self.name}: {name} = {text} is not a {spec.kind}")
            complete[name] = value
        return complete | {name: attributes[name] for name in unknown}

    def shown(self, attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
        """Return the attributes that differ from their default."""
        return {
            name: value
            for name, value in attributes.items()
            if not (name in self.attributes and self._is_default(name, value))
        }

    def result_types(self, types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
        """Return what `infer` says. Raises InferenceError, which shows the operand types."""
        self.check_operands(len(types))
        if self.infer is None:
            raise InferenceError(f"{self.name} has no inferred types; give them")
        try:
            return tuple(self.infer(types, attributes))
        except (InferenceError, ValueError, ZeroDivisionError) as error:
            given = ", ".join(map(str, types))
            raise InferenceError(f"{self.name}({given}): {error}") from None

    def check_operands(self, count: int) -> None:
        """Raise InferenceError unless the op takes `count` operands."""
        fewest, most = self.operands
        if count < fewest or (most is not None and count > most):
            wanted = str(fewest) if fewest == most else f"{fewest} to {most or 'many'}"
            raise InferenceError(f"{self.name} takes {wanted} operands, not {count}")

    def _is_default(self, name: str, value: Attribute) -> bool:
        default = self.attributes[name].default
        return not isinstance(default, Required) and same(default, value)


_DEFINITIONS: dict[str, OpDefinition] = {}
_DIALECTS = {info.name: False for info in pkgutil.iter_modules(dialects.__path__)}  # is it imported


def define(definition: OpDefinition) -> OpDefinition:
    """Enter an op. Raises ValueError if the name is taken."""
    if definition.name in _DEFINITIONS:
        raise ValueError(f"{definition.name} is defined twice")
    _DEFINITIONS[definition.name] = definition
    return definition


def op(
    name: str,
    operands: int | tuple[int, int | None],
    infer: Infer | None = None,
    attributes: Mapping[str, AttributeSpec] | None = None,
    flags: Sequence[str] = (PURE,),
    **more: Any,
) -> Callable[[Evaluate], Evaluate]:
    """Define an op whose meaning is the decorated function and whose summary is its docstring."""
    bounds = (operands, operands) if isinstance(operands, int) else operands

    def enter(evaluate: Evaluate) -> Evaluate:
        summary = (evaluate.__doc__ or "").strip()
        define(
            OpDefinition(
                name,
                bounds,
                attributes or {},
                infer,
                evaluate,
                flags=frozenset(flags),
                summary=summary,
                **more,
            )
        )
        return evaluate

    return enter


def load_dialect(name: str) -> bool:
    """Import a dialect; False if there is none of that name."""
    if name not in _DIALECTS:
        return False
    if not _DIALECTS[name]:
        _DIALECTS[name] = True
        importlib.import_module(f"sidra.ir.dialects.{name}")
    return True


def lookup(name: str) -> OpDefinition | None:
    """Return the definition of an op, None if there is none."""
    if name not in _DEFINITIONS:
        load_dialect(name.partition(".")[0])
    return _DEFINITIONS.get(name)


def definition_of(operation: Operation) -> OpDefinition:
    """Return the definition of an operation. Raises InferenceError if there is none."""
    found = lookup(operation.name)
    if found is None:
        raise InferenceError(f"there is no op {operation.name}")
    return found


def has_flag(operation: Operation, flag: str) -> bool:
    """Whether the op is known and has the flag."""
    found = lookup(operation.name)
    return found is not None and flag in found.flags


def operations_of(dialect: str) -> list[OpDefinition]:
    """Every op of a dialect, by name. Raises KeyError for an unknown dialect."""
    if not load_dialect(dialect):
        raise KeyError(dialect)
    return [_DEFINITIONS[n] for n in sorted(_DEFINITIONS) if n.startswith(f"{dialect}.")]


for _name in ("return", "yield"):
    define(OpDefinition(_name, (0, None), flags=frozenset({TERMINATOR}), infer=lambda t, a: ()))
