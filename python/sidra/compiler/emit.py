"""A lowered function as an executable, and the sources of its machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sidra.analysis.layout import VIEWS, Layout, dense_strides, layouts, row_stride
from sidra.analysis.work import work_of
from sidra.codegen.source import KernelSource
from sidra.compiler.executable import (
    ARENA,
    CONSTANT,
    INPUT,
    OUTPUT,
    SLOT,
    ArenaItem,
    AttentionStep,
    Buffer,
    CallStep,
    Executable,
    KernelStep,
    MvmStep,
    Operand,
)
from sidra.errors import CodegenError
from sidra.ir import dims
from sidra.ir.attributes import Dense, ResourceRef
from sidra.ir.core import Function, Module, Operation, Value
from sidra.ir.types import TensorType


def emit(function: Function, module: Module) -> tuple[Executable, list[KernelSource]]:
    """Return the executable of a function that is lowered, and its kernels by number.

    Raises CodegenError for an operation that is no step.
    """
    return _Emitter(function, module).run()


class _Emitter:
    def __init__(self, function: Function, module: Module) -> None:
        self.function = function
        self.module = module
        self.layouts = layouts(function)
        self.executable = Executable(tuple(a.type for a in function.arguments))
        self.sources: list[KernelSource] = []
        self.buffers: dict[Value, Buffer] = {
            value: Buffer(INPUT, i) for i, value in enumerate(function.arguments)
        }
        self.returned = {self.layouts[value].base for value in function.results}
        self.items: dict[int, list[int]] = {}  # of the arena: first and last step

    def run(self) -> tuple[Executable, list[KernelSource]]:
        for operation in self.function.body.operations:
            self.visit(operation)
        given: set[Buffer] = set()
        for value in self.function.results:
            result = self.operand(value)
            kind = result.buffer.kind
            self.executable.results.append(result)
            self.executable.shared.append(kind in (INPUT, CONSTANT) or result.buffer in given)
            given.add(result.buffer)
        self.executable.arena = [
            ArenaItem(item.size_bytes, *self.items[i])
            for i, item in enumerate(self.executable.arena)
        ]
        return self.executable, self.sources

    def visit(self, operation: Operation) -> None:
        name = operation.name
        if name in VIEWS or name == "return":
            return
        write = _STEPS.get(name)
        if write is None:
            raise CodegenError(f"{name} is no step of an executable; run fuse-kernels")
        write(self, operation)

    # ---- buffers ---------------------------------------------------------------------------------

    def computed(self, value: Value) -> Operand:
        """Return where a step writes a value: a new output or part of the arena."""
        if value in self.returned:
            buffer = Buffer(OUTPUT, len(self.executable.outputs))
            self.executable.outputs.append(value.type)
        else:
            buffer = Buffer(ARENA, len(self.executable.arena))
            step = len(self.executable.steps)
            self.executable.arena.append(ArenaItem(value.type.size_bytes, step, step))
            self.items[buffer.index] = [step, step]
        self.buffers[value] = buffer
        return Operand(buffer, value.type, 0, dense_strides(value.type.shape))

    def slot(self, value: Value) -> int:
        """Return a new slot for a value; -1 when nobody uses it."""
        if not value.uses:
            return -1
        self.buffers[value] = Buffer(SLOT, self.executable.slots)
        self.executable.slots += 1
        return self.executable.slots - 1

    def operand(self, value: Value) -> Operand:
        """Return where a value is, which is read by the step to come."""
        layout = self.layouts[value]
        return self.at(layout, value.type)

    def at(self, layout: Layout, type: TensorType) -> Operand:
        buffer = self.buffers[layout.base]
        if buffer.kind == ARENA:
            self.items[buffer.index][1] = len(self.executable.steps)
        return Operand(buffer, type, layout.offset, layout.strides)

    def matrix(self, value: Value) -> Operand:
        """Return a value as rows of its last dim, whose elements follow one another."""
        layout, shape = self.layouts[value], value.type.shape
        stride = row_stride(shape, layout.strides)
        if stride is None:
            raise CodegenError(f"{value.type} has no rows in memory; run fuse-kernels")
        rows = dims.product(shape[:-1])
        type = TensorType((rows, shape[-1]), value.type.dtype)
        buffer = self.at(layout, type).buffer
        return Operand(buffer, type, layout.offset, (stride if rows != 1 else shape[-1], 1))

    # ---- steps -----------------------------------------------------------------------------------

    def kernel(self, operation: Operation) -> None:
        name = str(operation.attributes["name"])
        operands = tuple(self.operand(value) for value in operation.operands)
        results = tuple(self.computed(value) for value in operation.results)
        strides = tuple(operand.strides for operand in operands)
        self.sources.append(KernelSource(name, operation.regions[0], strides))
        step = KernelStep(
            operation.location, name, len(self.sources) - 1, operands, results, work_of(operation)
        )
        self.executable.steps.append(step)

    def mvm(self, operation: Operation) -> None:
        x, weight, *bias = operation.operands
        result = self.computed(operation.result)
        rows = TensorType(
            (dims.product(result.type.shape[:-1]), result.type.shape[-1]), result.type.dtype
        )
        matrix = Operand(result.buffer, rows, 0, (rows.shape[1], 1))
        step = MvmStep(
            operation.location,
            self.matrix(x),
            self.operand(weight),
            self.operand(bias[0]) if bias else None,
            matrix,
            operation.attributes["activation"] == "relu",
        )
        self.executable.steps.append(step)

    def attention(self, operation: Operation) -> None:
        q, k, v, *mask = (self.operand(value) for value in operation.operands)
        attributes: Mapping[str, Any] = operation.attributes
        step = AttentionStep(
            operation.location,
            q,
            k,
            v,
            mask[0] if mask else None,
            attributes["scale"],
            attributes["causal"],
            attributes["heads_last"],
            self.slot(operation.result),
        )
        self.executable.steps.append(step)

    def call(self, operation: Operation) -> None:
        attributes: Mapping[str, Any] = operation.attributes
        step = CallStep(
            operation.location,
            attributes["operator"],
            attributes["arguments"],
            tuple(self.operand(value) for value in operation.operands),
            self.slots(operation),
        )
        self.executable.steps.append(step)

    def slots(self, operation: Operation) -> tuple[int, ...]:
        """Return a slot for each thing that the operator returns, -1 where that is no tensor."""
        slots = [self.slot(value) for value in operation.results]
        for position in operation.attributes.get("absent", ()):  # type: ignore[union-attr]
            slots.insert(position, -1)  # type: ignore[arg-type]
        return tuple(slots)

    def constant(self, operation: Operation) -> None:
        given = operation.attributes.get("value", operation.attributes.get("name"))
        if isinstance(given, Dense):
            array = given.array
        else:
            assert isinstance(given, ResourceRef)
            data = self.module.resources[given.name].data
            if data is None:
                raise CodegenError(f"the resource @{given.name} has no data")
            array = data
        self.buffers[operation.result] = Buffer(CONSTANT, len(self.executable.constants))
        self.executable.constants.append((operation.result.type.dtype, array))


_STEPS: Mapping[str, Callable[[_Emitter, Operation], None]] = {
    "tile.kernel": _Emitter.kernel,
    "tile.mvm": _Emitter.mvm,
    "tile.attention": _Emitter.attention,
    "graph.external": _Emitter.call,
    "graph.constant": _Emitter.constant,
    "graph.resource": _Emitter.constant,
}
