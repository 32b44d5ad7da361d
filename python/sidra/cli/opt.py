"""`sidra opt`: passes over a file of IR."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sidra import passes
from sidra.ir.parser import parse_module
from sidra.ir.pass_manager import PassManager, Statistics
from sidra.ir.printer import module_text

HELP = "run compiler passes over a file of IR"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sidra opt`."""
    parser.add_argument("file", nargs="?", help="a .sir file, or - for standard input")
    parser.add_argument("-p", "--passes", default="", help="names, comma-separated, in order")
    parser.add_argument("-o", "--output", type=Path, help="write the IR here, not to the screen")
    parser.add_argument("--dump", type=Path, help="a folder for the IR after each pass")
    parser.add_argument("--statistics", action="store_true", help="say what each pass did")
    parser.add_argument("--json", action="store_true", help="print statistics as JSON, no IR")
    parser.add_argument("--list", action="store_true", help="list the passes")


def run(arguments: argparse.Namespace) -> int:
    """Print the IR after the passes. Raises ParseError, VerifyError, PassError, OSError."""
    if arguments.list:
        print_list()
        return 0
    if arguments.file is None:
        raise ValueError("give a .sir file, - for standard input, or --list")
    source = "<stdin>" if arguments.file == "-" else arguments.file
    text = sys.stdin.read() if arguments.file == "-" else Path(source).read_text(encoding="utf-8")
    module = parse_module(text, source)
    chosen = [passes.find(name) for name in arguments.passes.split(",") if name]
    dump = str(arguments.dump) if arguments.dump else None
    statistics = PassManager(chosen, dump).run(module)
    if arguments.json:
        print(json.dumps([asdict(each) for each in statistics], indent=2))
    elif arguments.output is None:
        sys.stdout.write(module_text(module))
    if arguments.output is not None:
        arguments.output.write_text(module_text(module), encoding="utf-8")
    if arguments.statistics and not arguments.json:
        Console(stderr=True, soft_wrap=True).print(statistics_table(statistics))
    return 0


def print_list() -> None:
    """Print each pass with the first line of what it says of itself."""
    for name in passes.names():
        summary = (type(passes.find(name)).__doc__ or "").strip().splitlines()[0]
        print(f"{name:22} {summary}")


def statistics_table(statistics: list[Statistics]) -> Table:
    """Return a table with a row for each pass."""
    table = Table()
    for name in ("pass", "rounds", "ops before", "after", "host seconds", "did"):
        table.add_column(name)
    for each in statistics:
        did = ", ".join(f"{count} {what}" for what, count in each.counts.items())
        row = (each.rounds, each.ops_before, each.ops_after, f"{each.host_seconds:.4f}")
        table.add_row(each.name, *map(str, row), did)
    return table
