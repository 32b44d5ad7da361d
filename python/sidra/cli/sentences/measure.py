"""Host time on both devices, interleaved, and what one sentence costs on the chip."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import sidra
from sidra.cli.sentences.encoder import Encoder


def best_host_seconds(
    actions: Sequence[Callable[[], object]], repeats: int = 7, warmups: int = 2
) -> list[float]:
    """Run the actions in turn, so that all see the same machine; the best time of each."""
    best = [float("inf")] * len(actions)
    for round_ in range(warmups + repeats):
        for index, action in enumerate(actions):
            start = time.perf_counter()
            action()
            elapsed = time.perf_counter() - start
            if round_ >= warmups:
                best[index] = min(best[index], elapsed)
    return best


def chip_cost(encoder: Encoder, sentences: Sequence[str]) -> dict[str, Any]:
    """Mean cost of one sentence alone, weights in their crossbars, and what ran where."""
    with sidra.recording() as recorded:
        for sentence in sentences:
            encoder.encode([sentence])
    totals = recorded.report.totals()
    return {
        "sentences": len(sentences),
        "chip_seconds": totals.chip_seconds / len(sentences),
        "joules": totals.joules / len(sentences),
        "datasheet_joules": totals.datasheet_joules / len(sentences),
        "report": recorded.report.to_dict(),
    }


def host_seconds(cpu: Encoder, chip: Encoder, sentences: Sequence[str]) -> dict[str, float]:
    """Wall-clock of encoding `sentences` as one batch on each device."""
    on_cpu, on_chip = best_host_seconds(
        [
            lambda: cpu.encode(sentences, len(sentences)),
            lambda: chip.encode(sentences, len(sentences)),
        ]
    )
    return {"sentences": len(sentences), "cpu_float32": on_cpu, "sidra": on_chip}
