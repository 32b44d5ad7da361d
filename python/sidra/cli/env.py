"""`sidra env`: the environment variables, what they mean and what is set."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from sidra.env import VARIABLES, settings

HELP = "list the environment variables: meaning, legal values, what is set"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sidra env`."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the variables; a value that is not legal is an error."""
    rows = [{**asdict(variable), "set": os.environ.get(variable.name)} for variable in VARIABLES]
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        table = Table()
        for name in ("variable", "set to", "default", "legal", "meaning"):
            table.add_column(name, overflow="fold")
        for row in rows:
            current = row["set"]
            shown = "-" if current is None else str(current)
            table.add_row(row["name"], shown, row["default"] or "-", row["legal"], row["meaning"])
        Console().print(table)
    settings()
    return 0
