"""Random functions of the graph dialect, for passes whose decisions depend on the whole."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from sidra.errors import InferenceError
from sidra.ir.builder import Builder, function_builder
from sidra.ir.core import Function, Value
from sidra.ir.dims import Dim
from sidra.ir.types import Array, f16, f32, i64, tensor

SHAPES = (
    "f32[s0, 4, 6]",
    "f32[4, 6]",
    "f32[6]",
    "f32[s0, 4, 1]",
    "f32[6, 6]",
    "f32[]",
    "i64[s0, 4]",
)
INDEX = len(SHAPES) - 1  # of the argument whose elements are indices, 0 to 5
UNARY = ("neg", "exp", "tanh", "relu", "sin")
BINARY = ("add", "sub", "mul", "maximum")


def random_function(seed: int, length: int = 14) -> Function:
    """Return a function of `length` ops that returns all that nothing uses, and two values more."""
    chosen = random.Random(seed)
    function, builder = function_builder("main", [tensor(text) for text in SHAPES])
    values = list(function.arguments)
    while length > 0:
        try:
            values.append(chosen.choice(MAKERS)(chosen, builder, values))
        except InferenceError:
            continue
        length -= 1
    unused = [value for value in values[len(SHAPES) :] if not value.uses]
    builder.finish(unused + chosen.sample(values, 2))
    return function


def _unary(chosen: random.Random, builder: Builder, values: list[Value]) -> Value:
    return builder.create(f"graph.{chosen.choice(UNARY)}", [_pick(chosen, values)])


def _binary(chosen: random.Random, builder: Builder, values: list[Value]) -> Value:
    pair = [_pick(chosen, values), _pick(chosen, values)]
    return builder.create(f"graph.{chosen.choice(BINARY)}", pair)


def _reduction(chosen: random.Random, builder: Builder, values: list[Value]) -> Value:
    x = _pick(chosen, values)
    dims = tuple(sorted(chosen.sample(range(x.type.rank), chosen.randint(0, x.type.rank))))
    attributes = {"dims": dims, "keepdim": chosen.random() < 0.5}
    return builder.create(f"graph.{chosen.choice(('sum', 'mean', 'max'))}", [x], attributes)


def _normal(chosen: random.Random, builder: Builder, values: list[Value]) -> Value:
    x = _pick(chosen, values)
    if chosen.random() < 0.5:
        return builder.create("graph.layer_norm", [x])
    dim = chosen.randrange(max(x.type.rank, 1))
    return builder.create("graph.softmax", [x], {"dim": dim})


def _move(chosen: random.Random, builder: Builder, values: list[Value]) -> Value:
    x = _pick(chosen, values)
    rank, shape = x.type.rank, x.type.shape
    kind = chosen.choice(("permute", "slice", "flip", "concat", "reshape", "broadcast"))
    if kind == "permute":
        order = chosen.sample(range(rank), rank)
        return builder.create("graph.permute", [x], {"dims": tuple(order)})
    if kind == "flip":
        return builder.create("graph.flip", [x], {"dims": tuple(range(rank))[:1]})
    if kind == "concat":
        return builder.create("graph.concat", [x, x], {"dim": rank - 1})
    if kind == "reshape":
        target = chosen.choice(((x.type.elements,), (1, *shape), (*shape, 1)))
        return builder.create("graph.reshape", [x], {"shape": target})
    if kind == "broadcast":
        return builder.create("graph.broadcast", [x], {"shape": (2, *shape)})
    stop = (*shape[:-1], 3) if rank else ()
    bounds = {"start": (0,) * rank, "stop": stop, "step": (1,) * rank}
    return builder.create("graph.slice", [x], bounds)


def _product(chosen: random.Random, builder: Builder, values: list[Value]) -> Value:
    return builder.create("graph.linear", [_pick(chosen, values), values[4]])


def _gather(chosen: random.Random, builder: Builder, values: list[Value]) -> Value:
    table = _pick(chosen, [value for value in values if value.type.shape[:1] == (6,)])
    if table.type.rank == 2:
        return builder.create("graph.embedding", [table, values[INDEX]])
    return builder.create("graph.index_select", [table, values[INDEX]])


def _number(chosen: random.Random, builder: Builder, values: list[Value]) -> Value:
    x = _pick(chosen, values)
    return builder.create("graph.convert", [x], {"dtype": chosen.choice((f32, f16, i64))})


def _pick(chosen: random.Random, values: list[Value]) -> Value:
    """Return a value, rather a late one."""
    return values[max(chosen.randrange(len(values)), chosen.randrange(len(values)))]


MAKERS: tuple[Callable[[random.Random, Builder, list[Value]], Value], ...] = (
    *(_unary, _unary, _binary, _binary, _binary),
    *(_reduction, _normal, _move, _move, _product, _gather, _number),
)


def random_arrays(function: Function, seed: int, size: int) -> list[Array]:
    """Return arguments of a random function; `size`: what s0 is."""
    generator = np.random.default_rng(seed)
    arrays = []
    for value in function.arguments:
        shape = [size if isinstance(d, Dim) else d for d in value.type.shape]
        floats = generator.standard_normal(shape)
        whole = generator.integers(0, 6, shape)
        arrays.append(value.type.dtype.cast(floats if value.type.dtype.is_float else whole))
    return arrays
