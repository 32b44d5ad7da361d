"""Finds the subcommand, runs it, and turns what goes wrong into one sentence."""

from __future__ import annotations

import argparse
import os
import pkgutil
import sys
from collections.abc import Sequence
from importlib import import_module

from sidra import __version__, cli

EXIT_ERROR = 2


def subcommand_names() -> list[str]:
    """Every module of sidra.cli but this one; packages hold the parts of a subcommand."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(cli.__path__)
        if not module.ispkg and module.name != "main"
    )


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    parser = argparse.ArgumentParser(
        prog="sidra", description="An analog in-memory-computing accelerator for PyTorch."
    )
    parser.add_argument("--version", action="version", version=f"sidra {__version__}")
    parser.add_argument(
        "--traceback", action="store_true", help="show where an error was raised, not its text only"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in subcommand_names():
        module = import_module(f"sidra.cli.{name}")
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, what the subcommand says, or 2 for an error."""
    arguments = build_parser().parse_args(argv)
    try:
        status = int(arguments.run(arguments))
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader, `head` say, had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_ERROR
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if arguments.traceback:
            raise
        print(f"sidra: {_sentence(error)}", file=sys.stderr)
        return EXIT_ERROR


def _sentence(error: Exception) -> str:
    # PyTorch appends a C++ stack to the first line of its messages.
    text = str(error).strip().split("\n", maxsplit=1)[0]
    if isinstance(error, ModuleNotFoundError):
        return f"{text}; install it with pip install 'sidra[demo]'"
    return text or type(error).__name__
