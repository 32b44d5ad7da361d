"""What counts as different. Every message is read."""

from __future__ import annotations

import pytest
import torch
from tests.torch.comparison import Mismatch, Rules, StrideMismatch, compare

CPU = Rules("cpu")


def refuse(left, right, text, rules=CPU, error=Mismatch):
    with pytest.raises(Mismatch, match=text) as caught:
        compare(left, right, rules)
    assert type(caught.value) is error


def test_equal_results_pass():
    nan = torch.tensor([1.0, float("nan")])
    compare([nan, 3, None], [nan.clone(), 3, None], CPU)


def test_other_values_are_found_beyond_the_tolerance():
    compare(torch.ones(2), torch.ones(2) + 1e-5, CPU)
    refuse(torch.ones(2), torch.ones(2) + 1e-3, "not close")
    refuse([torch.ones(1), torch.ones(1)], [torch.ones(1), torch.zeros(1)], "result 1: ")


def test_values_are_not_looked_at_where_they_are_random():
    compare(torch.ones(2), torch.zeros(2), Rules("cpu", values=False))


def test_metadata_is_compared():
    refuse(torch.ones(2), torch.ones(2).double(), "dtype torch.float64, torch.float32 on the CPU")
    refuse(torch.ones(2), torch.ones(2, 1), "shape")
    refuse(torch.ones(2), torch.ones(2).to_sparse(), "layout")
    refuse(torch.ones(2), torch.ones(2), "on cpu, not on sidra", Rules("sidra"))
    refuse(torch.ones(2), 1.0, "a float, a tensor on the CPU")
    refuse([torch.ones(2)], [], "0 results, 1 on the CPU")


def test_strides_alone_are_a_lesser_difference():
    left = torch.arange(6.0).reshape(2, 3)
    refuse(left, left.t().contiguous().t(), "strides", error=StrideMismatch)
    compare(torch.ones(1, 3), torch.ones(3, 1).t(), CPU)  # strides of a single row mean nothing


def test_numbers_are_compared():
    refuse([1.5], [1.6], "1.6, 1.5 on the CPU")
    refuse([True], [False], "False, True on the CPU")
    compare(float("nan"), float("nan"), CPU)
