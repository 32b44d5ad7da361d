"""torch.save and torch.load, pickle and copies, as they carry tensors of the device."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch
from torch import nn

FORMATS = {
    "zip": ({}, {}),
    "zip, mapped": ({}, {"mmap": True}),
    "legacy": ({"_use_new_zipfile_serialization": False}, {}),
}

PLACES = {
    "none": (None, "sidra:0"),
    "cpu": ("cpu", "cpu"),
    "device": ("sidra", "sidra:0"),
    "torch.device": (torch.device("sidra:0"), "sidra:0"),
    "table": ({"sidra:0": "cpu"}, "cpu"),
    "function that keeps it": (lambda storage, location: storage, "cpu"),
    "function that moves it": (lambda storage, location: storage.sidra(0), "sidra:0"),
    "meta": ("meta", "meta"),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("weights_only", [True, False])
def test_every_format_loads_to_every_place(device, tmp_path, kind, place, weights_only) -> None:
    saving, loading = FORMATS[kind]
    x = torch.arange(6.0, device="sidra").view(2, 3)
    saved = {"x": x, "row": x[1], "p": nn.Parameter(x.clone()), "half": x.half(), "n": 3}
    torch.save(saved, tmp_path / "x.pt", **saving)
    where, expected = PLACES[place]
    loaded = torch.load(tmp_path / "x.pt", map_location=where, weights_only=weights_only, **loading)
    assert {str(v.device) for v in loaded.values() if torch.is_tensor(v)} == {expected}
    if expected != "meta":
        assert loaded["row"].tolist() == [3, 4, 5]
        loaded["x"][1] = 7
        assert loaded["row"].tolist() == [7, 7, 7]
        assert loaded["p"].requires_grad
        assert loaded["half"].dtype == torch.half


def test_file_of_a_machine_with_more_devices(printed, tmp_path) -> None:
    path = tmp_path / "x.pt"
    printed(
        f"import torch; torch.save(torch.arange(3, device='sidra:1'), {str(path)!r})",
        SIDRA_DEVICES="2",
    )
    with pytest.raises(
        RuntimeError, match=r"SIDRA device 1 but torch\.sidra\.device_count\(\) is 1"
    ):
        torch.load(path)
    assert torch.load(path, map_location="cpu").tolist() == [0, 1, 2]
    assert torch.load(path, map_location={"sidra:1": "sidra:0"}).device.type == "sidra"


def test_file_on_a_machine_without_a_device(device, printed, tmp_path) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.arange(3, device="sidra"), path)
    code = f"""
import torch
try:
    torch.load({str(path)!r})
except RuntimeError as error:
    print("torch.sidra.is_available() is False" in str(error))
print(torch.load({str(path)!r}, map_location="cpu").tolist())
"""
    assert printed(code, SIDRA_DRIVER="/missing.so").split("\n") == ["True", "[0, 1, 2]"]


def test_modules_are_copied_and_pickled(device) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).to("sidra")
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert {v.device.type for v in twin.state_dict().values()} == {"sidra"}
        assert torch.equal(twin[0].weight, model[0].weight)
        assert twin[0].weight.data_ptr() != model[0].weight.data_ptr()
    assert copy.copy(model)[0].weight is model[0].weight


def test_copies_keep_views_and_gradients(device) -> None:
    x = torch.arange(4.0, device="sidra", requires_grad=True)
    x.square().sum().backward()
    twin = copy.deepcopy(x)
    assert twin.requires_grad
    assert torch.equal(twin.grad, x.grad)
    base = torch.zeros(4, device="sidra")
    both = copy.deepcopy([base, base[1:]])
    both[0][1] = 5
    assert both[1][0].item() == 5


def test_optimizers_resume(device) -> None:
    layer = nn.Linear(2, 2).to("sidra")
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.ones(1, 2, device="sidra")).sum().backward()
    optimizer.step()
    buffer = io.BytesIO()
    torch.save(optimizer.state_dict(), buffer)
    buffer.seek(0)
    resumed = torch.optim.Adam(layer.parameters())
    resumed.load_state_dict(torch.load(buffer, map_location="cpu"))
    state = resumed.state[layer.weight]
    assert state["exp_avg"].device == layer.weight.device
    assert state["step"].device.type == "cpu"
    resumed.step()


def test_sharing_leaves_the_tensor_where_it_is(device) -> None:
    x = torch.ones(2, device="sidra")
    assert x.share_memory_() is x
    assert x.is_shared()
    assert nn.Linear(1, 1).to("sidra").share_memory().weight.device == x.device
