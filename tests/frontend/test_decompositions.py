"""What is taken apart before the compiler sees it."""

from __future__ import annotations

import pytest
import torch

from sidra.frontend import importers
from sidra.frontend.decompositions import KEPT, decompositions

ATEN = torch.ops.aten


@pytest.mark.parametrize("operator", [ATEN.addmm, ATEN.mv, ATEN.gelu, ATEN._softmax, ATEN.split])
def test_what_the_compiler_has_whole_is_kept(operator):
    assert operator.default not in decompositions()


def test_others_are_taken_apart():
    assert ATEN.addcdiv.default in decompositions()


def test_names_that_are_kept_exist():
    assert [name for name in KEPT if not hasattr(ATEN, name)] == []


def test_importers_are_of_operators_that_exist():
    for name in importers.names():
        namespace, packet, overload = name.split(".")
        found = getattr(torch.ops, namespace)
        assert hasattr(found, packet), name
        assert overload
