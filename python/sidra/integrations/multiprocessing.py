"""torch.multiprocessing: device tensors in queues and pipes.

Only the storage needs help: it is copied to host memory, that travels as any CPU storage does
(through shared memory), and the receiver copies it to the device of the same index. So what arrives
is a copy, and views of one storage that are sent in one message share it again.
"""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from types import ModuleType
from typing import Any

import torch

from sidra.integrations.insides import replace


def install(reductions: ModuleType) -> None:
    """Replace how an untyped storage is reduced."""

    def make(original: Any) -> Any:
        def reduce_storage(storage: Any) -> Any:
            if storage.device.type != "sidra":
                return original(storage)
            return rebuild_storage, (storage.cpu(), storage.device.index)

        return reduce_storage

    replace(reductions, "reduce_storage", ("storage",), make)
    ForkingPickler.register(torch.UntypedStorage, reductions.reduce_storage)


def rebuild_storage(host: torch.UntypedStorage, index: int) -> torch.UntypedStorage:
    """Return a copy of `host` on the device `index`, in the receiving process."""
    storage = torch.UntypedStorage(host.nbytes(), device=torch.device("sidra", index))
    storage.copy_(host, False)
    return storage
