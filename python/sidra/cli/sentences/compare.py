"""How alike two sets of sentence vectors are."""

from __future__ import annotations

from typing import Any


def similarities(vectors: Any) -> Any:
    """Cosine of each pair of unit vectors [n, d] -> [n, n]."""
    return vectors @ vectors.T


def pairwise(matrix: Any) -> Any:
    """Return the values above the diagonal [n, n] -> [n * (n - 1) / 2]."""
    import torch

    rows, columns = torch.triu_indices(len(matrix), len(matrix), offset=1)
    return matrix[rows, columns]


def ranks(values: Any) -> Any:
    """Ranks [n] f64 from 0; equal values share their mean rank."""
    import torch

    _, inverse, counts = torch.unique(values, return_inverse=True, return_counts=True)
    last = counts.cumsum(0).double()
    return (last - (counts.double() + 1) / 2)[inverse]


def spearman(left: Any, right: Any) -> float:
    """Rank correlation of two vectors [n]; nan when one of them is constant."""
    import torch

    return float(torch.corrcoef(torch.stack([ranks(left), ranks(right)]))[0, 1])


def nearest(matrix: Any) -> list[int]:
    """For each row the index of the most similar other row."""
    masked = matrix.clone()
    masked.fill_diagonal_(-2.0)
    return [int(index) for index in masked.argmax(dim=1)]
