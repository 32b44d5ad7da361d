"""PyTorch's own lists of what a device must be able to do, as pairs of a name and a type.

The lists come with the installed wheel (torch.testing._internal). Importing them opens no device.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

DATABASES = ("operators", "modules", "optimizers", "foreach")
OPTIMIZER_TYPES = (torch.float32, torch.float64)


@dataclass(frozen=True, order=True)
class Pair:
    """One entry of a database in one type: what a child process checks."""

    database: str  # one of DATABASES
    name: str
    dtype: str  # "float32"

    def __str__(self) -> str:
        return f"{self.name} [{self.dtype}]"


def entries(database: str) -> dict[str, Any]:
    """Return the infos of a database by name, in the database's order."""
    return _READERS[database]()


def dtypes(database: str, info: Any) -> set[torch.dtype]:
    """Return the types in which the CPU supports an entry."""
    if database == "optimizers":
        return set(OPTIMIZER_TYPES)
    return set(info.supported_dtypes("cpu"))


def pairs(databases: Iterable[str], names: str = "", types: Iterable[str] = ()) -> list[Pair]:
    """Return the pairs whose name matches the regular expression; no types: all of them."""
    wanted = set(types)
    return [
        Pair(database, name, dtype)
        for database in databases
        for name, info in entries(database).items()
        if re.search(names, name)
        for dtype in sorted(str(kind).removeprefix("torch.") for kind in dtypes(database, info))
        if not wanted or dtype in wanted
    ]


def _operators() -> dict[str, Any]:
    from torch.testing._internal.common_methods_invocations import op_db

    return {info.full_name: info for info in op_db}


def _foreach() -> dict[str, Any]:
    import torch.testing._internal.common_methods_invocations as lists

    names = sorted(name for name in vars(lists) if re.fullmatch(r"foreach_\w+_op_db", name))
    return {info.full_name: info for name in names for info in getattr(lists, name)}


def _modules() -> dict[str, Any]:
    from torch.testing._internal.common_modules import module_db

    return dict(_numbered((info.name, info) for info in module_db))


def _optimizers() -> dict[str, Any]:
    from torch.testing._internal.common_optimizers import optim_db

    return dict(_numbered((info.optim_cls.__name__, info) for info in optim_db))


def _numbered(items: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Tell entries of the same name apart: the second is `name.2`."""
    seen: dict[str, int] = {}
    for name, info in items:
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else f"{name}.{seen[name]}"), info


_READERS: dict[str, Callable[[], dict[str, Any]]] = {
    "operators": _operators,
    "modules": _modules,
    "optimizers": _optimizers,
    "foreach": _foreach,
}
