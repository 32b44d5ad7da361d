"""Generators of the device, given to every operator that draws."""

from __future__ import annotations

import torch

DEVICE = "sidra:0"


def test_every_random_operator_draws_from_its_generator():
    ones = torch.ones(4, device=DEVICE)
    calls = {
        "rand": lambda g: torch.rand(4, device=DEVICE, generator=g),
        "randn": lambda g: torch.randn(4, device=DEVICE, generator=g),
        "randint": lambda g: torch.randint(99, (4,), device=DEVICE, generator=g),
        "randperm": lambda g: torch.randperm(9, device=DEVICE, generator=g),
        "rand_like": lambda g: torch.rand_like(ones, generator=g),
        "normal": lambda g: torch.normal(ones, ones, generator=g),
        "normal of numbers": lambda g: torch.normal(0.0, 1.0, (4,), device=DEVICE, generator=g),
        "bernoulli": lambda g: torch.bernoulli(ones.repeat(9) / 2, generator=g),
        "multinomial": lambda g: torch.multinomial(ones.repeat(9), 9, generator=g),
        "poisson": lambda g: torch.poisson(ones * 50, generator=g),
        "binomial": lambda g: torch.binomial(ones * 99, ones / 2, generator=g),
        "gamma": lambda g: torch._standard_gamma(ones, generator=g),
        "dirichlet": lambda g: torch._sample_dirichlet(ones, generator=g),
        "uniform_": lambda g: ones.clone().uniform_(generator=g),
        "normal_": lambda g: ones.clone().normal_(generator=g),
        "random_": lambda g: ones.clone().random_(99, generator=g),
        "exponential_": lambda g: ones.clone().exponential_(generator=g),
        "geometric_": lambda g: ones.repeat(9).geometric_(0.1, generator=g),
        "log_normal_": lambda g: ones.clone().log_normal_(generator=g),
        "cauchy_": lambda g: ones.clone().cauchy_(generator=g),
    }
    for name, call in calls.items():
        generator, twin = torch.Generator("sidra").manual_seed(5), torch.Generator(DEVICE)
        twin.set_state(generator.get_state())
        clone = generator.clone_state()
        first = call(generator)
        assert torch.equal(call(twin), first), name
        assert torch.equal(call(clone), first), name
        assert not torch.equal(call(generator), first), name
