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


INDEXED = {
    "index": lambda x, i: x[i],
    "index of columns": lambda x, i: x[:, i],
    "index_put_ of columns": lambda x, i: torch.ops.aten.index_put_(x, [None, i], -x[:, i]),
    "accumulating index_put_": lambda x, i: x.index_put((i,), x[i], accumulate=True),
    "assignment": lambda x, i: x.clone().__setitem__((slice(None), i), 5.0),
    "index_select": lambda x, i: x.index_select(1, i),
    "index_fill": lambda x, i: x.index_fill(0, i, 3),
    "take": lambda x, i: x.take(i),
    "masked_fill": lambda x, i: x.masked_fill(x > i.sum(), 0),
}


@pytest.mark.parametrize("name", INDEXED)
def test_indexing_takes_indices_of_the_device(name):
    x, moved = both(lambda: torch.arange(16.0).view(4, 4))
    i, i_moved = both(lambda: torch.tensor([3, 0]))
    result, expected = INDEXED[name](moved, i_moved), INDEXED[name](x, i)
    assert torch.equal(moved.cpu(), x)
    if expected is not None:
        assert torch.equal(result.cpu(), expected)


OUT_OF_RANGE = {
    "index_copy_": lambda x, i: x.index_copy_(0, i, x[:1].clone()),
    "index_add_": lambda x, i: x.index_add_(0, i, x[:1].clone()),
    "index_reduce_": lambda x, i: x.index_reduce_(0, i, x[:1].clone(), "amax"),
    "index_fill_": lambda x, i: x.index_fill_(0, i, 1.0),
    "index_select": lambda x, i: x.index_select(0, i),
    "index_put_": lambda x, i: x.index_put_((i,), torch.tensor(1.0)),
    "scatter_": lambda x, i: x.scatter_(0, i.view(1, 1), 1.0),
    "scatter_add_": lambda x, i: x.scatter_add_(0, i.view(1, 1), x[:1, :1].clone()),
    "scatter_reduce_": lambda x, i: x.scatter_reduce_(0, i.view(1, 1), x[:1, :1].clone(), "sum"),
    "gather": lambda x, i: x.gather(0, i.view(1, 1)),
    "take": lambda x, i: x.take(i * 100),
    "put_": lambda x, i: x.put_(i * 100, torch.ones(1, device=x.device)),
    "embedding": lambda x, i: torch.nn.functional.embedding(i, x),
    "embedding_bag": lambda x, i: torch.nn.functional.embedding_bag(i.view(1, 1), x),
}


@pytest.mark.parametrize("index", [8, -9])
@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_indices_out_of_range_write_nothing_outside(name, index):
    x = torch.zeros(5, 2, device=DEVICE)
    with pytest.raises((IndexError, RuntimeError), match=r"(?i)out.of|index|idx"):
        OUT_OF_RANGE[name](x, torch.tensor([index], device=DEVICE))


VIEWS = {
    "view": lambda x: x.view(6, 4),
    "reshape": lambda x: x.reshape(4, 6),
    "as_strided": lambda x: x.as_strided((2, 2), (1, 4)),
    "unfold": lambda x: x.unfold(2, 2, 1),
    "expand": lambda x: x[:1].expand(5, 3, 4),
    "transpose": lambda x: x.transpose(0, 2),
    "select": lambda x: x[1],
    "diagonal": lambda x: x.diagonal(0, 0, 1),
    "real": lambda x: torch.view_as_complex(x.view(2, 3, 2, 2)).real,
    "bytes": lambda x: x.view(torch.int32),
    "split": lambda x: x.split(2, 1)[1],
    "squeeze": lambda x: x[:1].squeeze(0),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_read_no_bytes_and_alias_their_base(name):
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        assert VIEWS[name](torch.empty(2, 3, 4, device=DEVICE)).device.type == "sidra"
    x, moved = both(lambda: torch.arange(24.0).view(2, 3, 4))
    for base in (x, moved):
        VIEWS[name](base).view_as(VIEWS[name](base)).zero_()
    assert torch.equal(moved.cpu(), x)
    assert (x == 0).sum() > 1


@pytest.mark.parametrize(
    "assign",
    [
        lambda x: setattr(x, "data", torch.ones(4, device=x.device)),
        lambda x: setattr(x, "data", x.data[1:]),
        lambda x: setattr(x, "data", x.data.to("cpu" if x.device.type == "cpu" else "sidra")),
    ],
    ids=["another tensor", "a part of itself", "the same place"],
)
def test_views_keep_their_base_when_data_is_replaced(assign):
    results = []
    for device in ("cpu", DEVICE):
        x = torch.arange(4.0, device=device)
        view, alias = x[1:3], x.detach()
        assign(x)
        view.add_(10)
        x.mul_(2)
        results.append([y.tolist() for y in (x, view, alias)])
    assert results[0] == results[1]


def test_results_of_asynchronous_copies_are_pinned(device):
    y = torch.ones(3, device=DEVICE).to("cpu", non_blocking=True)
    device.synchronize()
    assert y.is_pinned()
    assert y.tolist() == [1, 1, 1]


@pytest.mark.parametrize("operator", ["__ixor__", "__iand__", "__ior__", "__ilshift__", "add_"])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int64])
def test_in_place_operators_on_strided_rows(operator, dtype):
    x, moved = both(lambda: torch.arange(24, dtype=dtype).view(4, 6))
    for tensor in (x, moved):
        getattr(tensor[::2, 1::2], operator)(1)
        getattr(tensor.t()[0], operator)(tensor[:, 1])
    assert torch.equal(moved.cpu(), x)


def test_integers_are_devices():
    x = torch.ones(2).to(0)
    assert x.device == torch.device(0) == torch.device(DEVICE)
    assert torch.ones(1, device=0).device == x.device
    assert torch.nn.Linear(1, 1).to(0).weight.device == x.device
    assert x.to("cpu").sidra(0).device == x.device
    with pytest.raises(RuntimeError, match="9"):
        torch.ones(1).to(9)
