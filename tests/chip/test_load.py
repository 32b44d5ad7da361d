"""Presets and chip files."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidra.chip import ChipSpec, load, preset, preset_names
from sidra.errors import ConfigurationError


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_presets_are_the_modules() -> None:
    assert preset_names() == ["ideal", "tiny", "y1", "y10"]


@pytest.mark.parametrize("name", ["ideal", "tiny", "y1", "y10"])
def test_preset_bears_its_name(name: str) -> None:
    assert preset(name).name == name
    assert load(name) == preset(name)


def test_y1_is_the_record_of_defaults() -> None:
    assert preset("y1") == ChipSpec()


def test_y10_has_the_stated_multiple_of_cells() -> None:
    assert preset("y10").cells == 2_480 * preset("y1").cells


def test_unknown_preset_lists_the_known() -> None:
    with pytest.raises(ConfigurationError, match=r"no chip preset 'y2'; there are ideal, tiny, y1"):
        load("y2")


def test_file_overrides_its_preset(tmp_path: Path) -> None:
    spec = load(write(tmp_path, 'preset = "tiny"\nadc_bits = 6\n'))
    assert (spec.name, spec.crossbar_rows, spec.adc_bits) == ("mine", 8, 6)


def test_file_without_preset_starts_from_y1(tmp_path: Path) -> None:
    assert load(write(tmp_path, "")).crossbars == 6_400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("adc_bit = 6", "no chip field adc_bit; did you mean adc_bits?"),
        ("zzz = 6", "no chip field zzz; fields are name, clusters"),
        ("adc_bits = 60", "chip field adc_bits = 60: must be an integer of 0 to 16 bits"),
        ("preset = 3", "preset = 3: must be the name of a preset"),
        ("preset = 'y2'", "no chip preset 'y2'"),
        ("adc_bits =", "mine.toml"),
    ],
)
def test_refused_file_is_named(tmp_path: Path, text: str, expected: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert expected in str(caught.value)


def test_missing_file_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"chip file none\.toml"):
        load("none.toml")
