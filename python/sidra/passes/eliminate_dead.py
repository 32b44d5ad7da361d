"""Removal of operations that nothing needs."""

from __future__ import annotations

from sidra.ir.core import Module
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.rewrite import eliminate_dead


class EliminateDead(Pass):
    """Erase pure operations whose results nobody uses.

    Before:  %0 = graph.exp %x       After:  return %x
             return %x
    Not handled: external calls, which may do more than compute.
    Establishes: every pure operation has a user.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Erase them in every function."""
        erased = sum(eliminate_dead(function) for function in module.functions.values())
        return Statistics(counts={"erased": erased})
