"""Sizes and types."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from sidra.errors import UnsupportedOperator
from sidra.frontend.symbols import dimension, tensor_type
from sidra.ir import dims


def symbolic():
    mode = FakeTensorMode(shape_env=ShapeEnv())
    fake = mode.from_tensor(torch.empty(6, 10))
    return fake.shape


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: a + 3,
        lambda a, b: a * b * 2 - a,
        lambda a, b: (a + 1) // 2,
        lambda a, b: (a * b) % 4,
        lambda a, b: a * a,
    ],
)
def test_expressions(make):
    a, b = symbolic()
    found = dimension(make(a, b))
    values = {str(a.node.expr): 6, str(b.node.expr): 10}
    assert dims.evaluate(found, values) == make(6, 10)


def test_integers_are_themselves():
    assert dimension(7) == 7


def test_types_of_tensors():
    assert str(tensor_type(torch.empty(2, 3, dtype=torch.bfloat16))) == "bf16[2, 3]"
    with pytest.raises(UnsupportedOperator, match=r"tensor of torch\.float8_e4m3fn"):
        tensor_type(torch.empty(2, dtype=torch.float8_e4m3fn))
    with pytest.raises(UnsupportedOperator, match=r"torch\.sparse_coo"):
        tensor_type(torch.eye(2).to_sparse())
