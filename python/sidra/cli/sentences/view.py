"""The demo's result as tables."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sidra.report.scale import format_joules, format_seconds

MATRIX_LIMIT = 12  # sentences that fit side by side


def show(console: Console, result: dict[str, Any]) -> None:
    """Print everything that the demo found."""
    if len(result["sentences"]) <= MATRIX_LIMIT:
        console.print(_matrix(result))
    console.print(_nearest(result))
    console.print(_figures(result))


def _matrix(result: dict[str, Any]) -> Table:
    table = Table(title="Similarity on sidra / on the CPU in float32", title_justify="left")
    count = len(result["sentences"])
    table.add_column("")
    for column in range(count):
        table.add_column(str(column + 1), justify="right")
    for row in range(count):
        cells = [
            f"{result['similarity_sidra'][row][column]:.2f}\n"
            f"[dim]{result['similarity_cpu'][row][column]:.2f}[/dim]"
            for column in range(count)
        ]
        table.add_row(str(row + 1), *cells)
    return table


def _nearest(result: dict[str, Any]) -> Table:
    table = Table(title="Most similar sentence", title_justify="left")
    for name in ("", "sentence", "most similar on sidra", "sidra", "CPU"):
        table.add_column(name, justify="right" if name in ("sidra", "CPU") else "left")
    sentences = result["sentences"]
    for row, other in enumerate(result["nearest_sidra"]):
        same = other == result["nearest_cpu"][row]
        table.add_row(
            str(row + 1),
            escape(sentences[row]),
            f"{other + 1}: {escape(sentences[other])}"
            + ("" if same else " [yellow](CPU: another)[/]"),
            f"{result['similarity_sidra'][row][other]:.3f}",
            f"{result['similarity_cpu'][row][other]:.3f}",
        )
    return table


def _figures(result: dict[str, Any]) -> Table:
    cost, chip = result["chip"], result["chip_name"]
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row(
        "Spearman correlation with CPU float32",
        f"{result['spearman']:.4f} over {result['pairs']:,} pairs of "
        f"{result['corpus']} sentences (at least {result['bar']})",
    )
    table.add_row(f"chip time a sentence ({chip})", format_seconds(cost["chip_seconds"]))
    table.add_row(
        "chip energy a sentence",
        f"{format_joules(cost['joules'])}, sum of the parts; "
        f"{format_joules(cost['datasheet_joules'])}, data sheet's power x time",
    )
    table.add_row(
        "programming, once",
        f"{format_seconds(result['programming']['chip_seconds'])}, "
        f"{format_joules(result['programming']['joules'])}",
    )
    table.add_row("crossbars used", f"{result['crossbars_used']:,} of {result['crossbars']:,}")
    for host in result["host"]:
        table.add_row(
            f"host time, {host['sentences']:.0f} sentence(s)",
            f"{format_seconds(host['sidra'])} on sidra, "
            f"{format_seconds(host['cpu_float32'])} on the CPU in float32 "
            f"({host['sidra'] / host['cpu_float32']:.2f} x)",
        )
    return table
