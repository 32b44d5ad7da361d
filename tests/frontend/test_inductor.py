"""torch.compile's default backend on tensors of the device."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
import torch
from torch import nn

import sidra
from sidra import _C
from sidra.errors import UnsupportedOperator
from sidra.frontend import inductor


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile in this process, with nothing left of the test before."""
    monkeypatch.setenv("TORCHINDUCTOR_COMPILE_THREADS", "1")
    sidra.register_pytorch_backend()
    torch._dynamo.reset()
    before = _C.fallback_mode()
    _C.set_fallback_mode("silent")
    yield
    _C.set_fallback_mode(before)


FUNCTIONS = {
    "elements and a sum": lambda x: (x.sin() * 2 + x.relu()).sum(-1),
    "indices": lambda x: x[x.argmax(-1) % 8].cumsum(0) + torch.arange(16, device=x.device),
    "types": lambda x: (x.half() * 2).float() + (x > 0),
    "in place": lambda x: x.clone().add_(1).mul_(2).t()[1:],
    "to the host": lambda x: (x.exp() + 1).cpu() * 2,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_function_gives_what_eager_gives(name: str) -> None:
    torch.manual_seed(0)
    x = torch.randn(8, 16, device="sidra")
    compiled = torch.compile(FUNCTIONS[name], fullgraph=True)
    torch.testing.assert_close(compiled(x), FUNCTIONS[name](x), rtol=1e-3, atol=1e-3)


def test_products_stay_on_crossbars_and_the_rest_is_counted() -> None:
    model = nn.Sequential(nn.Linear(16, 8), nn.GELU()).to("sidra")
    x = torch.randn(4, 16, device="sidra")
    compiled = torch.compile(model)
    with torch.no_grad():
        compiled(x)
        _C.ledger_reset()
        compiled(x)
    rows = {row["operator"]: row for row in _C.ledger_entries()}
    assert [row["place"] for name, row in rows.items() if "addmm" in name] == ["crossbar"]
    (fused,) = [row for name, row in rows.items() if name.startswith("inductor::")]
    assert (fused["place"], fused["calls"]) == ("host", 1)
    assert fused["reason"] == "compiled for the host by Inductor"
    assert fused["bytes_moved"] > 0


def test_compiled_training_follows_eager_training() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 4))
    model = model.to("sidra")
    x = torch.randn(8, 16, device="sidra")
    losses = []
    for call in (lambda m: m, torch.compile):
        twin = copy.deepcopy(model)
        run = call(twin)
        optimizer = torch.optim.SGD(twin.parameters(), 0.1)
        for _ in range(3):
            loss = run(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[1] == pytest.approx(losses[0], rel=0.05)


def test_weights_that_compiled_code_writes_are_programmed_again() -> None:
    weight = torch.randn(16, 16, device="sidra")
    x = torch.randn(4, 16, device="sidra")

    @torch.compile
    def change(w: torch.Tensor) -> None:
        w.mul_(2.0).add_(1.0)

    x @ weight
    change(weight)
    torch.testing.assert_close((x @ weight).cpu(), x.cpu() @ weight.cpu(), rtol=0.1, atol=0.5)


def test_branches_are_compiled_too() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda y: y.sin() * 2, lambda y: y.cos() + 1, (x,))

    compiled = torch.compile(function, fullgraph=True)
    _C.ledger_reset()
    for x in (torch.ones(4, device="sidra"), -torch.ones(4, device="sidra")):
        torch.testing.assert_close(compiled(x), function(x))
    calls = [r["calls"] for r in _C.ledger_entries() if r["operator"].startswith("inductor::")]
    assert sum(calls) >= 3  # the condition twice, and one of the branches at least


def test_randomness_follows_the_seed() -> None:
    drop = torch.compile(lambda x: nn.functional.dropout(x, 0.5))
    x = torch.ones(256, device="sidra")
    torch.manual_seed(0)
    first, second = drop(x), drop(x)
    torch.manual_seed(0)
    assert torch.equal(drop(x), first)
    assert not torch.equal(first, second)


def test_sizes_may_vary() -> None:
    compiled = torch.compile(lambda x: x.sin().sum(), dynamic=True)
    x = torch.randn(8, 4, device="sidra")
    for rows in (8, 5):
        torch.testing.assert_close(compiled(x[:rows]), x[:rows].sin().sum())


def test_results_stay_on_the_device_of_their_operands(run_python) -> None:
    code = """
import torch
f = torch.compile(lambda x: ((x.sin() * 2).sum(-1), x @ x + 1))
print([str(y.device) for y in f(torch.randn(4, 4, device="sidra:1"))])
print(torch.sidra.memory_stats(0).get("allocation.all.allocated", 0))
"""
    done = run_python(code, SIDRA_DEVICES="2", SIDRA_FALLBACK="silent")
    assert done.stdout.split("\n")[:2] == ["['sidra:1', 'sidra:1']", "0"], done.stderr


def test_host_is_warned_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inductor, "_warned", False)
    _C.set_fallback_mode("warn")
    with pytest.warns(UserWarning, match="what Inductor fuses runs on the host"):
        inductor.check_host()
    inductor.check_host()


def test_host_is_refused_when_asked_to() -> None:
    _C.set_fallback_mode("error")
    with pytest.raises(UnsupportedOperator, match="SIDRA_FALLBACK=error forbids; use"):
        inductor.check_host()


def test_memory_out_of_reach_is_refused_also_with_cached_code(run_python) -> None:
    code = """
import torch
try:
    torch.compile(lambda x: x.sin() + 1)(torch.ones(4, device="sidra"))
except Exception as error:
    print("cannot reach this driver's memory; use torch.compile(backend='aot_eager')" in str(error))
"""
    assert run_python(code, SIDRA_FALLBACK="silent").stdout == ""
    done = run_python(code, SIDRA_STRICT_MEMORY="1", SIDRA_FALLBACK="silent")
    assert done.stdout == "True\n", done.stderr


def test_children_may_compile_too(run_python) -> None:
    code = """
import multiprocessing, torch
def compiled(queue):
    queue.put(torch.compile(lambda x: x.sin() + 1)(torch.zeros(2, device="sidra")).tolist())
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=compiled, args=(queue,))
    child.start()
    print(queue.get(timeout=90))
    child.join()
"""
    done = run_python(code, SIDRA_FALLBACK="silent")
    assert done.stdout == "[1.0, 1.0]\n", done.stderr


@pytest.mark.parametrize("mode", ["max-autotune", "reduce-overhead"])
def test_modes_for_gpus_are_harmless(mode: str) -> None:
    x = torch.randn(4, 8, device="sidra")
    weight = torch.randn(8, 8, device="sidra")
    compiled = torch.compile(lambda a: torch.relu(a @ weight), mode=mode)
    assert torch.equal(compiled(x), torch.relu(x @ weight))


def test_code_around_the_kernels_cannot_be_cpp() -> None:
    compiled = torch.compile(lambda x: x.sin() + 1, options={"cpp_wrapper": True})
    with pytest.raises(Exception, match="know no sidra devices; compile without cpp_wrapper"):
        compiled(torch.ones(3, device="sidra"))


def test_import_of_torch_does_not_import_inductor(run_python) -> None:
    done = run_python("import sys, torch; print('torch._inductor' in sys.modules)")
    assert done.stdout == "False\n"
