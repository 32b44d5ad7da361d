"""legalize-reductions permutes what has no loops, and leaves the rest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidra.ir.core import Module
from sidra.passes.fuse_kernels import FuseKernels
from sidra.passes.legalize_reductions import LegalizeReductions
from sidra.passes.verify_lowered import VerifyLowered

Lower = Callable[..., Module]
Kernels = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("op", "type"),
    [
        ("sum %x {dims = [0, 2]}", "f32[3]"),
        ("mean %x {dims = [1], keepdim = true}", "f32[s0, 1, 4]"),
        ("var %x {dims = [0, 2], keepdim = true}", "f32[1, 3, 1]"),
        ("softmax %x {dim = 1}", "f32[s0, 3, 4]"),
        ("log_softmax %x {dim = 0}", "f32[s0, 3, 4]"),
    ],
)
def test_permutes(lower: Lower, kernels: Kernels, op: str, type: str) -> None:
    text = f"""func @main(%x: f32[s0, 3, 4]) -> ({type}) {{
      %0 = graph.{op} : {type}
      return %0
    }}"""
    passes = (LegalizeReductions(), FuseKernels(), VerifyLowered())
    module = lower(text, *passes, symbols={"s0": 2})
    assert op.split()[0] in "".join(kernels(module))


@pytest.mark.parametrize("dims", ["[2]", "[0]", "[0, 1]", "none"])
def test_leaves_what_has_loops(lower: Lower, dims: str) -> None:
    shape = {"[2]": "s0, 3", "[0]": "3, 4", "[0, 1]": "4", "none": ""}[dims]
    text = f"""func @main(%x: f32[s0, 3, 4]) -> (f32[{shape}]) {{
      %0 = graph.sum %x {{dims = {dims}}} : f32[{shape}]
      return %0
    }}"""
    module = lower(text, LegalizeReductions(), symbols={"s0": 2})
    assert [op.name for op in module.walk()] == ["graph.sum", "return"]
