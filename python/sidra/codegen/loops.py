"""The loops around elements: over elements, over rows and their reductions, over columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir

from sidra.analysis.kernels import COLUMNS, MAP, REDUCTIONS, Kernel
from sidra.codegen.elements import Elements, Scope
from sidra.codegen.position import I64, Digit, Position
from sidra.codegen.scalars import REGISTERS
from sidra.ir.core import Block, Operation, Value
from sidra.ir.dims import Dimension
from sidra.ir.registry import ELEMENTWISE, has_flag
from sidra.ir.types import DType

SHORT = 8  # a loop of fewer elements is not worth being the innermost
COLUMN_BLOCK = 512
MAX_SCRATCH = 1 << 16  # elements of a row that are kept rather than computed again
EXPENSIVE = frozenset(
    f"graph.{name}"
    for name in (
        *("exp", "erf", "tanh", "sigmoid", "silu", "gelu", "log", "pow", "sin", "cos"),
        *("expm1", "log1p", "log2", "softplus", "tan", "atan", "atan2"),
    )
)


@dataclass
class Nest:
    """What the loops of one kernel are written with."""

    elements: Elements
    block: Block  # the decomposed region
    kernel: Kernel
    outputs: list[ir.Value]  # pointers, one a result
    begin: ir.Value
    end: ir.Value
    keeps_rows: bool = True  # whether a row of scratch is at hand for each expensive value

    @property
    def b(self) -> ir.IRBuilder:
        """The builder."""
        return self.elements.b

    @property
    def results(self) -> tuple[Value, ...]:
        """The values that the region yields."""
        assert self.block.last is not None
        return self.block.last.operands

    def number(self, dimension: Dimension) -> ir.Value:
        """Return a dimension's value."""
        return self.elements.positions.number(dimension)

    @contextmanager
    def loop(self, start: ir.Value, end: ir.Value) -> Iterator[ir.Value]:
        """Write the body of a loop over [start, end)."""
        b = self.b
        before = b.block
        body, after = b.append_basic_block("body"), b.append_basic_block("after")
        b.cbranch(b.icmp_signed("<", start, end), body, after)
        b.position_at_end(body)
        index = b.phi(I64)
        index.add_incoming(start, before)
        yield index
        following = b.add(index, I64(1), flags=("nsw",))
        b.cbranch(b.icmp_signed("<", following, end), body, after)
        index.add_incoming(following, b.block)
        b.position_at_end(after)


def extent_and_grain(kernel: Kernel, block: Block) -> tuple[Dimension, Dimension]:
    """Return how many items a kernel has, and how many of them are worth a thread."""
    space = kernel.space
    cost = 1 + sum(8 if op.name in EXPENSIVE else 1 for op in block.operations)
    worth = max(1, (1 << 18) // cost)  # elements
    if space.kind == COLUMNS:
        return space.inner_elements, COLUMN_BLOCK
    if space.kind == MAP:
        inner = innermost(kernel, block)
        if isinstance(inner, int):
            return space.outer_elements // inner, max(1, worth // max(1, inner))
        return space.outer_elements // inner, 1 + worth // inner
    inner = space.inner_elements
    if isinstance(inner, int):
        return space.outer_elements, max(1, worth // max(1, inner))
    return space.outer_elements, 1 + worth // inner


def write_loops(nest: Nest) -> None:
    """Write the loops of a kernel. Raises CodegenError for an op that has no elements."""
    if nest.kernel.space.kind == MAP:
        _write_map(nest)
    elif nest.kernel.space.kind == COLUMNS:
        _write_columns(nest)
    else:
        _Rows(nest).write()


# ---- map ---------------------------------------------------------------------------------------


def innermost(kernel: Kernel, block: Block) -> Dimension:
    """Return the size of a map's innermost loop: the shortest run that some op tells apart."""
    total = kernel.space.outer_elements
    runs = [run for op in block.operations for run in _runs(op, total)]
    static = [run for run in runs if isinstance(run, int) and run > 1]
    symbolic = [run for run in runs if not isinstance(run, int)]
    best: Dimension = min(static) if static else (symbolic[0] if symbolic else 1)
    if isinstance(best, int) and (best < SHORT or (not isinstance(total, int) or total % best)):
        return 1 if best < SHORT or not _divides(best, total) else best
    return best if _divides(best, total) else 1


def _divides(part: Dimension, total: Dimension) -> bool:
    quotient = total // part if part != 0 else 0
    return quotient * part == total


def _runs(operation: Operation, total: Dimension) -> list[Dimension]:
    """Return the sizes of trailing dims below which an op needs no index along a dim."""
    if not operation.results or operation.result.type.elements != total:
        return []
    shape = operation.result.type.shape
    if has_flag(operation, ELEMENTWISE) or operation.name == "graph.broadcast":
        found = []
        for operand in operation.operands:
            if operand.type.elements not in (1, total):
                found += _broadcast_runs(operand.type.shape, shape)
        return found
    if operation.name in ("graph.reshape", "graph.full", "graph.constant", "yield"):
        return []
    last = next((size for size in reversed(shape) if size != 1), 1)
    return [last]


def _broadcast_runs(shape: tuple[Dimension, ...], result: tuple[Dimension, ...]) -> list[Dimension]:
    aligned = (*(1,) * (len(result) - len(shape)), *shape)
    run: Dimension = 1
    kinds = [a == r for a, r in zip(aligned, result, strict=True)]
    long = [i for i, size in enumerate(result) if size != 1]
    for position in reversed(range(1, len(long))):
        run = result[long[position]] * run
        if kinds[long[position]] != kinds[long[position - 1]]:
            return [run]
    return []


def _write_map(nest: Nest) -> None:
    inner = innermost(nest.kernel, nest.block)
    total = nest.kernel.space.outer_elements
    if inner == 1:
        with nest.loop(nest.begin, nest.end) as index:
            _write_results(nest, (Digit(index, total),), Scope())
        return
    with nest.loop(nest.begin, nest.end) as row, nest.loop(I64(0), nest.number(inner)) as index:
        _write_results(nest, (Digit(row, total // inner), Digit(index, inner)), Scope())


def _write_results(nest: Nest, position: Position, scope: Scope) -> None:
    place = nest.elements.positions.linear(position)
    computed = [nest.elements.element(value, position, scope) for value in nest.results]
    for value, element, pointer in zip(nest.results, computed, nest.outputs, strict=True):
        nest.elements.scalars.store(element, pointer, place, value.type.dtype)


# ---- reductions ----------------------------------------------------------------------------------


class Accumulator:
    """A reduction's running value, in a variable."""

    def __init__(self, nest: Nest, operation: Operation) -> None:
        self.nest = nest
        self.name = operation.name.removeprefix("graph.")
        self.dtype = operation.operands[0].type.dtype
        self.register = REGISTERS[self.dtype]

    def initial(self) -> ir.Constant:
        """Return what nothing reduces to."""
        if self.name in ("sum", "any"):
            return ir.Constant(self.register, 0.0 if self.dtype.is_float else 0)
        if self.name in ("prod", "all"):
            return ir.Constant(self.register, 1.0 if self.dtype.is_float else 1)
        sign = -1 if self.name == "max" else 1
        if self.dtype.is_float:
            return ir.Constant(self.register, sign * float("inf"))
        return ir.Constant(self.register, _limit(self.dtype, sign > 0))

    def combined(self, total: ir.Value, element: ir.Value) -> ir.Value:
        """Return the running value with one more element."""
        b = self.nest.b
        if self.name in ("sum", "prod") and self.dtype.is_float:
            # Partial sums in lanes: an order that depends on nothing but the row's length.
            write = b.fadd if self.name == "sum" else b.fmul
            return write(total, element, flags=("reassoc",))
        ops = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}
        if self.name == "any":
            return b.or_(total, element)
        if self.name == "all":
            return b.and_(total, element)
        return self.nest.elements.scalars.compute(ops[self.name], {}, self.dtype, [total, element])


def _limit(dtype: DType, largest: bool) -> int:
    bits = 8 * dtype.size if dtype.kind != "bool" else 1
    if dtype.kind in ("unsigned", "bool"):
        return (1 << bits) - 1 if largest else 0
    return (1 << (bits - 1)) - 1 if largest else -(1 << (bits - 1))


class _Rows:
    """Rows one after another; in each, reductions by level, then the results."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.space = nest.kernel.space
        self.levels = _levels(nest.block)
        self.kept = self._kept() if nest.keeps_rows else {}

    def write(self) -> None:
        nest = self.nest
        scratch = {
            value: nest.b.alloca(
                REGISTERS[value.type.dtype], nest.number(self.space.inner_elements)
            )
            for value in self.kept
        }
        reductions = [op for op in nest.block.operations if op.name in REDUCTIONS]
        accumulators = {
            op: nest.b.alloca(REGISTERS[op.operands[0].type.dtype]) for op in reductions
        }
        with nest.loop(nest.begin, nest.end) as row:
            bound: dict[Value, ir.Value] = {}
            for level in range(
                1, 1 + max((self.levels[op.result] for op in reductions), default=0)
            ):
                here = [op for op in reductions if self.levels[op.result] == level]
                self._reduce(row, level, here, accumulators, scratch, bound)
            self._finish(row, scratch, bound)

    def _reduce(
        self,
        row: ir.Value,
        level: int,
        here: list[Operation],
        accumulators: dict[Operation, ir.Value],
        scratch: dict[Value, ir.Value],
        bound: dict[Value, ir.Value],
    ) -> None:
        nest = self.nest
        running = {op: Accumulator(nest, op) for op in here}
        for op in here:
            nest.b.store(running[op].initial(), accumulators[op])
        with self._inner(row, level, scratch, bound) as (position, scope):
            for op in here:
                element = nest.elements.element(op.operands[0], position, scope)
                total = nest.b.load(accumulators[op], typ=running[op].register)
                nest.b.store(running[op].combined(total, element), accumulators[op])
        for op in here:
            bound[op.result] = nest.b.load(accumulators[op], typ=running[op].register)

    def _finish(
        self, row: ir.Value, scratch: dict[Value, ir.Value], bound: dict[Value, ir.Value]
    ) -> None:
        nest = self.nest
        last = 1 + max(self.levels.values(), default=0)
        full = [value for value in nest.results if self._is_full(value)]
        if full:
            with self._inner(row, last, scratch, bound) as (position, scope):
                place = nest.elements.positions.linear(position)
                computed = [nest.elements.element(value, position, scope) for value in full]
                for value, element in zip(full, computed, strict=True):
                    self._store(value, element, place)
        scope = Scope(dict(bound))
        position = (Digit(row, self.space.outer_elements),)
        for value in nest.results:
            if value not in full:
                self._store(value, nest.elements.element(value, position, scope), row)

    def _store(self, value: Value, element: ir.Value, place: ir.Value) -> None:
        for result, pointer in zip(self.nest.results, self.nest.outputs, strict=True):
            if result is value:
                self.nest.elements.scalars.store(element, pointer, place, value.type.dtype)

    @contextmanager
    def _inner(
        self,
        row: ir.Value,
        level: int,
        scratch: dict[Value, ir.Value],
        bound: dict[Value, ir.Value],
    ) -> Iterator[tuple[Position, Scope]]:
        """Write one loop over the row; kept values are computed in their first, then read."""
        nest = self.nest
        outer, inner = self.space.outer_elements, self.space.inner_elements
        with nest.loop(I64(0), nest.number(inner)) as index:
            position = (Digit(row, outer), Digit(index, inner))
            scope = Scope(dict(bound))
            for value, first in self.kept.items():
                register = REGISTERS[value.type.dtype]
                at = nest.b.gep(scratch[value], [index], source_etype=register)
                if first < level:
                    scope.bound[value] = nest.b.load(at, typ=register)
                elif first == level:
                    element = nest.elements.element(value, position, scope)
                    nest.b.store(element, at)
                    scope.bound[value] = element
            yield position, scope

    def _is_full(self, value: Value) -> bool:
        return value.type.elements == self.space.elements

    def _kept(self) -> dict[Value, int]:
        """Return the expensive values that several loops of a row need, each with its first."""
        inner = self.space.inner_elements
        if isinstance(inner, int) and inner > MAX_SCRATCH:
            return {}
        needed: dict[Value, set[int]] = {}
        moved: set[Value] = set()
        last = 1 + max(self.levels.values(), default=0)
        for op in self.nest.block.operations:
            if op.name in REDUCTIONS:
                _need(op.operands[0], self.levels[op.result], needed, moved)
        for value in self.nest.results:
            if self._is_full(value):
                _need(value, last, needed, moved)
        return {
            value: min(loops)
            for value, loops in needed.items()
            if len(loops) > 1
            and value not in moved
            and value.type.elements == self.space.elements
            and value.operation is not None
            and value.operation.name in EXPENSIVE
        }


def _need(
    value: Value,
    level: int,
    needed: dict[Value, set[int]],
    moved: set[Value],
    is_moved: bool = False,
) -> None:
    """Note in which loops a value is needed, and whether at another place than the loop's."""
    levels = needed.setdefault(value, set())
    if level in levels and (not is_moved or value in moved):
        return
    levels.add(level)
    if is_moved:
        moved.add(value)
    operation = value.operation
    if operation is None or operation.name in REDUCTIONS:
        return
    in_place = has_flag(operation, ELEMENTWISE) or operation.name == "graph.reshape"
    for operand in operation.operands:
        same = in_place and operand.type.elements == value.type.elements
        _need(operand, level, needed, moved, is_moved or not same)


def _levels(block: Block) -> dict[Value, int]:
    """Return after how many loops over the row each value is known."""
    levels: dict[Value, int] = dict.fromkeys(block.arguments, 0)
    for operation in block.operations:
        level = max((levels[value] for value in operation.operands), default=0)
        if operation.name in REDUCTIONS:
            level += 1
        levels.update(dict.fromkeys(operation.results, level))
    return levels


# ---- columns -------------------------------------------------------------------------------------


def _write_columns(nest: Nest) -> None:
    """Write blocks of columns: their accumulators stay in cache while the rows pass."""
    needed: dict[Operation, None] = {}
    for value in nest.results:
        _collect_reductions(value, needed)
    ordered = [op for op in nest.block.operations if op in needed]
    accumulators = {
        op: nest.b.alloca(REGISTERS[op.operands[0].type.dtype], I64(COLUMN_BLOCK)) for op in ordered
    }
    blocks = nest.b.sdiv(
        nest.b.add(nest.b.sub(nest.end, nest.begin), I64(COLUMN_BLOCK - 1)), I64(COLUMN_BLOCK)
    )
    with nest.loop(I64(0), blocks) as block:
        first = nest.b.add(nest.begin, nest.b.mul(block, I64(COLUMN_BLOCK)))
        rest = nest.b.sub(nest.end, first)
        short = nest.b.icmp_signed("<", rest, I64(COLUMN_BLOCK))
        count = nest.b.select(short, rest, I64(COLUMN_BLOCK))
        for level in range(1, 1 + max(_levels(nest.block).values(), default=0)):
            levels = _levels(nest.block)
            here = [op for op in ordered if levels[op.result] == level]
            _reduce_columns(nest, here, accumulators, first, count)
        with nest.loop(I64(0), count) as index:
            column = nest.b.add(first, index)
            scope = _column_scope(nest, accumulators, index)
            position = (Digit(column, nest.kernel.space.inner_elements),)
            for value, pointer in zip(nest.results, nest.outputs, strict=True):
                element = nest.elements.element(value, position, scope)
                nest.elements.scalars.store(element, pointer, column, value.type.dtype)


def _collect_reductions(value: Value, needed: dict[Operation, None]) -> None:
    operation = value.operation
    if operation is None:
        return
    if operation.name in REDUCTIONS:
        needed[operation] = None
    for operand in operation.operands:
        _collect_reductions(operand, needed)


def _column_scope(nest: Nest, accumulators: dict[Operation, ir.Value], index: ir.Value) -> Scope:
    scope = Scope()
    for op, pointer in accumulators.items():
        register = REGISTERS[op.operands[0].type.dtype]
        at = nest.b.gep(pointer, [index], source_etype=register)
        scope.bound[op.result] = nest.b.load(at, typ=register)
    return scope


def _reduce_columns(
    nest: Nest,
    here: list[Operation],
    accumulators: dict[Operation, ir.Value],
    first: ir.Value,
    count: ir.Value,
) -> None:
    space = nest.kernel.space
    running = {op: Accumulator(nest, op) for op in here}

    def at(op: Operation, index: ir.Value) -> ir.Value:
        return nest.b.gep(accumulators[op], [index], source_etype=running[op].register)

    with nest.loop(I64(0), count) as index:
        for op in here:
            nest.b.store(running[op].initial(), at(op, index))
    earlier = {op: p for op, p in accumulators.items() if op not in here}
    rows = nest.number(space.outer_elements)
    with nest.loop(I64(0), rows) as row, nest.loop(I64(0), count) as index:
        column = nest.b.add(first, index)
        position = (Digit(row, space.outer_elements), Digit(column, space.inner_elements))
        scope = _column_scope(nest, earlier, index)
        for op in here:
            element = nest.elements.element(op.operands[0], position, scope)
            total = nest.b.load(at(op, index), typ=running[op].register)
            nest.b.store(running[op].combined(total, element), at(op, index))
