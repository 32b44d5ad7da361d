"""What training loops do around the operators."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

DEVICE = "sidra:0"


@pytest.fixture
def trained():
    """A layer with gradients, and its twin on the CPU with the same ones."""
    torch.manual_seed(0)
    layer = nn.Linear(4, 4)
    layer(torch.ones(2, 4)).square().sum().backward()
    twin = copy.deepcopy(layer)
    moved = twin.to(DEVICE)
    for p, q in zip(moved.parameters(), layer.parameters(), strict=True):
        p.grad = q.grad.to(DEVICE)
    return moved, layer


@pytest.mark.parametrize("options", [{}, {"foreach": True}, {"norm_type": float("inf")}])
def test_gradients_are_clipped_by_norm(trained, options):
    norms = [nn.utils.clip_grad_norm_(m.parameters(), 1.0, **options) for m in trained]
    assert norms[0].device == torch.device(DEVICE)
    torch.testing.assert_close(norms[0].cpu(), norms[1])
    for p, q in zip(*(m.parameters() for m in trained), strict=True):
        torch.testing.assert_close(p.grad.cpu(), q.grad)


def test_gradients_are_clipped_by_value_and_made_vectors(trained):
    moved, _ = trained
    nn.utils.clip_grad_value_(moved.parameters(), 0.1)
    assert max(p.grad.abs().max().item() for p in moved.parameters()) <= 0.1 + 1e-7
    vector = nn.utils.parameters_to_vector(moved.parameters())
    nn.utils.vector_to_parameters(vector * 2, moved.parameters())
    assert torch.equal(nn.utils.parameters_to_vector(moved.parameters()), vector * 2)


def test_norms_are_taken_over_two_devices(run_python):
    code = """
import torch
from torch import nn
layers = [nn.Linear(2, 2).to(f"sidra:{i}") for i in range(2)]
for layer in layers:
    for p in layer.parameters():
        p.grad = torch.ones_like(p)
parameters = [p for layer in layers for p in layer.parameters()]
print(round(nn.utils.clip_grad_norm_(parameters, 1.0).item() ** 2))
"""
    done = run_python(code, SIDRA_DEVICES="2", SIDRA_FALLBACK="silent")
    assert done.stdout == "12\n", done.stderr


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda p: torch.optim.SGD(p, 0.1),
        lambda p: torch.optim.SGD(p, 0.1, fused=True),
        lambda p: torch.optim.AdamW(p, fused=True),
        lambda p: torch.optim.Adam(p, foreach=False),
    ],
    ids=["sgd", "fused sgd", "fused adamw", "single adam"],
)
def test_scaler_skips_infinite_steps_and_grows(optimizer):
    layer = nn.Linear(4, 4).to(DEVICE)
    optimizer = optimizer(layer.parameters())
    scaler = torch.amp.GradScaler("sidra", init_scale=1024.0, growth_interval=2)
    scales, moved = [], []
    for step in range(4):
        before = layer.weight.detach().clone()
        with torch.autocast("sidra"):
            loss = layer(torch.ones(2, 4, device=DEVICE)).float().sum()
        optimizer.zero_grad()
        scaler.scale(loss * (float("inf") if step == 1 else 1.0)).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
        moved.append(not torch.equal(before, layer.weight))
    assert scales == [1024, 512, 512, 1024]
    assert moved == [True, False, True, True]
    twin = torch.amp.GradScaler("sidra")
    twin.load_state_dict(scaler.state_dict())
    assert twin.get_scale() == 1024


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_packed_sequences_go_through_recurrent_layers(kind):
    torch.manual_seed(0)
    layer = kind(5, 6, 2, batch_first=True, bidirectional=True)
    moved = copy.deepcopy(layer).to(DEVICE)
    lengths = torch.tensor([4, 2, 3])
    outputs = []
    for model, x in ((layer, torch.ones(3, 4, 5)), (moved, torch.ones(3, 4, 5, device=DEVICE))):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        outputs.append(pad_packed_sequence(model(packed)[0], batch_first=True))
    torch.testing.assert_close(outputs[1][0].cpu(), outputs[0][0], rtol=0.05, atol=0.05)
    assert outputs[1][1].tolist() == lengths.tolist()
    assert packed.is_sidra
    assert packed.cpu().data.device.type == "cpu"
    assert packed.cpu().sidra().data.device == torch.device(DEVICE)


def test_lengths_of_sequences_stay_on_the_host():
    with pytest.raises(RuntimeError, match="1D CPU int64 tensor, but got 1D sidra:0"):
        pack_padded_sequence(torch.ones(1, 2, 3, device=DEVICE), torch.tensor([2], device=DEVICE))


@pytest.mark.parametrize("move", [lambda m: m.to("sidra"), lambda m: m.sidra()])
def test_lazy_modules_take_shape_on_the_device(move):
    model = move(nn.Sequential(nn.LazyConv2d(3, 2), nn.LazyBatchNorm2d(), nn.Flatten()))
    model.append(move(nn.LazyLinear(2)))
    assert model(torch.ones(2, 2, 4, 4, device=DEVICE)).shape == (2, 2)
    assert {p.device for p in model.parameters()} == {torch.device(DEVICE)}


@pytest.mark.parametrize("name", ["spectral_norm", "weight_norm", "orthogonal"])
def test_parametrizations_train_copy_and_come_off(name):
    model = getattr(parametrizations, name)(nn.Linear(4, 4).to(DEVICE))
    model(torch.ones(2, 4, device=DEVICE)).sum().backward()
    twin = copy.deepcopy(model)
    twin.load_state_dict(model.state_dict())
    assert twin.weight.device == model.weight.device
    weight = model.weight.detach().clone()
    parametrize.remove_parametrizations(model, "weight")
    torch.testing.assert_close(model.weight.detach(), weight, rtol=1e-3, atol=1e-3)


def test_pruning_masks_weights():
    layer = nn.Linear(4, 4).to(DEVICE)
    prune.l1_unstructured(layer, "weight", 0.5)
    assert layer(torch.ones(1, 4, device=DEVICE)).device == torch.device(DEVICE)
    prune.remove(layer, "weight")
    assert (layer.weight == 0).sum().item() == 8


def test_modules_move_in_every_way():
    layer = nn.Linear(2, 2)
    for move in (
        lambda m: m.to(0),
        lambda m: m.to("cpu"),
        lambda m: m.sidra(0),
        lambda m: m.to(device="sidra", dtype=torch.half),
        lambda m: m.to(torch.ones(1)),
        lambda m: m.to_empty(device=DEVICE),
    ):
        move(layer)
    assert layer.weight.device == torch.device(DEVICE)
    assert (
        nn.Linear(2, 2, device="meta").to_empty(device="sidra").weight.device == layer.weight.device
    )


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True


@pytest.mark.parametrize("fill", [True, False])
def test_unwritten_memory_is_filled_when_asked_for(deterministic, fill):
    torch.utils.deterministic.fill_uninitialized_memory = fill
    x = torch.ones(2, device=DEVICE)
    x.resize_(4)
    if not fill:
        assert x[:2].tolist() == [1, 1]
        return
    assert x[2:].isnan().all()
    assert torch.empty(3, device=DEVICE).isnan().all()
    assert torch.empty_like(x).isnan().all()
    assert x.new_empty(3).isnan().all()
    assert torch.empty_strided((2, 2), (1, 2), device=DEVICE).isnan().all()
    assert torch.empty(1, dtype=torch.int32, device=DEVICE).item() == torch.iinfo(torch.int32).max


SOMETIMES_RANDOM = {
    "put_": lambda d: torch.zeros(4, device=d).put_(
        torch.tensor([0, 0], device=d), torch.ones(2, device=d)
    ),
    "max_unpool2d": lambda d: nn.MaxUnpool2d(2)(
        *nn.MaxPool2d(2, return_indices=True)(torch.rand(1, 1, 4, 4, device=d))
    ),
    "scatter_add": lambda d: torch.zeros(4, device=d).scatter_add(
        0, torch.tensor([1, 1], device=d), torch.ones(2, device=d)
    ),
    "index_add": lambda d: torch.zeros(4, device=d).index_add(
        0, torch.tensor([1, 1], device=d), torch.ones(2, device=d)
    ),
    "bincount": lambda d: torch.bincount(torch.tensor([1, 2], device=d), torch.ones(2, device=d)),
    "histc": lambda d: torch.histc(torch.rand(4, device=d)),
    "kthvalue": lambda d: torch.kthvalue(torch.rand(4, device=d), 2),
    "median": lambda d: torch.rand(4, device=d).median(0),
    "cumsum": lambda d: torch.rand(4, device=d).cumsum(0),
    "interpolate": lambda d: (
        nn.functional.interpolate(
            torch.rand(1, 1, 2, 2, device=d, requires_grad=True), scale_factor=2, mode="bilinear"
        )
        .sum()
        .backward()
    ),
    "grid_sample": lambda d: (
        nn.functional.grid_sample(
            torch.rand(1, 1, 2, 2, device=d, requires_grad=True), torch.zeros(1, 2, 2, 2, device=d)
        )
        .sum()
        .backward()
    ),
    "adaptive pooling": lambda d: (
        nn.AdaptiveAvgPool2d(2)(torch.rand(1, 1, 4, 4, device=d, requires_grad=True))
        .sum()
        .backward()
    ),
}


@pytest.mark.parametrize("name", SOMETIMES_RANDOM)
def test_what_is_not_deterministic_is_refused_as_on_the_cpu(deterministic, name):
    def outcome(device):
        try:
            SOMETIMES_RANDOM[name](device)
        except RuntimeError as error:
            return str(error).split(".")[0]
        return "runs"

    assert outcome(DEVICE) == outcome("cpu")
