"""Optimizers: parameters and state after several steps, in every variant that there is."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import torch
from tests.torch.case import SEED, Case, CpuCannot, seed
from tests.torch.comparison import compare
from tests.torch.record import one_line

STEPS = 4
SHAPES = ((5, 3), (7,), (2, 3, 4), (6, 6))
VARIANTS = ("foreach", "fused", "capturable")


def check_optimizer(case: Case) -> None:
    """Compare every configuration of an optimizer, alone and with each variant's flag."""
    for description, kwargs in case.chosen(list(_configurations(case))):
        case.record.samples += 1
        try:
            wanted = _on_cpu(case, kwargs)
        except CpuCannot as error:
            case.record.cpu = case.record.cpu or str(error)
            continue
        case.record.compared += 1
        with case.record.guard("runs", description):
            with case.watching("optimizer", description):
                got = _train(case, kwargs, case.device)
            with case.record.guard("parameters", description):
                compare(wanted[0], got[0], case.rules(factor=10.0))
            with case.record.guard("state", description):
                rules = case.rules(factor=10.0)
                # A step may be counted on the CPU.
                compare(wanted[1], _on_device(got[1], case.device), rules)


def _configurations(case: Case) -> Iterator[tuple[str, dict[str, Any]]]:
    accepted = inspect.signature(case.info.optim_cls).parameters
    for item in case.info.optim_inputs_func("cpu"):
        description = item.desc or "default"
        yield description, dict(item.kwargs)
        for flag in VARIANTS:
            offered = flag in case.info.supported_impls or flag == "capturable"
            if offered and flag in accepted and flag not in item.kwargs:
                yield f"{description}, {flag}", {**item.kwargs, flag: True}


def _on_cpu(case: Case, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Train on the CPU, without what only accelerators have."""
    kwargs = {name: value for name, value in kwargs.items() if name != "capturable"}
    try:
        return _train(case, kwargs, "cpu")
    except Exception as error:
        raise CpuCannot(one_line(error)) from None


def _train(case: Case, kwargs: dict[str, Any], device: str) -> tuple[Any, Any]:
    """Return the parameters and the optimizer's state after STEPS steps."""
    if case.device == "cpu":
        kwargs = {name: value for name, value in kwargs.items() if name != "capturable"}
    generator = torch.Generator().manual_seed(SEED)
    parameters = [
        _draw(shape, case.dtype, generator).to(device) for shape in SHAPES[: _count(case)]
    ]
    for parameter in parameters:
        parameter.requires_grad_()
    seed()
    named = case.info.optim_cls
    optimizer = named(parameters, **deepcopy(kwargs))
    for _ in range(STEPS):
        gradients = [_draw(p.shape, case.dtype, generator).to(device) for p in parameters]

        def closure(gradients: list[torch.Tensor] = gradients) -> torch.Tensor:
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.grad = _gradient(case, gradient)
            return sum((p.detach() * g).sum() for p, g in zip(parameters, gradients, strict=True))

        if case.info.step_requires_closure:
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
    state = optimizer.state_dict()["state"]
    return [parameter.detach() for parameter in parameters], state


def _count(case: Case) -> int:
    return len(SHAPES)


def _draw(shape: Any, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(shape, dtype=dtype, generator=generator)


def _gradient(case: Case, gradient: torch.Tensor) -> torch.Tensor:
    return gradient.to_sparse() if case.info.only_supports_sparse_grads else gradient.clone()


def _on_device(state: Any, device: str) -> Any:
    """Return the state with its scalars, which may stay on the CPU, on the device."""
    from torch.utils._pytree import tree_map

    def move(leaf: Any) -> Any:
        return leaf.to(device) if isinstance(leaf, torch.Tensor) and leaf.dim() == 0 else leaf

    return tree_map(move, state)
