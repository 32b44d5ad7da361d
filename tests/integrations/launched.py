"""A training that its library spreads over two processes; each prints where it ran.

python launched.py lightning                     starts its second process itself
torchrun --nproc-per-node 2 launched.py accelerate
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

DATA = TensorDataset(torch.arange(64.0).view(16, 4) / 64, torch.arange(16) % 2)


def tell(*facts):
    os.write(1, (" ".join(map(str, facts)) + "\n").encode())  # one write: lines do not mix


def with_accelerate():
    from accelerate import Accelerator

    accelerator = Accelerator()
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(DATA, batch_size=4))
    for inputs, labels in loader:
        accelerator.backward(cross_entropy(model(inputs), labels))
        optimizer.step()
        optimizer.zero_grad()
    weights = accelerator.gather(model.module.weight.detach().flatten()).view(2, -1)
    assert torch.equal(weights[0], weights[1])
    tell(inputs.device, accelerator.num_processes, type(model).__name__)
    accelerator.end_training()


def with_lightning():
    import lightning

    class Classifier(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 2)

        def training_step(self, batch, index):
            inputs, labels = batch
            self.seen = inputs.device
            return cross_entropy(self.layer(inputs), labels)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    model = Classifier()
    off = ("logger", "enable_progress_bar", "enable_model_summary", "enable_checkpointing")
    trainer = lightning.Trainer(
        accelerator="sidra",
        devices=2,
        max_epochs=1,
        default_root_dir=tempfile.gettempdir(),
        **dict.fromkeys(off, False),
    )
    trainer.fit(model, DataLoader(DATA, batch_size=4))
    (weights,) = trainer.strategy.all_gather(model.layer.weight).unsqueeze(0)
    assert torch.equal(weights[0], weights[1])
    tell(model.seen, trainer.world_size, type(trainer.strategy).__name__)


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    {"accelerate": with_accelerate, "lightning": with_lightning}[sys.argv[1]]()
