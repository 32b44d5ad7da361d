"""Operators without a chip implementation: right, counted, in place, and refused when asked."""

from __future__ import annotations

import pytest
import torch

from sidra.errors import UnsupportedOperator

DEVICE = "sidra:0"


@pytest.fixture
def mode(quiet_fallback):
    from sidra import _C

    return _C.set_fallback_mode


def test_a_host_operator_warns_once(mode):
    mode("warn")
    x = torch.arange(4.0).to(DEVICE)
    with pytest.warns(UserWarning, match="aten::_cummax_helper has no chip implementation"):
        torch.cummax(x, 0)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.cummax(x, 0)


def test_a_host_operator_is_refused_when_asked(mode):
    mode("error")
    x = torch.arange(4.0).to(DEVICE)
    with pytest.raises(UnsupportedOperator, match=r"aten::cumprod.*SIDRA_FALLBACK=error"):
        torch.cumprod(x, 0)
    assert torch.equal((x + x).cpu(), torch.arange(4.0) * 2)


def test_unknown_modes_are_refused():
    from sidra import _C

    with pytest.raises(ValueError, match="'silent', 'warn' or 'error', not 'loud'"):
        _C.set_fallback_mode("loud")


def test_the_ledger_says_where_and_why():
    from sidra import _C

    _C.ledger_reset()
    x = torch.rand(3, 4).to(DEVICE)
    torch.cumprod(x, 0)
    torch.relu(x)
    rows = {row["operator"]: row for row in _C.ledger_entries()}
    assert rows["aten::cumprod"]["place"] == "host"
    assert rows["aten::cumprod"]["reason"] == "no chip implementation"
    assert rows["aten::cumprod"]["bytes_moved"] == 2 * 3 * 4 * 4
    assert rows["aten::relu"]["place"] == "compute_engine"
    assert rows["aten::relu"]["reason"] == ""
    assert rows["aten::relu"]["chip_seconds"] > 0


def test_results_stay_on_the_device_without_copies(device):
    if device.get_device_properties(0).name and not _coherent():
        pytest.skip("strict memory stages copies")
    from sidra import _C

    x = torch.rand(64, 64).to(DEVICE)
    _C.ledger_reset()
    y = torch.sort(torch.cumsum(x, 1) * 2, dim=1).values
    assert y.device == torch.device(DEVICE)
    moved = [row for row in _C.ledger_entries() if row["operator"].startswith("sidra::copy")]
    assert moved == []
    assert all(row["copied_bytes"] == 0 for row in _C.ledger_entries())


def test_staged_operands_are_counted():
    from sidra import _C

    if _coherent():
        pytest.skip("operators run in place on coherent memory")
    x = torch.rand(16, 4).to(DEVICE)
    _C.ledger_reset()
    torch.cumsum(x, 0)
    (row,) = [row for row in _C.ledger_entries() if row["operator"] == "aten::cumsum"]
    # The operand and the result's memory go to the host, the result comes back.
    assert row["copied_bytes"] == 3 * x.nbytes


def _coherent():
    from sidra import _C

    return _C.driver_info()["host_coherent"]


def test_results_are_resized_in_place():
    x = torch.arange(6.0).to(DEVICE)
    out = torch.empty(0, device=DEVICE)
    torch.add(x, 1, out=out)
    assert torch.equal(out.cpu(), torch.arange(6.0) + 1)
    assert out.untyped_storage().nbytes() >= 24
    torch.sort(x, descending=True, out=(out, torch.empty(0, dtype=torch.long, device=DEVICE)))
    assert torch.equal(out.cpu(), torch.arange(5.0, -1, -1))


def test_in_place_operators_return_their_operand():
    x = torch.arange(4.0).to(DEVICE)
    y = x.cumsum_(0)
    assert y is x
    assert torch.equal(x.cpu(), torch.tensor([0.0, 1, 3, 6]))


def test_hidden_mutations_reach_the_device():
    norm = torch.nn.BatchNorm1d(3).to(DEVICE)
    x = torch.randn(8, 3).to(DEVICE)
    norm(x)
    torch.testing.assert_close(norm.running_mean.cpu(), 0.1 * x.cpu().mean(0))


def test_generators_are_the_devices():
    torch.manual_seed(5)
    first = torch.randn(3, device=DEVICE)
    torch.manual_seed(5)
    assert torch.equal(first, torch.randn(3, device=DEVICE))
    assert not torch.equal(first, torch.randn(3, device=DEVICE))
    with pytest.raises(RuntimeError, match=r"Expected a 'sidra:0' device type for generator"):
        torch.randn(3, device=DEVICE, generator=torch.Generator())


def test_indices_may_lie_on_the_host():
    x = torch.arange(12.0).view(3, 4).to(DEVICE)
    assert torch.equal(x[torch.tensor([2, 0])].cpu(), torch.arange(12.0).view(3, 4)[[2, 0]])
    x[:, torch.tensor([1])] = 0
    assert x.cpu()[:, 1].abs().sum() == 0


@pytest.mark.parametrize("index", [8, -9])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, i: x.index_copy(0, i, x[:1]),
        lambda x, i: x.index_add(0, i, x[:1]),
        lambda x, i: x.gather(0, i.view(1, 1)),
        lambda x, i: torch.nn.functional.embedding(i, x),
        lambda x, i: x[i],
    ],
    ids=["index_copy", "index_add", "gather", "embedding", "index"],
)
def test_indices_out_of_range_are_refused(call, index):
    with pytest.raises((IndexError, RuntimeError), match=r"out of|out of range|index"):
        call(torch.rand(5, 2).to(DEVICE), torch.tensor([index], device=DEVICE))
