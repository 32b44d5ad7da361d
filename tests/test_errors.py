"""The exception tree."""

from __future__ import annotations

import inspect

import pytest

from sidra import errors

CLASSES = [value for _, value in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize("error", CLASSES)
def test_one_except_catches_all(error: type[Exception]) -> None:
    with pytest.raises(errors.SidraError, match="why"):
        raise error("why")


def test_bad_setting_is_a_value_error() -> None:
    assert issubclass(errors.ConfigurationError, ValueError)
