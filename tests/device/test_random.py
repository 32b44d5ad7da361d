from __future__ import annotations

import copy
import pickle

import pytest
import torch

STATE_BYTES = torch.Generator().get_state().numel()


def draw(generator: torch.Generator | None = None) -> list[float]:
    return torch.rand(4, device="sidra", generator=generator).tolist()


def test_same_seed_draws_the_same_and_as_the_cpu(device) -> None:
    torch.manual_seed(5)
    first, cpu = draw(), torch.rand(4).tolist()
    torch.manual_seed(5)
    assert draw() == first == cpu
    assert device.initial_seed() == 5


def test_seeding_reaches_every_device(printed) -> None:
    code = """
import torch
s = torch.sidra
torch.manual_seed(3)
a = [torch.rand(2, device=f"sidra:{i}").tolist() for i in (0, 1)]
s.manual_seed_all(3)
b = [torch.rand(2, device=f"sidra:{i}").tolist() for i in (0, 1)]
with s.device(1):
    s.manual_seed(4)
print(a == b, a[0] == a[1], [g.initial_seed() for g in map(s.random._generator, (0, 1))])
states = s.get_rng_state_all()
c = [torch.rand(2, device=f"sidra:{i}").tolist() for i in (0, 1)]
s.set_rng_state_all(states)
print(c == [torch.rand(2, device=f"sidra:{i}").tolist() for i in (0, 1)])
s.seed_all()
seeds = [g.initial_seed() for g in map(s.random._generator, (0, 1))]
s.seed()
print(seeds[0] == seeds[1], s.initial_seed() != seeds[0])
"""
    assert printed(code, SIDRA_DEVICES="2").splitlines() == [
        "True True [3, 4]",
        "True",
        "True True",
    ]


def test_seed_before_first_use_holds(printed) -> None:
    code = (
        "import torch; torch.manual_seed(11); x = torch.rand(3, device='sidra').cpu();"
        "torch.manual_seed(11); print(torch.equal(x, torch.rand(3)))"
    )
    assert printed(code) == "True"


def test_without_a_seed_processes_differ(printed) -> None:
    code = "import torch; print(torch.sidra.initial_seed())"
    assert printed(code) != printed(code)


def test_seeding_without_a_driver_does_nothing(printed) -> None:
    code = (
        "import torch; s = torch.sidra; torch.manual_seed(1); s.manual_seed(1); s.seed();"
        "s.manual_seed_all(1); s.seed_all(); print(s.get_rng_state_all(), s.is_available())"
    )
    assert printed(code, SIDRA_DRIVER="/nowhere.so") == "[] False"


@pytest.mark.parametrize("seed", [-1, 2**64 - 1, -(2**63)])
def test_seeds_that_torch_takes(device, seed: int) -> None:
    torch.manual_seed(seed)
    assert draw() == torch.rand(4).tolist()
    assert device.initial_seed() == seed % 2**64


def test_seed_out_of_range(device) -> None:
    with pytest.raises(RuntimeError, match=r"a seed lies within -2\^63 and 2\^64 - 1, which"):
        device.manual_seed_all(2**64)


@pytest.mark.parametrize("where", ["sidra", "sidra:0", 0, torch.device("sidra"), None])
def test_state_is_saved_and_restored(device, where: object) -> None:
    state = device.get_rng_state(where)
    assert (state.device.type, state.dtype, state.numel()) == ("cpu", torch.uint8, STATE_BYTES)
    first = draw()
    device.set_rng_state(state, where)
    assert draw() == first


def test_fork_rng_and_checkpoint_restore(device) -> None:
    torch.manual_seed(1)
    with torch.random.fork_rng(devices=[0], device_type="sidra"):
        inside = draw()
    assert draw() == inside

    x = torch.ones(64, device="sidra", requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(
        lambda x: torch.nn.functional.dropout(x, 0.5), x, use_reentrant=False
    )
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_generator_draws_for_itself(device) -> None:
    state = device.get_rng_state()
    generator = torch.Generator("sidra").manual_seed(9)
    assert generator.device == torch.device("sidra:0")
    first = draw(generator)
    assert draw(generator) != first
    assert draw(torch.Generator("sidra").manual_seed(9)) == first
    assert torch.equal(device.get_rng_state(), state)


def test_generator_state_moves_to_another_generator(device) -> None:
    source, target = torch.Generator("sidra").manual_seed(1), torch.Generator("sidra")
    draw(source)
    target.set_state(source.get_state())
    assert draw(target) == draw(source)
    assert target.initial_seed() == 1


def test_generator_is_cloned_and_pickled(device) -> None:
    generator = torch.Generator("sidra").manual_seed(2)
    draw(generator)
    clones = [generator.clone_state(), pickle.loads(pickle.dumps(generator))]
    expected = draw(generator)
    assert [draw(clone) for clone in clones] == [expected] * 2
    assert all(clone.device == generator.device for clone in clones)


def test_shared_state_draws_together(device) -> None:
    generator = torch.Generator("sidra").manual_seed(3)
    shared = torch.Generator("sidra")
    shared.graphsafe_set_state(generator.graphsafe_get_state())
    expected = [draw(torch.Generator("sidra").manual_seed(3))]
    assert draw(generator) == expected[0]
    assert draw(shared) != expected[0]
    with pytest.raises(RuntimeError, match="Expected a 'sidra' device type for generator"):
        generator.graphsafe_set_state(torch.Generator())


def test_state_of_a_wrong_kind_is_refused(device) -> None:
    generator = torch.Generator("sidra")
    with pytest.raises(TypeError, match=r"RNG state must be a torch\.ByteTensor"):
        generator.set_state(torch.zeros(STATE_BYTES))
    with pytest.raises(
        RuntimeError, match="of size 5056 but found the input RNG state size to be 3"
    ):
        generator.set_state(torch.zeros(3, dtype=torch.uint8))


def test_offset_is_not_used(device) -> None:
    generator = torch.Generator("sidra")
    assert generator.get_offset() == 0
    generator.set_offset(0)
    with pytest.raises(RuntimeError, match="sidra Generator does not use offset: 4 cannot be set"):
        generator.set_offset(4)


def test_generator_of_another_device_is_refused(device) -> None:
    with pytest.raises(RuntimeError, match=r"Expected a 'sidra(:0)?' device type for gener"):
        torch.rand(2, device="sidra", generator=torch.Generator())


def test_default_generator_is_one_object(device) -> None:
    generator = device.random._generator(0)
    assert generator is device.random._generator("sidra")
    assert copy.copy(generator.device) == torch.device("sidra:0")


RANDOM = {
    "rand": lambda: torch.rand(8, device="sidra"),
    "randn": lambda: torch.randn(8, device="sidra"),
    "randint": lambda: torch.randint(1 << 30, (8,), device="sidra"),
    "randperm": lambda: torch.randperm(64, device="sidra"),
    "normal": lambda: torch.normal(0.0, 1.0, (8,), device="sidra"),
    "bernoulli": lambda: torch.full((64,), 0.5, device="sidra").bernoulli(),
    "multinomial": lambda: torch.ones(100, device="sidra").multinomial(20),
    "exponential": lambda: torch.empty(8, device="sidra").exponential_(),
    "dropout": lambda: torch.nn.functional.dropout(torch.ones(64, device="sidra"), 0.5),
    "poisson": lambda: torch.poisson(torch.full((16,), 50.0, device="sidra")),
}


@pytest.mark.parametrize("name", RANDOM)
def test_draws_differ_and_repeat_with_the_seed(device, name: str) -> None:
    def draws() -> list[list[float]]:
        torch.manual_seed(1)
        return [RANDOM[name]().tolist() for _ in range(5)]

    first = draws()
    assert len({str(values) for values in first}) == 5
    assert draws() == first
