from __future__ import annotations

import json

import pytest

from sidra.cli import demo

CALL = "import sys; from sidra.cli.main import main; sys.exit(main(['demo', *{!r}]))"


@pytest.fixture(scope="module")
def result() -> dict:
    console = demo.Console(stderr=True, quiet=True)
    return demo.compute(demo.texts.built_in()[:4], console)


def test_correlation_reaches_the_bar_on_the_chip(result: dict) -> None:
    assert result["pairs"] >= 100 * 99 / 2
    assert result["spearman"] >= demo.BAR


def test_similar_sentences_are_each_others_nearest(result: dict) -> None:
    assert result["nearest_sidra"] == [1, 0, 3, 2]
    assert result["nearest_cpu"] == [1, 0, 3, 2]


def test_the_chip_differs_from_the_cpu_and_not_by_much(result: dict) -> None:
    of_chip, of_cpu = result["similarity_sidra"], result["similarity_cpu"]
    gaps = [
        abs(a - b) for x, y in zip(of_chip, of_cpu, strict=True) for a, b in zip(x, y, strict=True)
    ]
    assert 0 < max(gaps) < 0.1


def test_cost_is_chip_time_energy_and_crossbars(result: dict) -> None:
    assert result["chip"]["chip_seconds"] > 0
    assert result["chip"]["joules"] > 0
    assert result["chip"]["datasheet_joules"] > 0
    assert 0 < result["crossbars_used"] <= result["crossbars"]
    assert result["programming"]["calls"] > 0
    places = {row["place"] for row in result["chip"]["report"]["rows"]}
    assert {"crossbar", "compute_engine"} <= places


def test_exit_status_tells_a_correlation_below_the_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], result: dict
) -> None:
    parser = demo.argparse.ArgumentParser()
    demo.add_arguments(parser)
    for spearman, status in ((0.9951, 0), (0.9949, 1), (float("nan"), 1)):
        changed = {**result, "spearman": spearman}
        monkeypatch.setattr(demo, "compute", lambda *_, changed=changed: changed)
        assert demo.run(parser.parse_args(["--json"])) == status
        assert json.loads(capsys.readouterr().out)["corpus"] == result["corpus"]
        assert demo.run(parser.parse_args(["--report"])) == status
        printed = capsys.readouterr().out
        assert "What ran where" in printed
        assert ("is below 0.995" in printed) == bool(status)


def test_missing_file_is_an_error(run_python) -> None:
    done = run_python(CALL.format(["--sentences", "/nowhere.txt"]))
    assert done.returncode == 2
    assert done.stderr.startswith("sidra: cannot read sentences from /nowhere.txt")
