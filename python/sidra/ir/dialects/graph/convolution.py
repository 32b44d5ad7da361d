"""`convolution`, over any number of spatial dims, grouped, dilated and transposed."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import one_dtype, only, require, require_shape
from sidra.ir.dialects.graph.windows import pad_last, window_count, windows
from sidra.ir.dims import Dimension
from sidra.ir.registry import Attributes, Types, attribute, op
from sidra.ir.types import TensorType

PER_DIM = ("stride", "padding", "dilation", "output_padding")


def _convolution(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    x, weight = types[:2]
    dtype = one_dtype(types)
    rank, groups = x.rank - 2, attributes["groups"]
    require(rank >= 1 and weight.rank == x.rank, f"x {x} and the weight {weight}: ranks differ")
    require(groups > 0, f"groups is {groups}, but must be above 0")
    for name in PER_DIM:
        values = attributes[name]
        least = 1 if name in ("stride", "dilation") else 0
        fits = len(values) == rank and all(v >= least for v in values)
        require(fits, f"{name} is {list(values)}, but must be {rank} numbers from {least}")
    outer, inner = weight.shape[:2]
    channels = outer if attributes["transposed"] else inner * groups
    outputs = inner * groups if attributes["transposed"] else outer
    require(x.shape[1] == channels, f"x {x} has {x.shape[1]} channels, the weight {channels}")
    require(outer % groups == 0, f"{outer} channels are not {groups} equal groups")
    for bias in types[2:]:
        require_shape(bias, (outputs,), "the bias")
    spatial = [_size(x.shape[i + 2], weight.shape[i + 2], attributes, i) for i in range(rank)]
    return (TensorType((x.shape[0], outputs, *spatial), dtype),)


def _size(size: Dimension, kernel: Dimension, attributes: Attributes, i: int) -> Dimension:
    stride, padding, dilation, extra = (attributes[name][i] for name in PER_DIM)
    if not attributes["transposed"]:
        return window_count(size, kernel, stride, padding, dilation)
    full: Dimension = (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1
    return full


@op(
    "graph.convolution",
    (2, 3),
    only("float complex signed unsigned", _convolution),
    {
        **{name: attribute("ints") for name in PER_DIM},
        "transposed": attribute("bool", False),
        "groups": attribute("int", 1),
    },
)
def convolution(attributes: Attributes, x: Any, weight: Any, *bias: Any) -> Any:
    """y[n, o] = the sum over channels c of x[n, c] correlated with weight[o, c], plus bias[o].

    Operands x [N, C, spatial..], weight [O, C / groups, kernel..], bias? [O]; transposed: weight
    [C, O / groups, kernel..]. stride, padding, dilation, output_padding: one number a spatial dim.
    """
    stride, padding = attributes["stride"], attributes["padding"]
    groups, low, high = attributes["groups"], padding, padding
    if attributes["transposed"]:
        x, low, high = _spread(x, weight, attributes)
        weight, stride = _turned(weight, groups), [1] * len(stride)
    x = pad_last(x, [max(p, 0) for p in low], [max(p, 0) for p in high], 0)
    x = _cropped(x, low, high)
    view = windows(x, weight.shape[2:], stride, attributes["dilation"])
    parts = [
        _correlate(part, kernels)
        for part, kernels in zip(
            np.split(view, groups, axis=1), np.split(weight, groups, axis=0), strict=True
        )
    ]
    y = np.concatenate(parts, axis=1)
    return y + bias[0].reshape(1, -1, *[1] * (y.ndim - 2)) if bias else y


def _correlate(view: Any, kernels: Any) -> Any:
    """View [N, C, windows.., kernel..], kernels [O, C, kernel..] -> [N, O, windows..]."""
    rank = kernels.ndim - 2
    axes = [1, *range(2 + rank, 2 + 2 * rank)]
    y = np.tensordot(view, kernels, axes=(axes, [1, *range(2, 2 + rank)]))
    return np.moveaxis(y, -1, 1)


def _spread(x: Any, weight: Any, attributes: Attributes) -> tuple[Any, list[int], list[int]]:
    """X with stride - 1 zeros between elements, and the padding of the direct convolution."""
    stride = attributes["stride"]
    sizes = [max((n - 1) * s + 1, 0) for n, s in zip(x.shape[2:], stride, strict=True)]
    spread = np.zeros((*x.shape[:2], *sizes), x.dtype)
    index: Any = (..., *[slice(None, None, s) for s in stride])
    spread[index] = x
    spans = zip(weight.shape[2:], attributes["dilation"], attributes["padding"], strict=True)
    low = [d * (k - 1) - p for k, d, p in spans]
    high = [a + extra for a, extra in zip(low, attributes["output_padding"], strict=True)]
    return spread, low, high


def _turned(weight: Any, groups: int) -> Any:
    """Weight [C, O / groups, kernel..] as [O, C / groups, kernel..], kernels reversed."""
    channels, outputs = weight.shape[:2]
    parts = weight.reshape(groups, channels // groups, *weight.shape[1:])
    parts = np.swapaxes(parts, 1, 2)
    turned = parts.reshape(groups * outputs, channels // groups, *weight.shape[2:])
    return np.flip(turned, tuple(range(2, weight.ndim)))


def _cropped(x: Any, low: Any, high: Any) -> Any:
    """Remove what negative padding takes away."""
    sizes = x.shape[2:]
    kept = [slice(max(-a, 0), n - max(-b, 0)) for a, n, b in zip(low, sizes, high, strict=True)]
    return x[(..., *kept)]
