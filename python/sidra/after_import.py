"""Call back when a module has been imported, without importing it.

`import torch` must not import what it does not need, so whatever is to be told about the device
(Dynamo, safetensors, Lightning, ...) is told right after somebody else imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

Callback = Callable[[ModuleType], None]


def after_import(name: str, callback: Callback) -> None:
    """Call `callback(module)` as soon as the module `name` has been executed; maybe now.

    A module that is being executed at this moment (it has imported torch on its first lines) is
    called back for at the first import after it is complete.
    """
    module = sys.modules.get(name)
    if module is not None and not _executing(module):
        callback(module)
        return
    _FINDER.waiting.setdefault(name, []).append(callback)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


def _executing(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


class _AfterImport(MetaPathFinder):
    """Finds nothing itself; sees which modules are looked for and wraps how they are executed."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[Callback]] = {}
        self._finding: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        self._serve_completed()
        if name not in self.waiting or name in self._finding:
            return None
        self._finding.add(name)
        try:
            spec = find_spec(name)  # asks the other finders
        finally:
            self._finding.discard(name)
        if spec is not None and spec.loader is not None:
            self._wrap(spec.loader)
        return spec

    def _serve_completed(self) -> None:
        for name in list(self.waiting):
            module = sys.modules.get(name)
            if module is not None and not _executing(module):
                self._serve(module, name)

    def _serve(self, module: ModuleType, name: str) -> None:
        for callback in self.waiting.pop(name, []):
            callback(module)

    def _wrap(self, loader: Any) -> None:
        # The spec may be dropped unexecuted (importlib.util.find_spec is also asked whether
        # something is installed), so the wait ends with the execution and not here.
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._serve(module, module.__name__)

        loader.exec_module = exec_module


_FINDER = _AfterImport()
