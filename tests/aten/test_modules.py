"""Modules on the exact chip give the CPU's results, gradients and state, in both memory modes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from modules_on_ideal import CASES

SCRIPT = Path(__file__).with_name("modules_on_ideal.py")


@pytest.fixture(scope="module", params=["0", "1"], ids=["in place", "staged"])
def results(request):
    settings = {
        "SIDRA_CHIP": "ideal",
        "SIDRA_FALLBACK": "silent",
        "SIDRA_STRICT_MEMORY": request.param,
    }
    done = subprocess.run(
        [sys.executable, SCRIPT], env=os.environ | settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES)
def test_module_gives_what_the_cpu_gives(results, case):
    found = results[case]
    assert found["shapes"]
    assert found["output"] < 1e-5
    assert found["gradient"] < 1e-4
    assert found["state"] < 1e-6
