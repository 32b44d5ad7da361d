"""Traced graphs: inputs, outputs, sizes, constants, places, and what is refused."""

from __future__ import annotations

import pytest
import torch
from importing import imported
from torch import fx

from sidra.errors import UnsupportedOperator
from sidra.frontend.import_graph import import_graph, memory_order


def test_sizes_become_symbols():
    x = torch.randn(3, 4, device="sidra")
    found = imported(lambda x: x + x.shape[0], x, symbolic=True)
    (argument,) = found.function.arguments
    assert argument.type.rank == 2
    assert not argument.type.is_static


def test_outputs_may_be_sizes_none_inputs_and_views_of_them():
    graph = fx.Graph()
    x = graph.placeholder("x")
    x.meta["val"] = torch.empty(2, 3, device="meta")
    turned = graph.call_function(torch.ops.aten.t.default, (x,))
    turned.meta["val"] = x.meta["val"].t()
    doubled = graph.call_function(torch.ops.aten.mul.Tensor, (x, 2))
    doubled.meta["val"] = x.meta["val"] * 2
    graph.output((x, None, turned, 7, doubled))
    found = import_graph(fx.GraphModule(torch.nn.Module(), graph))
    assert [o.result for o in found.outputs] == [None, None, None, None, 0]
    assert found.outputs[0].alias.strides is None
    assert found.outputs[2].alias.strides == (1, 3)
    assert found.outputs[3].size == 7


def test_constants_of_the_graph_are_kept():
    owner = torch.nn.Module()
    owner.small, owner.large = torch.arange(6.0), torch.randn(5000)
    graph = fx.Graph()
    outputs = []
    for name in ("small", "large"):
        node = graph.get_attr(name)
        node.meta["val"] = torch.empty_like(getattr(owner, name), device="meta")
        outputs.append(node)
    graph.output(tuple(outputs))
    found = import_graph(fx.GraphModule(owner, graph))
    names = [op.name for op in found.module.walk()]
    assert names == ["graph.constant", "graph.resource", "return"]
    (resource,) = found.module.resources.values()
    assert resource.data.shape == (5000,)


def test_a_module_call_is_no_functional_graph():
    graph = fx.Graph()
    x = graph.placeholder("x")
    x.meta["val"] = torch.empty(2, device="meta")
    graph.output(graph.call_method("add", (x, 1)))
    with pytest.raises(UnsupportedOperator, match="call_method add: the graph is not functional"):
        import_graph(fx.GraphModule(torch.nn.Module(), graph))


def test_what_is_no_operator_is_named():
    graph = fx.Graph()
    x = graph.placeholder("x")
    x.meta["val"] = torch.empty(2, device="meta")
    call = graph.call_function(torch.relu, (x,))
    call.meta["val"] = torch.empty(2, device="meta")
    graph.output(call)
    with pytest.raises(UnsupportedOperator, match="operators of the dispatcher only"):
        import_graph(fx.GraphModule(torch.nn.Module(), graph))


def test_an_input_that_is_no_tensor_is_named():
    graph = fx.Graph()
    graph.placeholder("names").meta["val"] = ["a"]
    graph.output(())
    with pytest.raises(UnsupportedOperator, match="the input names is a list"):
        import_graph(fx.GraphModule(torch.nn.Module(), graph))


@pytest.mark.parametrize(
    ("make", "order"),
    [
        (lambda x: x, (0, 1, 2)),
        (lambda x: x.permute(2, 0, 1), (1, 2, 0)),
        (lambda x: x[:, :1].expand(2, 3, 4), (0, 1, 2)),
        (lambda x: x[:, :, ::2], (0, 1, 2)),
    ],
)
def test_order_in_memory(make, order):
    assert memory_order(make(torch.randn(2, 3, 4))) == order


def test_complex_numbers_stay_calls():
    x = torch.randn(3, dtype=torch.complex64, device="sidra")
    found = imported(lambda x: (x * x).abs(), x)
    assert {op.name for op in found.module.walk()} <= {"graph.external", "return"}
