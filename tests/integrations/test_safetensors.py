from __future__ import annotations

from pathlib import Path

import pytest
import safetensors
import torch
from safetensors.torch import load_file, load_model, save_file, save_model

TENSORS = {
    "floats": torch.arange(12.0).view(3, 4),
    "halves": torch.ones(2, dtype=torch.bfloat16),
    "numbers": torch.tensor([1, 2]),
    "none": torch.empty(0, 3),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    save_file(
        {name: tensor.to("sidra") for name, tensor in TENSORS.items()}, path, {"made": "here"}
    )
    return path


@pytest.mark.parametrize("device", ["sidra", "sidra:0", 0])
def test_file_saved_from_the_device_loads_onto_it(file: Path, device) -> None:
    loaded = load_file(file, device=device)
    assert {str(tensor.device) for tensor in loaded.values()} == {"sidra:0"}
    for name, tensor in TENSORS.items():
        torch.testing.assert_close(loaded[name].cpu(), tensor, rtol=0, atol=0)


def test_opened_file_gives_tensors_slices_and_names(file: Path) -> None:
    with safetensors.safe_open(file, framework="pt", device="sidra:0") as opened:
        assert set(opened.keys()) == set(TENSORS)
        assert opened.metadata() == {"made": "here"}
        part = opened.get_slice("floats")
        assert (part.get_shape(), part[1:, :2].device.type) == ([3, 4], "sidra")
        torch.testing.assert_close(part[1:, :2].cpu(), TENSORS["floats"][1:, :2])
        assert opened.get_tensor("numbers").tolist() == [1, 2]
        assert isinstance(opened, safetensors.safe_open)


def test_other_devices_are_the_library_s_own(file: Path) -> None:
    assert load_file(file)["floats"].device.type == "cpu"
    with safetensors.safe_open(file, "numpy") as opened:
        assert opened.get_tensor("numbers").tolist() == [1, 2]
    with pytest.raises(safetensors.SafetensorError, match="nonsense"):
        load_file(file, device="nonsense")


def test_device_that_does_not_exist_is_refused(file: Path) -> None:
    with pytest.raises(RuntimeError, match="9"):
        load_file(file, device="sidra:9")


def test_model_is_saved_from_and_loaded_on_the_device(tmp_path: Path) -> None:
    model = torch.nn.Linear(3, 2).to("sidra")
    save_model(model, str(tmp_path / "m.safetensors"))
    other = torch.nn.Linear(3, 2).to("sidra")
    assert load_model(other, tmp_path / "m.safetensors", device="sidra") == (set(), [])
    assert torch.equal(other.weight, model.weight)


@pytest.mark.parametrize("first", ["safetensors.torch", "safetensors", "torch"])
def test_order_of_imports_does_not_matter(run_python, file: Path, first: str) -> None:
    done = run_python(
        f"import {first}\nfrom safetensors.torch import load_file\n"
        f"print(load_file({str(file)!r}, device='sidra')['numbers'].device)"
    )
    assert (done.stdout, done.stderr) == ("sidra:0\n", "")
