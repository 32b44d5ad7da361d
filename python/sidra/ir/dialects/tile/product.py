"""Products that a unit of the chip is asked for: `mvm` of the crossbars, `attention`."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidra.ir.dialects.graph import product
from sidra.ir.dialects.graph.inference import require
from sidra.ir.registry import Attributes, OpDefinition, Types, attribute, lookup, op
from sidra.ir.types import TensorType

ACTIVATIONS = ("none", "relu")


def _graph(name: str) -> OpDefinition:
    found = lookup(name)
    assert found is not None  # `product`, imported above, defines it
    return found


def _mvm(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    activation = attributes["activation"]
    known = " or ".join(f'"{name}"' for name in ACTIVATIONS)
    require(activation in ACTIVATIONS, f'activation is "{activation}", but must be {known}')
    return _graph("graph.linear").result_types(types, {})


@op("tile.mvm", (2, 3), _mvm, {"activation": attribute("str", "none")})
def mvm(attributes: Attributes, x: Any, weight: Any, *bias: Any) -> Any:
    """X [.., K] times weight [N, K] transposed, plus bias [N], and the activation.

    Operands x, weight, bias?. The weight is to stay in crossbars between calls; whether they apply
    is asked at run time, and the product is exact where they do not.
    """
    y = product.linear(attributes, x, weight, *bias)
    return np.maximum(y, np.zeros((), y.dtype)) if attributes["activation"] == "relu" else y


def _attention(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    (type,) = _graph("graph.attention").result_types(
        types, {name: attributes[name] for name in ("scale", "causal")}
    )
    if not attributes["heads_last"]:
        return (type,)
    *batch, heads, rows, columns = type.shape
    return (type.with_shape((*batch, rows, heads, columns)),)


@op(
    "tile.attention",
    (3, 4),
    _attention,
    {
        "scale": attribute("float?", None),
        "causal": attribute("bool", False),
        "heads_last": attribute("bool", False),
    },
)
def attention(attributes: Attributes, q: Any, k: Any, v: Any, *masks: Any) -> Any:
    """softmax(scale * q k^T + mask) v, as graph.attention, on the compute engine.

    heads_last: the result is [.., L, H, E] instead of [.., H, L, E].
    """
    y = product.attention(attributes, q, k, v, *masks)
    return np.swapaxes(y, -2, -3) if attributes["heads_last"] else y
