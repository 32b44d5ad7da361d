"""Modules of torch.nn: outputs, gradients, and the state after a step of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from tests.torch.case import SEED, Case, CpuCannot, Kind, seed, tensors
from tests.torch.checks.gradients import (
    FACTORS,
    Gradients,
    compare_gradients,
    differentiate,
    needing,
)
from tests.torch.checks.values import same
from tests.torch.comparison import compare
from tests.torch.moving import moved
from tests.torch.record import one_line


@dataclass
class Outcome:
    """What one run of a module left."""

    outputs: Any
    gradients: Gradients
    state: dict[str, Any]


def check_module(case: Case) -> None:
    """Compare every chosen input of a module, evaluating and training where these differ."""
    for training in (False, True) if case.info.train_and_eval_differ else (False,):
        seed()
        inputs = case.info.module_inputs_func(
            case.info, device="cpu", dtype=case.dtype, requires_grad=True, training=training
        )
        usable = [item for item in inputs if item.forward_input is not None]
        for index, item in enumerate(case.chosen(usable), start=1):
            where = f"input {index}" + (f", {item.desc}" if item.desc else "")
            case.record.samples += 1
            try:
                _check_input(case, item, where + (", training" if training else ""), training)
            except CpuCannot as error:
                case.record.cpu = case.record.cpu or str(error)


def _check_input(case: Case, item: Any, where: str, training: bool) -> None:
    wanted = _on_cpu(case, item, training, SEED)
    with torch.no_grad():
        fixed = same(wanted.outputs, _on_cpu(case, item, training, SEED + 1).outputs)
    kind = Kind.DEFINED if fixed else Kind.RANDOM
    case.record.compared += 1
    with case.record.guard("runs", where):
        with case.watching("module", where):
            got = _run(case, item, training, case.device, SEED)
        with case.record.guard("outputs", where):
            compare(wanted.outputs, got.outputs, case.rules(kind))
        with case.record.guard("gradients", where):
            compare_gradients(wanted.gradients, got.gradients, case.device, kind, FACTORS[1])
        with case.record.guard("state", where):
            compare(wanted.state, got.state, case.rules(kind, FACTORS[1]))


def _on_cpu(case: Case, item: Any, training: bool, value: int) -> Outcome:
    try:
        return _run(case, item, training, "cpu", value)
    except Exception as error:
        raise CpuCannot(one_line(error)) from None


def _run(case: Case, item: Any, training: bool, device: str, value: int) -> Outcome:
    """Make the module on the CPU, move it, run it forwards and backwards, and train one step."""
    seed()
    constructor = moved((item.constructor_input.args, item.constructor_input.kwargs), "cpu")
    module = case.info.module_cls(*constructor[0], **constructor[1]).to(case.dtype)
    module = module.train(training).to(device)
    args, kwargs = moved((item.forward_input.args, item.forward_input.kwargs), device)
    seed(value)
    outputs = module(*args, **kwargs)
    parameters = [p for p in module.parameters() if p.requires_grad]
    gradients = differentiate(needing(outputs), needing((args, kwargs)) + parameters)
    with torch.no_grad():
        for parameter, gradient in zip(reversed(parameters), reversed(gradients), strict=False):
            if gradient is not None:
                parameter.sub_(0.01 * gradient)
    state = {name: tensor for name, tensor in module.state_dict().items() if tensors(tensor)}
    return Outcome(outputs, gradients, state)
