"""Passes and pipelines of them: run in order, verified in between, dumped and counted.

A pass is one file, one class, one name: `passes/tile_linear.py`, `TileLinear`, `tile-linear`. Its
docstring says what it does with IR before and after, what it does not handle, and what holds
afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sidra import env
from sidra.errors import PassError, SidraError, VerifyError
from sidra.ir.core import Module
from sidra.ir.printer import module_text
from sidra.ir.verifier import verify


@dataclass
class Context:
    """What a pipeline gives to each of its passes.

    chip: the ChipSpec to compile for. facts: what passes leave for later ones, by name.
    """

    chip: Any = None
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Statistics:
    """What a pass did. A pass fills `rounds` and `counts`; the manager fills the rest."""

    rounds: int = 1
    counts: dict[str, int] = field(default_factory=dict)
    name: str = ""
    ops_before: int = 0
    ops_after: int = 0
    host_seconds: float = 0.0


class Pass:
    """Changes a module in place. It is given valid IR, and leaves valid IR."""

    @property
    def name(self) -> str:
        """The name of the file, with hyphens."""
        return type(self).__module__.rpartition(".")[2].replace("_", "-")

    def run(self, module: Module, context: Context) -> Statistics:
        """Do it. Raises PassError for IR that the pass must not be given."""
        raise NotImplementedError


class PassManager:
    """Runs passes in order.

    dump: a folder for the IR after each pass, `00-input.sir`, `01-<name>.sir`, ...; by default
    SIDRA_DUMP, and none where that is unset.
    """

    def __init__(self, passes: Sequence[Pass], dump: str | None = None):
        self.passes = tuple(passes)
        self.dump = dump if dump is not None else env.read("SIDRA_DUMP")

    def run(self, module: Module, context: Context | None = None) -> list[Statistics]:
        """Run all. Raises VerifyError or PassError, whose text begins with the pass's name."""
        context = context or Context()
        verify(module)
        self._write(0, "input", module)
        return [self._run_one(n, each, module, context) for n, each in enumerate(self.passes, 1)]

    def _run_one(self, number: int, each: Pass, module: Module, context: Context) -> Statistics:
        before, start = _count(module), time.perf_counter()
        try:
            done = each.run(module, context)
            seconds = time.perf_counter() - start
            self._write(number, each.name, module)
            verify(module)
        except VerifyError as error:
            raise VerifyError(f"after {each.name}: {error}") from error
        except SidraError as error:
            raise PassError(f"{each.name}: {error}") from error
        return replace(
            done,
            name=each.name,
            ops_before=before,
            ops_after=_count(module),
            host_seconds=seconds,
        )

    def _write(self, number: int, name: str, module: Module) -> None:
        if self.dump:
            folder = Path(self.dump)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{number:02}-{name}.sir").write_text(module_text(module), encoding="utf-8")


def _count(module: Module) -> int:
    return sum(1 for _ in module.walk())
