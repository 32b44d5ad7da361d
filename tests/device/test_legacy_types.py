"""The old API of types: torch.sidra.FloatTensor and Tensor.type()."""

from __future__ import annotations

import pytest
import torch

NAMES = [
    ("BFloat16Tensor", torch.bfloat16),
    ("BoolTensor", torch.bool),
    ("ByteTensor", torch.uint8),
    ("CharTensor", torch.int8),
    ("DoubleTensor", torch.float64),
    ("FloatTensor", torch.float32),
    ("HalfTensor", torch.float16),
    ("IntTensor", torch.int32),
    ("LongTensor", torch.int64),
    ("ShortTensor", torch.int16),
]


@pytest.mark.parametrize(("name", "dtype"), NAMES)
def test_type_is_what_tensors_call_themselves(device, name: str, dtype: torch.dtype) -> None:
    kind = getattr(device, name)
    x = torch.ones(2, device="sidra", dtype=dtype)
    assert x.type() == f"torch.sidra.{name}"
    assert repr(kind) == f"<class '{x.type()}'>"
    assert isinstance(x, kind)
    assert not isinstance(x.cpu(), kind)
    assert not isinstance(1, kind)
    for asked in (kind, f"torch.sidra.{name}"):
        converted = torch.ones(2).type(asked)
        assert (converted.device, converted.dtype) == (x.device, dtype)


def test_types_make_tensors(device) -> None:
    assert device.FloatTensor([1, 2]).tolist() == [1, 2]
    assert device.LongTensor(2, 3).shape == (2, 3)
    assert device.LongTensor(2, 3).device.type == "sidra"


def test_type_of_another_tensor(device) -> None:
    x = torch.ones(2).type_as(torch.ones(1, device="sidra", dtype=torch.half))
    assert (x.device.type, x.dtype) == ("sidra", torch.half)


def test_default_type_cannot_be_of_the_device(device) -> None:
    with pytest.raises(TypeError, match="invalid type object"):
        torch.set_default_tensor_type("torch.sidra.FloatTensor")
