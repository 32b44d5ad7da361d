"""First and second order gradients, with the same cotangents on both sides."""

from __future__ import annotations

from typing import Any

import torch
from tests.torch.case import Call, Case, CpuCannot, Kind, call_on_device, seed
from tests.torch.comparison import Mismatch, Rules, compare
from tests.torch.moving import moved
from tests.torch.record import one_line
from torch.utils._pytree import tree_leaves

Gradients = list[torch.Tensor | None]
# A gradient sums more terms than the result; the second one more still.
FACTORS = {1: 5.0, 2: 20.0}


def check(case: Case, where: str, call: Call, inputs: Any, kind: Kind, order: int = 1) -> None:
    """Compare gradients of the given order with the CPU's. The CPU raising ends the check."""
    name = "gradients" if order == 1 else "second gradients"
    try:
        wanted = gradients("cpu", call, inputs, order)
    except CpuCannot:
        return
    if not any(gradient is not None for gradient in wanted):
        return
    with case.record.guard(name, where):
        with case.watching(name, where):
            got = gradients(case.device, call, inputs, order)
        compare_gradients(wanted, got, case.device, kind, FACTORS[order])


def compare_gradients(
    wanted: Gradients, got: Gradients, device: str, kind: Kind, factor: float
) -> None:
    """Raise Mismatch where a gradient differs or only one side has it."""
    if len(wanted) != len(got):
        raise Mismatch(f"{len(got)} gradients, {len(wanted)} on the CPU")
    for index, (left, right) in enumerate(zip(wanted, got, strict=True)):
        if (left is None) != (right is None):
            holder = "the device" if left is None else "the CPU"
            raise Mismatch(f"gradient {index}: only {holder} has one")
    rules = Rules(device, kind is Kind.DEFINED, False, factor)
    compare(
        [left for left in wanted if left is not None],
        [right for right in got if right is not None],
        rules,
    )


def gradients(device: str, call: Call, inputs: Any, order: int) -> Gradients:
    """Return the gradients of a call by its inputs. Raises CpuCannot on the CPU."""
    copies = moved(inputs, device)
    seed()
    try:
        outputs, copies = call_on_device(device, call, copies, inputs)
        leaves = needing(copies)
        first = differentiate(needing(outputs), leaves, create_graph=order == 2)
        if order == 1:
            return first
        return differentiate(needing(first), leaves)
    except Exception as error:
        if device == "cpu":
            raise CpuCannot(one_line(error)) from None
        raise


def needing(tree: Any) -> list[torch.Tensor]:
    """Return the tensors of a tree that require a gradient."""
    return [
        leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor) and leaf.requires_grad
    ]


def differentiate(
    outputs: list[torch.Tensor], leaves: list[torch.Tensor], create_graph: bool = False
) -> Gradients:
    """Return the gradients of the outputs; none where there is nothing to differentiate."""
    if not outputs or not leaves:
        return []
    weights = [cotangent(output) for output in outputs]
    return list(
        torch.autograd.grad(outputs, leaves, weights, allow_unused=True, create_graph=create_graph)
    )


def cotangent(output: torch.Tensor) -> torch.Tensor:
    """Return weights between 0.5 and 1.5, made on the CPU: the same for every device."""
    count = output.numel()
    line = torch.linspace(0.5, 1.5, max(count, 1), dtype=torch.float64)[:count]
    return line.reshape(output.shape).to(output.dtype).to(output.device)
