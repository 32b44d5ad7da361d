"""The environment variables: table, defaults, refusals."""

from __future__ import annotations

import pytest

from sidra import env
from sidra.errors import ConfigurationError


def test_fewer_than_ten_and_each_told() -> None:
    assert len(env.VARIABLES) < 10
    assert all(v.name.startswith("SIDRA_") and v.meaning and v.legal for v in env.VARIABLES)


def test_defaults() -> None:
    assert env.settings({}) == env.Settings("sim", "y1", 1, None, "warn", False, "lru", None)


def test_reads_every_variable() -> None:
    environ = {
        "SIDRA_DRIVER": "/opt/chip.so",
        "SIDRA_CHIP": "mine.toml",
        "SIDRA_DEVICES": "4",
        "SIDRA_ISA": "avx2",
        "SIDRA_FALLBACK": "error",
        "SIDRA_STRICT_MEMORY": "1",
        "SIDRA_EVICTION": "error",
        "SIDRA_DUMP": "/tmp/ir",
    }
    assert set(environ) == {v.name for v in env.VARIABLES}
    expected = env.Settings(
        "/opt/chip.so", "mine.toml", 4, "avx2", "error", True, "error", "/tmp/ir"
    )
    assert env.settings(environ) == expected


def test_empty_value_is_unset() -> None:
    assert env.read("SIDRA_FALLBACK", {"SIDRA_FALLBACK": ""}) == "warn"


@pytest.mark.parametrize(
    ("name", "value", "works"),
    [
        ("SIDRA_DEVICES", "0", "an integer of 1 to 64"),
        ("SIDRA_DEVICES", "two", "an integer of 1 to 64"),
        ("SIDRA_ISA", "sse", "scalar, avx2, avxvnni, avx512, avx512vnni, amxint8"),
        ("SIDRA_FALLBACK", "quiet", "warn, error, silent"),
        ("SIDRA_STRICT_MEMORY", "yes", "0, 1"),
        ("SIDRA_EVICTION", "fifo", "lru, error"),
    ],
)
def test_refusal_names_variable_value_and_what_works(name: str, value: str, works: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        env.settings({name: value})
    assert str(caught.value) == f"{name}={value!r} is not legal; use {works}"


def test_unknown_variable_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        env.read("SIDRA_COLOUR", {})
