"""What ran where and what it cost on the chip.

`sidra.report()` calls this package: a package and a function of one name, because the function is
what users type and the folder is where they look for it.

    report = sidra.report()                 # since the start or the last reset
    with sidra.recording() as recorded:     # of one block
        model(x)
    recorded.report.print()
"""

from __future__ import annotations

import sys
from types import ModuleType

from sidra.report.collect import Recording, read_report, recording, reset_report
from sidra.report.record import Chip, Report, Row, Totals

__all__ = [
    "Chip",
    "Recording",
    "Report",
    "Row",
    "Totals",
    "read_report",
    "recording",
    "reset_report",
]


class _CallableModule(ModuleType):
    def __call__(self, *, reset: bool = False) -> Report:
        """Return `read_report(reset=reset)`."""
        return read_report(reset=reset)


sys.modules[__name__].__class__ = _CallableModule
