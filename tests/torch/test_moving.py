"""Copies of arguments keep geometry, sharing and views."""

from __future__ import annotations

import torch
from tests.torch.moving import moved


def test_a_copy_has_the_strides_and_the_offset():
    tensor = torch.arange(24.0).reshape(4, 6)[1:, ::2]
    copy = moved(tensor, "cpu")
    assert copy.stride() == tensor.stride()
    assert copy.storage_offset() == tensor.storage_offset()
    assert torch.equal(copy, tensor)
    assert copy.data_ptr() != tensor.data_ptr()


def test_tensors_that_share_memory_share_it_in_the_copy():
    base = torch.zeros(4)
    left, right, twice = moved((base[:2], base[1:], base), "cpu")
    twice.fill_(1.0)
    assert left.tolist() == [1, 1]
    assert right.tolist() == [1, 1, 1]
    assert base.tolist() == [0, 0, 0, 0]


def test_one_tensor_twice_is_one_tensor_in_the_copy():
    tensor = torch.ones(2, requires_grad=True)
    left, right = moved([tensor, tensor], "cpu")
    assert left is right
    assert left.is_leaf
    assert left.requires_grad
    assert not moved(tensor, "cpu", gradients=False).requires_grad


def test_conjugate_and_negative_views_stay_views():
    values = torch.tensor([1 + 2j, 3 - 4j])
    copy = moved(values.conj(), "cpu")
    assert copy.is_conj()
    assert copy.tolist() == values.conj().tolist()
    negative = moved(torch._neg_view(values.real), "cpu")
    assert negative.is_neg()
    assert negative.tolist() == [-1, -3]
