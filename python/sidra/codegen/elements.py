"""One element of a value, from elements of what it is computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llvmlite import ir

from sidra.codegen.position import I64, Position, Positions, position_of
from sidra.codegen.scalars import I32, Scalars
from sidra.codegen.source import attribute
from sidra.errors import CodegenError
from sidra.ir.attributes import Dense
from sidra.ir.core import Operation, Value
from sidra.ir.dims import Dimension
from sidra.ir.registry import ELEMENTWISE, has_flag
from sidra.ir.types import DType, TensorType, f64, i64

MAX_CONSTANT = 4096  # elements of a constant that becomes a table


@dataclass(frozen=True)
class Buffer:
    """Where an operand's elements are."""

    pointer: ir.Value
    strides: tuple[Dimension, ...]
    is_dense: bool


@dataclass
class Scope:
    """What is at hand in the loops around. bound: values of the row. memo: elements computed."""

    bound: dict[Value, ir.Value] = field(default_factory=dict)
    memo: dict[tuple[Any, ...], ir.Value] = field(default_factory=dict)


class Elements:
    """Writes elements at a builder.

    buffers: of the region's arguments. flag: where an index out of range is noted, an i32.
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        module: ir.Module,
        buffers: Mapping[Value, Buffer],
        symbols: dict[str, ir.Value],
        flag: ir.Value,
    ) -> None:
        self.b = builder
        self.module = module
        self.buffers = buffers
        self.flag = flag
        self.positions = Positions(builder, symbols)
        self.scalars = Scalars(builder, module)
        self.tables = 0

    def element(self, value: Value, position: Position, scope: Scope) -> ir.Value:
        """Return the element of a value at a position."""
        if value in scope.bound:
            return scope.bound[value]
        key = (value, *((id(digit.index), digit.size) for digit in position))
        if key not in scope.memo:
            scope.memo[key] = self._compute(value, position, scope)
        return scope.memo[key]

    def _compute(self, value: Value, position: Position, scope: Scope) -> ir.Value:
        operation = value.operation
        if operation is None:
            return self._load(value, position)
        name = operation.name.removeprefix("graph.")
        special = getattr(self, f"_{name}", None)
        if special is not None:
            found: ir.Value = special(operation, position, scope)
            return found
        if not has_flag(operation, ELEMENTWISE):
            raise CodegenError(f"{operation.name} has no elements at this place of a kernel")
        operands = [
            self.element(each, self.broadcast(position, value.type, each.type), scope)
            for each in operation.operands
        ]
        dtype = operation.operands[0].type.dtype
        return self.scalars.compute(name, operation.attributes, dtype, operands)

    def broadcast(self, position: Position, result: TensorType, operand: TensorType) -> Position:
        """Return where the operand's element is for one of the result, which it broadcasts to."""
        if operand.elements == result.elements:
            return position
        if operand.elements == 1:
            return ()
        indices = self.positions.indices(position, result.shape)
        own = indices[len(result.shape) - operand.rank :]
        return position_of(own, operand.shape)

    def _load(self, value: Value, position: Position) -> ir.Value:
        buffer = self.buffers[value]
        if buffer.is_dense:
            index = self.positions.linear(position)
        else:
            index = ir.Constant(I64, 0)
            indices = self.positions.indices(position, value.type.shape)
            for i, stride in zip(indices, buffer.strides, strict=True):
                step = self.positions.times(i, self.positions.number(stride))
                index = self.positions.plus(index, step)
        return self.scalars.load(buffer.pointer, index, value.type.dtype)

    # ---- ops that only say which element ---------------------------------------------------------

    def _reshape(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        return self.element(operation.operands[0], position, scope)

    def _broadcast(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        (x,) = operation.operands
        return self.element(x, self.broadcast(position, operation.result.type, x.type), scope)

    def _permute(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        (x,) = operation.operands
        indices = self.positions.indices(position, operation.result.type.shape)
        own: list[ir.Value] = [ir.Constant(I64, 0)] * x.type.rank
        for index, dim in zip(indices, attribute(operation, "dims"), strict=True):
            own[dim] = index
        return self.element(x, position_of(own, x.type.shape), scope)

    def _slice(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        (x,) = operation.operands
        indices = self.positions.indices(position, operation.result.type.shape)
        start, step = attribute(operation, "start"), attribute(operation, "step")
        own = [
            self.positions.plus(
                self.positions.number(first), self.positions.times(i, self.positions.number(by))
            )
            for i, first, by in zip(indices, start, step, strict=True)
        ]
        return self.element(x, position_of(own, x.type.shape), scope)

    def _flip(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        (x,) = operation.operands
        indices = self.positions.indices(position, x.type.shape)
        for dim in attribute(operation, "dims"):
            last = self.b.sub(self.positions.number(x.type.shape[dim]), I64(1))
            indices[dim] = self.b.sub(last, indices[dim])
        return self.element(x, position_of(indices, x.type.shape), scope)

    def _concat(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        dim = attribute(operation, "dim") % operation.result.type.rank
        indices = self.positions.indices(position, operation.result.type.shape)
        at, start = indices[dim], 0
        result: ir.Value | None = None
        for operand in operation.operands:
            size = operand.type.shape[dim]
            if size == 0:
                continue
            local = self.b.sub(at, self.positions.number(start))
            inside = self.b.icmp_signed("<", local, self.positions.number(size))
            inside = self.b.and_(inside, self.b.icmp_signed(">=", local, I64(0)))
            # Read something that exists where this operand is not asked.
            own = [*indices[:dim], self.b.select(inside, local, I64(0)), *indices[dim + 1 :]]
            here = self.element(operand, position_of(own, operand.type.shape), scope)
            result = here if result is None else self.b.select(inside, here, result)
            start = start + size
        if result is None:  # nothing is computed
            return self.scalars.constant(0, operation.result.type.dtype)
        return result

    def _pad(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        (x,) = operation.operands
        if any(size == 0 for size in x.type.shape):
            return self.scalars.constant(attribute(operation, "value"), x.type.dtype)
        inside: ir.Value = ir.Constant(ir.IntType(1), 1)
        own = []
        indices = self.positions.indices(position, operation.result.type.shape)
        for index, low, size in zip(
            indices,
            attribute(operation, "low"),
            x.type.shape,
            strict=True,
        ):
            local = self.b.sub(index, I64(low))
            fits = self.b.icmp_unsigned("<", local, self.positions.number(size))
            inside = self.b.and_(inside, fits)
            own.append(self.b.select(fits, local, I64(0)))
        value = self.element(x, position_of(own, x.type.shape), scope)
        filled = self.scalars.constant(attribute(operation, "value"), x.type.dtype)
        return self.b.select(inside, value, filled)

    # ---- gathers ---------------------------------------------------------------------------------

    def _checked(self, index: ir.Value, dtype: DType, size: Dimension) -> ir.Value:
        """Return an index counted from the front; one out of range is noted, and becomes 0."""
        if index.type.width < 64:
            unsigned = dtype.kind == "unsigned"
            index = self.b.zext(index, I64) if unsigned else self.b.sext(index, I64)
        count = self.positions.number(size)
        negative = self.b.icmp_signed("<", index, I64(0))
        index = self.b.select(negative, self.b.add(index, count), index)
        outside = self.b.icmp_unsigned(">=", index, count)
        noted = self.b.or_(self.b.load(self.flag, typ=I32), self.b.zext(outside, I32))
        self.b.store(noted, self.flag)
        return self.b.select(outside, I64(0), index)

    def _index_select(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        x, chosen = operation.operands
        dim = attribute(operation, "dim") % x.type.rank
        return self._gather(operation, x, chosen, dim, position, scope)

    def _embedding(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        weight, chosen = operation.operands
        return self._gather(operation, weight, chosen, 0, position, scope)

    def _gather(
        self,
        operation: Operation,
        x: Value,
        chosen: Value,
        dim: int,
        position: Position,
        scope: Scope,
    ) -> ir.Value:
        indices = self.positions.indices(position, operation.result.type.shape)
        count = chosen.type.rank
        named = position_of(indices[dim : dim + count], chosen.type.shape)
        index = self.element(chosen, named, scope)
        row = self._checked(index, chosen.type.dtype, x.type.shape[dim])
        own = [*indices[:dim], row, *indices[dim + count :]]
        return self.element(x, position_of(own, x.type.shape), scope)

    def _take_along(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        x, chosen = operation.operands
        dim = attribute(operation, "dim") % x.type.rank
        indices = self.positions.indices(position, chosen.type.shape)
        index = self.element(chosen, position, scope)
        indices[dim] = self._checked(index, chosen.type.dtype, x.type.shape[dim])
        return self.element(x, position_of(indices, x.type.shape), scope)

    # ---- from nothing ----------------------------------------------------------------------------

    def _constant(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        dense = attribute(operation, "value")
        assert isinstance(dense, Dense)
        dtype = dense.type.dtype
        if dense.array.size == 1:
            return self.scalars.constant(dense.array.reshape(()), dtype)
        if dense.array.size > MAX_CONSTANT or not position:
            raise CodegenError(f"a constant of {dense.array.size} elements has no place in code")
        register = self.scalars.constant(dense.array.reshape(-1)[0], dtype).type
        numbers = [self.scalars.constant(n, dtype) for n in dense.array.reshape(-1)]
        type = ir.ArrayType(register, len(numbers))
        table = ir.GlobalVariable(self.module, type, self.module.get_unique_name("table"))
        table.linkage, table.global_constant = "internal", True
        table.initializer = ir.Constant(type, numbers)
        at = self.b.gep(table, [self.positions.linear(position)], source_etype=register)
        return self.b.load(at, typ=register)

    def _full(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        return self.scalars.constant(attribute(operation, "value"), operation.result.type.dtype)

    def _dimension(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        return self.positions.number(attribute(operation, "value"))

    def _iota(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        dtype = operation.result.type.dtype
        start, step = attribute(operation, "start"), attribute(operation, "step")
        index = self.positions.linear(position)
        if dtype.is_float:
            place = self.scalars.convert(index, i64, f64)
            scaled = self.b.fmul(place, self.scalars.constant(step, f64))
            return self.scalars.convert(
                self.b.fadd(scaled, self.scalars.constant(start, f64)), f64, dtype
            )
        value = self.b.add(self.b.mul(index, I64(int(step))), I64(int(start)))
        width = self.scalars.constant(0, dtype).type
        return value if width == I64 else self.b.trunc(value, width)

    def _convert(self, operation: Operation, position: Position, scope: Scope) -> ir.Value:
        (x,) = operation.operands
        element = self.element(x, position, scope)
        return self.scalars.convert(element, x.type.dtype, operation.result.type.dtype)
