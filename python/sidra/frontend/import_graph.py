"""A graph that AOTAutograd traced, as a function of the graph dialect."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily

from sidra.errors import InferenceError, UnsupportedOperator
from sidra.frontend import importers
from sidra.frontend.calls import encode_call
from sidra.frontend.importers.scribe import Scribe
from sidra.frontend.scope import location_of
from sidra.frontend.symbols import dimension, tensor_type
from sidra.ir.attributes import MAX_DENSE_ELEMENTS, Dense, ResourceRef
from sidra.ir.builder import Builder
from sidra.ir.core import Block, Function, Module, Operation, Value
from sidra.ir.dims import Dimension
from sidra.ir.types import Array, TensorType


@dataclass
class Imported:
    """A module with one function, `main`, and how the graph's inputs and outputs meet it.

    tensors: which placeholder each argument of `main` is.
    sizes: placeholders that are integers, each with its dimension.
    outputs: for each output of the graph what it is.
    orders: for each result of `main`, the order of dims in which its elements lie in memory.
    """

    module: Module
    tensors: list[int] = field(default_factory=list)
    sizes: list[tuple[int, Dimension]] = field(default_factory=list)
    outputs: list[Result] = field(default_factory=list)
    orders: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def function(self) -> Function:
        """The imported graph."""
        return self.module.functions["main"]


@dataclass(frozen=True)
class Result:
    """One output of the graph: a result of `main`, a view of an input, a size, or nothing."""

    result: int | None = None
    alias: Alias | None = None
    size: Dimension | None = None


@dataclass(frozen=True)
class Alias:
    """An output that is an input, or lies in its memory: callers rely on that.

    placeholder: of the input. strides, offset: in elements of its storage; no strides: the input.
    """

    placeholder: int
    sizes: tuple[Dimension, ...] = ()
    strides: tuple[Dimension, ...] | None = None
    offset: Dimension = 0


def import_graph(graph_module: fx.GraphModule) -> Imported:
    """Import a functional graph; its nodes have fake tensors in `meta["val"]`.

    Raises UnsupportedOperator, naming the node, for what has no meaning in the IR.
    """
    return _GraphImport(graph_module).run()


class _GraphImport:
    def __init__(self, graph_module: fx.GraphModule) -> None:
        self.graph = graph_module.graph
        self.owner = graph_module
        self.function = Function("main", Block())
        self.builder = Builder(self.function.body)
        self.imported = Imported(Module())
        self.imported.module.add(self.function)
        self.values: dict[fx.Node, Any] = {}

    def run(self) -> Imported:
        placeholders = [node for node in self.graph.nodes if node.op == "placeholder"]
        for position, node in enumerate(placeholders):
            self.placeholder(position, node)
        for node in self.graph.nodes:
            with self.builder.at(location_of(node)):
                self.visit(node)
        return self.imported

    def placeholder(self, position: int, node: fx.Node) -> None:
        value = node.meta.get("val")
        if is_token(node):
            self.values[node] = None
        elif isinstance(value, torch.Tensor):
            self.values[node] = self.function.body.add_argument(tensor_type(value), node.name)
            self.imported.tensors.append(position)
        elif isinstance(value, int | torch.SymInt):
            self.values[node] = dimension(value)
            self.imported.sizes.append((position, self.values[node]))
        elif value is None:
            self.values[node] = None
        else:
            raise UnsupportedOperator(
                f"the input {node.name} is a {type(value).__name__}; the compiler takes tensors "
                "and sizes"
            )

    def visit(self, node: fx.Node) -> None:
        if node.op == "call_function":
            self.values[node] = self.call(node)
        elif node.op == "get_attr":
            self.values[node] = self.constant(node)
        elif node.op == "output":
            self.finish(node.args[0])
        elif node.op != "placeholder":
            raise UnsupportedOperator(f"{node.op} {node.target}: the graph is not functional")

    def constant(self, node: fx.Node) -> Value:
        """Return a tensor that the graph holds, which nothing changes."""
        tensor = getattr(self.owner, str(node.target))
        if not isinstance(tensor, torch.Tensor) or isinstance(tensor, FakeTensor):
            raise UnsupportedOperator(
                f"the graph holds {node.target}, a {type(tensor).__name__}; only tensors are known"
            )
        kind = tensor_type(tensor)
        array = _numpy(tensor)
        if array.size <= MAX_DENSE_ELEMENTS:
            return self.builder.create("graph.constant", (), {"value": Dense(kind, array)})
        self.imported.module.add_resource(node.name, kind, array)
        reference = {"name": ResourceRef(node.name)}
        return self.builder.create("graph.resource", (), reference, [kind])

    def call(self, node: fx.Node) -> Any:
        args, kwargs = fx.map_arg((node.args, node.kwargs), self.values.__getitem__)
        if node.target is operator.getitem:
            return args[0][args[1]] if node.users else None
        value = node.meta.get("val")
        if isinstance(value, int | torch.SymInt):
            return dimension(value)
        if node.target is torch.ops.higher_order.with_effects:
            return self.effect(args, kwargs, value)
        if not isinstance(node.target, torch._ops.OpOverload):
            raise UnsupportedOperator(
                f"{node.target}: the compiler knows operators of the dispatcher only; "
                "run this part outside torch.compile"
            )
        return self.operator(node, args, kwargs)

    def effect(self, args: Sequence[Any], kwargs: dict[str, Any], value: Any) -> Any:
        """Call an operator that does more than compute; calls stay in order, so tokens are moot.

        `value`: the fake token and results.
        """
        _, target, *rest = args
        operands, attributes = encode_call(target, rest, kwargs)
        results = value[1:] if isinstance(value, tuple | list) else ()
        if any(isinstance(result, torch.Tensor) for result in results):
            raise UnsupportedOperator(f"{target}: an effect with results is not known")
        self.builder.build("graph.external", operands, attributes, ())
        return (None, *(None for _ in results))

    def operator(self, node: fx.Node, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        assert isinstance(node.target, torch._ops.OpOverload)
        wanted = _result_types(node)
        imported = self.by_importer(node, args, kwargs, wanted)
        if imported is not None:
            return imported
        operands, attributes = encode_call(node.target, args, kwargs)
        types = [type for type in wanted if type is not None]
        absent = tuple(i for i, type in enumerate(wanted) if type is None)
        if absent and _has_several(node):
            attributes["absent"] = absent
        made = self.builder.build("graph.external", operands, attributes, types).results
        results = iter(made)
        spread = tuple(
            _size(value) if type is None else next(results)
            for type, value in zip(wanted, _result_values(node), strict=True)
        )
        return spread if _has_several(node) else (spread[0] if spread else None)

    def by_importer(
        self,
        node: fx.Node,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        wanted: list[TensorType | None],
    ) -> Any:
        """Return what the importer of the operator gives; None if the call is to be kept whole."""
        assert isinstance(node.target, torch._ops.OpOverload)
        found = importers.find(node.target)
        if found is None or _is_complex(args, wanted):
            return None
        scribe = Scribe(self.builder, [type.dtype if type else None for type in wanted])
        before = self.function.body.last
        try:
            result = found(scribe, *args, **kwargs)
        except (InferenceError, TypeError, KeyError):
            return self.undo(before)
        given = result if isinstance(result, tuple) else (result,)
        uses = _used_results(node)
        for position, type in enumerate(wanted):
            fits = position < len(given) and given[position].type == type
            if not fits and (position in uses):
                return self.undo(before)
        return result

    def undo(self, before: Operation | None) -> None:
        """Erase what was written after an operation."""
        body = self.function.body
        while body.last is not None and body.last is not before:
            body.last.erase()

    def finish(self, outputs: Any) -> None:
        results: list[Value] = []
        flat = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
        for node in flat:
            value = self.values[node] if isinstance(node, fx.Node) else node
            alias = self.alias(node) if isinstance(value, Value) else None
            if alias is not None:
                self.imported.outputs.append(Result(alias=alias))
            elif isinstance(value, Value):
                order = memory_order(node.meta["val"])
                self.imported.outputs.append(Result(result=len(results)))
                self.imported.orders.append(order)
                results.append(Scribe(self.builder).permute(value, order))
            elif value is None:
                self.imported.outputs.append(Result())
            else:
                self.imported.outputs.append(Result(size=value))
        self.builder.finish(results)

    def alias(self, node: fx.Node) -> Alias | None:
        """Return how an output lies in an input's memory; None for one with its own."""
        placeholders = [n for n in self.graph.nodes if n.op == "placeholder"]
        if node.op == "placeholder":
            return Alias(placeholders.index(node))
        value = node.meta["val"]
        for position, source in enumerate(placeholders):
            given = source.meta.get("val")
            if isinstance(given, torch.Tensor) and _share_memory(given, value):
                return Alias(
                    position,
                    tuple(map(dimension, value.shape)),
                    tuple(map(dimension, value.stride())),
                    dimension(value.storage_offset()),
                )
        return None


def is_token(node: fx.Node) -> bool:
    """Whether it stands for the order of effects, an empty tensor on the host."""
    effects = torch.ops.higher_order.with_effects
    if node.target is effects:
        return True
    if node.target is operator.getitem and node.args[1] == 0:
        return isinstance(node.args[0], fx.Node) and node.args[0].target is effects
    users = list(node.users)
    return bool(users) and all(user.target is effects and user.args[0] is node for user in users)


def _share_memory(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def _numpy(tensor: torch.Tensor) -> Array:
    """Return a constant's values; bf16 as float32, as the IR has it."""
    with unset_fake_temporarily():
        host = tensor.detach().cpu()
        array: Array = (host.float() if host.dtype is torch.bfloat16 else host).contiguous().numpy()
    return array


def memory_order(value: torch.Tensor) -> tuple[int, ...]:
    """Return the dims of a dense tensor from the outermost in memory to the innermost."""
    plain = tuple(range(value.dim()))
    if value.dim() < 2 or any(isinstance(n, torch.SymInt) for n in (*value.shape, *value.stride())):
        return plain
    order = tuple(sorted(plain, key=lambda d: (-value.stride(d), -value.shape[d], d)))
    expected = 1
    for dim in reversed(order):
        if value.shape[dim] != 1 and value.stride(dim) != expected:
            return plain
        expected *= value.shape[dim]
    long = [dim for dim in order if value.shape[dim] != 1]
    return plain if long == sorted(long) else order


def _is_complex(args: Sequence[Any], wanted: Sequence[TensorType | None]) -> bool:
    """Whether a call has to do with complex numbers, which kernels have not."""
    types = [value.type for value in args if isinstance(value, Value)]
    return any(type is not None and type.dtype.is_complex for type in (*types, *wanted))


def _has_several(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), list | tuple)


def _result_values(node: fx.Node) -> list[Any]:
    value = node.meta.get("val")
    return list(value) if isinstance(value, list | tuple) else [value]


def _result_types(node: fx.Node) -> list[TensorType | None]:
    return [
        tensor_type(value) if isinstance(value, torch.Tensor) else None
        for value in _result_values(node)
    ]


def _size(value: Any) -> Dimension | None:
    """Return a size that an operator gives beside tensors."""
    return dimension(value) if isinstance(value, int | torch.SymInt) else None


def _used_results(node: fx.Node) -> set[int]:
    """Return which results anybody takes."""
    if not _has_several(node):
        return {0}
    return {
        user.args[1]  # type: ignore[misc]
        for user in node.users
        if user.target is operator.getitem and user.users
    }
