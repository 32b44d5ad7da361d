"""The C++ table of presets."""

from __future__ import annotations

import ast
import subprocess
import sys

from sidra.chip import export, preset, preset_names


def test_rows_read_back_to_the_presets() -> None:
    parsed = [ast.literal_eval(f"({row[1:-2]})") for row in export.rows()]
    assert parsed == [(name, preset(name).to_config()) for name in preset_names()]


def test_one_line_a_preset_and_no_torch() -> None:
    script = "import runpy, sys; runpy.run_module('sidra.chip.export', run_name='__main__')"
    script += "; assert 'torch' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == export.rows()
