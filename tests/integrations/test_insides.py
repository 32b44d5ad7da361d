from __future__ import annotations

from types import SimpleNamespace

import pytest

from sidra.integrations.insides import UnknownInsides, replace


class Library:
    @property
    def size(self):
        return 1

    @staticmethod
    def name():
        return "a"

    def method(self, first, second=2):
        """Say what it does."""
        return first + second


def twice(original):
    return lambda *positional: original(*positional) * 2


def test_function_is_replaced_and_keeps_its_face() -> None:
    class Copy(Library):
        method = Library.method

    replace(Copy, "method", ("self", "first"), twice)
    assert Copy().method(3) == 10
    assert Copy.method.__doc__ == "Say what it does."
    assert Library().method(3) == 5


def test_property_and_static_method_stay_what_they_are() -> None:
    class Copy:
        size = Library.__dict__["size"]
        name = Library.__dict__["name"]

    replace(Copy, "size", ("self",), twice)
    replace(Copy, "name", (), twice)
    assert (Copy().size, Copy.name(), Copy().name()) == (2, "aa", "aa")


def test_missing_function_is_refused() -> None:
    with pytest.raises(UnknownInsides, match=r"there is no library\.method"):
        replace(SimpleNamespace(__name__="library"), "method", (), twice)


def test_other_parameters_are_refused() -> None:
    expected = (
        r"Library\.method has the parameters \('self', 'first', 'second'\), not \('self', 'x'\)"
    )
    with pytest.raises(UnknownInsides, match=expected):
        replace(Library, "method", ("self", "x"), twice)
