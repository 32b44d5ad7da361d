from __future__ import annotations

import sys
from types import ModuleType

import pytest

from sidra import integrations
from sidra.integrations import INTEGRATIONS, Integration


def test_import_of_torch_imports_no_library(run_python) -> None:
    libraries = sorted({row.distribution.replace("-", "_") for row in INTEGRATIONS} - {"torch"})
    done = run_python(
        "import sys, torch\n"
        f"print([name for name in {libraries} if name in sys.modules])\n"
        "print(sorted(n for n in sys.modules if n.startswith('sidra.integrations.')))"
    )
    assert done.stdout.splitlines() == [
        "[]",
        "['sidra.integrations.distributed', 'sidra.integrations.insides', "
        "'sidra.integrations.multiprocessing']",
    ]


@pytest.mark.parametrize("row", INTEGRATIONS, ids=lambda row: row.module)
def test_row_names_a_function(row: Integration) -> None:
    file, name = row.function.split(":")
    module = __import__(f"sidra.integrations.{file}", fromlist=[name])
    assert callable(getattr(module, name))


def test_library_with_other_insides_is_left_alone_and_named(capsys) -> None:
    module = ModuleType("safetensors")
    integrations._install(Integration("safetensors", "safetensors:install", "numpy", "0.8"), module)
    assert not hasattr(module, "safe_open")
    said = capsys.readouterr().err
    assert said.startswith("sidra: numpy ")
    assert "is not told about the device (safe_open offers " in said
    assert said.endswith("tested is 0.8, see docs/integrations.md\n")


def test_failure_of_an_integration_stays_within_it(capsys, monkeypatch) -> None:
    broken = ModuleType("sidra.integrations.broken")
    broken.install = lambda module: 1 / 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, broken.__name__, broken)
    integrations._install(Integration("m", "broken:install", "no-such", "1"), ModuleType("m"))
    assert capsys.readouterr().err == (
        "sidra: no-such of an unknown version is not told about the device "
        "(ZeroDivisionError: division by zero); tested is 1, see docs/integrations.md\n"
    )
