"""Compiled models on sidra:0 against their rivals: host time, interleaved in one process.

    python -m bench.compile --models bert-128 minilm-16 --threads 1 2

Each row is the best and the median of the rounds; `x eager` is how often faster than PyTorch's
float32 on the CPU. The chip is SIDRA_CHIP's, by default y1 with every converter step. Rivals that
are not part of torch: pip install --no-deps openvino nncf onnx onnxscript onnxruntime.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import sys
import time
import warnings
from typing import Any

import torch
from bench.compile.contenders import CONTENDERS, Run
from bench.compile.models import CASES, Case, build


def prepare(case: Case, names: list[str], threads: int) -> tuple[dict[str, Run], dict[str, str]]:
    """Return what each contender runs, and why the others do not."""
    model, inputs = build(case), case.inputs()
    ready: dict[str, Run] = {}
    refused: dict[str, str] = {}
    for name in names:
        try:
            run = CONTENDERS[name](model, inputs, threads)
            run()
        except Exception as error:  # whatever a rival raises is its result
            refused[name] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
        else:
            ready[name] = run
    return ready, refused


def time_in_turn(runs: dict[str, Run], rounds: int) -> dict[str, dict[str, float]]:
    """Seconds of each, in turn so that all see the same machine; two rounds of warm-up."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(rounds + 2):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if round_ >= 2:
                taken[name].append(time.perf_counter() - start)
    return {
        name: {"best_seconds": min(seconds), "median_seconds": statistics.median(seconds)}
        for name, seconds in taken.items()
    }


def measure(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return one row for each model, number of threads and contender."""
    rows: list[dict[str, Any]] = []
    for threads in arguments.threads:
        torch.set_num_threads(threads)
        for name in arguments.models:
            with torch.no_grad():
                ready, refused = prepare(CASES[name], arguments.contenders, threads)
                times = time_in_turn(ready, arguments.rounds)
            head = {"model": name, "threads": threads}
            reference = times.get("eager", {}).get("best_seconds")
            for contender, taken in times.items():
                factor = reference / taken["best_seconds"] if reference else None
                rows.append({**head, "contender": contender, **taken, "times_eager": factor})
            rows += [{**head, "contender": who, "refused": why} for who, why in refused.items()]
            if not arguments.json:
                print_rows(
                    [row for row in rows if row["model"] == name][-len(times) - len(refused) :]
                )
    return rows


def print_rows(rows: list[dict[str, Any]]) -> None:
    """Print the rows of one model as a table."""
    print(f"\n{rows[0]['model']}, {rows[0]['threads']} thread(s)")
    for row in rows:
        if "refused" in row:
            print(f"  {row['contender']:17} -- {row['refused']}")
            continue
        factor = f"{row['times_eager']:6.2f} x eager" if row["times_eager"] else ""
        best, median = row["best_seconds"] * 1e3, row["median_seconds"] * 1e3
        print(f"  {row['contender']:17} best {best:9.3f} ms  median {median:9.3f} ms  {factor}")
    sys.stdout.flush()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.compile",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--models", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS), choices=CONTENDERS)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # exporters and quantisers are full of them
    logging.disable(logging.WARNING)
    rows = measure(arguments)
    if arguments.json:
        print(json.dumps(rows, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
