"""The simulated chip returns the reference's bits, whatever the instruction set and converters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ISAS = ("scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amxint8")
SCRIPT = Path(__file__).with_name("products_on_chip.py")


def run(chip: str, **settings: str) -> int:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SIDRA_")}
    done = subprocess.run(
        [sys.executable, SCRIPT],
        env=environ | {"SIDRA_CHIP": chip, "SIDRA_FALLBACK": "silent"} | settings,
        capture_output=True,
        text=True,
    )
    if "is not supported" in done.stderr or "does not have" in done.stderr:
        pytest.skip(f"this processor has no {settings['SIDRA_ISA']}")
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("isa", ISAS)
def test_every_instruction_set_gives_the_same_bits(isa):
    assert run("y1", SIDRA_ISA=isa) == 121


@pytest.mark.parametrize(
    "fields",
    ["adc_bits = 6", "adc_bits = 0", "dac_bits = 4", "crossbar_rows = 64\ncrossbar_columns = 32"],
)
def test_every_converter_gives_the_same_bits(tmp_path, fields):
    chip = tmp_path / "chip.toml"
    chip.write_text(f'preset = "y1"\n{fields}\n')
    assert run(str(chip)) == 121


def test_small_crossbars_give_the_same_bits():
    assert run("tiny") > 10


def test_threads_and_staged_memory_give_the_same_bits():
    assert run("y1", SIDRA_STRICT_MEMORY="1", OMP_NUM_THREADS="1") == 121
