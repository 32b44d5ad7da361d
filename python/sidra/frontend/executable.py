"""What AOTAutograd gets from the compiler: a graph that is called with a list of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from sidra.frontend.import_graph import Alias, Imported, Result
from sidra.frontend.plan import Plans
from sidra.ir import dims
from sidra.ir.dims import Dim, Dimension


class CompiledGraph:
    """Runs a graph's plan for the sizes of its inputs."""

    _boxed_call = True  # the list of inputs is ours: tensors in it may be freed as we go

    def __init__(self, imported: Imported, plans: Plans) -> None:
        self.imported = imported
        self.plans = plans
        self.types = plans.executable.inputs
        self.device = plans.device
        self.weights = _weights(imported)
        self.inverse = [_inverse(order) for order in imported.orders]

    def __call__(self, inputs: list[Any]) -> list[Any]:
        """Return the outputs for the placeholders' values."""
        tensors = [
            self._prepared(inputs[placeholder], position)
            for position, placeholder in enumerate(self.imported.tensors)
        ]
        sizes = self._sizes(inputs, tensors)
        plan = self.plans.plan(sizes)
        results = plan.run(tensors)
        outputs = [self._output(each, results, inputs, sizes) for each in self.imported.outputs]
        inputs.clear()
        return outputs

    def _prepared(self, tensor: torch.Tensor, position: int) -> torch.Tensor:
        """Return an input as the plan reads it: on the device, dense unless it is a weight."""
        if tensor.device != self.device:
            tensor = tensor.to(self.device)
        if position in self.weights or tensor.is_contiguous():
            return tensor
        return tensor.contiguous()

    def _sizes(self, inputs: list[Any], tensors: list[torch.Tensor]) -> dict[str, int]:
        """Return the values of the symbols."""
        sizes: dict[str, int] = {}
        for placeholder, dimension in self.imported.sizes:
            _bind(dimension, int(inputs[placeholder]), sizes)
        for type, tensor in zip(self.types, tensors, strict=True):
            if not type.is_static:
                for dimension, size in zip(type.shape, tensor.shape, strict=True):
                    _bind(dimension, size, sizes)
        return sizes

    def _output(
        self,
        output: Result,
        results: list[torch.Tensor],
        inputs: list[Any],
        sizes: Mapping[str, int],
    ) -> Any:
        if output.alias is not None:
            return _alias(output.alias, inputs, sizes)
        if output.result is not None:
            tensor, inverse = results[output.result], self.inverse[output.result]
            if self.plans.executable.shared[output.result]:
                tensor = tensor.clone(memory_format=torch.contiguous_format)
            return tensor if inverse is None else tensor.permute(inverse)
        return None if output.size is None else dims.evaluate(output.size, sizes)


def _alias(alias: Alias, inputs: list[Any], sizes: Mapping[str, int]) -> torch.Tensor:
    """Return the input, or a tensor over its memory."""
    base: torch.Tensor = inputs[alias.placeholder]
    if alias.strides is None:
        return base
    shape, strides = (
        [dims.evaluate(size, sizes) for size in each] for each in (alias.sizes, alias.strides)
    )
    return base.as_strided(shape, strides, dims.evaluate(alias.offset, sizes))


def _bind(dimension: Dimension, size: int, sizes: dict[str, int]) -> None:
    if isinstance(dimension, Dim) and dims.SYMBOL.fullmatch(str(dimension)):
        sizes.setdefault(str(dimension), size)


def _weights(imported: Imported) -> frozenset[int]:
    """Return the arguments that only products read, as their weight: they keep their strides."""
    arguments = imported.function.arguments
    found = set()
    for position, value in enumerate(arguments):
        users = value.uses
        if users and all(use.operation.name == "tile.mvm" and use.position == 1 for use in users):
            found.add(position)
    return frozenset(found)


def _inverse(order: tuple[int, ...]) -> tuple[int, ...] | None:
    if order == tuple(range(len(order))):
        return None
    return tuple(order.index(dim) for dim in range(len(order)))
