"""What libraries beside torch must be told about the device, and when.

One file per library, with what it changes and why on its first lines. A row of INTEGRATIONS names
a module that is waited for and the function that is called with it once it has been imported; the
file of that function is imported then and not before. A library whose insides differ from those
that were tested is left as it is, with a sentence on stderr.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType

from sidra.after_import import after_import
from sidra.integrations.insides import UnknownInsides


@dataclass(frozen=True)
class Integration:
    """`function`, "file:name" in this package, is called with `module` when that was imported."""

    module: str
    function: str
    distribution: str
    tested: str


INTEGRATIONS = (
    Integration("torch.multiprocessing.reductions", "multiprocessing:install", "torch", "2.13"),
    Integration("torch.distributed.distributed_c10d", "distributed:install", "torch", "2.13"),
    Integration("torch.nn.attention.flex_attention", "flex_attention:install", "torch", "2.13"),
    Integration("safetensors", "safetensors:install", "safetensors", "0.8"),
    Integration("accelerate.state", "accelerate:install_state", "accelerate", "1.15"),
    Integration("accelerate.utils.modeling", "accelerate:install_memory", "accelerate", "1.15"),
    Integration("accelerate.utils.memory", "accelerate:install_cache", "accelerate", "1.15"),
    Integration("accelerate.accelerator", "accelerate:install_precision", "accelerate", "1.15"),
    Integration("accelerate.checkpointing", "accelerate:install_seeds", "accelerate", "1.15"),
    Integration(
        "transformers.pipelines.base", "transformers:install_pipeline", "transformers", "5.24"
    ),
    Integration(
        "transformers.training_args", "transformers:install_device", "transformers", "5.24"
    ),
    Integration("transformers.trainer", "transformers:install_seeds", "transformers", "5.24"),
    Integration(
        "sentence_transformers.util.environment",
        "sentence_transformers:install",
        "sentence-transformers",
        "6.2",
    ),
    Integration(
        "lightning.pytorch.trainer.connectors.accelerator_connector",
        "lightning:install_trainer",
        "lightning",
        "2.6",
    ),
    Integration("lightning.fabric.connector", "lightning:install_fabric", "lightning", "2.6"),
    Integration(
        "pytorch_lightning.trainer.connectors.accelerator_connector",
        "lightning:install_trainer",
        "pytorch-lightning",
        "2.6",
    ),
    Integration(
        "lightning_fabric.connector", "lightning:install_fabric", "lightning-fabric", "2.6"
    ),
)


def install_when_imported() -> None:
    """Wait for every module of INTEGRATIONS."""
    for integration in INTEGRATIONS:
        after_import(integration.module, partial(_install, integration))


def _install(integration: Integration, module: ModuleType) -> None:
    """Call the integration; whatever goes wrong is said and goes no further."""
    file, name = integration.function.split(":")
    try:
        getattr(import_module(f"sidra.integrations.{file}"), name)(module)
    except Exception as error:  # the library must work without us
        if not isinstance(error, UnknownInsides):
            error = UnknownInsides(f"{type(error).__name__}: {error}")
        _announce(integration, error)


def _announce(integration: Integration, error: Exception) -> None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version(integration.distribution)
    except PackageNotFoundError:
        installed = "of an unknown version"
    # Not warnings.warn: under -W error that would make the library's import fail.
    print(
        f"sidra: {integration.distribution} {installed} is not told about the device ({error}); "
        f"tested is {integration.tested}, see docs/integrations.md",
        file=sys.stderr,
    )
