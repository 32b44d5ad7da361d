from __future__ import annotations

import json

import pytest

import sidra

CALL = "import sys; from sidra.cli.main import main; sys.exit(main(['info'] + sys.argv[1:]))"
JSON_CALL = CALL.replace("sys.argv[1:]", "['--json']")


def test_json_has_versions_driver_chip_and_devices(run_python) -> None:
    done = run_python(JSON_CALL, SIDRA_CHIP="tiny", SIDRA_DEVICES="2")
    state = json.loads(done.stdout)
    assert done.returncode == 0
    assert state["versions"]["sidra"] == sidra.__version__
    assert state["versions"]["torch"].startswith("2.13.")
    assert state["driver"]["name"] == "sim"
    assert state["driver"]["path"].endswith(".so")
    isas = ("scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amxint8")
    assert state["isa"] in isas
    assert [device["name"] for device in state["devices"]] == ["tiny", "tiny"]
    assert state["environment"] == {"SIDRA_CHIP": "tiny", "SIDRA_DEVICES": "2"}


def test_table_shows_the_chip(run_python) -> None:
    done = run_python(CALL, COLUMNS="120")
    assert done.returncode == 0
    assert "y1: 6,400 crossbars of 256 x 256, DAC 8 bit, ADC 8 bit" in done.stdout


@pytest.mark.parametrize("call", [CALL, JSON_CALL])
def test_broken_device_is_shown_with_its_reason_and_exit_status_1(run_python, call: str) -> None:
    done = run_python(call, SIDRA_CHIP="y7")
    assert done.returncode == 1
    assert "no chip preset 'y7'" in " ".join(done.stdout.split())
    assert "Traceback" not in done.stderr
