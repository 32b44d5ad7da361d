from __future__ import annotations

import json

from sidra.cli.kernels import build_table

CALL = "import sys; from sidra.cli.main import main; sys.exit(main(['kernels', '--json']))"


def test_one_microkernel_runs_in_each_family_and_is_supported(run_python) -> None:
    done = run_python(CALL)
    rows = json.loads(done.stdout)["microkernels"]
    assert done.returncode == 0
    for family in {row["family"] for row in rows}:
        selected = [row for row in rows if row["family"] == family and row["selected"]]
        assert len(selected) == 1, family
        assert selected[0]["supported"]
    assert {row["family"] for row in rows} >= {"mvm", "quantize"}


def test_forced_instruction_set_is_the_one_that_runs(run_python) -> None:
    description = json.loads(run_python(CALL, SIDRA_ISA="scalar").stdout)
    assert description["isa"] == "scalar"
    assert {row["isa"] for row in description["microkernels"] if row["selected"]} == {"scalar"}


def test_driver_that_says_nothing_is_an_error(run_python) -> None:
    done = run_python(CALL, SIDRA_DRIVER="null")
    assert done.returncode == 2
    assert done.stderr == "sidra: this driver does not say which microkernels it has\n"


def test_table_has_a_row_for_each_microkernel() -> None:
    row = {"family": "mvm", "name": "mvm_u8i8i32_1x64_scalar", "isa": "scalar"}
    table = build_table(
        {"isa": "scalar", "microkernels": [row | {"supported": True, "selected": 1}]}
    )
    assert table.row_count == 1
