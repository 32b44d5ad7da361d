"""How a library's function is replaced: only if it is what we know."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from sidra.errors import SidraError


class UnknownInsides(SidraError):
    """A library does not have what an integration builds on."""


def replace(owner: Any, name: str, parameters: tuple[str, ...], make: Callable[..., Any]) -> None:
    """Put `make(original)` in the place of `owner.name`, a function that starts with `parameters`.

    Raises UnknownInsides if there is no such function, or if it has other parameters.
    """
    original = inspect.getattr_static(owner, name, None)
    getter = original.fget if isinstance(original, property) else original
    getter = getter.__func__ if isinstance(getter, staticmethod) else getter
    place = f"{getattr(owner, '__name__', owner)}.{name}"
    if not callable(getter):
        raise UnknownInsides(f"there is no {place}")
    found = tuple(inspect.signature(getter).parameters)
    if found[: len(parameters)] != parameters:
        raise UnknownInsides(f"{place} has the parameters {found}, not {parameters}")
    replacement: Any = functools.wraps(getter)(make(getter))
    if isinstance(original, (property, staticmethod)):
        replacement = type(original)(replacement)
    setattr(owner, name, replacement)


def accelerator_index() -> int | None:
    """Return the current device's index, or None if torch's accelerator is not a sidra device."""
    import torch

    module = torch.sidra
    if not module.is_available() or torch.accelerator.current_accelerator().type != "sidra":
        return None
    return int(module.current_device())
