"""Compiled graphs: inputs, plans for sizes, outputs."""

from __future__ import annotations

import torch
from importing import traced

from sidra.frontend.backend import compile_graph
from sidra.frontend.plan import KEPT_PLANS


def compiled(function, *inputs, symbolic=False):
    return compile_graph(traced(function, *inputs, symbolic=symbolic))


def test_a_plan_for_each_size_and_no_more():
    x = torch.randn(3, 4, device="sidra")
    graph = compiled(lambda x: torch.tanh(x) * 2, x, symbolic=True)
    assert len(graph.plans.kernels.kernels) == 1
    for rows in range(2, 2 + KEPT_PLANS + 5):
        y = torch.randn(rows, 4, device="sidra")
        sizes = [y.shape[0], y.shape[1]][: len(graph.imported.sizes)]
        inputs = [*sizes, y] if sizes else [y]
        (got,) = graph(inputs)
        assert torch.allclose(got, torch.tanh(y) * 2, atol=1e-6)
    assert len(graph.plans._plans) == KEPT_PLANS


def test_inputs_with_gaps_are_made_dense():
    x = torch.randn(4, 6, device="sidra")[:, ::2]
    graph = compiled(lambda x: x + 1, x)
    (got,) = graph([x])
    assert torch.equal(got, x + 1)


def test_the_list_of_inputs_is_emptied():
    x = torch.randn(3, device="sidra")
    inputs = [x]
    compiled(lambda x: x * 2, x)(inputs)
    assert inputs == []


def test_a_transposed_output_is_written_as_it_lies():
    x = torch.randn(3, 4, device="sidra")
    graph = compiled(lambda x: (x * 2).t(), x)
    (got,) = graph([x])
    assert got.stride() == (1, 4)
    assert torch.equal(got, (x * 2).t())
