"""The environment variables of sidra: every one, its default, its meaning and its legal values.

Read once when the device is opened. A value that cannot be honoured raises ConfigurationError;
nothing falls back to a default. An empty value counts as unset.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from sidra.errors import ConfigurationError


@dataclass(frozen=True)
class Variable:
    """One environment variable. `choices` is empty where any text or number is legal."""

    name: str
    default: str
    meaning: str
    legal: str
    choices: tuple[str, ...] = ()


def _one_of(name: str, default: str, meaning: str, *choices: str) -> Variable:
    return Variable(name, default, meaning, ", ".join(choices), choices)


VARIABLES = (
    Variable("SIDRA_DRIVER", "sim", "the driver to load", "sim, null, or the path of a library"),
    Variable("SIDRA_CHIP", "y1", "the chip to simulate", "a preset's name, or a .toml path"),
    Variable("SIDRA_DEVICES", "1", "how many devices to offer", "an integer of 1 to 64"),
    _one_of(
        "SIDRA_ISA",
        "",
        "the instruction set of the microkernels; unset: the best this processor has",
        "scalar",
        "avx2",
        "avxvnni",
        "avx512",
        "avx512vnni",
        "amxint8",
    ),
    _one_of(
        "SIDRA_FALLBACK",
        "warn",
        "an operator that runs on the host: warn once each, raise, or only count it",
        "warn",
        "error",
        "silent",
    ),
    _one_of(
        "SIDRA_STRICT_MEMORY", "0", "1: host access to device memory faults, as on a card", "0", "1"
    ),
    _one_of(
        "SIDRA_EVICTION",
        "lru",
        "out of crossbars: evict the least recently used weight, or raise",
        "lru",
        "error",
    ),
    Variable("SIDRA_DUMP", "", "a folder for the IR after each compiler pass", "a path"),
)


@dataclass(frozen=True)
class Settings:
    """The environment, parsed. None: unset and without a default."""

    driver: str
    chip: str
    devices: int
    isa: str | None
    fallback: str
    strict_memory: bool
    eviction: str
    dump: str | None


def read(name: str, environ: Mapping[str, str] | None = None) -> str:
    """Return the checked value of one variable, its default when unset.

    Raises ConfigurationError with variable, value and what would work; KeyError for a name that is
    not in VARIABLES.
    """
    variable = {v.name: v for v in VARIABLES}[name]
    value = (os.environ if environ is None else environ).get(name) or variable.default
    if variable.choices and value and value not in variable.choices:
        raise _refusal(variable, value)
    if name == "SIDRA_DEVICES" and not (value.isdecimal() and 1 <= int(value) <= 64):
        raise _refusal(variable, value)
    return value


def settings(environ: Mapping[str, str] | None = None) -> Settings:
    """All variables of `environ` (default: of the process). Raises ConfigurationError."""
    return Settings(
        driver=read("SIDRA_DRIVER", environ),
        chip=read("SIDRA_CHIP", environ),
        devices=int(read("SIDRA_DEVICES", environ)),
        isa=read("SIDRA_ISA", environ) or None,
        fallback=read("SIDRA_FALLBACK", environ),
        strict_memory=read("SIDRA_STRICT_MEMORY", environ) == "1",
        eviction=read("SIDRA_EVICTION", environ),
        dump=read("SIDRA_DUMP", environ) or None,
    )


def _refusal(variable: Variable, value: str) -> ConfigurationError:
    return ConfigurationError(f"{variable.name}={value!r} is not legal; use {variable.legal}")
