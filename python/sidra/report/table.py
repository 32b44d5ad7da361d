"""A report as a table for people."""

from __future__ import annotations

import io

from rich.box import SIMPLE
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from sidra.report.record import Report, Row
from sidra.report.scale import format_bytes, format_joules, format_seconds

_STYLES = {"crossbar": "green", "compute_engine": "cyan", "host": "yellow"}
_WIDTH = 110  # of text that is not for a terminal


def render_report(report: Report) -> str:
    """Return the table as plain text."""
    out = io.StringIO()
    Console(file=out, width=_WIDTH, color_system=None).print(_layout(report))
    return out.getvalue().rstrip("\n")


def print_report(report: Report) -> None:
    """Write the table to standard output, in colour on a terminal."""
    Console().print(_layout(report))


def _layout(report: Report) -> RenderableType:
    if not report.rows:
        return Group(Text("Nothing has run on a sidra device."), *_chip_lines(report))
    return Group(_table(report), *_chip_lines(report), *_fallback_lines(report))


def _table(report: Report) -> Table:
    table = Table(
        title="What ran where",
        title_justify="left",
        show_footer=True,
        box=SIMPLE,
        collapse_padding=True,
    )
    totals = report.totals()
    table.add_column("operator", footer="total", overflow="fold")
    table.add_column("place", no_wrap=True)
    for name, footer in (
        ("calls", f"{totals.calls:,}"),
        ("chip\ntime", format_seconds(totals.chip_seconds)),
        ("energy", format_joules(totals.joules)),
        ("energy,\ndata sheet", format_joules(totals.datasheet_joules)),
        ("moved", format_bytes(totals.bytes_moved)),
    ):
        table.add_column(name, footer=footer, justify="right", no_wrap=True)
    for row in report.rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: Row) -> tuple[str | Text, ...]:
    return (
        Text(row.operator),
        Text(row.place.replace("_", " "), style=_STYLES.get(row.place, "")),
        f"{row.calls:,}",
        format_seconds(row.chip_seconds),
        format_joules(row.joules),
        format_joules(row.datasheet_joules),
        format_bytes(row.bytes_moved),
    )


def _chip_lines(report: Report) -> list[Text]:
    return [
        Text(
            f"{chip.device} ({chip.name}): crossbars used "
            f"{chip.crossbars_used:,} of {chip.crossbars:,}"
        )
        for chip in report.chips
    ]


def _fallback_lines(report: Report) -> list[Text]:
    if not report.fallbacks:
        return [Text("No operator fell back to the host.")]
    lines = [Text("Fell back to the host:")]
    for row in report.fallbacks:
        lines.append(Text(f"  {row.operator} ({row.calls:,} calls): {row.reason}"))
    return lines
