"""verify-lowered lets pass what is lowered, and names what is not."""

from __future__ import annotations

import pytest

from sidra.errors import PassError
from sidra.ir.parser import parse_module
from sidra.ir.pass_manager import PassManager
from sidra.passes.fuse_kernels import FuseKernels
from sidra.passes.verify_lowered import VerifyLowered

TEXT = """func @main(%x: f32[s0, 8]) -> (f32[s0, 8]) {
  %0 = graph.exp %x : f32[s0, 8]
  return %0
}"""


def test_fusion_lowers() -> None:
    PassManager([FuseKernels(), VerifyLowered()]).run(parse_module(TEXT))


def test_what_is_left_is_named() -> None:
    with pytest.raises(PassError, match=r"verify-lowered: @main: graph\.exp is in no kernel"):
        PassManager([VerifyLowered()]).run(parse_module(TEXT))
