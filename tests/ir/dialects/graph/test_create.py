"""Constants, resources, fills and ranges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from sidra.errors import VerifyError
from sidra.ir.attributes import Dense
from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module
from sidra.ir.types import f32, i64, tensor
from sidra.ir.verifier import verify

Check = Callable[..., None]

WITH_RESOURCE = """
resource @w : f32[2]
func @main(%x: f32[s0]) -> (f32[2], i64[], i64[s0]) {
  %0 = graph.resource {name = @w} : f32[2]
  %1 = graph.dimension {value = 2*s0} : i64[]
  %2 = graph.iota {size = s0} : i64[s0]
  return %0, %1, %2
}
"""


def test_full(check: Check) -> None:
    check("full", lambda: torch.full((2, 3), 1.5), shape=(2, 3), value=1.5)
    check("full", lambda: torch.full((), 7), shape=(), value=7, dtype=i64)


def test_iota(check: Check) -> None:
    check("iota", lambda: torch.arange(5), size=5)
    check("iota", lambda: torch.arange(1, 3, 0.5), size=4, start=1, step=0.5, dtype=f32)


def test_constant(check: Check) -> None:
    value = Dense(tensor("f32[2]"), np.array([0.1, -0.0], np.float32))
    check("constant", lambda: torch.tensor([0.1, -0.0]), value=value, rtol=0, atol=0)


def test_symbols_and_resources_come_at_run_time() -> None:
    data = {"w": np.array([1, 2], np.float32)}
    module = parse_module(WITH_RESOURCE, data=data)
    verify(module)
    weight, size, steps = interpret(module.functions["main"], [np.zeros(3, np.float32)], module)
    assert weight.tolist() == [1, 2]
    assert size == 6
    assert steps.tolist() == [0, 1, 2]


def test_resource_of_another_type_is_refused() -> None:
    module = parse_module(WITH_RESOURCE.replace("resource @w : f32[2]", "resource @w : f32[3]"))
    with pytest.raises(VerifyError, match=r"the resource @w is f32\[3\], not f32\[2\]"):
        verify(module)
