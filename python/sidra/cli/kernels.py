"""`sidra kernels`: the microkernels of each family, and which one runs."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rich.console import Console
from rich.table import Table

from sidra.errors import DriverError

HELP = "list the microkernels and which of them would run here"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sidra kernels`."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print one row per microkernel."""
    from sidra.plugin import open_device

    description: dict[str, Any] = json.loads(open_device().driver_describe() or "{}")
    if "microkernels" not in description:
        raise DriverError("this driver does not say which microkernels it has")
    if arguments.json:
        print(json.dumps(description, indent=2))
        return 0
    Console(soft_wrap=True).print(build_table(description))
    return 0


def build_table(description: dict[str, Any]) -> Table:
    """Return the table of a driver's description."""
    table = Table(title=f"instruction set in use: {description['isa']}", title_justify="left")
    for name in ("family", "microkernel", "needs", "here", "runs"):
        table.add_column(name)
    for row in description["microkernels"]:
        here = "yes" if row["supported"] else "no"
        runs = "*" if row["selected"] else ""
        table.add_row(row["family"], row["name"], row["isa"], here, runs)
    return table
