"""What an operator costs on sidra:0 beside its work: an 8 x 8 add against the same on the CPU.

Batches of calls on both devices take turns; the figures are medians over the batches.

    python bench/dispatch.py
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from typing import Any

import torch


def seconds_a_call(left: Any, right: Any, calls: int) -> float:
    """Mean of one batch of adds."""
    start = time.perf_counter()
    for _ in range(calls):
        left + right
    return (time.perf_counter() - start) / calls


def measure(batches: int, calls: int) -> dict[str, float]:
    """Return seconds a call on each device, and the median of their differences."""
    torch.set_num_threads(1)
    cpu = torch.ones(8, 8), torch.ones(8, 8)
    chip = cpu[0].to("sidra:0"), cpu[1].to("sidra:0")
    taken: dict[str, list[float]] = {"cpu": [], "sidra": []}
    with torch.no_grad():
        for operands in (cpu, chip):
            seconds_a_call(*operands, calls)  # warm-up
        for _ in range(batches):
            taken["cpu"].append(seconds_a_call(*cpu, calls))
            taken["sidra"].append(seconds_a_call(*chip, calls))
    dearer = [b - a for a, b in zip(taken["cpu"], taken["sidra"], strict=True)]
    return {
        "cpu_seconds": statistics.median(taken["cpu"]),
        "sidra_seconds": statistics.median(taken["sidra"]),
        "dearer_seconds": statistics.median(dearer),
    }


def main() -> int:
    """Print both times and their difference; exit status 1 when it is above --bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--bar", type=float, help="greatest difference allowed, in seconds")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    row = measure(arguments.batches, arguments.calls)
    if arguments.json:
        print(json.dumps(row, indent=2))
    else:
        print(
            f"8 x 8 add: {row['sidra_seconds'] * 1e6:.2f} us on sidra:0, "
            f"{row['cpu_seconds'] * 1e6:.2f} us on the CPU; "
            f"dearer by {row['dearer_seconds'] * 1e6:.2f} us"
        )
    return int(arguments.bar is not None and row["dearer_seconds"] > arguments.bar)


if __name__ == "__main__":
    sys.exit(main())
