"""Mixed precision, under the names of torch.cuda.amp."""

from __future__ import annotations

import functools
from typing import Any

import torch

from sidra.device._utils import DEVICE_TYPE

custom_fwd = functools.partial(torch.amp.custom_fwd, device_type=DEVICE_TYPE)
custom_bwd = functools.partial(torch.amp.custom_bwd, device_type=DEVICE_TYPE)


class autocast(torch.amp.autocast):
    """`torch.autocast("sidra")`: run matrix products in `dtype`, float16 unless set otherwise."""

    def __init__(
        self,
        enabled: bool = True,
        dtype: torch.dtype | None = None,
        cache_enabled: bool | None = None,
    ) -> None:
        super().__init__(DEVICE_TYPE, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    """`torch.amp.GradScaler("sidra")`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(DEVICE_TYPE, *args, **kwargs)
