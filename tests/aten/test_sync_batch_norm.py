"""The parts of SyncBatchNorm, put together, are BatchNorm over the union of the batches."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import batch_norm

EPS, MOMENTUM = 1e-5, 0.1


def make(shape, dtype):
    torch.manual_seed(0)
    x, gradient = torch.randn(2, *shape).mul(3).add(1).to(dtype)
    return x, gradient, torch.rand(shape[1]) + 0.5, torch.randn(shape[1])


@pytest.mark.parametrize("shape", [(10, 3), (6, 3, 5), (4, 3, 2, 5)])
@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-5), (torch.bfloat16, 5e-2)])
def test_two_uneven_batches_are_normalised_as_one(device, shape, dtype, bound) -> None:
    x, gradient, weight, bias = make(shape, dtype)
    mean, variance = torch.zeros(3), torch.ones(3)
    leaves = [tensor.float().requires_grad_() for tensor in (x, weight, bias)]
    expected = batch_norm(leaves[0], mean, variance, *leaves[1:], True, MOMENTUM, EPS)
    expected.backward(gradient.float())

    parts = [part.to("sidra") for part in (x[:1], x[1:])]
    gradients = [part.to("sidra") for part in (gradient[:1], gradient[1:])]
    weight, bias = weight.to("sidra"), bias.to("sidra")
    running = torch.zeros(3, device="sidra"), torch.ones(3, device="sidra")
    counts = torch.tensor([part.numel() // 3 for part in parts], device="sidra")
    statistics = [torch.batch_norm_stats(part, EPS) for part in parts]
    united = torch.batch_norm_gather_stats_with_counts(
        parts[0],
        *(torch.stack(each) for each in zip(*statistics, strict=True)),
        *running,
        MOMENTUM,
        EPS,
        counts.float(),
    )
    found = [torch.batch_norm_elemt(part, weight, bias, *united, EPS) for part in parts]
    sums = [
        torch.batch_norm_backward_reduce(dy, part, *united, weight, True, True, True)
        for dy, part in zip(gradients, parts, strict=True)
    ]
    totals = [sum(each) for each in zip(*sums, strict=True)]
    slopes = [
        torch.batch_norm_backward_elemt(dy, part, *united, weight, *totals[:2], counts.int())
        for dy, part in zip(gradients, parts, strict=True)
    ]
    assert (found[0].dtype, slopes[0].dtype, united[0].dtype) == (dtype, dtype, torch.float32)

    def check(device_tensor, host_tensor):
        torch.testing.assert_close(
            device_tensor.float().cpu(), host_tensor.detach(), rtol=bound, atol=bound
        )

    check(torch.cat(found), expected)
    check(torch.cat(slopes), leaves[0].grad)
    check(totals[2], leaves[1].grad)
    check(totals[3], leaves[2].grad)
    check(running[0], mean)
    check(running[1], variance)


def test_without_weight_and_running_statistics(device) -> None:
    x, gradient, _, _ = make((8, 3, 4), torch.float64)
    leaf = x.requires_grad_()
    expected = batch_norm(leaf, None, None, training=True, eps=EPS)
    expected.backward(gradient)
    x, gradient = leaf.detach().to("sidra"), gradient.to("sidra")
    statistics = torch.batch_norm_stats(x, EPS)
    found = torch.batch_norm_elemt(x, None, None, *statistics, EPS)
    sums = torch.batch_norm_backward_reduce(gradient, x, *statistics, None, True, False, False)
    assert sums[2] is None
    assert sums[3] is None
    counts = torch.tensor([32], device="sidra", dtype=torch.int32)
    slope = torch.batch_norm_backward_elemt(gradient, x, *statistics, None, *sums[:2], counts)
    torch.testing.assert_close(found.cpu(), expected.detach())
    torch.testing.assert_close(slope.cpu(), leaf.grad)
