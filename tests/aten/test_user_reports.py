"""What users of other backends ran into, tried here: each stands for its kind."""

from __future__ import annotations

import pytest
import torch
from torch.utils import dlpack

DEVICE = "sidra:0"


def both(make):
    """The same values on the CPU and on the device."""
    x = make()
    return x, x.to(DEVICE)


@pytest.mark.parametrize("call", [torch.abs, torch.isfinite, torch.isinf, torch.isnan, torch.sgn])
def test_shapes_survive_the_fallback(call):
    x, moved = both(lambda: torch.randn(4, 4))
    assert torch.equal(call(moved).cpu(), call(x))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_in_place_operators_on_columns_write_no_others(dtype):
    x, moved = both(lambda: torch.ones(3, 4, dtype=dtype))
    for tensor in (x, moved):
        column = tensor[:, 0]
        column ^= 1
    assert torch.equal(moved.cpu(), x)


def test_where_takes_transposed_conditions():
    condition, moved = both(lambda: torch.eye(3, 5) > 0)
    a, a_moved = both(lambda: torch.arange(15.0).view(5, 3))
    assert torch.equal(torch.where(moved.T, a_moved, 0).cpu(), torch.where(condition.T, a, 0))


def test_capsules_travel_and_keep_the_memory():
    x = torch.arange(3.0).to(DEVICE)
    y = dlpack.from_dlpack(dlpack.to_dlpack(x))
    del x
    assert y.device == torch.device(DEVICE)
    assert y.cpu().tolist() == [0, 1, 2]


def test_copies_to_the_host_are_complete_after_synchronize(device):
    x = torch.arange(1000.0).to(DEVICE) * 2
    y = x.to("cpu", non_blocking=True)
    device.synchronize()
    assert torch.equal(y, torch.arange(1000.0) * 2)


def test_rebinding_data_leaves_views_alone():
    x = torch.zeros(4, device=DEVICE)
    view = x[:2]
    x.data = torch.ones(4, device=DEVICE)
    assert view.cpu().tolist() == [0, 0]
    x.add_(1)
    assert view.cpu().tolist() == [0, 0]


def test_gradients_stop_at_overwritten_slices():
    layer = torch.nn.Linear(4, 4).to(DEVICE)
    y = layer(torch.ones(2, 4, device=DEVICE))
    y[:, :3] = 0
    y.sum().backward()
    assert layer.bias.grad.cpu().tolist() == [0, 0, 0, 2]


def test_rows_in_a_loop_are_their_own():
    x = torch.arange(40).view(10, 4).to(DEVICE)
    assert [x[i][2].item() for i in range(10)] == [4 * i + 2 for i in range(10)]


def test_operators_of_text_generation():
    logits = torch.tensor([[0.1, 3.0, 0.2, 2.0]]).to(DEVICE)
    ids = torch.tensor([1, 3]).to(DEVICE)
    assert torch.isin(ids, torch.tensor([3], device=DEVICE)).cpu().tolist() == [False, True]
    assert torch.any(ids == 3).item()
    assert torch.cumsum(ids, 0).cpu().tolist() == [1, 4]
    assert torch.topk(logits, 2).indices.cpu().tolist() == [[1, 3]]
    drawn = torch.multinomial(logits.softmax(-1), 1)
    assert 0 <= drawn.item() < 4


def test_backward_stays_on_the_device_of_its_tensors(run_python):
    code = """
import torch, sidra
sidra.register_pytorch_backend()
x = torch.randn(3, 4).to("sidra:1").requires_grad_()
for y in (x.min(1).values, x.topk(2).values, x.sort().values):
    (gradient,) = torch.autograd.grad(y.sum(), x)
    assert gradient.device.index == 1, gradient.device
print(torch.sidra.memory_allocated(0))
"""
    done = run_python(code, SIDRA_DEVICES="2", SIDRA_FALLBACK="silent")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0"
