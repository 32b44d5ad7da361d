"""A child's death, its time limit and its result are verdicts of the parent."""

from __future__ import annotations

import os
import signal
import time

import pytest
from tests.torch import child, children
from tests.torch.databases import Pair

PAIR = Pair("operators", "add", "float32")


@pytest.fixture
def run(monkeypatch):
    """Run one pair whose checks are `work`."""

    def start(work, timeout_seconds=60.0):
        monkeypatch.setattr(children, "entries", lambda name: {"add": None})
        monkeypatch.setattr(child, "run_pair", lambda case, database: work(case))
        family = children.Children({"device": "cpu"}, 1, timeout_seconds)
        (result,) = family.run([PAIR])
        return result

    return start


def test_a_result_comes_back(run):
    def work(case):
        case.record.samples = case.record.compared = 2

    result = run(work)
    assert (result["name"], result["verdict"], result["samples"]) == ("add", "pass", 2)


def test_a_crash_is_a_verdict(run):
    result = run(lambda case: os.kill(os.getpid(), signal.SIGKILL))
    assert result["verdict"] == "crash"
    assert "SIGKILL" in result["findings"][0]["message"]


def test_an_exception_of_the_harness_is_a_crash_with_its_message(run):
    def work(case):
        raise LookupError("no such thing")

    result = run(work)
    assert result["verdict"] == "crash"
    assert "exit status 1: LookupError: no such thing" in result["findings"][0]["message"]


def test_a_child_that_hangs_is_killed(run):
    result = run(lambda case: time.sleep(60), timeout_seconds=0.2)
    assert result["verdict"] == "timeout"
    assert result["findings"][0]["message"] == "not done after 0.2 s"
