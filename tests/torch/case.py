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
from torch.utils._pytree import tree_leaves

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
) -> None:
    """Call on the CPU and on the device with copies of `inputs`, (args, kwargs), and compare.

    The arguments are compared too: an operator may have changed them. `truth`: what the CPU gets
    instead, equal to `inputs` but for strides. Raises CpuCannot.
    """
    with torch.no_grad():
        wanted_inputs = moved(inputs if truth is None else truth, "cpu", gradients=False)
        wanted = on_cpu(call, *wanted_inputs)
    strides = truth is None
    with case.record.guard(check, where), torch.no_grad():
        got_inputs = moved(inputs, case.device, gradients=False)
        seed()
        with case.watching(check, where):
            got, got_inputs = call_on_device(case.device, call, got_inputs, inputs)
        compare(wanted, got, replace(case.rules(kind), strides=strides))
        if kind is Kind.DEFINED:
            rules = Rules(None, strides=strides)
            _compare_arguments(wanted_inputs, got_inputs, rules)


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
