"""The document that is made of two runs."""

from __future__ import annotations

from tests.torch.table import render


def result(name, dtype, verdict, places, message=""):
    findings = [{"check": "values", "verdict": verdict, "message": message}] if message else []
    return {
        "database": "operators",
        "name": name,
        "dtype": dtype,
        "verdict": verdict,
        "places": dict.fromkeys(places, 1),
        "findings": findings,
    }


def run(mode, results):
    head = {"mode": mode, "samples": 4, "chip": "ideal", "torch": "2.13.0", "sidra": "0.1.0"}
    return {**head, "results": results}


NO_COPY = run(
    "no-copy",
    [
        result("mm", "float32", "pass", ["compute engine", "crossbar"]),
        result("mm", "int64", "pass", ["compute engine"]),
        result("abs", "float32", "differs", ["host, in place"], "off by a | lot"),
        result("abs", "int64", "pass", []),
    ],
)
STRICT = run("strict", [result("mm", "float32", "pass", []), result("abs", "float32", "pass", [])])


def test_a_row_tells_place_types_and_verdicts():
    text = render([NO_COPY, STRICT])
    assert "| `mm` | crossbar + compute engine | f32 i64 | pass | pass |" in text
    assert "| `abs` | host, in place | f32 i64 | differs: f32; pass | pass |" in text


def test_rows_are_sorted_whatever_the_order_of_results():
    shuffled = run("no-copy", NO_COPY["results"][::-1])
    assert render([NO_COPY, STRICT]) == render([shuffled, STRICT])
    assert render([NO_COPY]).index("`abs`") < render([NO_COPY]).index("`mm`")


def test_totals_count_pairs_by_verdict():
    row = next(line for line in render([NO_COPY]).splitlines() if "| Operators | no-copy" in line)
    assert row == "| Operators | no-copy | 2 | 4 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 3 |"


def test_each_fault_has_a_line():
    text = render([NO_COPY])
    assert "- `abs` f32, no-copy: values (differs): off by a / lot" in text
    assert render([STRICT]).endswith("## Faults\n\nNone.\n")
