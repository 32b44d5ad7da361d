"""Calls as attributes, and back."""

from __future__ import annotations

import pytest
import torch

from sidra.errors import UnsupportedOperator
from sidra.frontend.calls import decode_argument, encode_call, find_operator, operator_name
from sidra.ir.builder import function_builder
from sidra.ir.dims import symbol
from sidra.ir.types import tensor

ATEN = torch.ops.aten


@pytest.fixture
def values():
    function, _ = function_builder("main", [tensor("f32[2, s0]")] * 2)
    return function.arguments


@pytest.mark.parametrize("operator", [ATEN.add.Tensor, ATEN.relu.default, ATEN.sort.stable])
def test_names_are_the_dispatchers(operator):
    assert find_operator(operator_name(operator)) is operator


def test_defaults_are_filled_in(values):
    operands, attributes = encode_call(ATEN.add.Tensor, values, {})
    assert operands == list(values)
    assert attributes == {"operator": "aten::add.Tensor", "arguments": ("$0", "$1", 1)}


def test_every_kind_comes_back(values):
    device = torch.device("sidra:0")
    kwargs = {
        "dtype": torch.float64,
        "layout": torch.strided,
        "device": device,
        "memory_format": torch.channels_last,
    }
    _, attributes = encode_call(ATEN._to_copy.default, values[:1], kwargs)
    decoded = [
        decode_argument(entry, lambda index: f"tensor {index}", lambda size: 9, device)
        for entry in attributes["arguments"]
    ]
    assert decoded == ["tensor 0", torch.float64, torch.strided, device, None, False,
                       torch.channels_last]  # fmt: skip


def test_lists_sizes_strings_and_other_devices(values):
    cpu = torch.device("cpu")
    _, attributes = encode_call(ATEN.cat.default, [list(values), 1], {})
    assert attributes["arguments"] == (("$0", "$1"), 1)
    _, attributes = encode_call(ATEN.view.default, [values[0], [symbol("s0"), -1]], {})
    assert decode_argument(attributes["arguments"][1], str, lambda d: 5, cpu) == [5, -1]
    _, attributes = encode_call(ATEN.gelu.default, values[:1], {"approximate": "tanh"})
    assert decode_argument(attributes["arguments"][1], str, int, cpu) == "tanh"
    _, attributes = encode_call(ATEN._to_copy.default, values[:1], {"device": cpu})
    assert decode_argument(attributes["arguments"][3], str, int, torch.device("sidra")) == cpu


def test_an_argument_that_cannot_be_kept_is_named(values):
    with pytest.raises(UnsupportedOperator, match=r"aten::add\.Tensor: .* the argument .*, a set"):
        encode_call(ATEN.add.Tensor, [values[0], {1}], {})
