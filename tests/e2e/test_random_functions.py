"""Random functions under torch.compile(backend="sidra") give what the CPU gives."""

from __future__ import annotations

import pytest
import torch
from random_functions import Maker, inputs

import sidra

sidra.register_pytorch_backend()


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("seed", range(24))
def test_compiled_is_what_the_cpu_gives(seed):
    given = inputs(seed)
    function = Maker(seed).build(given)
    want = function(*given)
    torch._dynamo.reset()
    fast = torch.compile(function, backend="sidra", dynamic=seed % 3 == 0)
    for a, b in zip(fast(*(x.to("sidra") for x in given)), want, strict=True):
        assert a.shape == b.shape
        torch.testing.assert_close(a.cpu(), b, rtol=3e-4, atol=3e-4)
