"""Foreach operators: results, in-place, and lists of tensors with gaps."""

from __future__ import annotations

from typing import Any

from tests.torch.case import Case, CpuCannot, Kind, both, seed
from tests.torch.checks import values
from tests.torch.operators import check_gradients, supports_gradients


def check_foreach(case: Case) -> None:
    """Run every check on every chosen sample; results go to the case's record."""
    differentiable = supports_gradients(case)
    for noncontiguous in (False, True):
        seed()
        try:
            samples = list(
                case.info.sample_inputs(
                    "cpu", case.dtype, requires_grad=differentiable, noncontiguous=noncontiguous
                )
            )
        except Exception as error:
            case.record.cpu = f"no samples: {error}"[:200]
            return
        for index, sample in enumerate(case.chosen(samples), start=1):
            where = f"sample {index}" + (", non-contiguous" if noncontiguous else "")
            case.record.samples += 1
            _check_sample(case, sample, where, differentiable)


def _check_sample(case: Case, sample: Any, where: str, differentiable: bool) -> None:
    inputs = ((sample.input, *sample.args), dict(sample.kwargs))
    in_place = case.info.inplace_variant

    def call(device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return case.info.method_variant(*args, **kwargs)

    def call_in_place(device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        in_place(*args, **kwargs)
        return args[0]

    compared = False
    if case.info.method_variant is not None and case.info.supports_out:
        try:
            kind = values.check(case, where, call, inputs)
            compared = True
            if differentiable:
                check_gradients(case, where, call, sample, inputs, kind, False)
        except CpuCannot as error:
            case.record.cpu = case.record.cpu or str(error)
    if in_place is not None:
        try:
            both(case, "in-place of lists", where, call_in_place, inputs, Kind.DEFINED)
            compared = True
        except CpuCannot as error:
            case.record.cpu = case.record.cpu or str(error)
    case.record.compared += compared
