"""Findings and the verdict of a pair."""

from __future__ import annotations

from tests.torch.comparison import Mismatch, StrideMismatch
from tests.torch.record import Record


def raising(record, check, error):
    with record.guard(check, "sample 1"):
        raise error


def test_the_worst_finding_is_the_verdict():
    record = Record(samples=1, compared=1)
    assert record.verdict() == "pass"
    raising(record, "values", StrideMismatch("strides"))
    assert record.verdict() == "strides"
    raising(record, "values", NotImplementedError("Could not run"))
    assert record.verdict() == "not implemented"
    raising(record, "gradients", ValueError("bad"))
    assert record.verdict() == "error"
    raising(record, "gradients", Mismatch("other values"))
    assert record.verdict() == "differs"


def test_a_finding_is_kept_once_and_counted():
    record = Record(samples=1, compared=1)
    for text in ("first", "second"):
        raising(record, "values", ValueError(text))
    (finding,) = record.to_dict()["findings"]
    assert finding["message"] == "ValueError: first"
    assert finding["count"] == 2


def test_nothing_compared_is_not_a_pass():
    assert Record().verdict() == "no samples"
    assert Record(samples=3).verdict() == "cpu cannot"
