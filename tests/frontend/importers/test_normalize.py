"""Normalisations."""

from __future__ import annotations

import pytest
import torch
from importing import check, imported
from torch.nn import functional as F

X = torch.randn(4, 6, 5)
C, L = torch.rand(6) + 0.5, torch.rand(5)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, c, w: F.layer_norm(x, (5,), w, w),
        lambda x, c, w: F.layer_norm(x, (5,)),
        lambda x, c, w: F.layer_norm(x, (6, 5)),
        lambda x, c, w: torch.native_layer_norm(x, (5,), w, None, 1e-3)[2],
        lambda x, c, w: F.batch_norm(x, c, c, c, c),
        lambda x, c, w: F.batch_norm(x, c, c),
        lambda x, c, w: F.group_norm(x, 3, c, c),
        lambda x, c, w: F.rms_norm(x, (5,), w),
        lambda x, c, w: F.instance_norm(x),
    ],
)
def test_norms(function):
    check(function, X, C, L)


def test_half_precision_is_a_call():
    found = imported(lambda x: F.layer_norm(x, (5,)), X.half().to("sidra"))
    assert "graph.external" in [op.name for op in found.module.walk()]
