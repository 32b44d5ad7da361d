"""Runs PyTorch's own samples on the device beside the CPU.

    python -m tests.torch.run --ops '^(add|mul)$' --dtypes float32,int64 --jobs 2

One forked process per operator and type; every pair gets a verdict, from worst to best: crash,
timeout, differs, error, not implemented, leak (memory is still held), copies (bytes copied on
coherent memory), strides (nothing else differs), cpu cannot, no samples, pass. The exit status is 0
when nothing is worse than `cpu cannot`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATABASES = ("operators", "modules", "optimizers", "foreach")


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.torch.run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ops", default="", help="regular expression on names")
    parser.add_argument("--dtypes", default="", help="comma-separated; default: all")
    parser.add_argument("--db", default=",".join(DATABASES), help="comma-separated: %(default)s")
    parser.add_argument("--mode", default="no-copy", choices=("no-copy", "strict"))
    parser.add_argument("--device", default="sidra", choices=("sidra", "cpu"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--samples", type=int, default=0, help="at most so many; 0: all")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds per pair")
    parser.add_argument("--json", type=Path, help="write every result here")
    parser.add_argument("--quiet", action="store_true", help="no line per failure")
    return parser.parse_args(argv)


def set_environment(mode: str) -> None:
    """Choose chip and memory; to be done before torch is imported."""
    os.environ["SIDRA_CHIP"] = os.environ.get("SIDRA_CHIP", "ideal")
    os.environ["SIDRA_STRICT_MEMORY"] = "1" if mode == "strict" else "0"
    os.environ["SIDRA_FALLBACK"] = "silent"
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["PYTORCH_TEST_WITH_SLOW"] = "1"


def main(argv: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = arguments(argv)
    set_environment(options.mode)
    sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []
    started = time.monotonic()
    results = run(options)
    results.sort(key=lambda result: (DATABASES.index(result["database"]), result["name"],
                                     result["dtype"]))  # fmt: skip
    if options.json:
        write(options, results)
    print(summary(results, time.monotonic() - started))
    return int(any(is_failure(result) for result in results))


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Check every pair that was asked for, with a bar and a line per failure."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
    from tests.torch.children import Children
    from tests.torch.databases import pairs

    types = [name for name in options.dtypes.split(",") if name]
    work = pairs(options.db.split(","), options.ops, types)
    settings = {
        "device": options.device,
        "strict": options.mode == "strict",
        "samples": options.samples,
    }
    children = Children(settings, options.jobs, options.timeout)
    results = []
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), "{task.description}")
    # Drawn by this thread only: another one would not survive the forks.
    with Progress(*columns, auto_refresh=False) as bar:
        task = bar.add_task("", total=len(work))
        for result in children.run(work):
            results.append(result)
            bar.update(task, advance=1, description=result["name"], refresh=True)
            if not bar.console.is_terminal and len(results) % 100 == 0:
                print(f"{len(results)} of {len(work)}", flush=True)
            if is_failure(result) and not options.quiet:
                bar.console.print(
                    failure_lines(result), markup=False, highlight=False, soft_wrap=True
                )
    return results


def is_failure(result: dict[str, Any]) -> bool:
    """Tell whether the device falls short of the CPU."""
    return result["verdict"] not in ("pass", "cpu cannot", "no samples")


def failure_lines(result: dict[str, Any]) -> str:
    """Return one line per finding of a result."""
    return "\n".join(
        f"{found['verdict']:15} {result['name']} [{result['dtype']}] {found['check']}, "
        f"{found['where']} ({found['count']}): {found['message']}"
        for found in result["findings"]
    )


def write(options: argparse.Namespace, results: list[dict[str, Any]]) -> None:
    """Write settings, versions and results as JSON."""
    import torch

    import sidra

    head = {
        "mode": options.mode,
        "samples": options.samples,
        "chip": os.environ["SIDRA_CHIP"],
        "torch": torch.__version__,
        "sidra": sidra.__version__,
    }
    text = json.dumps({**head, "results": results}, indent=1)
    options.json.write_text(text + "\n", encoding="utf-8")


def summary(results: list[dict[str, Any]], seconds: float) -> str:
    """Return one line: how many pairs got which verdict."""
    counts = Counter(result["verdict"] for result in results)
    parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return f"{len(results)} pairs in {seconds:.0f} s: {parts or 'nothing to do'}"


if __name__ == "__main__":
    sys.exit(main())
