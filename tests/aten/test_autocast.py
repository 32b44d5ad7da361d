"""Autocast casts what CUDA's autocast casts, by the lists that PyTorch tests CUDA with."""

from __future__ import annotations

import contextlib
import io

import pytest
import torch

with contextlib.redirect_stdout(io.StringIO()):  # it prints what it could not import
    from torch.testing._internal.autocast_test_lists import AutocastTestLists

# cuDNN's own names, which no other device has; and operands that do not fit their equation.
LEFT_OUT = {"cudnn_convolution", "cudnn_convolution_transpose", "einsum"}

LISTS = {  # list: module, result dtype
    "torch_fp16": (torch, torch.float16),
    "torch_fp32": (torch, torch.float32),
    "torch_need_autocast_promote": (torch, torch.float32),
    "nn_fp16": (torch._C._nn, torch.float16),
    "nn_fp32": (torch._C._nn, torch.float32),
    "linalg_fp16": (torch.linalg, torch.float16),
    "methods_fp16": (torch.Tensor, torch.float16),
    "methods_fp32": (torch.Tensor, torch.float32),
}


@pytest.fixture(scope="module")
def lists(device):
    torch.manual_seed(0)
    return AutocastTestLists("sidra")


def find(module, name):
    for holder in (module, torch, torch._C._nn, torch._C._linalg, torch._VF):
        for spelled in (name, f"linalg_{name}"):
            if hasattr(holder, spelled):
                return getattr(holder, spelled)
    raise AssertionError(f"no operator {name}")


def dtypes(result):
    results = result if isinstance(result, tuple | list) else (result,)
    return {x.dtype for x in results if isinstance(x, torch.Tensor)}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("low", [torch.float16, torch.bfloat16])
def test_results_have_the_type_of_their_list(lists, name, low):
    module, expected = LISTS[name]
    expected = low if expected == torch.float16 else expected
    wrong = {}
    for operator, arguments, *rest in getattr(lists, name):
        if operator in LEFT_OUT:
            continue
        options = rest[0] if rest and isinstance(rest[0], dict) else {}
        with torch.autocast("sidra", dtype=low):
            found = dtypes(find(module, operator)(*as_low(arguments, low), **options))
        if found != {expected}:
            wrong[operator] = found
    assert not wrong


def as_low(arguments, low):
    """The arguments, with halves of the kind that autocast is set to."""
    if isinstance(arguments, torch.Tensor):
        return arguments.to(low) if arguments.dtype == torch.float16 else arguments
    if isinstance(arguments, tuple | list):
        return type(arguments)(as_low(argument, low) for argument in arguments)
    return arguments


@pytest.mark.parametrize("name", ["torch_expect_builtin_promote", "methods_expect_builtin_promote"])
def test_operators_without_a_policy_promote_by_themselves(lists, name):
    module = torch.Tensor if name.startswith("methods") else torch
    wrong = {}
    for operator, arguments, expected in getattr(lists, name):
        if not hasattr(module, operator):
            continue  # `__div__` of Python 2
        with torch.autocast("sidra"):
            found = dtypes(getattr(module, operator)(*arguments))
        if found - {expected}:  # `equal` returns no tensor
            wrong[operator] = found
    assert not wrong


def test_what_is_unsafe_is_refused(lists):
    ((operator, arguments, module),) = lists.banned
    with (
        torch.autocast("sidra"),
        pytest.raises(RuntimeError, match="unsafe to autocast; leave the sigmoid"),
    ):
        getattr(module, operator)(*arguments)
    assert getattr(module, operator)(*arguments).dtype == torch.float32


def test_casts_of_weights_are_kept_within_the_context(device):
    weight = torch.randn(4, 4, device="sidra", requires_grad=True)
    x = torch.randn(2, 4, device="sidra")
    with torch.autocast("sidra"):
        loss = (torch.mm(x, weight) + torch.mm(x, weight)).float().sum()
    loss.backward()
    assert weight.grad.dtype == torch.float32


def test_unknown_types_turn_it_off(device):
    with (
        pytest.warns(UserWarning, match="not supported"),
        torch.autocast("sidra", dtype=torch.float64),
    ):
        assert not torch.is_autocast_enabled("sidra")
