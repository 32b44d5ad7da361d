"""The device as Dynamo sees it, registered when Dynamo is first imported.

Importing Dynamo takes longer than importing torch, so `import torch` must not do it: the interface
is registered right after `torch._dynamo.device_interface` was imported.
"""

from __future__ import annotations

from types import ModuleType

import sidra.device as sidra_device
from sidra.after_import import after_import

WAITED_FOR = "torch._dynamo.device_interface"


def register_when_imported() -> None:
    """Register the interface as soon as Dynamo is there, which may be now."""
    after_import(WAITED_FOR, register)


def register(dynamo: ModuleType) -> None:
    """Tell Dynamo's registry about `sidra`, and about each index that a driver can offer."""
    interface = make_interface(dynamo.DeviceInterface)
    dynamo.register_interface_for_device("sidra", interface)
    for index in range(sidra_device.device_count()):
        dynamo.register_interface_for_device(f"sidra:{index}", interface)


def make_interface(base: type) -> type:
    """Return the subclass of Dynamo's DeviceInterface that asks torch.sidra."""

    class SidraInterface(base):  # type: ignore[misc]
        device = sidra_device.device
        Event = sidra_device.Event
        Stream = sidra_device.Stream

        class Worker:
            """What compile workers ask; they never touch the device."""

            set_device = staticmethod(sidra_device.set_device)
            current_device = staticmethod(sidra_device.current_device)
            get_device_properties = staticmethod(sidra_device.get_device_properties)

        current_device = staticmethod(sidra_device.current_device)
        set_device = staticmethod(sidra_device.set_device)
        exchange_device = staticmethod(sidra_device._exchange_device)
        maybe_exchange_device = staticmethod(sidra_device._maybe_exchange_device)
        device_count = staticmethod(sidra_device.device_count)
        is_available = staticmethod(sidra_device.is_available)
        stream = staticmethod(sidra_device.stream)
        current_stream = staticmethod(sidra_device.current_stream)
        set_stream = staticmethod(sidra_device.set_stream)
        synchronize = staticmethod(sidra_device.synchronize)
        get_device_properties = staticmethod(sidra_device.get_device_properties)
        get_compute_capability = staticmethod(sidra_device.get_device_capability)
        memory_allocated = staticmethod(sidra_device.memory_allocated)

        @staticmethod
        def _set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
            sidra_device.set_stream(
                sidra_device.Stream(
                    stream_id=stream_id, device_index=device_index, device_type=device_type
                )
            )

        @staticmethod
        def get_raw_stream(device_index: int) -> int:
            return int(sidra_device.current_stream(device_index).stream_id)

        @staticmethod
        def is_bf16_supported(including_emulation: bool = False) -> bool:
            return bool(sidra_device.is_bf16_supported())

    return SidraInterface
