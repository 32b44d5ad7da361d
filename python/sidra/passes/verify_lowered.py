"""The end of lowering: every op is one that an executable has a step for."""

from __future__ import annotations

from sidra.analysis import lowered
from sidra.errors import PassError
from sidra.ir.core import Module
from sidra.ir.pass_manager import Context, Pass, Statistics


class VerifyLowered(Pass):
    """Check that each function holds only what `sidra.analysis.lowered` lists.

    Changes nothing. Raises PassError with the function, the op, and what is wrong with it.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Check every function."""
        for function in module.functions.values():
            reason = lowered.check(function)
            if reason is not None:
                raise PassError(reason)
        return Statistics()
