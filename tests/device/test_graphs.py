"""No graphs of commands: every way to ask for one is refused with the reason."""

from __future__ import annotations

import pytest
import torch

from sidra.errors import UnsupportedOperator


def test_nothing_is_ever_captured(device) -> None:
    assert device.is_current_stream_capturing() is False
    assert torch.Stream("sidra").is_capturing() is False


@pytest.mark.parametrize("name", ["graph", "make_graphed_callables", "graph_pool_handle"])
def test_asking_for_a_graph_is_refused(device, name: str) -> None:
    with pytest.raises(UnsupportedOperator, match=r"run eagerly or use torch\.compile"):
        getattr(device, name)()


def test_torchs_own_graph_is_refused(device) -> None:
    with pytest.raises(RuntimeError, match="Graph is not supported on device type: sidra"):
        torch.accelerator.Graph()
