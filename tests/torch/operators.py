"""Every check of one operator in one type, sample by sample. Foreach operators too."""

from __future__ import annotations

from typing import Any

from tests.torch.case import Call, Case, CpuCannot, Kind, seed
from tests.torch.checks import (
    autocast,
    fake,
    gradients,
    inplace,
    noncontiguous,
    out,
    seeds,
    values,
    views,
    vmap,
)

# Costly checks look at the first samples only.
FEW = 2


def check_operator(case: Case) -> None:
    """Run every check on every chosen sample; results go to the case's record."""
    differentiable = supports_gradients(case)
    seed()
    try:
        samples = list(case.info.sample_inputs("cpu", case.dtype, requires_grad=differentiable))
    except Exception as error:
        case.record.cpu = f"no samples: {error}"[:200]
        return
    for index, sample in enumerate(case.chosen(samples), start=1):
        case.record.samples += 1
        seed()
        check_sample(case, sample, f"sample {index}", differentiable, few=index <= FEW)


def supports_gradients(case: Case) -> bool:
    """Tell whether the CPU differentiates this operator in this type."""
    kinds = case.info.supported_backward_dtypes("cpu") if case.info.supports_autograd else ()
    real = case.dtype.is_floating_point or case.dtype.is_complex
    return real and case.dtype in kinds


def check_sample(case: Case, sample: Any, where: str, differentiable: bool, few: bool) -> None:
    """Run every check on one sample."""
    call = operator_call(case)
    inputs = ((sample.input, *sample.args), dict(sample.kwargs))
    try:
        kind = values.check(case, where, call, inputs)
    except CpuCannot as error:
        case.record.cpu = case.record.cpu or str(error)
        return
    case.record.compared += 1
    if kind is Kind.RANDOM:
        seeds.check(case, where, call, inputs)
    noncontiguous.check(case, where, call, sample, kind)
    inplace.check(case, where, sample, inputs, kind)
    out.check(case, where, call, inputs, kind)
    views.check(case, where, call, inputs, kind)
    if differentiable:
        check_gradients(case, where, call, sample, inputs, kind, few)
    if few:
        autocast.check(case, where, call, inputs)
        fake.check(case, where, call, inputs)
        vmap.check(case, where, call, inputs, kind)


def check_gradients(
    case: Case, where: str, call: Call, sample: Any, inputs: Any, kind: Kind, few: bool
) -> None:
    """Compare gradients, of few samples the second ones too."""

    def processed(device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return sample.output_process_fn_grad(call(device, args, kwargs))

    gradients.check(case, where, processed, inputs, kind)
    if few and case.info.supports_gradgrad:
        gradients.check(case, where, processed, inputs, kind, order=2)


def operator_call(case: Case) -> Call:
    """Return the operator as a function of a device; factories are told it by name."""
    info = case.info

    def call(device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if info.is_factory_function or kwargs.get("device") is not None:
            kwargs = {**kwargs, "device": device}
        return info(*args, **kwargs)

    return call
