from __future__ import annotations

import argparse

import pytest

from sidra import __version__
from sidra.cli import env, main
from sidra.errors import ConfigurationError


def test_every_subcommand_is_found_by_its_file() -> None:
    assert {"demo", "env", "info", "kernels"} <= set(main.subcommand_names())
    assert "main" not in main.subcommand_names()
    assert "sentences" not in main.subcommand_names()


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main.main(["--version"])
    assert capsys.readouterr().out == f"sidra {__version__}\n"


def _fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(arguments: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(env, "run", run)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ConfigurationError("no chip 'y7'"), "no chip 'y7'"),
        (RuntimeError("first line\nC++ stack"), "first line"),
        (ValueError(), "ValueError"),
        (ModuleNotFoundError("No module named 'transformers'"), "pip install 'sidra[demo]'"),
    ],
)
def test_error_is_one_sentence_and_exit_status_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    sentence: str,
) -> None:
    _fail_with(monkeypatch, error)
    assert main.main(["env"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("sidra: ")
    assert printed.err.count("\n") == 1
    assert sentence in printed.err


def test_traceback_is_there_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(monkeypatch, ConfigurationError("no chip"))
    with pytest.raises(ConfigurationError, match="no chip"):
        main.main(["--traceback", "env"])


def test_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(monkeypatch, KeyboardInterrupt())
    assert main.main(["env"]) == 130


def test_help_does_not_import_torch(run_python) -> None:
    done = run_python(
        "import sys\nfrom sidra.cli.main import build_parser\nbuild_parser().format_help()\n"
        "print('torch' in sys.modules)"
    )
    assert done.stdout == "False\n"
