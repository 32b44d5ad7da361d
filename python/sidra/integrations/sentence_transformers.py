"""sentence-transformers: `SentenceTransformer(...)` without a device takes the accelerator."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

import torch

from sidra.integrations.insides import accelerator_index, replace


def install(environment: ModuleType) -> None:
    """Let `get_device_name`, where it finds nothing but the CPU, name the device."""

    def make(original: Any) -> Any:
        def get_device_name() -> str:
            name: str = original()
            if name != "cpu" or accelerator_index() is None:
                return name
            rank = int(os.environ.get("LOCAL_RANK", accelerator_index() or 0))
            return f"sidra:{rank % torch.sidra.device_count()}"

        return get_device_name

    replace(environment, "get_device_name", (), make)
