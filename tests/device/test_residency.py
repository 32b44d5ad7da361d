from __future__ import annotations

import gc

import torch


def test_weights_are_listed_while_they_live(device) -> None:
    device.residency_clear()
    layer = torch.nn.Linear(8, 4).to("sidra")
    assert device.residency() == []
    layer(torch.ones(2, 8, device="sidra"))
    (entry,) = device.residency()
    assert (entry["device"], entry["shape"], entry["crossbars"]) == (0, (4, 8), 1)
    del layer
    gc.collect()
    assert device.residency() == []


def test_clearing_frees_crossbars_and_programs_again(device) -> None:
    layer = torch.nn.Linear(8, 4).to("sidra")
    x = torch.ones(2, 8, device="sidra")
    before = layer(x).cpu()
    device.residency_clear()
    assert device.residency() == []
    assert torch.equal(layer(x).cpu(), before)
    assert len(device.residency()) == 1
