"""What a device is: the chip behind it."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from sidra import _C
from sidra.device._utils import _get_device_index
from sidra.device.devices import Device


@dataclass(frozen=True)
class DeviceProperties:
    """One chip. `dac_bits` or `adc_bits` of 0: no converter."""

    name: str
    total_memory: int  # bytes
    crossbars: int
    crossbar_rows: int
    crossbar_columns: int
    compute_units: int
    clusters: int
    dac_bits: int
    adc_bits: int
    exact: bool  # products are exact float32
    host_coherent: bool  # the host may read and write device memory in place
    completes_at_submission: bool  # a command is done when the call that submits it returns

    @property
    def multi_processor_count(self) -> int:
        """The compute units, under the name that readers of CUDA's properties know."""
        return self.compute_units


def get_device_properties(device: Device = None) -> DeviceProperties:
    """Return what `device` is. Does not initialise. Raises RuntimeError for one that is not there.

    `device` defaults to the current one.
    """
    values = _C.device_properties(_get_device_index(device, optional=True))
    memory = values.pop("memory_bytes")
    return DeviceProperties(
        total_memory=memory,
        **{name: values[name] for name in DeviceProperties.__dataclass_fields__ if name in values},
    )


def get_device_name(device: Device = None) -> str:
    """Return the chip's name, e.g. "y1"."""
    return get_device_properties(device).name


def get_device_capability(device: Device = None) -> tuple[int, int]:
    """Return major and minor of the driver ABI that the device is reached through.

    What torch.accelerator calls a capability, the dtypes, is
    `torch.accelerator.get_device_capability`.
    """
    _C.check_device(_get_device_index(device, optional=True))
    major, minor = _C.driver_info()["abi"].split(".")
    return int(major), int(minor)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether bfloat16 tensors can be made and computed with: in emulation, always."""
    return including_emulation


def is_tf32_supported() -> bool:
    """Return whether products can be made in TF32: no."""
    return False


def get_amp_supported_dtype() -> list[torch.dtype]:
    """Return the dtypes that `torch.autocast("sidra")` may cast to."""
    return [torch.float16, torch.bfloat16]
