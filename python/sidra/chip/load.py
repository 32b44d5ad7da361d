"""Chips by name, `load("y1")`, or from a file, `load("mine.toml")`.

The file names the preset it starts from (y1 when absent) and the fields that differ:

    preset = "y1"
    adc_bits = 6
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from sidra.chip import presets
from sidra.chip.spec import ChipSpec
from sidra.errors import ConfigurationError


def preset_names() -> list[str]:
    """Every preset: the modules of `sidra.chip.presets`, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(presets.__path__))


def preset(name: str) -> ChipSpec:
    """Return the preset `name`. Raises ConfigurationError with the names there are."""
    if name not in preset_names():
        raise ConfigurationError(
            f"no chip preset {name!r}; there are {', '.join(preset_names())}, "
            "or the path of a .toml file"
        )
    spec = importlib.import_module(f"sidra.chip.presets.{name}").SPEC
    assert isinstance(spec, ChipSpec)
    return spec


def load(name_or_path: str | Path) -> ChipSpec:
    """Return a preset by name, or the chip that a .toml file describes.

    Raises ConfigurationError for an unknown preset, an unreadable file, an unknown field and a
    value outside its legal range.
    """
    text = str(name_or_path)
    return _load_toml(Path(text)) if text.endswith(".toml") else preset(text)


def _load_toml(path: Path) -> ChipSpec:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"chip file {path}: {error}") from error
    try:
        return _from_table({"name": path.stem, **table})
    except ConfigurationError as error:
        raise ConfigurationError(f"chip file {path}: {error}") from error


def _from_table(table: Mapping[str, Any]) -> ChipSpec:
    base = table.get("preset", "y1")
    if not isinstance(base, str):
        raise ConfigurationError(f"preset = {base!r}: must be the name of a preset")
    overrides = {key: value for key, value in table.items() if key != "preset"}
    known = [field.name for field in fields(ChipSpec)]
    for key in overrides:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; fields are {', '.join(known)}"
            raise ConfigurationError(f"no chip field {key}{hint}")
    return replace(preset(base), **overrides)
