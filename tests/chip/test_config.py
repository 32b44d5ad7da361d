"""The driver's configuration text."""

from __future__ import annotations

import pytest

from sidra.chip import driver_config, preset
from sidra.errors import ConfigurationError


def test_default_is_one_coherent_y1() -> None:
    assert driver_config({}) == preset("y1").to_config() + "devices=1\nmemory=coherent\n"


def test_follows_the_environment() -> None:
    text = driver_config({"SIDRA_CHIP": "tiny", "SIDRA_DEVICES": "2", "SIDRA_STRICT_MEMORY": "1"})
    assert text == preset("tiny").to_config() + "devices=2\nmemory=strict\n"


def test_unknown_chip_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no chip preset 'y2'"):
        driver_config({"SIDRA_CHIP": "y2"})
