"""Read, verify and print IR: `python -m sidra.ir FILE`. Passes are not run here.

A file may hold several modules between lines `// -----`. With `--expect-errors` each of them must
be refused; the messages are printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sidra.errors import SidraError
from sidra.ir.parser import parse_module
from sidra.ir.printer import module_text
from sidra.ir.verifier import verify

SEPARATOR = "// -----\n"


def main(arguments: list[str]) -> int:
    """Print each module, or what is wrong with it. Return 0 if all is as expected."""
    *options, file = arguments
    expect_errors = options == ["--expect-errors"]
    failures = lines = 0
    for text in Path(file).read_text(encoding="utf-8").split(SEPARATOR):
        before = "\n" * lines  # so that an error names the line of the file
        lines += text.count("\n") + 1
        try:
            module = parse_module(before + text, file)
            verify(module)
        except SidraError as error:
            failures += not expect_errors
            print(f"error: {error}")
        else:
            failures += expect_errors
            print(module_text(module), end="")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
