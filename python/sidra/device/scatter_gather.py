"""Copies to and from several devices at once, which `nn.DataParallel` is made of.

`torch.nn.parallel.comm` calls functions of torch._C that only builds with CUDA have. These take
their places and are called with what those are: lists of device indices, -1 for the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import torch
from torch import Tensor

from sidra.device._utils import DEVICE_TYPE


def install() -> None:
    """Fill the places that this build of torch left empty."""
    for function in (
        _broadcast,
        _broadcast_out,
        _broadcast_coalesced,
        _scatter,
        _scatter_out,
        _gather,
        _gather_out,
    ):
        if not hasattr(torch._C, function.__name__):
            setattr(torch._C, function.__name__, function)


def _device(index: int) -> torch.device:
    return torch.device("cpu") if index < 0 else torch.device(DEVICE_TYPE, index)


def _broadcast(tensor: Tensor, devices: Sequence[int]) -> list[Tensor]:
    return [tensor.to(_device(index), non_blocking=True) for index in devices]


def _broadcast_out(tensor: Tensor, out: Sequence[Tensor]) -> list[Tensor]:
    return [to.copy_(tensor, non_blocking=True) for to in out]


def _broadcast_coalesced(
    tensors: Sequence[Tensor], devices: Sequence[int], buffer_size: int
) -> list[list[Tensor]]:
    """Return for each device the tensors there. A copy costs no fixed time, so none are joined."""
    return [[_broadcast(tensor, [index])[0] for tensor in tensors] for index in devices]


def _scatter(
    tensor: Tensor,
    devices: Sequence[int],
    chunk_sizes: Sequence[int] | None,
    dim: int,
    streams: Sequence[torch.Stream | None] | None,
) -> list[Tensor]:
    """Return one part for each device; as many as there are rows, if that is fewer."""
    if chunk_sizes is None:
        chunks = tensor.chunk(len(devices), dim)
    else:
        chunks = tensor.split(list(chunk_sizes), dim)
    parts = []
    for position, (chunk, index) in enumerate(zip(chunks, devices, strict=False)):
        stream = streams[position] if streams else None
        with stream or nullcontext():
            parts.append(chunk.contiguous().to(_device(index), non_blocking=True))
    return parts


def _scatter_out(
    tensor: Tensor,
    out: Sequence[Tensor],
    dim: int,
    streams: Sequence[torch.Stream | None] | None,
) -> list[Tensor]:
    chunks = tensor.split([to.size(dim) for to in out], dim)
    for position, (chunk, to) in enumerate(zip(chunks, out, strict=True)):
        stream = streams[position] if streams else None
        with stream or nullcontext():
            to.copy_(chunk, non_blocking=True)
    return list(out)


def _gather(tensors: Sequence[Tensor], dim: int, destination: int) -> Tensor:
    device = _device(destination)
    return torch.cat([tensor.to(device) for tensor in tensors], dim)


def _gather_out(tensors: Sequence[Tensor], out: Tensor, dim: int) -> Tensor:
    sizes = [tensor.size(dim) for tensor in tensors]
    for tensor, part in zip(tensors, out.split(sizes, dim), strict=True):
        part.copy_(tensor)
    return out
