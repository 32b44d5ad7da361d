"""Rules of result types that several families share. Each raises InferenceError."""

from __future__ import annotations

from collections.abc import Sequence

from sidra.errors import InferenceError
from sidra.ir.dims import Dimension
from sidra.ir.registry import Attributes, Infer, Types
from sidra.ir.types import DType, TensorType, i1

Shape = tuple[Dimension, ...]


def require(condition: bool, message: str) -> None:
    """Raise InferenceError with `message` unless the condition holds."""
    if not condition:
        raise InferenceError(message)


def same_as_first(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    """One result of the first operand's type."""
    return (types[0],)


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape:
    """Return the shape to which all broadcast, as in NumPy; equal symbols match, unequal do not."""
    rank = max(map(len, shapes))
    result: list[Dimension] = [1] * rank
    for shape in shapes:
        for position, size in enumerate(shape, start=rank - len(shape)):
            if size == 1 or size == result[position]:
                continue
            if result[position] != 1:
                texts = " and ".join(f"[{', '.join(map(str, s))}]" for s in shapes)
                raise InferenceError(f"{texts} do not broadcast: {result[position]} and {size}")
            result[position] = size
    return tuple(result)


def one_dtype(types: Types) -> DType:
    """Return the dtype that all have."""
    names = dict.fromkeys(str(t.dtype) for t in types)
    require(len(names) == 1, f"the dtypes differ: {', '.join(names)}; use graph.convert")
    return types[0].dtype


def broadcast_one_dtype(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    """Operands of one dtype, broadcast."""
    dtype = one_dtype(types)
    return (TensorType(broadcast_shapes([t.shape for t in types]), dtype),)


def only(kinds: str, infer: Infer) -> Infer:
    """`infer`, for first operands whose dtype is of one of the kinds."""

    def checked(types: Types, attributes: Attributes) -> Sequence[TensorType]:
        dtype = types[0].dtype
        require(dtype.kind in kinds.split(), f"{dtype} is not {' or '.join(kinds.split())}")
        return infer(types, attributes)

    return checked


def as_bool(infer: Infer) -> Infer:
    """`infer`, with i1 results."""
    return lambda types, attributes: [t.with_dtype(i1) for t in infer(types, attributes)]


def normal_dim(dim: int, rank: int) -> int:
    """`dim` counted from the front."""
    require(-rank <= dim < rank, f"dim {dim} is outside {-rank} to {rank - 1}")
    return dim % rank


def normal_dims(dims: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Distinct dims counted from the front; all of them for None."""
    if dims is None:
        return tuple(range(rank))
    normal = tuple(normal_dim(dim, rank) for dim in dims)
    require(len(set(normal)) == len(normal), f"dims {list(dims)} name one dim twice")
    return normal


def require_shape(type: TensorType, shape: Shape, what: str) -> None:
    """Check an operand's shape."""
    wanted = TensorType(shape, type.dtype)
    require(type.shape == shape, f"{what} is {type}, but must be {wanted}")
