"""The passes, in order: from what was imported to what is emitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sidra.ir.core import Module
from sidra.ir.pass_manager import Context, Pass, PassManager, Statistics
from sidra.passes.eliminate_common import EliminateCommon
from sidra.passes.eliminate_dead import EliminateDead
from sidra.passes.fuse_attention import FuseAttention
from sidra.passes.fuse_kernels import FuseKernels
from sidra.passes.fuse_linear import FuseLinear
from sidra.passes.legalize_reductions import LegalizeReductions
from sidra.passes.lower_graph_to_tile import GRADIENT, LowerGraphToTile
from sidra.passes.lower_to_calls import LowerToCalls
from sidra.passes.simplify_views import SimplifyViews
from sidra.passes.verify_lowered import VerifyLowered


def passes() -> Sequence[Pass]:
    """Return the pipeline."""
    return (
        EliminateDead(),  # what PyTorch computes for a backward that there is not
        EliminateCommon(),
        FuseLinear(),
        FuseAttention(),
        SimplifyViews(),
        LowerGraphToTile(),
        LowerToCalls(),
        LegalizeReductions(),
        FuseKernels(),
        VerifyLowered(),
    )


def lower(module: Module, chip: Any = None, gradient: bool = False) -> list[Statistics]:
    """Lower a module in place until it can be emitted; returns what each pass did.

    gradient: the graph computes gradients, whose products no crossbar computes.
    Raises PassError, VerifyError.
    """
    return PassManager(passes()).run(module, Context(chip, {GRADIENT: gradient}))
