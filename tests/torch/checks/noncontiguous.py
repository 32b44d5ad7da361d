"""The same sample with inputs that have gaps."""

from __future__ import annotations

from typing import Any

from tests.torch.case import Call, Case, CpuCannot, Kind, both


def check(case: Case, where: str, call: Call, sample: Any, kind: Kind) -> None:
    """Compare the sample's non-contiguous twin with the CPU's."""
    try:
        twin = sample.noncontiguous()
    except (RuntimeError, NotImplementedError, TypeError):
        return  # a tensor that has no such twin: sparse, nested
    try:
        inputs = ((twin.input, *twin.args), twin.kwargs)
        both(case, "non-contiguous", where, call, inputs, kind)
    except CpuCannot:
        return
