"""Which regions one loop nest can compute, and over what it runs.

    map      every result element is computed from elements of the operands
    rows     the same, and reductions over the trailing dims, all of one row size
    columns  reductions over leading dims; each result is such a reduction, [M.., N..] to [N..]

Every value of a region has a role:

    FREE     depends on no reduction: it may be computed at any index
    ROW      one element for each row (of columns: for each column)
    FULL     one element for each element of a row, rows in order

ROW and FULL values exist only while their row is at hand, so between a reduction and a result
there are only elementwise ops, reshapes, and broadcasts along the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sidra.ir import dims
from sidra.ir.core import Block, Operation, Value
from sidra.ir.dims import Dimension
from sidra.ir.registry import ELEMENTWISE, has_flag

FREE, ROW, FULL = "free", "row", "full"
MAP, ROWS, COLUMNS = "map", "rows", "columns"

Shape = tuple[Dimension, ...]

REDUCTIONS = frozenset(
    f"graph.{name}" for name in ("sum", "prod", "mean", "min", "max", "any", "all", "var")
)
SOFTMAXES = frozenset({"graph.softmax", "graph.log_softmax"})
NORMS = frozenset({"graph.layer_norm", "graph.rms_norm", "graph.group_norm"})
CREATIONS = frozenset({"graph.full", "graph.iota", "graph.constant", "graph.dimension"})
MOVES = frozenset({"graph.permute", "graph.slice", "graph.concat", "graph.pad", "graph.flip"})
GATHERS = frozenset({"graph.index_select", "graph.embedding", "graph.take_along"})
# One element needs one element of x, and of parameters that lie along an axis.
PER_AXIS = frozenset({"graph.batch_norm", "graph.quantize", "graph.dequantize"})

RESHAPES = frozenset({"graph.reshape", "graph.broadcast"})
SUPPORTED = REDUCTIONS | SOFTMAXES | NORMS | CREATIONS | MOVES | GATHERS | PER_AXIS | RESHAPES


@dataclass(frozen=True)
class Space:
    """What a kernel runs over. Dims of size 1 are left out of both shapes.

    map: `outer` is the first result's shape, `inner` is (). rows: `outer` the rows, `inner` one
    row. columns: `outer` the leading dims that are reduced, `inner` the columns that remain.
    """

    kind: str
    outer: Shape
    inner: Shape = ()

    @property
    def outer_elements(self) -> Dimension:
        """How many rows (of a map: elements)."""
        return dims.product(self.outer)

    @property
    def inner_elements(self) -> Dimension:
        """How many elements a row has; 1 for a map."""
        return dims.product(self.inner)

    @property
    def elements(self) -> Dimension:
        """How many elements are visited."""
        return self.outer_elements * self.inner_elements


@dataclass(frozen=True)
class Kernel:
    """A region that one loop nest can compute, and the role of each of its values."""

    space: Space
    roles: Mapping[Value, str] = field(default_factory=dict)


class Unfit(Exception):
    """Why a region is none that one loop nest can compute."""


def check(block: Block) -> str | None:
    """Return why the region cannot be one kernel, or None if it can."""
    try:
        analyse(block)
    except Unfit as reason:
        return str(reason)
    return None


def analyse(block: Block) -> Kernel:
    """Return how the region is computed. Raises Unfit with the reason if it cannot be."""
    results = block.last.operands if block.last is not None else ()
    operations = [operation for operation in block.operations if operation is not block.last]
    return analyse_operations(operations, results, block.arguments)


def analyse_operations(
    operations: Sequence[Operation], results: Sequence[Value], arguments: Sequence[Value] = ()
) -> Kernel:
    """Return how the operations, in order, would be computed as a kernel with these results.

    What they use from outside may be left out of `arguments`. Raises Unfit as `analyse`.
    """
    if not results:
        raise Unfit("it has no result")
    space = space_of(operations) or Space(MAP, _without_ones(results[0].type.shape))
    roles = dict.fromkeys(arguments, FREE)
    for operation in operations:
        _require_supported(operation)
        for value in operation.operands:
            roles.setdefault(value, FREE)
        role = _Roles(space, roles).of(operation)
        roles.update(dict.fromkeys(operation.results, role))
    for value in roles:
        _require_dtype(value)
    for value in results:
        _require_result(value, space)
    return Kernel(space, roles)


def space_of(operations: Sequence[Operation]) -> Space | None:
    """Return what the reductions among the operations run over; None if there are none.

    Raises Unfit if they run over different spaces.
    """
    found: Space | None = None
    for operation in operations:
        space = reduction_space(operation)
        if space is None:
            continue
        if found is not None and not same_space(found, space):
            raise Unfit(f"{operation.name} runs over {_text(space)}, another over {_text(found)}")
        found = found or space
    return found


def same_space(a: Space, b: Space) -> bool:
    """Whether both have the same kind, rows and row size, however the shapes are written."""
    return (a.kind, a.outer_elements, a.inner_elements) == (
        b.kind,
        b.outer_elements,
        b.inner_elements,
    )


def reduction_space(operation: Operation) -> Space | None:
    """Return what a reduction runs over; None for any other op.

    Raises Unfit where the reduced dims are neither the trailing nor the leading ones.
    """
    reduced = reduced_dims(operation)
    if reduced is None:
        return None
    shape = operation.operands[0].type.shape
    if operation.name == "graph.group_norm":
        groups = operation.attributes["groups"]
        assert isinstance(groups, int)
        shape = (shape[0], groups, shape[1] // groups, *shape[2:])
        reduced = tuple(range(2, len(shape)))
    long = [i for i, size in enumerate(shape) if size != 1]
    gone = [i for i in long if i in reduced]
    kept = tuple(shape[i] for i in long if i not in reduced)
    summed = tuple(shape[i] for i in gone)
    if gone == long[len(long) - len(gone) :]:
        return Space(ROWS, kept, summed)
    if gone == long[: len(gone)] and operation.name in REDUCTIONS:
        return Space(COLUMNS, summed, kept)
    raise Unfit(f"{operation.name} reduces dims {list(reduced)} of {operation.operands[0].type}")


def reduced_dims(operation: Operation) -> tuple[int, ...] | None:
    """Return the dims that a reduction, softmax or norm runs over, from 0; None for other ops."""
    if operation.name not in REDUCTIONS | SOFTMAXES | NORMS:
        return None
    rank = operation.operands[0].type.rank
    if operation.name in SOFTMAXES:
        dim = operation.attributes["dim"]
        assert isinstance(dim, int)
        return (dim % rank,)
    if operation.name in NORMS:
        count = operation.attributes.get("rank", rank - 2)
        assert isinstance(count, int)
        return tuple(range(rank - count, rank))
    given = operation.attributes["dims"]
    if given is None:
        return tuple(range(rank))
    assert isinstance(given, tuple)
    return tuple(sorted(dim % rank for dim in given if isinstance(dim, int)))


def is_supported(operation: Operation) -> bool:
    """Whether a kernel may hold the op at all; powers of integers it may not."""
    if operation.name == "graph.pow" and not operation.result.type.dtype.is_float:
        return False
    return operation.name in SUPPORTED or (
        operation.dialect == "graph" and has_flag(operation, ELEMENTWISE)
    )


def _require_supported(operation: Operation) -> None:
    if not is_supported(operation):
        raise Unfit(f"there are no loops for {operation.name}")


def _require_dtype(value: Value) -> None:
    if value.type.dtype.is_complex:
        raise Unfit(f"{value.type} is complex")


def _require_result(value: Value, space: Space) -> None:
    elements = value.type.elements
    if space.kind == COLUMNS:
        if not _is_column(value):
            raise Unfit("a result of columns must be a reduction")
        return
    if elements == space.elements or (space.kind == ROWS and elements == space.outer_elements):
        return
    raise Unfit(f"a result {value.type} is neither the whole nor a value a row of {_text(space)}")


def _is_column(value: Value) -> bool:
    operation = value.operation
    while operation is not None and operation.name == "graph.reshape":
        operation = operation.operands[0].operation
    return operation is not None and operation.name in REDUCTIONS


class _Roles:
    """The rules for the role of an op's result."""

    def __init__(self, space: Space, roles: Mapping[Value, str]) -> None:
        self.space = space
        self.roles = roles

    def of(self, operation: Operation) -> str:
        """Return the role. Raises Unfit if the op breaks a row."""
        if reduced_dims(operation) is not None:
            return self.reduction(operation)
        bound = [value for value in operation.operands if self.roles[value] != FREE]
        if not bound:
            return FREE
        if self.space.kind == COLUMNS and operation.name != "graph.reshape":
            raise Unfit(f"{operation.name} uses a reduction over leading dims")
        if operation.name == "graph.reshape" or _keeps_order(operation):
            return self.roles[bound[0]]
        self.require_rowwise(operation)
        for value in bound:
            self.require_aligned(value, operation)
        full = operation.result.type.elements == self.space.elements
        return FULL if full else ROW

    def reduction(self, operation: Operation) -> str:
        x, *parameters = operation.operands
        if self.space.kind == COLUMNS and self.roles[x] != FREE:
            raise Unfit(f"{operation.name} uses a reduction over leading dims")
        if any(self.roles[value] != FREE for value in parameters):
            raise Unfit(f"a parameter of {operation.name} depends on a reduction")
        return ROW if operation.name in REDUCTIONS else FULL

    def require_rowwise(self, operation: Operation) -> None:
        """Raise Unfit for an op that may ask for elements of other rows."""
        first, *others = operation.operands
        alone = all(self.roles[value] == FREE for value in others)
        per_axis = operation.name in PER_AXIS and alone and self.roles[first] != FREE
        rowwise = has_flag(operation, ELEMENTWISE) or operation.name == "graph.broadcast"
        if not (rowwise or per_axis):
            raise Unfit(f"{operation.name} needs rows other than the one at hand")

    def require_aligned(self, value: Value, operation: Operation) -> None:
        """Raise Unfit unless each element of the result needs the operand's in the same row."""
        shape = value.type.shape
        result = operation.result.type.shape
        aligned = (*(1,) * (len(result) - len(shape)), *shape)
        if _without_ones(aligned) == _without_ones(result):
            return
        for split in range(len(result) + 1):
            same = _without_ones(aligned[:split]) == _without_ones(result[:split])
            alone = all(size == 1 for size in aligned[split:])
            if same and alone and dims.product(result[split:]) == self.space.inner_elements:
                return
        raise Unfit(f"{operation.name} broadcasts {value.type} across rows")


def _keeps_order(operation: Operation) -> bool:
    """Whether it is a permute that moves dims of size 1 only."""
    if operation.name != "graph.permute":
        return False
    order = operation.attributes["dims"]
    assert isinstance(order, tuple)
    shape = operation.operands[0].type.shape
    long = [dim % len(shape) for dim in order if isinstance(dim, int)]
    long = [dim for dim in long if shape[dim] != 1]
    return long == sorted(long)


def _without_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)


def _text(space: Space) -> str:
    shapes = [f"[{', '.join(map(str, s))}]" for s in (space.outer, space.inner) if s]
    return f"{space.kind} {' of '.join(shapes) or '[]'}"
