from __future__ import annotations

import math

import pytest
import torch
from scipy import stats

from sidra.cli.sentences.compare import nearest, pairwise, ranks, similarities, spearman


def test_spearman_is_that_of_scipy_with_and_without_ties() -> None:
    generator = torch.Generator().manual_seed(1)
    left = torch.randn(500, generator=generator)
    for right in (left + torch.randn(500, generator=generator), left.round()):
        expected = stats.spearmanr(left.numpy(), right.numpy()).statistic
        assert spearman(left, right) == pytest.approx(expected, abs=1e-12)


def test_spearman_of_a_constant_is_nan() -> None:
    assert math.isnan(spearman(torch.arange(4.0), torch.ones(4)))


def test_ranks_of_equal_values_are_their_mean() -> None:
    assert ranks(torch.tensor([3.0, 1.0, 3.0])).tolist() == [1.5, 0.0, 1.5]


def test_pairs_are_those_above_the_diagonal() -> None:
    assert pairwise(torch.arange(9).reshape(3, 3)).tolist() == [1, 2, 5]


def test_nearest_is_never_the_sentence_itself() -> None:
    vectors = torch.nn.functional.normalize(torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]))
    assert nearest(similarities(vectors)) == [1, 0, 1]
