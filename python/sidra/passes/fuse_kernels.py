"""Fusion of everything that is no product and no call into kernels."""

from __future__ import annotations

from sidra.ir.core import Function, Module
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.rewrite import eliminate_dead
from sidra.passes.fusion.build import build_kernels
from sidra.passes.fusion.copies import insert_copies
from sidra.passes.fusion.graph import FusionGraph
from sidra.passes.fusion.merge import merge_groups


class FuseKernels(Pass):
    """Make kernels of the ops that have loops, as few as pays.

    Before:  %0 = tile.mvm %x, %w                After:  %0 = tile.mvm %x, %w
             %1 = graph.add %0, %y                       %1 = tile.kernel %0, %y, %g, %b
             %2 = graph.layer_norm %1, %g, %b                {name = "add_layer_norm"} ...

    A group takes in what it reads from, and groups that read the same, as long as one loop nest
    computes all of it (`sidra.analysis.kernels`) and nothing expensive is computed twice. A view
    stays a view where its strides serve who reads it; a copy is a kernel, or goes into one.
    Not handled: ops without loops; run lower-to-calls first.
    Establishes: what verify-lowered asks of a function.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Fuse every function."""
        counts = {"kernels": 0, "ops": 0}
        for function in module.functions.values():
            _fuse(function, counts)
        return Statistics(counts=counts)


def _fuse(function: Function, counts: dict[str, int]) -> None:
    eliminate_dead(function)
    graph = FusionGraph(function, insert_copies(function))
    counts["ops"] += sum(len(unit.operations) for unit in graph.groups)
    merge_groups(graph)
    counts["kernels"] += build_kernels(function, graph)
    eliminate_dead(function)
