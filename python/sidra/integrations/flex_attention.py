"""FlexAttention: the device is one of those that it runs on.

It accepts devices from a list of names, and computes with ordinary operators on each of them.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from sidra.integrations.insides import replace


def install(module: ModuleType) -> None:
    """Let queries, keys and values lie on the device."""
    replace(module, "_validate_device", ("query", "key", "value"), _validate)


def _validate(original: Any) -> Any:
    def validate(query: Any, key: Any, value: Any) -> None:
        if query.device.type != "sidra":
            original(query, key, value)

    return validate
