"""What all tests share: child processes, because an import or a driver happens once a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

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
