"""The in-place variant: its result, and that the result is the input."""

from __future__ import annotations

from typing import Any

from tests.torch.case import Case, CpuCannot, Kind, both
from tests.torch.comparison import Mismatch


def check(case: Case, where: str, sample: Any, inputs: Any, kind: Kind) -> None:
    """Compare the in-place variant with the CPU's, where there is one."""
    variant = case.info.get_inplace()
    if variant is None or sample.broadcasts_input:
        return

    def call(device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = variant(*args, **kwargs)
        if result is not None and not isinstance(args[0], list | tuple) and result is not args[0]:
            raise Mismatch("the result is not the input")
        return args[0]

    try:
        both(case, "in-place", where, call, inputs, kind)
    except CpuCannot:
        return
