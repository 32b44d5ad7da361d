"""transformers: pipelines, TrainingArguments and Trainer know the device.

pipeline    `device=0` and no device at all mean the accelerator, as they do with CUDA
arguments   TrainingArguments.device is the accelerator unless `use_cpu=True`; `bf16=True` is legal
trainer     the generators' states are saved in a checkpoint, beside rng_state.pth

The models need nothing.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from sidra.integrations.insides import accelerator_index, replace


def install_pipeline(base: ModuleType) -> None:
    """Read a number, and the absence of a device, as the accelerator."""

    def make(original: Any) -> Any:
        def __init__(self: Any, model: Any, *positional: Any, **options: Any) -> None:
            if len(positional) < 7:  # `device` is the eighth
                placed = getattr(model, "hf_device_map", None) is not None
                options["device"] = _pipeline_device(options.get("device"), placed)
            original(self, model, *positional, **options)

        return __init__

    parameters = ("self", "model", "tokenizer", "feature_extractor", "image_processor")
    parameters += ("video_processor", "processor", "task", "device")
    replace(base.Pipeline, "__init__", parameters, make)


def _pipeline_device(device: Any, placed: bool) -> Any:
    if accelerator_index() is None or isinstance(device, bool):
        return device
    if device is None and not placed:
        device = 0
    return torch.device("sidra", device) if isinstance(device, int) and device >= 0 else device


def install_device(arguments: ModuleType) -> None:
    """Let the device of accelerate's state be that of TrainingArguments, and allow bfloat16."""
    cached = arguments.TrainingArguments.__dict__["_setup_devices"]

    def make(original: Any) -> Any:
        def _setup_devices(self: Any) -> torch.device:
            device = original(self)
            alone = device.type == "cpu" and not self.use_cpu
            if not alone or accelerator_index() is None:
                return device
            state = self.distributed_state.device
            if state.type != "sidra":
                return device
            self._n_gpu = 1
            return torch.device("sidra", state.index or 0)

        return _setup_devices

    replace(cached, "fget" if hasattr(cached, "fget") else "func", ("self",), make)
    replace(arguments, "is_torch_bf16_gpu_available", (), _has_bfloat16)


def _has_bfloat16(original: Any) -> Any:
    def is_torch_bf16_gpu_available() -> bool:
        return bool(original() or accelerator_index() is not None)

    return is_torch_bf16_gpu_available


def install_seeds(trainer: ModuleType) -> None:
    """Save and restore the devices' generators with the others."""

    def make_save(original: Any) -> Any:
        def _save_rng_state(self: Any, output_dir: str) -> None:
            original(self, output_dir)
            if accelerator_index() is not None:
                file = _seeds_file(self, output_dir)
                torch.save(torch.sidra.get_rng_state_all(), file)

        return _save_rng_state

    def make_load(original: Any) -> Any:
        def _load_rng_state(self: Any, checkpoint: str | None) -> None:
            original(self, checkpoint)
            if checkpoint is None or accelerator_index() is None:
                return
            file = _seeds_file(self, checkpoint)
            if file.exists():
                torch.sidra.set_rng_state_all(torch.load(file, weights_only=True))

        return _load_rng_state

    replace(trainer.Trainer, "_save_rng_state", ("self", "output_dir"), make_save)
    replace(trainer.Trainer, "_load_rng_state", ("self", "checkpoint"), make_load)


def _seeds_file(trainer: Any, folder: str) -> Path:
    return Path(folder, f"rng_state_sidra_{trainer.args.process_index}.pth")
