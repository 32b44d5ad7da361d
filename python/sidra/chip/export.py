r"""Print the presets as rows of a C++ table, `{"name", "key=value\n..."},` one preset a line.

    PYTHONPATH=python python -m sidra.chip.export > presets.inc

The simulator's build reads it, so that the presets are written once. Needs the standard library
only.
"""

from __future__ import annotations

import json

from sidra.chip.load import preset, preset_names


def rows() -> list[str]:
    """One initialiser a preset; the strings are ASCII, so JSON's escapes are C++'s."""
    return [
        f"{{{json.dumps(name)}, {json.dumps(preset(name).to_config())}}},"
        for name in preset_names()
    ]


if __name__ == "__main__":
    print("\n".join(rows()))
