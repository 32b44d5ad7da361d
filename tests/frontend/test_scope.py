"""Places in the model."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from sidra.frontend.scope import module_path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("L['self']", ""),
        ("L['fn'].0", "0"),
        ("L['self'].encoder.layer[3].attention.query", "encoder.layer.3.attention.query"),
        ("L['self']._modules['encoder']._modules['0']", "encoder.0"),
        ("getattr(L['self'].layers, '2')", "layers.2"),
        ("encoder.layer.3", "encoder.layer.3"),
    ],
)
def test_paths(text, path):
    assert module_path(text) == path


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def forward(self, x):
        return self.layers(x) * 3


def test_operations_know_their_module_and_line():
    from sidra.frontend import backend as backend_module

    places = []
    original = backend_module.import_graph

    def watch(graph_module):
        imported = original(graph_module)
        places.extend(op.location for op in imported.module.walk())
        return imported

    backend_module.import_graph = watch
    try:
        torch._dynamo.reset()
        model = Model().to("sidra")
        torch.compile(model, backend="sidra")(torch.randn(2, 4, device="sidra"))
    finally:
        backend_module.import_graph = original
        torch._dynamo.reset()
    assert any(place.module == "layers.0" for place in places)
    assert any(place.line > 0 and place.file == __file__ for place in places)
