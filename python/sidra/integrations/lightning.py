"""Lightning: `Trainer(accelerator="sidra")`, `Fabric(accelerator="sidra")`, and "auto" finds it.

An accelerator class is registered under the name `sidra`. The connectors, which choose the strategy
and the precision from a list of accelerators, are asked first whether the accelerator is ours: they
would train on the CPU, in CUDA's mixed precision. The strategy of several processes is kept from
CUDA's streams.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import torch

from sidra.integrations.insides import accelerator_index, replace

NAME = "sidra"
MIXED = ("16-mixed", "bf16-mixed")


def install_trainer(connector: ModuleType) -> None:
    """Register with the Trainer, whose connector is `<lightning>.pytorch.trainer.connectors...`."""
    root = connector.__name__.split(".trainer.")[0]
    accelerators = import_module(f"{root}.accelerators")
    kind = make_accelerator(accelerators.Accelerator, connector.MisconfigurationException)
    accelerators.AcceleratorRegistry.register(NAME, kind, description="the sidra device")
    _teach(connector._AcceleratorConnector, connector, "_precision_flag")
    replace(connector.DDPStrategy, "determine_ddp_device_ids", ("self",), _no_device_ids)


def install_fabric(connector: ModuleType) -> None:
    """Register with Fabric, whose connector is `<lightning>.fabric.connector`."""
    root = connector.__name__.rpartition(".")[0]
    accelerators = import_module(f"{root}.accelerators")
    kind = make_accelerator(accelerators.Accelerator, ValueError)
    accelerators.ACCELERATOR_REGISTRY.register(NAME, kind, description="the sidra device")
    _teach(connector._Connector, connector, "_precision_input")
    strategy = import_module(f"{root}.strategies").DDPStrategy
    replace(strategy, "_determine_ddp_device_ids", ("self",), _no_device_ids)


def make_accelerator(base: type, refusal: type[Exception]) -> type:
    """Return the Accelerator of Lightning's `base`, which raises `refusal` for bad devices."""

    class SidraAccelerator(base):  # type: ignore[misc]
        """The device sidra, one process per device."""

        def setup_device(self, device: torch.device) -> None:
            if device.type != NAME:
                raise refusal(f"Device should be sidra, got {device} instead.")
            torch.sidra.set_device(device)

        def teardown(self) -> None:
            torch.sidra.empty_cache()

        def get_device_stats(self, device: Any) -> dict[str, Any]:
            return dict(torch.sidra.memory_stats(device))

        @staticmethod
        def parse_devices(devices: Any) -> list[int]:
            return parse_devices(devices, refusal)

        @staticmethod
        def get_parallel_devices(devices: list[int]) -> list[torch.device]:
            return [torch.device(NAME, index) for index in devices]

        @staticmethod
        def auto_device_count() -> int:
            return int(torch.sidra.device_count())

        @staticmethod
        def is_available() -> bool:
            return bool(torch.sidra.is_available())

        @staticmethod
        def name() -> str:
            return NAME

    return SidraAccelerator


def parse_devices(devices: Any, refusal: type[Exception] = ValueError) -> list[int]:
    """Return indices: of a number of devices, "0,1", a list, or -1 and "-1" for all there are."""
    count = int(torch.sidra.device_count())
    text = str(devices).strip(" ,")
    try:
        if isinstance(devices, (list, tuple)):
            indices = [int(index) for index in devices]
        elif "," in str(devices):
            indices = [int(part) for part in text.split(",")]
        else:
            indices = list(range(count if text == "-1" else int(text)))
    except ValueError:
        raise refusal(
            f"devices={devices!r} names no sidra devices; use a number or [0, 1]"
        ) from None
    if not indices or min(indices) < 0 or max(indices) >= count or len(set(indices)) < len(indices):
        raise refusal(
            f"devices={devices!r} asks for sidra devices {indices}; there are {list(range(count))} "
            "(SIDRA_DEVICES offers more)"
        )
    return indices


def _no_device_ids(original: Any) -> Any:
    """With indices, Lightning wraps the model in a CUDA stream; without, the module says where."""

    def device_ids(self: Any) -> Any:
        return None if self.root_device.type == NAME else original(self)

    return device_ids


def _teach(connector: Any, module: ModuleType, precision: str) -> None:
    """Let the class `connector`, with its flag `precision`, choose what fits the device."""

    def ours(self: Any) -> bool:
        flag = self._accelerator_flag
        return bool((flag if isinstance(flag, str) else flag.name()) == NAME)

    def make_strategy(original: Any) -> Any:
        def _choose_strategy(self: Any) -> Any:
            if ours(self) and self._num_nodes_flag == 1 and len(self._parallel_devices) == 1:
                return module.SingleDeviceStrategy(device=self._parallel_devices[0])
            return original(self)

        return _choose_strategy

    def make_precision(original: Any) -> Any:
        def _check_and_init_precision(self: Any) -> Any:
            chosen = original(self)
            if not ours(self) or type(chosen) is not module.MixedPrecision:
                return chosen
            return module.MixedPrecision(getattr(self, precision), NAME)

        return _check_and_init_precision

    def make_auto(original: Any) -> Any:
        def _choose_auto_accelerator() -> str:
            chosen: str = original()
            return NAME if chosen == "cpu" and accelerator_index() is not None else chosen

        return _choose_auto_accelerator

    replace(connector, "_choose_strategy", ("self",), make_strategy)
    replace(connector, "_check_and_init_precision", ("self",), make_precision)
    replace(connector, "_choose_auto_accelerator", (), make_auto)
