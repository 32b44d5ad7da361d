"""Products with a weight run on crossbars, bit for bit as the contract says; others do not."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reference import linear
from torch.nn import functional

DEVICE = "sidra:0"


def on_crossbars(x, weight, spec, bias=None):
    """The contract's result for tensors on the CPU."""
    y = linear(x.numpy(), weight.numpy(), spec, None if bias is None else bias.numpy())
    return torch.from_numpy(np.ascontiguousarray(y))


def draw(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize(
    ("vectors", "inputs", "outputs"),
    [(1, 1, 1), (3, 255, 7), (5, 256, 256), (2, 257, 65), (1, 768, 768), (17, 1000, 3)],
)
def test_linear_follows_the_contract(spec, vectors, inputs, outputs):
    x, weight, bias = draw(vectors, inputs), draw(outputs, inputs), draw(outputs)
    y = functional.linear(x.to(DEVICE), weight.to(DEVICE), bias.to(DEVICE))
    assert torch.equal(y.cpu(), on_crossbars(x, weight, spec, bias))


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.t().contiguous().t(),
        lambda x: x[::2],
        lambda x: x[:, ::2],
        lambda x: x[1:, 3:],
        lambda x: x[:1].expand(4, -1),
        lambda x: x[:, :1].expand(-1, 9),
    ],
    ids=["transposed", "rows", "columns", "offset", "one row", "one column"],
)
@pytest.mark.parametrize("operand", ["input", "weight"])
def test_views_are_read_as_they_lie(spec, operand, view):
    viewed = draw(12, 40)
    other = draw(5, view(viewed).shape[1])
    x, weight = (viewed, other) if operand == "input" else (other, viewed)
    on_device = {"input": (view, lambda t: t), "weight": (lambda t: t, view)}[operand]
    left, right = (f(t.to(DEVICE)) for f, t in zip(on_device, (x, weight), strict=True))
    expected = on_crossbars(on_device[0](x).contiguous(), on_device[1](weight).contiguous(), spec)
    assert torch.equal(functional.linear(left, right).cpu(), expected)


def test_every_spelling_of_a_product_runs_on_crossbars(spec, ledger):
    x, weight, bias = draw(6, 32), draw(32, 10), draw(10)
    expected = on_crossbars(x, weight.t().contiguous(), spec)
    xs, ws, bs = x.to(DEVICE), weight.to(DEVICE), bias.to(DEVICE)
    out = torch.empty(6, 10, device=DEVICE)
    for y in (
        xs @ ws,
        torch.mm(xs, ws),
        torch.mm(xs, ws, out=out),
        torch.matmul(xs.view(2, 3, 32), ws).view(6, 10),
        torch.addmm(bs, xs, ws, beta=0),
        xs.view(3, 2, 32).transpose(0, 1).matmul(ws).transpose(0, 1).reshape(6, 10),
        torch.stack([torch.mv(ws.t(), row) for row in xs]),
    ):
        assert torch.equal(y.cpu(), expected)
    assert {place for _, place in ledger() if _.startswith("aten::m") and "mul" not in _} == {
        "crossbar"
    }
    scaled = torch.addmm(bs, xs, ws, beta=2, alpha=0.5)
    torch.testing.assert_close(scaled.cpu(), expected * 0.5 + 2 * bias)


def test_a_weight_on_the_left_is_transposed(spec, ledger):
    weight, x = draw(7, 20), draw(20, 4)
    activation = x.to(DEVICE) * 1.0
    y = weight.to(DEVICE) @ activation
    assert torch.equal(y.cpu(), on_crossbars(x.t().contiguous(), weight, spec).t())
    assert ("aten::mm", "crossbar") in ledger()


def test_two_activations_never_program_cells(ledger, device):
    a, b = draw(4, 16).to(DEVICE) * 1.0, draw(16, 4).to(DEVICE) * 1.0
    before = len(device.residency())
    torch.testing.assert_close((a @ b).cpu(), a.cpu() @ b.cpu())
    batch = torch.bmm(a.view(1, 4, 16), b.view(1, 16, 4))
    torch.testing.assert_close(batch.cpu(), a.cpu().view(1, 4, 16) @ b.cpu().view(1, 16, 4))
    assert len(device.residency()) == before
    assert ("aten::mm", "compute_engine") in ledger()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_converted(spec, dtype):
    x, weight = draw(3, 30).to(dtype), draw(8, 30).to(dtype)
    y = functional.linear(x.to(DEVICE), weight.to(DEVICE))
    assert y.dtype is dtype
    assert torch.equal(y.cpu(), on_crossbars(x.float(), weight.float(), spec).to(dtype))


def test_float64_has_no_converter_path(ledger):
    x, weight = draw(3, 30).double(), draw(8, 30).double()
    y = functional.linear(x.to(DEVICE), weight.to(DEVICE))
    torch.testing.assert_close(y.cpu(), functional.linear(x, weight))
    assert ("aten::mm", "compute_engine") in ledger()


@pytest.mark.parametrize("shape", [(0, 8), (2, 0, 8)])
def test_no_vectors_give_no_rows(shape):
    y = functional.linear(torch.empty(shape, device=DEVICE), draw(5, 8).to(DEVICE))
    assert y.shape == (*shape[:-1], 5)


def test_no_inputs_give_the_bias():
    layer = torch.nn.Linear(0, 3).to(DEVICE)
    x = torch.empty(2, 0, device=DEVICE)
    assert torch.equal(layer(x).cpu(), layer.bias.detach().cpu().expand(2, 3))


def test_a_million_vectors(spec):
    x, weight = draw(1_000_000, 4), draw(3, 4)
    y = functional.linear(x.to(DEVICE), weight.to(DEVICE)).cpu()
    assert torch.equal(y[-5:], on_crossbars(x[-5:], weight, spec))


def test_special_inputs_follow_the_contract(spec):
    x, weight = draw(5, 40), draw(8, 40)
    x[0, 3], x[1, 4], x[2, 5] = float("nan"), float("inf"), -float("inf")
    x[3] = 0
    assert torch.equal(
        functional.linear(x.to(DEVICE), weight.to(DEVICE)).cpu(), on_crossbars(x, weight, spec)
    )


def test_a_weight_that_no_cell_holds_is_refused():
    weight = draw(4, 8)
    weight[2, 5] = float("nan")
    with pytest.raises(ValueError, match=r"shape \[4, 8\].*nan of output 2, input 5"):
        functional.linear(draw(1, 8).to(DEVICE), weight.to(DEVICE))


def test_gradients_are_exact():
    layer = torch.nn.Linear(30, 7)
    x = draw(5, 30)
    copy = torch.nn.Linear(30, 7).to(DEVICE)
    copy.load_state_dict(layer.state_dict())
    left, right = x.clone().requires_grad_(), x.to(DEVICE).requires_grad_()
    layer(left).sum().backward()
    copy(right).sum().backward()
    torch.testing.assert_close(right.grad.cpu(), left.grad)
    torch.testing.assert_close(copy.weight.grad.cpu(), layer.weight.grad)


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a @ b,
        lambda a, b: functional.linear(a, b.t()),
        lambda a, b: torch.addmm(b[0], a, torch.ones(8, 3, device=DEVICE)),
        lambda a, b: torch.cat([a, b.t()]),
        lambda a, b: torch.where(a.t() > 0, a.t(), b),
    ],
    ids=["matmul", "linear", "addmm", "cat", "where"],
)
def test_operands_on_two_devices_are_refused(call):
    with pytest.raises(
        RuntimeError, match=r"same device, but found at least two devices, sidra:0 and cpu!.*aten::"
    ):
        call(draw(3, 8).to(DEVICE), draw(8, 3))


def test_pytorch_itself_refuses_some_operands_on_two_devices():
    with pytest.raises(RuntimeError, match="at least two devices, sidra:0 and cpu!"):
        draw(3, 8).to(DEVICE) + draw(3, 8)
