"""Selection by index."""

from __future__ import annotations

import pytest
import torch
from importing import check
from torch.nn import functional as F

TABLE, INDEX = torch.randn(7, 4), torch.tensor([[1, 0], [6, 3]])


@pytest.mark.parametrize(
    "function",
    [
        lambda t, i: F.embedding(i, t),
        lambda t, i: F.embedding(i, t, padding_idx=0),
        lambda t, i: t[i],
        lambda t, i: t[:, i[0]],
        lambda t, i: t.index_select(1, i[0] % 4),
        lambda t, i: t.gather(0, i),
        lambda t, i: t[i, i % 4],
        lambda t, i: t[i[0], :],
    ],
)
def test_selection(function):
    check(function, TABLE, INDEX)
