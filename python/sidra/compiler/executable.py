"""What compilation returns: steps on buffers, sizes symbolic, machine code by number.

The only thing that compile time hands to run time. It holds no tensor of PyTorch and no pointer, so
it can be written to a file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sidra.analysis.work import Work
from sidra.ir.core import Location
from sidra.ir.dims import Dimension
from sidra.ir.types import Array, DType, TensorType

INPUT, OUTPUT, ARENA, CONSTANT, SLOT = "input", "output", "arena", "constant", "slot"


@dataclass(frozen=True)
class Buffer:
    """Memory that steps read and write. index: which of its kind.

    kind: INPUT, an argument; OUTPUT, a tensor made in each run; ARENA, a part of the memory that
    steps share; CONSTANT; SLOT, a tensor that a step makes.
    """

    kind: str
    index: int


@dataclass(frozen=True)
class Operand:
    """A tensor in a buffer. offset and strides: in elements."""

    buffer: Buffer
    type: TensorType
    offset: Dimension
    strides: tuple[Dimension, ...]


@dataclass(frozen=True)
class Step:
    """One step. location: of the operation that it came from."""

    location: Location


@dataclass(frozen=True)
class KernelStep(Step):
    """kernel: number of the machine code. operands, then results."""

    name: str
    kernel: int
    operands: tuple[Operand, ...]
    results: tuple[Operand, ...]
    work: Work


@dataclass(frozen=True)
class MvmStep(Step):
    """x, weight and result are matrices."""

    x: Operand
    weight: Operand
    bias: Operand | None
    result: Operand
    relu: bool


@dataclass(frozen=True)
class AttentionStep(Step):
    """Into a slot."""

    q: Operand
    k: Operand
    v: Operand
    mask: Operand | None
    scale: float | None
    causal: bool
    heads_last: bool
    slot: int


@dataclass(frozen=True)
class CallStep(Step):
    """operator, arguments: of `graph.external`. slots: of the results, -1 for one nobody uses."""

    operator: str
    arguments: tuple[Any, ...]
    operands: tuple[Operand, ...]
    slots: tuple[int, ...]


@dataclass(frozen=True)
class ArenaItem:
    """Memory that is in use from step `first` to step `last`, both included."""

    size_bytes: Dimension
    first: int
    last: int


@dataclass
class Executable:
    """A compiled function.

    results: where each is, a view of a buffer. shared: whether the buffer is an argument's, a
    constant's, or an earlier result's too, so that who may write to the result needs a copy.
    """

    inputs: tuple[TensorType, ...] = ()
    outputs: list[TensorType] = field(default_factory=list)
    arena: list[ArenaItem] = field(default_factory=list)
    constants: list[tuple[DType, Array]] = field(default_factory=list)
    slots: int = 0
    steps: list[Step] = field(default_factory=list)
    results: list[Operand] = field(default_factory=list)
    shared: list[bool] = field(default_factory=list)
