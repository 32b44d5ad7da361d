"""Tensors of other layouts: sparse, nested and quantised ones live on the device as they are."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable

import pytest
import torch

from sidra.errors import UnsupportedOperator

DEVICE = "sidra:0"
COO = torch.sparse_coo_tensor(
    torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([3.0, 4, 5]), (2, 3)
)
SPARSE = {
    "coo": COO,
    "csr": COO.to_sparse_csr(),
    "csc": COO.to_sparse_csc(),
    "bsr": torch.arange(16.0).view(4, 4).to_sparse_bsr((2, 2)),
    "bsc": torch.arange(16.0).view(4, 4).to_sparse_bsc((2, 2)),
}
CHANNEL_SCALES = torch.tensor([0.1, 0.2, 0.3, 0.4])
VALUES = torch.linspace(-3, 3, 20).view(4, 5)


def per_tensor(x: torch.Tensor) -> torch.Tensor:
    return torch.quantize_per_tensor(x, 0.1, 3, torch.qint8)


def per_channel(x: torch.Tensor) -> torch.Tensor:
    zero_points = torch.zeros(4, dtype=torch.long, device=x.device)
    return torch.quantize_per_channel(x, CHANNEL_SCALES.to(x.device), zero_points, 0, torch.qint8)


def parts() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(n, 3, generator=generator) for n in (2, 4)]


@pytest.mark.parametrize("name", SPARSE)
def test_a_sparse_tensor_goes_to_the_device_and_back(name):
    here = SPARSE[name]
    there = here.to(DEVICE)
    assert there.device == torch.device(DEVICE)
    assert there.layout == here.layout
    assert torch.equal(there.to_dense().cpu(), here.to_dense())
    assert torch.equal(there.cpu().to_dense(), here.to_dense())
    assert DEVICE in repr(there)


@pytest.mark.parametrize("name", ["coo", "csr", "csc", "bsr"])  # PyTorch's CPU has no bsc
def test_a_sparse_matrix_multiplies(name):
    here = SPARSE[name]
    dense = torch.arange(here.shape[1] * 2.0).view(-1, 2)
    result = here.to(DEVICE) @ dense.to(DEVICE)
    assert torch.equal(result.cpu(), here @ dense)


def test_gradients_of_a_sparse_reduction_reach_the_greatest():
    dense = torch.arange(6.0).view(3, 2)
    gradients = []
    for device in ("cpu", DEVICE):
        matrix = SPARSE["csr"].to(device).detach().clone().requires_grad_()
        right = dense.to(device).clone().requires_grad_()
        torch.sparse.mm(matrix, right, "amax").sum().backward()
        gradients.append((matrix.grad.to_dense().cpu(), right.grad.cpu()))
    assert torch.equal(gradients[0][0], gradients[1][0])
    assert torch.equal(gradients[0][1], gradients[1][1])


def test_a_sparse_tensor_is_made_of_members_on_the_device():
    indices, values = COO._indices().to(DEVICE), COO._values().to(DEVICE)
    made = torch.sparse_coo_tensor(indices, values, COO.shape)
    assert made.device == torch.device(DEVICE)
    assert made._values().data_ptr() == values.data_ptr()  # as on the CPU: no copy
    assert torch.equal(made.to_dense().cpu(), COO.to_dense())


def test_a_sparse_tensor_changes_in_place():
    there = COO.to(DEVICE)
    there += there
    assert torch.equal(there.to_dense().cpu(), 2 * COO.to_dense())
    there.zero_()
    assert there._nnz() == 0
    assert there.shape == COO.shape


def test_sparse_gradients_train_an_embedding():
    here = torch.nn.Embedding(10, 3, sparse=True)
    there = copy.deepcopy(here).to(DEVICE)
    for module in (here, there):
        optimizer = torch.optim.SparseAdam(module.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            module(torch.tensor([1, 2, 2], device=module.weight.device)).square().sum().backward()
            assert module.weight.grad.is_sparse
            optimizer.step()
    torch.testing.assert_close(there.weight.cpu(), here.weight)


@pytest.mark.parametrize("quantize", [per_tensor, per_channel])
def test_a_quantized_tensor_goes_to_the_device_and_back(
    quantize: Callable[[torch.Tensor], torch.Tensor],
):
    here = quantize(VALUES)
    for there in (here.to(DEVICE), quantize(VALUES.to(DEVICE)), here.to(DEVICE).clone()):
        assert there.device == torch.device(DEVICE)
        assert there.qscheme() == here.qscheme()
        assert torch.equal(there.int_repr().cpu(), here.int_repr())
        assert torch.equal(there.dequantize().cpu(), here.dequantize())
        assert torch.equal(there.cpu().dequantize(), here.dequantize())


def test_scales_per_channel_lie_on_the_device():
    there = per_channel(VALUES).to(DEVICE)
    assert there.q_per_channel_scales().device == torch.device(DEVICE)
    assert torch.equal(there.q_per_channel_scales().cpu(), CHANNEL_SCALES.double())


def test_quantized_operators_run():
    here, there = per_tensor(VALUES), per_tensor(VALUES.to(DEVICE))
    assert torch.equal(there.relu().dequantize().cpu(), here.relu().dequantize())
    assert torch.equal(there.t()[1:].dequantize().cpu(), here.t()[1:].dequantize())


@pytest.mark.parametrize(
    "make",
    [lambda: COO, lambda: SPARSE["csr"], lambda: per_tensor(VALUES), lambda: per_channel(VALUES)],
)
def test_other_layouts_are_saved_and_loaded(make: Callable[[], torch.Tensor]):
    here = make()
    file = io.BytesIO()
    torch.save(here.to(DEVICE), file)
    file.seek(0)
    there = torch.load(file)
    assert there.device == torch.device(DEVICE)
    dense = torch.Tensor.dequantize if here.is_quantized else torch.Tensor.to_dense
    assert torch.equal(dense(there).cpu(), dense(here))


def test_a_nested_tensor_goes_to_the_device_and_back():
    here = torch.nested.nested_tensor(parts())
    for there in (here.to(DEVICE), torch.nested.nested_tensor(parts(), device=DEVICE)):
        assert there.device == torch.device(DEVICE)
        for mine, part in zip((there + there).unbind(), parts(), strict=True):
            assert torch.equal(mine.cpu(), 2 * part)
        for mine, part in zip(there.cpu().unbind(), parts(), strict=True):
            assert torch.equal(mine, part)
    assert torch.equal(there.to_padded_tensor(0.0).cpu(), here.to_padded_tensor(0.0))


def test_an_encoder_takes_the_nested_fast_path():
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    here = torch.nn.TransformerEncoder(layer, 1).eval()
    there = copy.deepcopy(here).to(DEVICE)
    x = torch.rand(2, 4, 8)
    mask = torch.tensor([[False] * 4, [False, False, True, True]])
    with torch.no_grad():
        expected = here(x, src_key_padding_mask=mask)
        result = there(x.to(DEVICE), src_key_padding_mask=mask.to(DEVICE))
    assert result.shape == expected.shape
    assert (
        torch.nn.functional.cosine_similarity(result.cpu().flatten(), expected.flatten(), 0) > 0.99
    )


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: COO.to(DEVICE), r"aten::cumsum.*sparse COO tensors.*call \.to_dense\(\) first"),
        (lambda: SPARSE["csr"].to(DEVICE), r"aten::cumsum.*compressed tensors.*\.to_dense\(\)"),
        (lambda: per_tensor(VALUES).to(DEVICE), r"aten::cumsum.*quantized.*\.dequantize\(\) first"),
        (
            lambda: torch.nested.nested_tensor(parts(), device=DEVICE),
            r"aten::cumsum.*nested.*unbind\(\) it, or use layout=torch\.jagged",
        ),
    ],
)
def test_what_the_cpu_lacks_is_refused_with_a_remedy(make: Callable[[], torch.Tensor], text: str):
    with pytest.raises(UnsupportedOperator, match=text):
        make().cumsum(0)


def test_other_layouts_return_their_memory():
    torch.sidra.synchronize()
    before = torch.sidra.memory_allocated()
    for here in (*SPARSE.values(), per_channel(VALUES), torch.nested.nested_tensor(parts())):
        there = here.to(DEVICE)
        copied = there.clone()
        assert torch.sidra.memory_allocated() > before
        del there, copied
    assert torch.sidra.memory_allocated() == before
