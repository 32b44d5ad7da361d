from __future__ import annotations

import logging
import warnings
from pathlib import Path

import lightning
import pytest
import torch
from lightning.fabric.utilities.exceptions import MisconfigurationException
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from sidra.integrations.lightning import parse_devices


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
        self.seen = set()

    def loss(self, batch):
        inputs, labels = batch
        logits = self.layers(inputs)
        self.seen.add((str(inputs.device), logits.dtype))
        return cross_entropy(logits, labels)

    def training_step(self, batch, index):
        return self.loss(batch)

    def validation_step(self, batch, index):
        self.log("loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-2)


@pytest.fixture(autouse=True)
def quiet():
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def make_trainer(tmp_path: Path):
    def make(**options):
        shown = dict.fromkeys(("logger", "enable_progress_bar", "enable_model_summary"), False)
        return lightning.Trainer(max_epochs=1, default_root_dir=tmp_path, **shown, **options)

    return make


def loader():
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(32, 8, generator=generator)
    labels = torch.randint(0, 2, (32,), generator=generator)
    return DataLoader(TensorDataset(inputs, labels), batch_size=8)


@pytest.mark.parametrize("accelerator", ["sidra", "auto"])
def test_fit_validate_and_checkpoint(make_trainer, accelerator: str) -> None:
    torch.manual_seed(0)
    model, trainer = Classifier(), make_trainer(accelerator=accelerator)
    before = model.layers[0].weight.detach().clone()
    trainer.fit(model, loader(), loader())
    (measured,) = trainer.validate(model, loader(), verbose=False)
    assert model.seen == {("sidra:0", torch.float32)}
    assert (model.layers[0].weight.cpu() - before).abs().max() > 1e-3
    assert 0 < measured["loss"] < 2
    restored = Classifier.load_from_checkpoint(
        trainer.checkpoint_callback.best_model_path, map_location="cpu"
    )
    assert torch.equal(restored.layers[0].weight, model.layers[0].weight.cpu())


@pytest.mark.parametrize(
    ("precision", "dtype"), [("bf16-mixed", torch.bfloat16), ("16-mixed", torch.float16)]
)
def test_mixed_precision_is_the_device_s(make_trainer, precision: str, dtype) -> None:
    model = Classifier()
    trainer = make_trainer(accelerator="sidra", precision=precision)
    trainer.fit(model, loader())
    assert model.seen == {("sidra:0", dtype)}
    scaler = trainer.precision_plugin.scaler
    assert (scaler is not None and scaler.is_enabled()) == (precision == "16-mixed")


def test_cpu_on_request(make_trainer) -> None:
    model = Classifier()
    make_trainer(accelerator="cpu", precision="bf16-mixed").fit(model, loader())
    assert model.seen == {("cpu", torch.bfloat16)}


def test_fabric_finds_the_device() -> None:
    fabric = lightning.Fabric(precision="bf16-mixed")
    model = nn.Linear(4, 2)
    model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), lr=0.1))
    before = model.weight.detach().clone()
    fabric.backward(model(torch.randn(3, 4, device=fabric.device)).sum())
    optimizer.step()
    assert fabric.device == torch.device("sidra:0")
    assert not torch.equal(model.weight, before)


@pytest.mark.parametrize("devices", [1, "1", "-1", -1, [0], "0,"])
def test_devices_that_exist_are_parsed(devices) -> None:
    assert parse_devices(devices) == [0]


@pytest.mark.parametrize("devices", [3, [1], "0,4", 0])
def test_devices_that_do_not_exist_are_named(devices) -> None:
    with pytest.raises(ValueError, match=r"asks for sidra devices \[.*\]; there are \[0\]"):
        parse_devices(devices)


def test_nonsense_for_devices_is_named(make_trainer) -> None:
    with pytest.raises(MisconfigurationException, match="devices='all' names no sidra devices"):
        make_trainer(accelerator="sidra", devices="all")


def test_other_device_is_refused(make_trainer) -> None:
    accelerator = make_trainer(accelerator="sidra").accelerator
    with pytest.raises(MisconfigurationException, match="Device should be sidra, got cpu instead"):
        accelerator.setup_device(torch.device("cpu"))


def test_statistics_are_the_device_s(make_trainer) -> None:
    accelerator = make_trainer(accelerator="sidra").accelerator
    held = torch.ones(1000, device="sidra")
    stats = accelerator.get_device_stats(held.device)
    assert stats["allocated_bytes.all.current"] >= held.nbytes


def test_two_devices_train_together(launch) -> None:
    assert launch("launched.py", "lightning") == [
        "sidra:0 2 DDPStrategy",
        "sidra:1 2 DDPStrategy",
    ]
