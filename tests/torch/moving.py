"""Copies of arguments on another device: the same bytes, strides, offsets, views and sharing."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_map


def moved(tree: Any, device: str, *, gradients: bool = True) -> Any:
    """Return `tree` with a fresh copy of each tensor on `device`.

    Tensors that share storage share it in the copy, and one that occurs twice is one tensor in the
    copy. A tensor that requires a gradient is a leaf of the copy, unless `gradients` is False.
    """
    mover = _Mover(device, gradients)
    return tree_map(mover.leaf, tree)


class _Mover:
    def __init__(self, device: str, gradients: bool) -> None:
        self.device = device
        self.gradients = gradients
        self.tensors: dict[int, torch.Tensor] = {}
        self.storages: dict[int, torch.UntypedStorage] = {}

    def leaf(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in self.tensors:
            copy = self.strided(value) if _has_storage(value) else self.other(value)
            copy.requires_grad_(value.requires_grad and self.gradients)
            self.tensors[id(value)] = copy
        return self.tensors[id(value)]

    def strided(self, tensor: torch.Tensor) -> torch.Tensor:
        storage = self.storage(tensor.detach().untyped_storage())
        geometry = (tensor.storage_offset(), tensor.size(), tensor.stride())
        copy = torch.empty(0, dtype=tensor.dtype, device=self.device).set_(storage, *geometry)
        copy = copy.conj() if tensor.is_conj() else copy
        return torch._neg_view(copy) if tensor.is_neg() else copy

    def storage(self, storage: torch.UntypedStorage) -> torch.UntypedStorage:
        key = storage._cdata
        if key not in self.storages:
            whole = torch.empty(0, dtype=torch.uint8).set_(storage)
            self.storages[key] = whole.clone().to(self.device).untyped_storage()
        return self.storages[key]

    def other(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().clone().to(self.device)


def _has_storage(tensor: torch.Tensor) -> bool:
    plain = type(tensor) in (torch.Tensor, torch.nn.Parameter)
    return (
        plain
        and tensor.layout == torch.strided
        and tensor.device.type == "cpu"
        and not tensor.is_quantized
        and not tensor.is_nested
    )
