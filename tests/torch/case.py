"""One pair under test, and the one thing that most checks do: a call on both sides."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np
import torch
from tests.torch import ledger
from tests.torch.comparison import Mismatch, Rules, StrideMismatch, compare
from tests.torch.moving import moved
from tests.torch.record import Record, one_line
from torch.utils._pytree import tree_leaves, tree_map

SEED = 7
# What is called: (device, args, kwargs) -> results.
Call = Callable[[str, tuple[Any, ...], dict[str, Any]], Any]


class CpuCannot(Exception):
    """The CPU raises for these arguments: there is nothing to compare with."""


class Kind(Enum):
    """What can be said of an operator's values."""

    DEFINED = "defined"
    RANDOM = "random"
    UNINITIALISED = "uninitialised"


@dataclass
class Case:
    """One operator, module or optimizer in one type on one device."""

    name: str
    info: Any
    dtype: torch.dtype
    device: str = "sidra"
    strict: bool = False
    samples: int = 0  # at most, spread evenly; 0: all
    record: Record = field(default_factory=Record)

    def rules(self, kind: Kind = Kind.DEFINED, factor: float = 1.0) -> Rules:
        """Return what is compared of this operator's results."""
        place = None if self.name in RESULTS_ANYWHERE else self.device
        longer = 5.0 if LONG_SUMS.search(self.name) else 1.0
        return Rules(place, kind is Kind.DEFINED, True, factor * longer)

    def watching(self, check: str, where: str) -> AbstractContextManager[None]:
        """Read the ledger around a call."""
        if self.device == "cpu":
            return nullcontext()
        return ledger.watching(self.record, check, where, strict=self.strict)

    def chosen(self, samples: list[Any]) -> list[Any]:
        """Return at most `self.samples` of the samples, the first and the last among them."""
        if not self.samples or len(samples) <= self.samples:
            return samples
        if self.samples == 1:
            return samples[:1]
        step = (len(samples) - 1) / (self.samples - 1)
        return [samples[round(index * step)] for index in range(self.samples)]


# Products sum many terms, and cancel: their errors are beyond the common tolerance.
LONG_SUMS = re.compile(
    r"conv|linear$|matmul|mm|mv|einsum|attention|multi_dot|tensordot|inner|Conv|Linear|RNN|LSTM|GRU"
    r"|Transformer|MultiheadAttention"
)
# Their samples name devices of their own.
RESULTS_ANYWHERE = {"to"}


def seed(value: int = SEED) -> None:
    """Seed everything that a sample or an operator may draw from."""
    random.seed(value)
    np.random.seed(value)
    torch.manual_seed(value)


def on_cpu(call: Call, args: Any, kwargs: Any, value: int = SEED) -> Any:
    """Run `call` on the CPU. Raises CpuCannot."""
    seed(value)
    try:
        return call("cpu", args, kwargs)
    except Exception as error:
        raise CpuCannot(one_line(error)) from None


def both(
    case: Case,
    check: str,
    where: str,
    call: Call,
    inputs: Any,
    kind: Kind,
    truth: Any = None,
    or_as: Any = None,
) -> None:
    """Call on the CPU and on the device with copies of `inputs`, (args, kwargs), and compare.

    The arguments are compared too: an operator may have changed them. `truth`: what the CPU gets
    instead, equal to `inputs` but for strides. `or_as`: inputs whose results on the CPU are right,
    too. Raises CpuCannot.
    """
    wanted = _called_on_cpu(call, inputs if truth is None else truth)
    rules = replace(case.rules(kind), strides=truth is None)
    with case.record.guard(check, where), torch.no_grad():
        got_inputs = moved(inputs, case.device, gradients=False)
        seed()
        with case.watching(check, where):
            got = call_on_device(case.device, call, got_inputs, inputs)
        try:
            _compare_call(wanted, got, rules)
        except Mismatch:
            if is_nearer(call, inputs, wanted[0], got[0]):
                return
            if or_as is None:
                raise
            _compare_call(_called_on_cpu(call, or_as), got, rules)


def _called_on_cpu(call: Call, inputs: Any) -> tuple[Any, Any]:
    """Return results and arguments after the call. Raises CpuCannot."""
    with torch.no_grad():
        copies = moved(inputs, "cpu", gradients=False)
        return on_cpu(call, *copies), copies


def _compare_call(wanted: tuple[Any, Any], got: tuple[Any, Any], rules: Rules) -> None:
    compare(wanted[0], got[0], rules)
    if rules.values:
        _compare_arguments(wanted[1], got[1], Rules(None, strides=rules.strides))


HALF = (torch.float16, torch.bfloat16)


def is_nearer(call: Call, inputs: Any, cpu: Any, device: Any) -> bool:
    """Tell whether results in half precision are nearer to float64's than the CPU's are."""
    theirs, mine = tree_leaves(cpu), tree_leaves(device)
    if len(theirs) != len(mine) or not any(_is_half(leaf) for leaf in theirs):
        return False
    try:
        exact = tree_leaves(
            on_cpu(call, *tree_map(_widened, moved(inputs, "cpu", gradients=False)))
        )
    except CpuCannot:
        return False
    return all(
        _error(b, truth) <= _error(a, truth)
        for a, b, truth in zip(theirs, mine, exact, strict=True)
        if isinstance(a, torch.Tensor)
    )


def _is_half(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor) and leaf.dtype in HALF


def _widened(leaf: Any) -> Any:
    return leaf.double() if _is_half(leaf) else leaf


def _error(value: torch.Tensor, truth: torch.Tensor) -> float:
    """The greatest difference; infinite where shapes or not-a-numbers differ."""
    here = value.detach().cpu().double()
    if here.shape != truth.shape or not torch.equal(here.isnan(), truth.isnan()):
        return float("inf")
    apart = (here - truth).nan_to_num(0.0, 0.0, 0.0).abs()
    return float(apart.max()) if apart.numel() else 0.0


def _compare_arguments(wanted: Any, got: Any, rules: Rules) -> None:
    try:
        compare(tensors(wanted), tensors(got), rules)
    except StrideMismatch as error:
        raise StrideMismatch(f"argument after the call: {error}") from None
    except Mismatch as error:
        raise Mismatch(f"argument after the call: {error}") from None


def call_on_device(device: str, call: Call, inputs: Any, originals: Any) -> tuple[Any, Any]:
    """Call with `inputs`, or with the first argument there and the others on the CPU.

    Some operators want an index on the CPU whatever the device of their input.
    """
    try:
        return call(device, *inputs), inputs
    except RuntimeError as error:
        if "to be on the cpu" not in str(error).lower() and "on cpu" not in str(error).lower():
            raise
    args, kwargs = originals
    inputs = ((*moved(args[:1], device), *args[1:]), kwargs)
    return call(device, *inputs), inputs


def tensors(tree: Any) -> list[torch.Tensor]:
    """Return the tensors of a tree that can be compared after a call."""
    return [
        leaf
        for leaf in tree_leaves(tree)
        if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided and not leaf.is_nested
    ]
