"""Storages of the device: their bytes outlive what is done to their size."""

from __future__ import annotations

import pytest
import torch


def test_storage_knows_its_device(device) -> None:
    storage = torch.UntypedStorage(100, device="sidra")
    assert storage.device == torch.device("sidra:0")
    assert storage.nbytes() == 100


def test_resize_keeps_the_old_bytes(device) -> None:
    x = torch.arange(4.0, device="sidra")
    storage = x.untyped_storage()
    storage.resize_(4096)
    assert storage.nbytes() == 4096
    assert x.cpu().tolist() == [0, 1, 2, 3]
    storage.resize_(8)
    assert torch.empty(0, device="sidra").set_(storage, 0, (2,)).cpu().tolist() == [0, 1]


def test_resize_to_nothing_and_back_frees_memory(device) -> None:
    x = torch.zeros(1 << 20, device="sidra")
    used = device.memory_allocated()
    x.untyped_storage().resize_(0)
    assert device.memory_allocated() == used - x.numel() * 4
    assert x.untyped_storage().device == torch.device("sidra:0")
    x.untyped_storage().resize_(x.numel() * 4)
    assert device.memory_allocated() == used
    x.fill_(2)
    assert x.sum().item() == 2 * x.numel()


def test_tensor_resize_past_its_capacity(device) -> None:
    x = torch.arange(3.0, device="sidra")
    x.resize_(5)[3:] = 7
    assert x.cpu().tolist() == [0, 1, 2, 7, 7]


def test_storage_stays_on_its_device(printed) -> None:
    code = """
import torch
x = torch.arange(3.0, device="sidra:1")
x.untyped_storage().resize_(1000)
print(x.untyped_storage().device, x.cpu().tolist(), torch.sidra.memory_allocated(0))
"""
    assert printed(code, SIDRA_DEVICES="2") == "sidra:1 [0.0, 1.0, 2.0] 0"


def test_save_and_load(device, tmp_path) -> None:
    path = tmp_path / "x.pt"
    torch.save({"x": torch.arange(3.0, device="sidra")}, path)
    for where in (None, "sidra", "sidra:0", torch.device("sidra")):
        x = torch.load(path, map_location=where)["x"]
        assert x.device == torch.device("sidra:0")
        assert x.cpu().tolist() == [0, 1, 2]
    assert torch.load(path, map_location="cpu")["x"].device.type == "cpu"


def test_loading_to_a_missing_device_is_refused(device, tmp_path) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.ones(1), path)
    with pytest.raises(RuntimeError, match="device"):
        torch.load(path, map_location="sidra:9")
