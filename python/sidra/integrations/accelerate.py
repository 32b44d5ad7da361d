"""accelerate: the device is found, memory is known, seeds are kept; no environment variable needed.

accelerate picks its device from a list of names, and so does most of what it does per device. Where
the end of its list is reached (which for it means CUDA or the CPU) and torch's accelerator is a
sidra device, that is taken:

state         PartialState.default_device; under `torchrun`, the process group's backend
memory        get_max_memory: the devices 0, 1, ... with their free bytes, as for CUDA
cache         clear_device_cache
checkpoints   the generators' states beside those that are saved already
precision     Accelerator(mixed_precision="fp16"), with torch's GradScaler

TransFormers' Trainer and `device_map="auto"` build on the first two.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from sidra.integrations.insides import accelerator_index, replace

BACKEND = "cpu:gloo,sidra:sidra_gloo"


def install_state(state: ModuleType) -> None:
    """Find the device: alone, and as one of several processes."""
    partial_state = state.PartialState
    replace(partial_state, "default_device", ("self",), _default_device)
    replace(
        partial_state,
        "_prepare_backend",
        ("self", "cpu", "sagemaker_dp", "backend"),
        _backend(state),
    )
    replace(partial_state, "set_device", ("self",), _set_device)


def _default_device(original: Any) -> Any:
    def default_device(self: Any) -> torch.device:
        device = original(self)
        if device.type != "cpu" or accelerator_index() is None:
            return device
        return torch.device("sidra")

    return default_device


def _backend(state: ModuleType) -> Any:
    """MULTI_GPU is accelerate's word for DistributedDataParallel on torch's accelerator."""
    types = state.DistributedType

    def make(original: Any) -> Any:
        def _prepare_backend(
            self: Any, cpu: bool = False, sagemaker_dp: bool = False, backend: str | None = None
        ) -> Any:
            chosen, kind = original(self, cpu, sagemaker_dp, backend)
            if kind != types.NO or cpu or accelerator_index() is None:
                return chosen, kind
            if state.os.environ.get("LOCAL_RANK", "-1") == "-1":
                return chosen, kind
            return backend or BACKEND, types.MULTI_GPU

        return _prepare_backend

    return make


def _set_device(original: Any) -> Any:
    def set_device(self: Any) -> None:
        several = str(self.distributed_type).endswith("MULTI_GPU")
        if self.device is None and several and accelerator_index() is not None:
            count = torch.sidra.device_count()
            self.device = torch.device("sidra", self.local_process_index % count)
            torch.sidra.set_device(self.device)
        else:
            original(self)

    return set_device


def install_memory(modeling: ModuleType) -> None:
    """Count the devices' free memory, which `device_map="auto"` divides."""

    def make(original: Any) -> Any:
        def get_max_memory(max_memory: dict[Any, Any] | None = None) -> dict[Any, Any]:
            if accelerator_index() is None:
                return original(max_memory)  # type: ignore[no-any-return]
            ours = range(torch.sidra.device_count())
            if max_memory is None:
                free = {index: torch.sidra.mem_get_info(index)[0] for index in ours}
                return free | original(None)
            sizes = {
                key: modeling.convert_file_size_to_int(size) if isinstance(size, str) else size
                for key, size in max_memory.items()
            }
            # The original warns of every index that is not one of CUDA's.
            known = {key: sizes.pop(key) for key in sorted(set(sizes) & set(ours))}
            return known | original(sizes)

        return get_max_memory

    replace(modeling, "get_max_memory", ("max_memory",), make)


def install_cache(memory: ModuleType) -> None:
    """Empty the device's cache where those of other devices are emptied."""

    def make(original: Any) -> Any:
        def clear_device_cache(garbage_collection: bool = False) -> None:
            original(garbage_collection)
            if accelerator_index() is not None:
                torch.sidra.empty_cache()

        return clear_device_cache

    replace(memory, "clear_device_cache", ("garbage_collection",), make)


def install_seeds(checkpointing: ModuleType) -> None:
    """Keep the devices' generators in checkpoints, in a file beside accelerate's own."""
    first = (
        "output_dir",
        "model_states",
        "optimizers",
        "schedulers",
        "dataloaders",
        "process_index",
    )
    replace(checkpointing, "save_accelerator_state", first, _save_seeds)
    first = ("input_dir", "models", "optimizers", "schedulers", "dataloaders", "process_index")
    replace(checkpointing, "load_accelerator_state", first, _load_seeds)


def install_precision(accelerator: ModuleType) -> None:
    """Allow fp16 on the device, which is not among those that accelerate names.

    Accelerator is made with bf16, which asks no list, then told that it is fp16.
    """

    def make(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **settings: Any) -> None:
            wanted = settings.get("mixed_precision") or os.environ.get(
                "ACCELERATE_MIXED_PRECISION", "no"
            )
            if str(wanted) != "fp16" or settings.get("cpu") or accelerator_index() is None:
                original(self, *args, **settings)
                return
            original(self, *args, **(settings | {"mixed_precision": "bf16"}))
            if self.device.type == "sidra":
                handler = self.scaler_handler
                options = handler.to_kwargs() if handler is not None else {}
                self.scaler = torch.amp.GradScaler("sidra", **options)
            self.state._mixed_precision = "fp16"

        return __init__

    replace(accelerator.Accelerator, "__init__", ("self",), make)


def _seeds_file(folder: Any, process_index: int) -> Path:
    return Path(folder, f"random_states_sidra_{process_index}.pt")


def _save_seeds(original: Any) -> Any:
    def save(
        output_dir: Any,
        models: Any,
        optimizers: Any,
        schedulers: Any,
        loaders: Any,
        process: int,
        *rest: Any,
        **options: Any,
    ) -> Any:
        saved = original(
            output_dir, models, optimizers, schedulers, loaders, process, *rest, **options
        )
        if accelerator_index() is not None:
            torch.save(torch.sidra.get_rng_state_all(), _seeds_file(output_dir, process))
        return saved

    return save


def _load_seeds(original: Any) -> Any:
    def load(
        input_dir: Any,
        models: Any,
        optimizers: Any,
        schedulers: Any,
        loaders: Any,
        process: int,
        *rest: Any,
        **options: Any,
    ) -> Any:
        loaded = original(
            input_dir, models, optimizers, schedulers, loaders, process, *rest, **options
        )
        file = _seeds_file(input_dir, process)
        if accelerator_index() is not None and file.exists():
            torch.sidra.set_rng_state_all(torch.load(file, weights_only=True))
        return loaded

    return load
