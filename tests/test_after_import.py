from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from sidra.after_import import _FINDER, after_import


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that can be imported and was not."""
    (tmp_path / "waited_for.py").write_text("import sys\nhappened = []\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "waited_for", raising=False)
    yield "waited_for"
    _FINDER.waiting.pop("waited_for", None)
    sys.modules.pop("waited_for", None)


def note(module: ModuleType) -> None:
    module.happened.append("call")


def test_imported_module_is_called_back_for_at_once(module: str) -> None:
    found = importlib.import_module(module)
    after_import(module, note)
    assert found.happened == ["call"]


def test_module_is_called_back_for_once_after_its_import(module: str) -> None:
    after_import(module, note)
    assert module not in sys.modules
    found = importlib.import_module(module)
    importlib.import_module(module)
    assert found.happened == ["call"]


def test_every_callback_of_a_module_is_called(module: str) -> None:
    after_import(module, note)
    after_import(module, lambda found: found.happened.append("other"))
    assert importlib.import_module(module).happened == ["call", "other"]


def test_asking_whether_a_module_is_installed_does_not_end_the_wait(module: str) -> None:
    after_import(module, note)
    assert importlib.util.find_spec(module) is not None
    assert importlib.import_module(module).happened == ["call"]


def test_module_that_does_not_exist_is_not_found(module: str) -> None:
    after_import("waited_for_in_vain", note)
    with pytest.raises(ModuleNotFoundError, match="waited_for_in_vain"):
        importlib.import_module("waited_for_in_vain")
    del _FINDER.waiting["waited_for_in_vain"]


def test_module_that_is_being_executed_is_called_back_for_when_complete(
    module: str, tmp_path: Path
) -> None:
    # It asks on its first line, as a library does that imports torch on its first lines.
    (tmp_path / "waited_for.py").write_text(
        "from test_after_import_asks import ask\nask()\nhappened = ['end']\n"
    )
    asks = ModuleType("test_after_import_asks")
    asks.ask = lambda: after_import(module, note)  # type: ignore[attr-defined]
    sys.modules[asks.__name__] = asks
    found = importlib.import_module(module)
    assert found.happened == ["end"]
    importlib.util.find_spec("any_other_module")
    del sys.modules[asks.__name__]
    assert found.happened == ["end", "call"]


def test_imports_in_several_threads_are_left_alone(module: str) -> None:
    after_import(module, note)
    threads = [threading.Thread(target=importlib.import_module, args=(module,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.modules[module].happened == ["call"]
