"""What the device's tests share: drivers made for a test, and children that use them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

import sidra

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("drivers") / "late.c"
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def device() -> ModuleType:
    """`torch.sidra`, with a device."""
    sidra.register_pytorch_backend()
    module: ModuleType = torch.sidra
    assert module.is_available()
    return module


@pytest.fixture(scope="session")
def make_driver(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Compile drivers/late.c, broken as asked ("TABLE", "MAJOR", ...); return the path."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to make a test driver with")
    folder = tmp_path_factory.mktemp("drivers")

    def make(broken: str = "") -> str:
        library = folder / f"{broken.lower() or 'late'}.so"
        if not library.exists():
            define = [f"-DBREAK_{broken}"] if broken else []
            flags = ["-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
            subprocess.run([compiler, *flags, *define, SOURCE, "-o", library], check=True)
        return str(library)

    return make


@pytest.fixture
def printed(run_python) -> Callable[..., str]:
    """Run Python in a child that must succeed; return what it printed."""

    def run(code: str, **environ: str) -> str:
        done = run_python(code, **{"SIDRA_FALLBACK": "silent"} | environ)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.fixture
def late(printed, make_driver) -> Callable[[str], str]:
    """Run Python on the driver whose commands look unfinished until somebody waits."""
    return lambda code: printed(code, SIDRA_DRIVER=make_driver())
