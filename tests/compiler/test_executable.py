"""The dataclasses between compile time and run time."""

from __future__ import annotations

import dataclasses

import pytest

from sidra.compiler.executable import ARENA, Buffer, Executable, Operand
from sidra.ir.types import tensor


def test_operands_are_values():
    a = Operand(Buffer(ARENA, 0), tensor("f32[2, s0]"), 0, (1, 1))
    assert a == dataclasses.replace(a)
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.offset = 3


def test_an_empty_executable_has_nothing():
    empty = Executable()
    assert [empty.steps, empty.results, empty.arena, empty.constants] == [[], [], [], []]
