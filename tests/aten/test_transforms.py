"""torch.func, torch.export, TorchScript and torch.compile without code generation."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.func import (
    functional_call,
    functionalize,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)

DEVICE = "sidra:0"

TRANSFORMED = {
    "vmap": lambda x: vmap(lambda v: v.softmax(-1) + v.sum())(x),
    "vmap over a column": lambda x: vmap(torch.linalg.norm, in_dims=1)(x),
    "vmap of indexing": lambda x: vmap(lambda v: v[torch.tensor([2, 0], device=x.device)])(x),
    "grad": lambda x: grad(lambda v: (v.sin() * v).sum())(x),
    "jvp": lambda x: jvp(torch.tanh, (x,), (x + 1,))[1],
    "vjp": lambda x: vjp(torch.tanh, x)[1](x + 1)[0],
    "jacrev": lambda x: jacrev(lambda v: v.cumsum(0))(x),
    "jacfwd": lambda x: jacfwd(lambda v: v.exp())(x),
    "hessian": lambda x: hessian(lambda v: (v**3).sum())(x[0]),
    "gradients of each sample": lambda x: vmap(grad(lambda v: v.prod()))(x),
    "functionalize": lambda x: functionalize(lambda v: v.clone().add_(1)[:2])(x),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transforms_give_what_the_cpu_gives(name):
    torch.manual_seed(0)
    x = torch.rand(3, 4)
    result = TRANSFORMED[name](x.to(DEVICE))
    assert result.device == torch.device(DEVICE)
    torch.testing.assert_close(result.cpu(), TRANSFORMED[name](x))


@pytest.mark.parametrize("randomness", ["same", "different"])
@pytest.mark.parametrize("call", [nn.functional.dropout, lambda v: v + torch.rand_like(v)])
def test_randomness_of_mapped_functions(randomness, call):
    if randomness == "same" and call is not nn.functional.dropout:
        pytest.skip("rand_like of a mapped tensor has no such form, on the CPU neither")
    rows = vmap(call, randomness=randomness)(torch.ones(4, 64, device=DEVICE))
    same = all(torch.equal(row, rows[0]) for row in rows)
    assert same == (randomness == "same")


def test_modules_are_called_with_other_parameters():
    models = [nn.Linear(3, 2).to(DEVICE) for _ in range(2)]
    parameters, buffers = stack_module_state(models)
    x = torch.randn(5, 3, device=DEVICE)

    def call(p, b):
        return functional_call(models[0], (p, b), (x,))

    stacked = vmap(call)(parameters, buffers)
    assert stacked.shape == (2, 5, 2)
    torch.testing.assert_close(stacked[1], models[1](x), rtol=0.05, atol=0.05)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("offset", torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.layer(x)) + self.offset + torch.arange(4, device=x.device)


@pytest.fixture
def net():
    torch.manual_seed(0)
    return Net().to(DEVICE).eval(), torch.randn(3, 4, device=DEVICE)


def test_exported_programs_are_saved_and_run(net, tmp_path):
    model, x = net
    batch = torch.export.Dim("batch", min=2, max=8)
    program = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))
    torch.export.save(program, tmp_path / "net.pt2")
    loaded = torch.export.load(tmp_path / "net.pt2")
    assert loaded.state_dict["layer.weight"].device == torch.device(DEVICE)
    for program_of_it in (loaded, loaded.run_decompositions()):
        assert torch.equal(program_of_it.module()(x), model(x))
        assert torch.equal(program_of_it.module()(x[:2]), model(x[:2]))


@pytest.mark.parametrize("script", ["trace", "script"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_scripts_are_saved_and_run_anywhere(net, script, tmp_path):
    model, x = net
    program = torch.jit.trace(model, x) if script == "trace" else torch.jit.script(model)
    program.save(str(tmp_path / "net.pt"))
    for where in (None, DEVICE, torch.device("sidra")):
        loaded = torch.jit.load(str(tmp_path / "net.pt"), map_location=where)
        for _ in range(3):  # it is optimised as it runs
            assert torch.equal(loaded(x), model(x))
    assert torch.equal(torch.jit.freeze(loaded)(x), model(x))
    on_cpu = torch.jit.load(str(tmp_path / "net.pt"), map_location="cpu")
    assert on_cpu.layer.weight.device.type == "cpu"


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_models_train_as_eager_ones(net, backend, dynamic):
    model, x = net
    twin = copy.deepcopy(model)
    torch._dynamo.reset()
    compiled = torch.compile(twin, backend=backend, fullgraph=True, dynamic=dynamic)
    for rows in (3, 2):
        y, expected = compiled(x[:rows]), model(x[:rows])
        assert torch.equal(y, expected)
        y.sum().backward()
        expected.sum().backward()
    assert torch.equal(twin.layer.weight.grad, model.layer.weight.grad)


def test_checkpoints_repeat_their_dropout():
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 8)).to(DEVICE)
    x = torch.randn(4, 8, device=DEVICE, requires_grad=True)

    def gradients(call):
        torch.manual_seed(1)
        return torch.autograd.grad(call(x).sum(), list(model.parameters()))

    expected = gradients(model)
    for reentrant in (True, False):
        torch.manual_seed(1)
        model.zero_grad()
        checkpoint = torch.utils.checkpoint.checkpoint
        checkpoint(model, x, use_reentrant=reentrant).sum().backward()
        assert all(
            torch.equal(p.grad, g) for p, g in zip(model.parameters(), expected, strict=True)
        )


def test_factories_follow_the_device_in_force():
    with torch.device("sidra"):
        made = [torch.ones(2), torch.randperm(3), torch.tensor([1]), nn.Linear(1, 1).weight]
    torch.set_default_device("sidra")
    try:
        made += [torch.zeros(2), torch.arange(3), nn.Linear(1, 1).weight, torch.randn(1)]
        loader = torch.utils.data.DataLoader(
            torch.arange(4), batch_size=2, shuffle=True, generator=torch.Generator("sidra")
        )
        made += list(loader)
    finally:
        torch.set_default_device(None)
    assert {x.device for x in made} == {torch.device(DEVICE)}
    assert torch.ones(1).device.type == "cpu"
