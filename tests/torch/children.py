"""Pairs in child processes: each forked, each with a time limit, a few at a time."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tests.torch import child
from tests.torch.databases import Pair, entries

POLL_SECONDS = 0.005


@dataclass
class _Running:
    pair: Pair
    started: float
    result: Path
    errors: Path


class Children:
    """Runs pairs; iterating gives the result of each as it ends.

    The parent must not have opened the device: it would not survive the fork.
    """

    def __init__(self, options: dict[str, Any], jobs: int, timeout_seconds: float) -> None:
        self.options = options
        self.jobs = jobs
        self.timeout_seconds = timeout_seconds
        self.running: dict[int, _Running] = {}

    def run(self, pairs: list[Pair]) -> Iterator[dict[str, Any]]:
        """Yield one result per pair, in the order in which they end."""
        infos = {name: entries(name) for name in {pair.database for pair in pairs}}
        waiting = list(reversed(pairs))
        gc.collect()
        gc.freeze()  # a child's collections need not look at the databases
        with tempfile.TemporaryDirectory() as folder:
            try:
                while waiting or self.running:
                    while waiting and len(self.running) < self.jobs:
                        pair = waiting.pop()
                        self._start(pair, infos[pair.database][pair.name], Path(folder))
                    yield from self._ended()
            finally:
                self._kill_all()

    def _start(self, pair: Pair, info: Any, folder: Path) -> None:
        stem = f"{time.monotonic_ns()}"
        result, errors = folder / f"{stem}.json", folder / f"{stem}.txt"
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            _be_child(lambda: child.report(pair, info, self.options, result), errors)
        self.running[process] = _Running(pair, time.monotonic(), result, errors)

    def _ended(self) -> Iterator[dict[str, Any]]:
        time.sleep(POLL_SECONDS)
        for process, state in list(self.running.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                del self.running[process]
                yield _result(state, status)
            elif time.monotonic() - state.started > self.timeout_seconds:
                del self.running[process]
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                message = f"not done after {self.timeout_seconds:g} s"
                yield _failure(state, "timeout", message)

    def _kill_all(self) -> None:
        for process in self.running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        self.running.clear()


def _be_child(work: Callable[[], None], errors: Path) -> NoReturn:
    """Do the work with quiet outputs and leave without the parent's exit handlers."""
    status = 1
    try:
        target = os.open(errors, os.O_WRONLY | os.O_CREAT)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(target, 2)
        work()
        status = 0
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _result(state: _Running, status: int) -> dict[str, Any]:
    if status == 0 and state.result.exists():
        return _head(state.pair) | json.loads(state.result.read_text(encoding="utf-8"))
    lines = state.errors.read_text(errors="replace").strip().splitlines() or [""]
    code = os.waitstatus_to_exitcode(status)
    cause = signal.Signals(-code).name if code < 0 else f"exit status {code}"
    return _failure(state, "crash", f"{cause}: {lines[-1][:300]}")


def _failure(state: _Running, verdict: str, message: str) -> dict[str, Any]:
    finding = {
        "check": "process", "verdict": verdict, "where": "", "message": message, "count": 1,
    }  # fmt: skip
    return _head(state.pair) | {
        "verdict": verdict,
        "samples": 0,
        "compared": 0,
        "checks": {},
        "places": {},
        "findings": [finding],
        "cpu": "",
        "seconds": round(time.monotonic() - state.started, 3),
    }


def _head(pair: Pair) -> dict[str, Any]:
    return {"database": pair.database, "name": pair.name, "dtype": pair.dtype}
