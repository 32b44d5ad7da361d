"""BERT-base, eager, on sidra:0 against float32 on the CPU: host time, interleaved in one process.

Random weights from the config, 128 tokens, batch 1, no_grad. The chip is SIDRA_CHIP's, so by
default y1 with its converters.

    python bench/bert_eager.py --threads 1 2
    SIDRA_CHIP=ideal python bench/bert_eager.py --threads 1 2 --bar 1.10   # exact products
"""

from __future__ import annotations

import argparse
import copy
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from transformers import BertConfig, BertModel


def build(layers: int) -> BertModel:
    """BERT-base from its config; the same weights every time."""
    torch.manual_seed(0)
    return BertModel(BertConfig(num_hidden_layers=layers)).eval()


def time_in_turn(
    actions: dict[str, Callable[[], object]], repeats: int
) -> dict[str, dict[str, float]]:
    """Seconds of each action, run in turn so that all see the same machine."""
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for round_ in range(repeats + 2):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            if round_ >= 2:  # two rounds of warm-up
                taken[name].append(time.perf_counter() - start)
    return {
        name: {"best_seconds": min(seconds), "median_seconds": statistics.median(seconds)}
        for name, seconds in taken.items()
    }


def measure(layers: int, tokens: int, threads: list[int], repeats: int) -> list[dict[str, Any]]:
    """Return one row for each number of threads."""
    model = build(layers)
    on_chip = copy.deepcopy(model).to("sidra:0")
    ids = torch.randint(0, 30000, (1, tokens), generator=torch.Generator().manual_seed(1))
    ids_on_chip = ids.to("sidra:0")

    def run_on_chip() -> None:
        on_chip(ids_on_chip)
        torch.sidra.synchronize()

    rows = []
    with torch.no_grad():
        for count in threads:
            torch.set_num_threads(count)
            row = time_in_turn({"cpu": lambda: model(ids), "sidra": run_on_chip}, repeats)
            best = row["sidra"]["best_seconds"] / row["cpu"]["best_seconds"]
            median = row["sidra"]["median_seconds"] / row["cpu"]["median_seconds"]
            rows.append({"threads": count, "ratio_best": best, "ratio_median": median} | row)
    return rows


def main() -> int:
    """Print the ratio and both times; exit status 1 when the ratio is above --bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--bar", type=float, help="greatest ratio of the median times allowed")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = measure(arguments.layers, arguments.tokens, arguments.threads, arguments.repeats)
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        print(
            f"BERT, {arguments.layers} layers, {arguments.tokens} tokens, batch 1, eager, no_grad"
        )
        print("threads  sidra median  CPU f32 median  ratio  (best: sidra, CPU, ratio)")
        for row in rows:
            sidra, cpu = row["sidra"], row["cpu"]
            print(
                f"{row['threads']:7}  {sidra['median_seconds'] * 1e3:9.1f} ms"
                f"  {cpu['median_seconds'] * 1e3:11.1f} ms  {row['ratio_median']:5.3f}"
                f"  ({sidra['best_seconds'] * 1e3:.1f} ms, {cpu['best_seconds'] * 1e3:.1f} ms,"
                f" {row['ratio_best']:.3f})"
            )
    above = arguments.bar is not None and any(r["ratio_median"] > arguments.bar for r in rows)
    return int(above)


if __name__ == "__main__":
    sys.exit(main())
