"""How each ATen operator becomes ops of the graph dialect: one file per family.

An importer is a function of the call's arguments, tensors being Values and symbolic sizes
dimensions; it returns a Value, or a tuple of them for an operator with several results. It raises
InferenceError for a form that it does not know: the call is then kept whole, as an external op.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import torch

Importer = Callable[..., Any]  # (Scribe, *args, **kwargs) -> Value | tuple[Value, ...]

_IMPORTERS: dict[str, Importer] = {}


def importer(*names: str) -> Callable[[Importer], Importer]:
    """Enter a function for operators such as `aten.add.Tensor`."""

    def enter(function: Importer) -> Importer:
        for name in names:
            if name in _IMPORTERS:
                raise ValueError(f"{name} is imported twice")
            _IMPORTERS[name] = function
        return function

    return enter


def find(target: torch._ops.OpOverload) -> Importer | None:
    """Return the importer of an operator; None if it has none."""
    if not _IMPORTERS:
        for module in pkgutil.iter_modules(__path__):
            importlib.import_module(f"{__name__}.{module.name}")
    return _IMPORTERS.get(str(target))


def names() -> list[str]:
    """Return every operator that has an importer."""
    find(torch.ops.aten.add.Tensor)
    return sorted(_IMPORTERS)
