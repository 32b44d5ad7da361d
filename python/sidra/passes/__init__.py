"""The passes: one file, one class, one name each. `sidra.ir.pass_manager` runs them.

A pass is found by its file: `fuse-kernels` is the class `FuseKernels` in `fuse_kernels.py`.
"""

from __future__ import annotations

import importlib
import pkgutil
import re

from sidra.errors import PassError
from sidra.ir.pass_manager import Pass


def names() -> list[str]:
    """Return every pass's name, in alphabetical order."""
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(__path__)
        if not module.ispkg
    )


def find(name: str) -> Pass:
    """Return a new pass of that name. Raises PassError, which lists the names, if there is none."""
    if name not in names():
        raise PassError(f"there is no pass {name!r}; there are {', '.join(names())}")
    file = name.replace("-", "_")
    module = importlib.import_module(f"{__name__}.{file}")
    found: type[Pass] = getattr(module, re.sub(r"(?:^|_)(\w)", lambda m: m[1].upper(), file))
    return found()
