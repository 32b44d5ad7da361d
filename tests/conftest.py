"""What all tests share: child processes, because an import or a driver happens once a process.

A `.sir` file is a test: IR with lines `// RUN: command`, whose output `filecheck` compares with the
file's CHECK lines.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

RUN = "// RUN: "

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_python() -> Run:
    """Run a piece of Python in a new process, without this one's SIDRA_ settings."""

    def run(code: str, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SIDRA_")}
        return subprocess.run(
            [sys.executable, *options, "-c", code],
            env=kept | environ,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


class TextTest(pytest.Item):
    """The RUN lines of a `.sir` file, each a shell command; `%s` is the file."""

    def __init__(self, *, command: str, **more: Any) -> None:
        super().__init__(**more)
        self.command = command

    def runtest(self) -> None:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", self.command],
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
        )
        if done.returncode != 0:
            pytest.fail(f"{self.command}\n{done.stdout}{done.stderr}", pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


class TextFile(pytest.File):
    """IR with RUN lines."""

    def collect(self) -> Iterator[TextTest]:
        lines = self.path.read_text(encoding="utf-8").splitlines()
        commands = [line.removeprefix(RUN) for line in lines if line.startswith(RUN)]
        if not commands:
            raise self.CollectError(f"{self.path} has no line '{RUN}...'")
        for number, command in enumerate(commands):
            yield TextTest.from_parent(
                self, name=f"run{number}", command=command.replace("%s", str(self.path))
            )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> TextFile | None:
    return TextFile.from_parent(parent, path=file_path) if file_path.suffix == ".sir" else None
