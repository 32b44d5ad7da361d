"""Pinned host memory."""

from __future__ import annotations

import torch


def test_pinned_memory_is_recognised(device) -> None:
    pinned, pageable = torch.empty(1000).pin_memory(), torch.empty(1000)
    assert pinned.is_pinned()
    assert not pageable.is_pinned()
    assert pinned[10:20].is_pinned()
    assert pinned.device.type == "cpu"
    assert not torch.empty(4, device="sidra").is_pinned()
    assert torch.empty(8, pin_memory=True).is_pinned()


def test_pinned_memory_is_page_aligned_and_used_again(device) -> None:
    first = torch.empty(5000, dtype=torch.uint8, pin_memory=True)
    address = first.data_ptr()
    assert address % 4096 == 0
    del first
    assert torch.empty(6000, dtype=torch.uint8, pin_memory=True).data_ptr() == address


def test_host_cache_can_be_emptied(device) -> None:
    kept = torch.arange(10.0).pin_memory()
    torch.empty(1 << 20, pin_memory=True)
    torch.accelerator.empty_host_cache()
    assert kept.is_pinned()
    assert kept.tolist() == list(range(10))


def test_data_loader_pins(device) -> None:
    data = torch.utils.data.TensorDataset(torch.arange(8.0))
    loader = torch.utils.data.DataLoader(data, batch_size=4, pin_memory=True)
    batches = [batch for (batch,) in loader]
    assert all(batch.is_pinned() for batch in batches)
    assert torch.cat(batches).to("sidra", non_blocking=True).cpu().tolist() == list(range(8))


def test_copy_from_pinned_memory_keeps_it(late) -> None:
    code = """
import torch
x = torch.ones(4096, dtype=torch.uint8).pin_memory()
address = x.data_ptr()
y = x.to("sidra", non_blocking=True)
del x
z = torch.empty(4096, dtype=torch.uint8, pin_memory=True)
torch.sidra.synchronize()
print(y.cpu().sum().item())
"""
    assert late(code) == "4096"
