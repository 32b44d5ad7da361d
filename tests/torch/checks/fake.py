"""Fake tensors: what torch.compile believes of a result is what the device gives."""

from __future__ import annotations

from typing import Any

import torch
from tests.torch.case import Call, Case, call_on_device, seed
from tests.torch.comparison import Mismatch, Rules, compare
from tests.torch.moving import moved
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map


def check(case: Case, where: str, call: Call, inputs: Any) -> None:
    """Compare fake and real metadata, where the CPU's own agree."""
    try:
        with torch.no_grad():
            _compare("cpu", call, inputs, None)
    except Exception:
        return  # no fake version, or one that is wrong on every device
    with case.record.guard("fake tensors", where), torch.no_grad():
        try:
            _compare(case.device, call, inputs, case.rules().device)
        except Mismatch:
            if not _cpu_is_known_by_name(case, call, inputs):
                raise


def _cpu_is_known_by_name(case: Case, call: Call, inputs: Any) -> bool:
    """Tell whether the device gives what the CPU gives, which fake tensors know of the CPU only.

    The statistics of normalisations in half precision are an example: float32 on every other
    device.
    """
    wanted, got = (_real(device, call, inputs) for device in ("cpu", case.device))
    try:
        compare(wanted, got, Rules(case.rules().device, values=False))
    except Mismatch:
        return False
    return True


def _real(device: str, call: Call, inputs: Any) -> Any:
    seed()
    return call_on_device(device, call, moved(inputs, device, gradients=False), inputs)[0]


def _compare(device: str, call: Call, inputs: Any, wanted_device: str | None) -> None:
    copies = moved(inputs, device, gradients=False)
    with FakeTensorMode() as mode:
        faked = tree_map(lambda leaf: _fake(mode, leaf), copies)
        believed = call(device, *faked)
    seed()
    real, _ = call_on_device(device, call, copies, inputs)
    rules = Rules(wanted_device, values=False, truth="of the real result")
    compare(real, believed, rules)


def _fake(mode: FakeTensorMode, leaf: Any) -> Any:
    return mode.from_tensor(leaf) if isinstance(leaf, torch.Tensor) else leaf
