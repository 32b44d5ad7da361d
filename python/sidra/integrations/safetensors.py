"""safetensors: files opened with `device="sidra"`, which its native code knows no way to.

`safetensors.safe_open`, and with it `load_file` and `load_model`, is replaced by a class that opens
the file for the CPU and moves each tensor as it is asked for. For any other device it is the
library's own. Saving needs nothing: the library copies device tensors to the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch

from sidra.integrations.insides import UnknownInsides, accelerator_index

METHODS = ("get_slice", "get_tensor", "get_tensors", "keys", "metadata", "offset_keys")


def install(safetensors: ModuleType) -> None:
    """Replace `safe_open`. Raises UnknownInsides if it offers other methods than METHODS."""
    original = getattr(safetensors, "safe_open", None)
    public = {name for name in dir(original) if not name.startswith("_")}
    if original is None or not public >= set(METHODS):
        raise UnknownInsides(f"safe_open offers {sorted(public)}, not {list(METHODS)}")
    safetensors.safe_open = make_safe_open(original)  # type: ignore[attr-defined]


def make_safe_open(original: Any) -> type:
    """Return the class that stands in for the library's `safe_open`."""

    class Meta(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, (original, _OnDevice))

    class safe_open(metaclass=Meta):
        __doc__ = original.__doc__

        def __new__(cls, filename: Any, framework: Any, device: Any = "cpu", **options: Any) -> Any:
            target = _target(device)
            if target is None or framework not in ("pt", "torch", "pytorch"):
                return original(filename, framework, device, **options)
            return _OnDevice(original(filename, framework, "cpu", **options), target)

    return safe_open


def _target(device: Any) -> torch.device | None:
    """Return the sidra device that `device` means, or None."""
    if isinstance(device, int) and not isinstance(device, bool):
        return None if accelerator_index() is None else torch.device("sidra", device)
    if isinstance(device, str) and device.partition(":")[0] == "sidra":
        return torch.device(device)
    return device if isinstance(device, torch.device) and device.type == "sidra" else None


class _OnDevice:
    """An open file whose tensors come out on a device."""

    def __init__(self, opened: Any, device: torch.device) -> None:
        self._opened = opened
        self._device = device

    def __enter__(self) -> _OnDevice:
        self._opened.__enter__()
        return self

    def __exit__(self, *failure: Any) -> None:
        self._opened.__exit__(*failure)

    def __iter__(self) -> Iterator[str]:
        return iter(self._opened.keys())

    def get_tensor(self, name: str) -> torch.Tensor:
        return self._opened.get_tensor(name).to(self._device)

    def get_tensors(self) -> dict[str, torch.Tensor]:
        return {name: self.get_tensor(name) for name in self._opened.offset_keys()}

    def get_slice(self, name: str) -> _SliceOnDevice:
        return _SliceOnDevice(self._opened.get_slice(name), self._device)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened, name)


class _SliceOnDevice:
    """A tensor of a file; indexing reads that part of it onto a device."""

    def __init__(self, sliced: Any, device: torch.device) -> None:
        self._sliced = sliced
        self._device = device

    def __getitem__(self, index: Any) -> torch.Tensor:
        return self._sliced[index].to(self._device)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sliced, name)
