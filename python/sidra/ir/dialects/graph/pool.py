"""Pools over the last dims: `max_pool`, `avg_pool`, `adaptive_avg_pool`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import only, require
from sidra.ir.dialects.graph.windows import pad_last, window_count, windows
from sidra.ir.registry import EXACT, PURE, Attributes, Types, attribute, op
from sidra.ir.types import TensorType

WINDOW = {
    "kernel": attribute("ints"),
    "stride": attribute("ints"),
    "padding": attribute("ints"),
}
CEIL = {"ceil_mode": attribute("bool", False)}


def _pool(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    x, kernel = types[0], attributes["kernel"]
    rank = len(kernel)
    require(1 <= rank <= x.rank, f"a kernel of rank {rank} over {x}")
    dilation = attributes.get("dilation", (1,) * rank)
    for name in ("stride", "padding"):
        require(len(attributes[name]) == rank, f"{name} needs {rank} numbers")
    require(len(dilation) == rank, f"dilation needs {rank} numbers")
    require(
        min(*kernel, *attributes["stride"], *dilation) > 0,
        "kernel, stride and dilation need 1 or more",
    )
    require(min(attributes["padding"]) >= 0, "padding needs 0 or more")
    sizes = zip(
        x.shape[-rank:], kernel, attributes["stride"], attributes["padding"], dilation, strict=True
    )
    shape = [window_count(*size, attributes["ceil_mode"]) for size in sizes]
    return (x.with_shape((*x.shape[:-rank], *shape)),)


def _windows(x: Any, attributes: Attributes, dilation: Sequence[int], value: Any) -> Any:
    """Return the windows of x, padded with `value`; with ceil_mode also over the end."""
    kernel, stride, padding = (attributes[name] for name in ("kernel", "stride", "padding"))
    rank, ceil = len(kernel), attributes["ceil_mode"]
    high = []
    for i, size in enumerate(x.shape[-rank:]):
        count = window_count(size, kernel[i], stride[i], padding[i], dilation[i], ceil)
        assert isinstance(count, int)  # for a static size
        end = (count - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1
        high.append(max(end - size - padding[i], padding[i]))
    view = windows(pad_last(x, padding, high, value), kernel, stride, dilation)
    counts = [
        window_count(n, k, s, p, d, ceil)
        for n, k, s, p, d in zip(x.shape[-rank:], kernel, stride, padding, dilation, strict=True)
    ]
    return view[(..., *[slice(n) for n in counts], *[slice(None)] * rank)]


def _kernel_axes(attributes: Attributes) -> tuple[int, ...]:
    return tuple(range(-len(attributes["kernel"]), 0))


@op(
    "graph.max_pool",
    1,
    only("float signed unsigned", _pool),
    {**WINDOW, "dilation": attribute("ints"), **CEIL},
    (PURE, EXACT),
)
def max_pool(attributes: Attributes, x: Any) -> Any:
    """Return the largest of each window; padding is smaller than all."""
    least = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    view = _windows(x, attributes, attributes["dilation"], least)
    return np.max(view, axis=_kernel_axes(attributes))


@op(
    "graph.avg_pool",
    1,
    only("float", _pool),
    {
        **WINDOW,
        **CEIL,
        "count_include_pad": attribute("bool", True),
        "divisor": attribute("int?", None),
    },
)
def avg_pool(attributes: Attributes, x: Any) -> Any:
    """Return the sum of each window / how many elements it has, or `divisor`.

    count_include_pad: the padding counts; what ceil_mode adds over the end never does.
    """
    axes = _kernel_axes(attributes)
    dilation = (1,) * len(axes)
    total = np.sum(_windows(x, attributes, dilation, 0), axis=axes)
    if attributes["divisor"] is not None:
        return total / attributes["divisor"]
    padding = attributes["padding"]
    ones = np.ones(x.shape[-len(axes) :])
    if not attributes["count_include_pad"]:
        return total / np.sum(_windows(ones, attributes, dilation, 0), axis=axes)
    ones = pad_last(ones, padding, padding, 1)
    view = _over_end(ones, attributes, total.shape[-len(axes) :])
    return total / np.sum(view, axis=axes)


def _over_end(ones: Any, attributes: Attributes, counts: Sequence[int]) -> Any:
    """Windows over padded ones, with zeros where a window reaches over the end."""
    kernel, stride = attributes["kernel"], attributes["stride"]
    high = [
        max((count - 1) * s + k - n, 0)
        for count, s, k, n in zip(counts, stride, kernel, ones.shape, strict=True)
    ]
    padded = pad_last(ones, [0] * len(high), high, 0)
    view = windows(padded, kernel, stride, [1] * len(high))
    return view[tuple(slice(n) for n in counts)]


def _adaptive(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    x, size = types[0], attributes["size"]
    require(1 <= len(size) <= x.rank, f"a size of rank {len(size)} for {x}")
    return (x.with_shape((*x.shape[: -len(size)], *size)),)


@op("graph.adaptive_avg_pool", 1, only("float", _adaptive), {"size": attribute("dims")})
def adaptive_avg_pool(attributes: Attributes, x: Any) -> Any:
    """Return the means of elements floor(i n / m) to ceil((i + 1) n / m), for n to m elements."""
    size = attributes["size"]
    for axis, outputs in enumerate(size, start=x.ndim - len(size)):
        inputs = x.shape[axis]
        means = [
            np.mean(
                np.take(x, range(i * inputs // outputs, -(-(i + 1) * inputs // outputs)), axis),
                axis=axis,
            )
            for i in range(outputs)
        ]
        x = np.stack(means, axis=axis)
    return x
