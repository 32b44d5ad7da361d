"""torch.autocast: the operator runs, and its result has a type that CUDA's policy allows."""

from __future__ import annotations

from typing import Any

import torch
from tests.torch.case import Call, Case, CpuCannot, call_on_device, on_cpu, seed
from tests.torch.comparison import Mismatch
from tests.torch.moving import moved
from torch.utils._pytree import tree_leaves, tree_map

LOW = torch.bfloat16
# A few of each of PyTorch's lists, by their names in the database: products get narrower, and
# what needs range or precision gets wider.
NARROWED = {
    "__rmatmul__", "addbmm", "addmm", "addmv", "baddbmm", "bmm", "chain_matmul",
    "linalg.multi_dot", "matmul", "mm", "mv",
    "nn.functional.conv1d", "nn.functional.conv2d", "nn.functional.conv3d",
    "nn.functional.conv_transpose1d", "nn.functional.conv_transpose2d",
    "nn.functional.conv_transpose3d", "nn.functional.linear", "nn.functional.prelu",
}  # fmt: skip
WIDENED = {
    "acos", "asin", "cosh", "cumprod", "cumsum", "erfinv", "exp", "expm1", "log", "log10", "log1p",
    "log2", "nn.functional.cosine_similarity", "nn.functional.group_norm",
    "nn.functional.kl_div", "nn.functional.l1_loss", "nn.functional.layer_norm",
    "nn.functional.mse_loss", "nn.functional.nll_loss", "nn.functional.smooth_l1_loss", "norm",
    "pow", "prod", "reciprocal", "rsqrt", "sinh", "softmax", "log_softmax", "sum", "tan",
}  # fmt: skip

# A product, then a factorisation of its narrow result, which CUDA has not got either; and what
# CUDA's autocast refuses.
REFUSED = {
    "linalg.pinv.singular",
    "nn.functional.binary_cross_entropy",
    "pca_lowrank",
    "svd_lowrank",
}


def check(case: Case, where: str, call: Call, inputs: Any) -> None:
    """Run a float32 sample under autocast, and a bfloat16 one where the result must be wider."""
    if case.dtype != torch.float32 or case.name in REFUSED:
        return
    try:
        plain = _plain(call, inputs)
    except CpuCannot:
        return  # a chain of operators that ends in one without bfloat16
    with case.record.guard("autocast", where), torch.no_grad():
        _compare_types(case, plain, _cast(case, call, inputs))
        if case.name in WIDENED:
            _compare_types(case, plain, _cast(case, call, tree_map(_narrow, inputs)))


def _plain(call: Call, inputs: Any) -> Any:
    """Return the CPU's result without autocast. Raises CpuCannot, also when autocast raises."""
    with torch.no_grad():
        with torch.autocast("cpu", dtype=LOW):
            on_cpu(call, *moved(inputs, "cpu", gradients=False))
        return on_cpu(call, *moved(inputs, "cpu", gradients=False))


def _cast(case: Case, call: Call, inputs: Any) -> Any:
    copies = moved(inputs, case.device, gradients=False)
    seed()
    with torch.autocast(case.device, dtype=LOW):
        return call_on_device(case.device, call, copies, inputs)[0]


def _narrow(leaf: Any) -> Any:
    single = isinstance(leaf, torch.Tensor) and leaf.dtype == torch.float32
    return leaf.detach().to(LOW) if single else leaf


def _compare_types(case: Case, plain: Any, got: Any) -> None:
    wanted = [leaf for leaf in tree_leaves(plain) if isinstance(leaf, torch.Tensor)]
    results = [leaf for leaf in tree_leaves(got) if isinstance(leaf, torch.Tensor)]
    for left, right in zip(wanted, results, strict=True):
        allowed = _allowed(case, left.dtype)
        if right.dtype not in allowed:
            raise Mismatch(f"dtype {right.dtype}, autocast allows {sorted(map(str, allowed))}")
        if left.shape != right.shape and not left.is_nested:
            raise Mismatch(f"shape {right.shape}, {left.shape} on the CPU")


def _allowed(case: Case, dtype: torch.dtype) -> set[torch.dtype]:
    if dtype != torch.float32:
        return {dtype, LOW} if dtype.is_floating_point else {dtype}
    if case.device != "cpu":  # the CPU has lists of its own
        if case.name in NARROWED:
            return {LOW}
        if case.name in WIDENED:
            return {torch.float32}
    return {torch.float32, LOW}
