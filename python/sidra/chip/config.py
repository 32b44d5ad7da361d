"""The configuration text of a driver, from the environment."""

from __future__ import annotations

from collections.abc import Mapping

from sidra import env
from sidra.chip.load import load
from sidra.chip.spec import ChipSpec


def driver_config(environ: Mapping[str, str] | None = None, chip: ChipSpec | None = None) -> str:
    """Lines `key=value` for `instance_create`: the chip's fields, `devices` and `memory`.

    `chip` stands in for SIDRA_CHIP. Raises ConfigurationError for a bad variable, preset or chip
    file.
    """
    settings = env.settings(environ)
    memory = "strict" if settings.strict_memory else "coherent"
    spec = chip or load(settings.chip)
    return f"{spec.to_config()}devices={settings.devices}\nmemory={memory}\n"
