"""The chip's description: structure, converters, time and energy, and the presets by name."""

from sidra.chip.config import driver_config
from sidra.chip.load import load, preset, preset_names
from sidra.chip.spec import ChipSpec

__all__ = ["ChipSpec", "driver_config", "load", "preset", "preset_names"]
