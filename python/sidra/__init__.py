"""sidra: an analog in-memory-computing accelerator as a native PyTorch device.

The device needs no import: `model.to("sidra:0")` works after `import torch`. This module is for
what PyTorch has no word for: what ran where and what it cost (`sidra.report()`), and which chip is
simulated (`sidra.use_chip`). Importing it is cheap and does not import torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidra import report
    from sidra.chip import ChipSpec, preset_names
    from sidra.errors import CapacityError, ConfigurationError, DriverError, SidraError
    from sidra.errors import UnsupportedOperator as UnsupportedOperator
    from sidra.plugin import register_pytorch_backend, use_chip
    from sidra.report import Report, recording, reset_report

__version__ = "0.1.0"

# Where each name is defined; the module is imported at the first use of the name.
_HOMES = {
    "CapacityError": "sidra.errors",
    "ChipSpec": "sidra.chip",
    "ConfigurationError": "sidra.errors",
    "DriverError": "sidra.errors",
    "Report": "sidra.report",
    "SidraError": "sidra.errors",
    "UnsupportedOperator": "sidra.errors",
    "preset_names": "sidra.chip",
    "recording": "sidra.report",
    "register_pytorch_backend": "sidra.plugin",
    "reset_report": "sidra.report",
    "use_chip": "sidra.plugin",
}

__all__ = [
    "CapacityError",
    "ChipSpec",
    "ConfigurationError",
    "DriverError",
    "Report",
    "SidraError",
    "UnsupportedOperator",
    "__version__",
    "preset_names",
    "recording",
    "register_pytorch_backend",
    "report",
    "reset_report",
    "use_chip",
]


def __getattr__(name: str) -> Any:
    if name == "report":  # the package, which can be called
        return import_module("sidra.report")
    if name not in _HOMES:
        raise AttributeError(f"module 'sidra' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
