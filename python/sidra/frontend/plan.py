"""Executables on a device: a plan for each assignment of sizes, with PyTorch's tensors."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from sidra import _C
from sidra.codegen.compile import CompiledKernels
from sidra.compiler.arena import Part, arrange
from sidra.compiler.executable import (
    ARENA,
    AttentionStep,
    CallStep,
    Executable,
    KernelStep,
    MvmStep,
    Operand,
    Step,
)
from sidra.frontend.calls import decode_argument, find_operator
from sidra.frontend.dtypes import TO_TORCH
from sidra.ir import dims
from sidra.ir.dims import Dimension
from sidra.ir.types import Array, DType, TensorType, bf16

KEPT_PLANS = 64  # of one executable: one for each assignment of sizes


class Plans:
    """The plans of one executable on one device; safe to use from several threads."""

    def __init__(
        self, executable: Executable, kernels: CompiledKernels, device: torch.device
    ) -> None:
        self.executable = executable
        self.kernels = kernels
        self.device = device
        with unset_fake_temporarily():  # compilation may run under a mode of fake tensors
            self.constants = [
                _tensor(dtype, array).to(device) for dtype, array in executable.constants
            ]
        self._plans: OrderedDict[tuple[int, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def plan(self, sizes: Mapping[str, int]) -> Any:
        """Return the plan for values of the symbols; made when first asked for."""
        key = tuple(sizes[name] for name in sorted(sizes))
        with self._lock:
            found = self._plans.get(key)
            if found is None:
                found = self._plans[key] = _PlanBuilder(self, sizes).build()
                if len(self._plans) > KEPT_PLANS:
                    self._plans.popitem(last=False)
        return found


class _PlanBuilder:
    """Builds one plan."""

    def __init__(self, plans: Plans, sizes: Mapping[str, int]) -> None:
        self.plans = plans
        self.executable = plans.executable
        self.sizes = sizes

    def build(self) -> Any:
        executable = self.executable
        arena = arrange(
            [Part(self.number(i.size_bytes), i.first, i.last) for i in executable.arena]
        )
        self.offsets = arena.offsets
        inputs = [self.spec(type) for type in executable.inputs]
        self.native = _C.Plan(self.plans.device.index, arena.size_bytes, inputs)
        for tensor in self.plans.constants:
            self.native.add_constant(tensor)
        for type in executable.outputs:
            self.native.add_output(self.spec(type))
        for _ in range(executable.slots):
            self.native.add_slot()
        for step in executable.steps:
            self.add(step)
        self.native.set_results([self.view(operand) for operand in executable.results])
        return self.native

    def number(self, dimension: Dimension) -> int:
        return dims.evaluate(dimension, self.sizes)

    def numbers(self, values: Sequence[Dimension]) -> list[int]:
        return [self.number(value) for value in values]

    def spec(self, type: TensorType) -> tuple[list[int], torch.dtype]:
        return self.numbers(type.shape), TO_TORCH[type.dtype]

    def view(self, operand: Operand) -> tuple[Any, ...]:
        """Return an operand as the plan takes it: place, dtype, sizes, strides."""
        buffer, dtype = operand.buffer, operand.type.dtype
        offset = self.number(operand.offset) * dtype.size
        index = buffer.index
        if buffer.kind == ARENA:
            offset, index = offset + self.offsets[index], 0
        sizes, torch_dtype = self.spec(operand.type)
        return (buffer.kind, index, offset), torch_dtype, sizes, self.numbers(operand.strides)

    def optional(self, operand: Operand | None) -> Any:
        return None if operand is None else self.view(operand)

    def add(self, step: Step) -> None:
        if isinstance(step, KernelStep):
            self.add_kernel(step)
        elif isinstance(step, MvmStep):
            self.native.add_mvm(
                self.view(step.x),
                self.view(step.weight),
                self.optional(step.bias),
                self.view(step.result),
                step.relu,
            )
        elif isinstance(step, AttentionStep):
            q, k, v = (self.view(each) for each in (step.q, step.k, step.v))
            mask = self.optional(step.mask)
            self.native.add_attention(
                q, k, v, mask, step.scale, step.causal, step.heads_last, step.slot
            )
        elif isinstance(step, CallStep):
            self.add_call(step)

    def add_kernel(self, step: KernelStep) -> None:
        kernel = self.plans.kernels.kernels[step.kernel]
        work = step.work
        counts = (work.alu_operations, work.lookups, work.bytes_read, work.bytes_written)
        self.native.add_kernel(
            step.name,
            kernel.address,
            [self.view(operand) for operand in (*step.operands, *step.results)],
            [self.sizes[name] for name in kernel.symbols],
            self.number(kernel.extent),
            self.number(kernel.grain),
            self.numbers(counts),
        )

    def add_call(self, step: CallStep) -> None:
        operator = find_operator(step.operator)
        tensors: list[tuple[int, int | None, Any]] = []
        arguments = []
        for position, entry in enumerate(step.arguments):
            arguments.append(self.argument(step, position, entry, tensors))
        name, overload = operator._schema.name, operator._schema.overload_name
        self.native.add_call(name, overload, arguments, tensors, list(step.slots))

    def argument(
        self, step: CallStep, position: int, entry: Any, tensors: list[tuple[int, int | None, Any]]
    ) -> Any:
        """Return the value of one argument; None where a tensor goes."""

        def note(item: int | None) -> Any:
            def tensor(index: int) -> None:
                tensors.append((position, item, self.view(step.operands[index])))

            return tensor

        device = self.plans.device
        if isinstance(entry, tuple):
            return [
                decode_argument(part, note(item), self.number, device)
                for item, part in enumerate(entry)
            ]
        return decode_argument(entry, note(None), self.number, device)


def _tensor(dtype: DType, array: Array) -> torch.Tensor:
    tensor = torch.from_numpy(np.array(array, copy=True))
    return tensor.to(torch.bfloat16) if dtype is bf16 else tensor
