"""The configuration text of a driver, from the environment."""

from __future__ import annotations

from collections.abc import Mapping

from sidra import env
from sidra.chip.load import load


def driver_config(environ: Mapping[str, str] | None = None) -> str:
    """Lines `key=value` for `instance_create`: the chip's fields, `devices` and `memory`.

    Raises ConfigurationError for a bad variable, preset or chip file.
    """
    settings = env.settings(environ)
    memory = "strict" if settings.strict_memory else "coherent"
    return f"{load(settings.chip).to_config()}devices={settings.devices}\nmemory={memory}\n"
