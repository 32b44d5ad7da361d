"""Weights stay in their crossbars: programmed once, re-programmed where they change, freed."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reference import linear, quantize_weights
from torch import nn

DEVICE = "sidra:0"


@pytest.fixture(autouse=True)
def empty_crossbars(device):
    from sidra import _C

    _C.residency_clear()
    yield
    _C.residency_clear()


def layer(outputs=6, inputs=16):
    torch.manual_seed(3)
    return nn.Linear(inputs, outputs, bias=False).to(DEVICE)


def x():
    return torch.randn(4, 16, generator=torch.Generator().manual_seed(1))


def expected(weight, spec):
    return torch.from_numpy(linear(x().numpy(), weight.detach().cpu().numpy(), spec))


def check(module, spec):
    assert torch.equal(module(x().to(DEVICE)).detach().cpu(), expected(module.weight, spec))


def written(device):
    (row,) = device.residency()
    return row["cells_written"]


def test_a_weight_is_programmed_once(device, spec):
    module = layer()
    for _ in range(3):
        check(module, spec)
    assert written(device) == 6 * 16
    assert device.residency()[0]["uses"] == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w.mul_(1.5),
        lambda w: w.data.mul_(1.5),
        lambda w: w[2:4].add_(0.5),
        lambda w: w.view(-1)[5:9].zero_(),
        lambda w: w.detach().t().add_(0.1),
        lambda w: w.copy_(torch.ones(6, 16)),
        lambda w: torch.add(w, 1, out=w.data),
    ],
    ids=["in place", ".data", "slice", "flat view", "transpose", "copy", "out="],
)
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_a_changed_weight_is_seen(spec, change, mode):
    module = layer()
    check(module, spec)
    with mode():
        change(module.weight)
    check(module, spec)


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_a_trained_parameter_is_a_weight_though_an_operator_made_it(spec, mode):
    module = layer()
    module.weight.data = module.weight.data * 2
    with mode():
        check(module, spec)


def test_only_changed_cells_are_written(device, spec):
    module = layer()
    check(module, spec)
    before = module.weight.detach().cpu().numpy()
    with torch.no_grad():
        module.weight[1, 3] = 0.0
    check(module, spec)
    levels = [quantize_weights(w, 127)[0] for w in (before, module.weight.detach().cpu().numpy())]
    assert written(device) == 6 * 16 + int(np.sum(levels[0] != levels[1]))


def test_an_optimizer_reprograms(spec):
    module = layer()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(3):
        check(module, spec)
        optimizer.zero_grad()
        module(x().to(DEVICE)).square().sum().backward()
        optimizer.step()
    check(module, spec)


def test_a_freed_weight_frees_its_crossbars(device):
    module = layer()
    with torch.no_grad():
        module(x().to(DEVICE))
    assert len(device.residency()) == 1
    del module
    assert device.residency() == []


def test_views_share_the_weight(device, spec):
    module = layer()
    with torch.no_grad():
        module(x().to(DEVICE))
        x().to(DEVICE) @ module.weight.t()
    assert len(device.residency()) == 1


OUT_OF_CROSSBARS = """
import torch, sidra
sidra.register_pytorch_backend()
layers = [torch.nn.Linear(8, 8, bias=False).to("sidra") for _ in range(COUNT)]
x = torch.randn(2, 8).to("sidra")
with torch.no_grad():
    first = [l(x).cpu() for l in layers]
    again = [l(x).cpu() for l in layers]
assert all(torch.equal(a, b) for a, b in zip(first, again))
used = sum(row["crossbars"] for row in torch.sidra.residency())
print(used, torch.sidra.get_device_properties(0).crossbars)
"""


def tiny_crossbars():
    from sidra import chip

    tiny = chip.preset("tiny")
    return tiny.clusters * tiny.compute_units_per_cluster * tiny.crossbars_per_compute_unit


def test_out_of_crossbars_evicts_the_least_recently_used(run_python):
    count = tiny_crossbars() + 3
    done = run_python(OUT_OF_CROSSBARS.replace("COUNT", str(count)), SIDRA_CHIP="tiny")
    assert done.returncode == 0, done.stderr
    used, there = map(int, done.stdout.split())
    assert used == there == tiny_crossbars()


def test_out_of_crossbars_raises_when_asked_to(run_python):
    count = tiny_crossbars() + 3
    code = OUT_OF_CROSSBARS.replace("COUNT", str(count))
    done = run_python(code, SIDRA_CHIP="tiny", SIDRA_EVICTION="error")
    assert done.returncode != 0
    assert "CapacityError" in done.stderr
    assert "SIDRA_EVICTION=lru" in done.stderr


def test_a_weight_larger_than_the_chip_is_refused(run_python):
    code = """
import torch, sidra
sidra.register_pytorch_backend()
torch.nn.Linear(1000, 1000).to("sidra")(torch.randn(1, 1000).to("sidra"))
"""
    done = run_python(code, SIDRA_CHIP="tiny")
    assert done.returncode != 0
    assert "CapacityError" in done.stderr
    assert "[1000, 1000]" in done.stderr
