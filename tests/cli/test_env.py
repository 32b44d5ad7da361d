from __future__ import annotations

import json

import pytest

from sidra.cli.main import main
from sidra.env import VARIABLES


def test_json_lists_every_variable_and_what_is_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIDRA_CHIP", "tiny")
    monkeypatch.delenv("SIDRA_DEVICES", raising=False)
    assert main(["env", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(rows) == {variable.name for variable in VARIABLES}
    assert rows["SIDRA_CHIP"]["set"] == "tiny"
    assert rows["SIDRA_DEVICES"]["set"] is None


def test_table_names_every_variable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["env"]) == 0
    printed = capsys.readouterr().out
    assert all(variable.name in printed for variable in VARIABLES)


def test_value_that_is_not_legal_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIDRA_FALLBACK", "perhaps")
    assert main(["env"]) == 2
    assert "SIDRA_FALLBACK='perhaps' is not legal; use warn, error" in capsys.readouterr().err
