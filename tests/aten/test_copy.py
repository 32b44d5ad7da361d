"""Copies in, out, on and between devices, of any type, stride, conjugate and negative bit."""

from __future__ import annotations

import io

import pytest
import torch

DEVICE = "sidra:0"

VIEWS = {
    "plain": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "strided": lambda x: x[::2, 1:],
    "expanded": lambda x: x[:1].expand(4, -1),
    "0-dim": lambda x: x[1, 2],
    "empty": lambda x: x[:0],
    "flipped": lambda x: x.flip(1),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool, torch.bfloat16])
def test_views_travel_both_ways(view, dtype):
    x = (torch.arange(12).view(3, 4) % 5).to(dtype)
    assert torch.equal(view(x).to(DEVICE).cpu(), view(x))
    assert torch.equal(view(x.to(DEVICE)).cpu(), view(x))
    assert torch.equal(view(x.to(DEVICE)).clone().cpu(), view(x))


@pytest.mark.parametrize("view", ["plain", "transposed", "strided"])
def test_copies_into_views_convert(view):
    target = torch.zeros(3, 4, dtype=torch.float64).to(DEVICE)
    wanted = torch.zeros(3, 4, dtype=torch.float64)
    source = torch.arange(VIEWS[view](wanted).numel()).view(VIEWS[view](wanted).shape)
    for from_ in (source, source.to(DEVICE)):
        VIEWS[view](target).copy_(from_)
        VIEWS[view](wanted).copy_(source)
        assert torch.equal(target.cpu(), wanted)
    back = torch.zeros(3, 4)
    VIEWS[view](back).copy_(VIEWS[view](target))
    assert torch.equal(VIEWS[view](back), VIEWS[view](wanted).float())


@pytest.mark.parametrize("bit", [lambda x: x.conj(), lambda x: x.conj().imag])
def test_conjugate_and_negative_bits_are_resolved(bit):
    x = torch.randn(4, dtype=torch.complex64)
    assert torch.equal(bit(x.to(DEVICE)).cpu(), bit(x))
    assert torch.equal(bit(x).to(DEVICE).cpu(), bit(x))
    assert torch.equal(bit(x.to(DEVICE)).clone().cpu(), bit(x))


def test_tensors_known_to_be_zero_are_copied():
    layer = torch.nn.Linear(8, 4).to(DEVICE)
    x = torch.ones(2, 8, device=DEVICE)
    value, slope = torch.func.jvp(lambda v: layer(v) + layer.bias, (x,), (x,))
    torch.testing.assert_close(slope.cpu(), (value - 2 * layer.bias).detach().cpu())
    zero = torch._efficientzerotensor(3, device=DEVICE)
    assert zero.device == torch.device(DEVICE)
    assert torch.equal(zero.cpu(), torch.zeros(3))


def test_real_and_imaginary_parts_alias():
    x = torch.ones(3, dtype=torch.complex64, device=DEVICE)
    x.imag.fill_(2)
    torch.view_as_real(x)[..., 0] = 3
    assert torch.equal(x.cpu(), torch.full((3,), 3 + 2j))


def test_views_alias():
    x = torch.zeros(4, 4, device=DEVICE)
    x.as_strided((2,), (5,), 5).fill_(1)
    x.unfold(0, 2, 2)[0, 0, 0] = 7
    assert torch.equal(x.cpu().diagonal(), torch.tensor([7.0, 1, 1, 0]))


def test_the_host_reads_items():
    assert torch.tensor(2.5, device=DEVICE).item() == 2.5
    assert torch.ones(3, device=DEVICE).sum().item() == 3
    with pytest.raises(TypeError, match="sidra:0 device type tensor to numpy"):
        torch.ones(3, device=DEVICE).numpy()


def test_parameters_move_by_data():
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.data = parameter.data.to(DEVICE)
    assert parameter.device == torch.device(DEVICE)
    assert torch.nn.LazyLinear(2).to(DEVICE)(torch.ones(1, 3, device=DEVICE)).shape == (1, 2)


@pytest.mark.parametrize("location", [None, "cpu", DEVICE, torch.device("sidra:0")])
def test_saved_tensors_load(location):
    x = torch.randn(3, 4).to(DEVICE)
    file = io.BytesIO()
    torch.save({"x": x, "view": x[1]}, file)
    file.seek(0)
    loaded = torch.load(file, map_location=location)
    assert torch.equal(loaded["x"].cpu(), x.cpu())
    assert loaded["x"].device == torch.device(location or DEVICE)
    loaded["view"].zero_()
    assert loaded["x"].cpu()[1].abs().sum() == 0


def test_storages_resize():
    x = torch.arange(4.0).to(DEVICE)
    x.resize_(2, 3)
    assert torch.equal(x.cpu().flatten()[:4], torch.arange(4.0))
    storage = x.untyped_storage()
    storage.resize_(0)
    assert storage.nbytes() == 0
    storage.resize_(24)
    assert storage.nbytes() == 24


def test_memory_filled_on_purpose_when_deterministic():
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.empty(3, device=DEVICE).isnan().all()
        assert torch.ones(1, device=DEVICE).resize_(3)[1:].isnan().all()
    finally:
        torch.use_deterministic_algorithms(False)


TWO_DEVICES = """
import torch, sidra
sidra.register_pytorch_backend()
x = torch.arange(12.).view(3, 4)
a = x.to("sidra:0")
for view in (lambda t: t, lambda t: t.t(), lambda t: t[:, ::2]):
    b = view(a).to("sidra:1")
    assert b.device == torch.device("sidra:1") and torch.equal(b.cpu(), view(x))
    assert torch.equal((b + b).cpu(), 2 * view(x)) and (b + b).device == b.device
w = torch.nn.Linear(4, 2).to("sidra:1")
assert w(a.to("sidra:1")).device.index == 1
try:
    w(a)
except RuntimeError as error:
    assert "sidra:0 and sidra:1" in str(error) or "sidra:1 and sidra:0" in str(error), error
else:
    raise AssertionError("operands on two devices")
print("done")
"""


@pytest.mark.parametrize("strict", ["0", "1"])
def test_devices_exchange_tensors(run_python, strict):
    done = run_python(
        TWO_DEVICES, SIDRA_DEVICES="2", SIDRA_STRICT_MEMORY=strict, SIDRA_FALLBACK="silent"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "done"


@pytest.mark.parametrize("shape", [(3,), (1, 3), (4, 1), ()])
@pytest.mark.parametrize(("source", "target"), [(DEVICE, DEVICE), ("cpu", DEVICE), (DEVICE, "cpu")])
def test_copies_broadcast(shape, source, target):
    values = torch.arange(12.0)[: torch.Size(shape).numel()].reshape(shape)
    x = torch.zeros(4, 3, device=target).copy_(values.to(source))
    assert torch.equal(x.cpu(), values.expand(4, 3))


def test_copies_that_do_not_broadcast_are_refused():
    with pytest.raises(RuntimeError, match="must match the existing size"):
        torch.zeros(4, 3, device=DEVICE).copy_(torch.ones(2))
