"""Which operators AOTAutograd takes apart before the compiler sees the graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

# What the compiler has whole, or what the device's own operator does better than its parts.
KEPT = (
    "addmm", "baddbmm", "bmm", "mm", "mv", "linear", "matmul",
    "_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data",
    "native_layer_norm", "native_layer_norm_backward", "native_group_norm",
    "_native_batch_norm_legit_no_training", "native_batch_norm_backward",
    "gelu", "gelu_backward", "silu", "softplus", "leaky_relu", "square", "hardtanh",
    "tanh_backward", "sigmoid_backward", "threshold_backward", "addcmul", "masked_fill",
    "embedding", "embedding_dense_backward", "native_dropout", "upsample_bilinear2d",
    "upsample_nearest2d", "convolution_backward", "rsub", "split", "split_with_sizes", "unbind",
    "stack", "floor_divide", "lift_fresh", "zeros_like", "ones_like", "zeros", "ones", "t",
    "transpose", "detach", "logical_and", "logical_or", "logical_xor", "logical_not",
)  # fmt: skip


@functools.cache
def decompositions() -> dict[torch._ops.OperatorBase, Callable[..., Any]]:
    """Return PyTorch's core ATen decompositions without those of operators that are kept."""
    from torch._decomp import core_aten_decompositions

    kept = {f"aten::{name}" for name in KEPT}
    return {
        target: rule
        for target, rule in core_aten_decompositions().items()
        if not (isinstance(target, torch._ops.OpOverload) and target._schema.name in kept)
    }
