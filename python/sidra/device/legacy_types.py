"""Types of the old tensor API, as `Tensor.type()` names them: torch.sidra.FloatTensor, ..."""

from __future__ import annotations

from typing import Any

import torch

from sidra.device._utils import DEVICE_TYPE


class _LegacyType(type):
    """A name for one dtype on this device. It has no instances; a tensor may count as one."""

    dtype: torch.dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, torch.Tensor)
            and instance.device.type == DEVICE_TYPE
            and instance.dtype == cls.dtype
        )

    def __call__(cls, *arguments: Any) -> torch.Tensor:
        """Return a tensor made as torch's type of that name would make it on the CPU."""
        made: torch.Tensor = getattr(torch, cls.__name__.rsplit(".", 1)[1])(*arguments)
        return made.to(DEVICE_TYPE)

    def __repr__(cls) -> str:
        return f"<class '{cls.__name__}'>"


def _legacy_type(name: str, dtype: torch.dtype) -> _LegacyType:
    # Tensor.type() reads the name alone, so it is a full one.
    return _LegacyType(f"torch.{DEVICE_TYPE}.{name}", (), {"dtype": dtype})


BFloat16Tensor = _legacy_type("BFloat16Tensor", torch.bfloat16)
BoolTensor = _legacy_type("BoolTensor", torch.bool)
ByteTensor = _legacy_type("ByteTensor", torch.uint8)
CharTensor = _legacy_type("CharTensor", torch.int8)
DoubleTensor = _legacy_type("DoubleTensor", torch.float64)
FloatTensor = _legacy_type("FloatTensor", torch.float32)
HalfTensor = _legacy_type("HalfTensor", torch.float16)
IntTensor = _legacy_type("IntTensor", torch.int32)
LongTensor = _legacy_type("LongTensor", torch.int64)
ShortTensor = _legacy_type("ShortTensor", torch.int16)
