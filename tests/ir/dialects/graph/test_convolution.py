"""Convolution against PyTorch: every rank, groups, dilation, transposed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from sidra.errors import InferenceError
from sidra.ir.builder import function_builder
from sidra.ir.types import tensor

Check = Callable[..., None]

torch.manual_seed(0)


def attributes_of(
    stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...], **more: Any
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "transposed": False,
        "output_padding": (0,) * len(stride),
        "groups": 1,
    }
    return found | more


CASES = {
    "1d": ((2, 4, 9), (6, 4, 3), attributes_of((1,), (0,), (1,))),
    "2d": ((2, 4, 9, 8), (6, 4, 3, 2), attributes_of((2, 1), (1, 2), (1, 2))),
    "3d": ((1, 2, 5, 4, 5), (3, 2, 2, 2, 3), attributes_of((1, 2, 1), (0, 1, 0), (1, 1, 2))),
    "groups": ((2, 4, 7, 7), (8, 2, 3, 3), attributes_of((1, 1), (1, 1), (1, 1), groups=2)),
    "depthwise": ((1, 4, 7), (4, 1, 3), attributes_of((2,), (1,), (1,), groups=4)),
    "transposed": (
        (2, 4, 5, 6),
        (4, 3, 3, 2),
        attributes_of((2, 3), (1, 0), (1, 2), transposed=True, output_padding=(1, 2)),
    ),
    "transposed groups": (
        (2, 4, 5),
        (4, 3, 3),
        attributes_of((2,), (0,), (1,), transposed=True, groups=2),
    ),
    "transposed cropped": ((1, 2, 6), (2, 1, 2), attributes_of((1,), (2,), (1,), transposed=True)),
}


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_torch(check: Check, case: str) -> None:
    x_shape, weight_shape, attributes = CASES[case]
    outputs = weight_shape[0]
    if attributes["transposed"]:
        outputs = weight_shape[1] * attributes["groups"]

    def expected(x: torch.Tensor, weight: torch.Tensor, bias: Any = None) -> torch.Tensor:
        return torch.ops.aten.convolution(x, weight, bias, *attributes.values())

    x, weight, bias = torch.randn(x_shape), torch.randn(weight_shape), torch.randn(outputs)
    check("convolution", expected, x, weight, **attributes, atol=1e-5)
    check("convolution", expected, x, weight, bias, **attributes, atol=1e-5)


@pytest.mark.parametrize(
    ("types", "more", "text"),
    [
        (["f32[1, 3, 8]", "f32[4, 2, 3]"], {}, "has 3 channels, the weight 2"),
        (["f32[1, 4, 8]", "f32[3, 2, 3]"], {"groups": 2}, "3 channels are not 2 equal groups"),
        (["f32[1, 2, 8]", "f32[4, 2, 3]", "f32[2]"], {}, "the bias is f32[2], but must be f32[4]"),
        (["f32[1, 2, 2]", "f32[4, 2, 3]"], {}, "a window of 3 is larger than the input"),
        (
            ["f32[1, 2, 8]", "f32[4, 2, 3]"],
            {"stride": (0,)},
            "stride is [0], but must be 1 numbers",
        ),
        (["f32[1, 2, 8]", "f32[4, 2, 3, 3]"], {}, "ranks differ"),
        (["f32[1, 2, 8]", "f32[4, 2, 3]"], {"groups": 0}, "groups is 0, but must be above 0"),
    ],
)
def test_refuses(types: list[str], more: dict[str, Any], text: str) -> None:
    function, builder = function_builder("main", [tensor(t) for t in types])
    with pytest.raises(InferenceError) as caught:
        builder.create(
            "graph.convolution", function.arguments, attributes_of((1,), (0,), (1,)) | more
        )
    assert text in str(caught.value)
