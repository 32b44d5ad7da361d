"""`sidra demo`: a trained sentence encoder on the simulated chip, beside the CPU in float32."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.progress import Progress

from sidra.cli.sentences import texts

HELP = "run a sentence encoder on sidra:0 and on the CPU, compare results and cost"
BAR = 0.995  # least Spearman correlation of the pairwise similarities
DEVICE = "sidra:0"
TIMED_BATCH = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sidra demo`."""
    parser.add_argument("--sentences", metavar="FILE", help="compare these, one a line")
    parser.add_argument("--threads", type=int, help="threads of the host (default: PyTorch's)")
    parser.add_argument("--report", action="store_true", help="also show what ran where")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison; exit status 1 when the correlation is below the bar."""
    shown = (
        texts.read_sentences(arguments.sentences)
        if arguments.sentences
        else texts.built_in()[: texts.SHOWN]
    )
    progress = Console(stderr=True)
    result = compute(shown, progress, arguments.threads)
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        _print(result, with_report=arguments.report)
    return 0 if result["spearman"] >= BAR else 1


def compute(shown: list[str], console: Console, threads: int | None = None) -> dict[str, Any]:
    """Encode `shown` and the corpus on both devices; return everything that is printed."""
    import torch

    from sidra.cli.sentences.encoder import Encoder
    from sidra.plugin import open_device

    open_device()
    if threads:
        torch.set_num_threads(threads)
    sentences = texts.corpus(shown)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("loading the encoder", total=2 * len(sentences))
        cpu = Encoder.load()
        chip = cpu.to(DEVICE)
        vectors = {}
        for encoder in (cpu, chip):
            bar.update(task, description=f"encoding on {encoder.device}")
            vectors[encoder.device] = encoder.encode(
                sentences, progress=lambda done: bar.advance(task, done)
            )
        bar.update(task, description="measuring")
        measured = _measure(cpu, chip, sentences, len(shown))
    return {"sentences": shown} | _compare(vectors["cpu"], vectors[DEVICE], len(shown)) | measured


def _compare(cpu: Any, chip: Any, shown: int) -> dict[str, Any]:
    from sidra.cli.sentences.compare import nearest, pairwise, similarities, spearman

    of_cpu, of_chip = similarities(cpu), similarities(chip)
    pairs_cpu, pairs_chip = pairwise(of_cpu), pairwise(of_chip)
    return {
        "similarity_cpu": of_cpu[:shown, :shown].tolist(),
        "similarity_sidra": of_chip[:shown, :shown].tolist(),
        "nearest_cpu": nearest(of_cpu[:shown, :shown]),
        "nearest_sidra": nearest(of_chip[:shown, :shown]),
        "corpus": len(cpu),
        "pairs": len(pairs_cpu),
        "spearman": spearman(pairs_cpu, pairs_chip),
        "bar": BAR,
    }


def _measure(cpu: Any, chip: Any, sentences: list[str], shown: int) -> dict[str, Any]:
    from sidra.cli.sentences.measure import chip_cost, host_seconds
    from sidra.report import Report, read_report

    cost = chip_cost(chip, sentences[: max(shown, texts.SHOWN)])
    report = read_report()
    used = report.chips[0]
    programming = Report.from_entries(
        asdict(row) for row in report.rows if row.operator == "sidra::program_weight"
    )
    return {
        "chip": cost,
        "programming": asdict(programming.totals()),
        "chip_name": used.name,
        "crossbars": used.crossbars,
        "crossbars_used": used.crossbars_used,
        "host": [host_seconds(cpu, chip, sentences[:count]) for count in (1, TIMED_BATCH)],
    }


def _print(result: dict[str, Any], *, with_report: bool) -> None:
    from sidra.cli.sentences.view import show
    from sidra.report import Chip, Report

    console = Console()
    show(console, result)
    if with_report:
        recorded = result["chip"]["report"]
        chips = [Chip(**chip) for chip in recorded["chips"]]
        Report.from_entries(recorded["rows"], chips).print()
    if not result["spearman"] >= BAR:  # a NaN is no pass
        console.print(f"[red]The correlation is below {BAR}.[/red]")
