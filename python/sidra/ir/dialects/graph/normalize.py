"""Softmax and the normalisations. Optional operands come last; a bias needs a weight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import (
    normal_dim,
    one_dtype,
    only,
    require,
    require_shape,
)
from sidra.ir.registry import Attributes, Types, attribute, op
from sidra.ir.types import TensorType

EPS = attribute("float", 1e-5)


def _along(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    normal_dim(attributes["dim"], types[0].rank)
    return (types[0],)


@op("graph.softmax", 1, only("float", _along), {"dim": attribute("int", -1)})
def softmax(attributes: Attributes, x: Any) -> Any:
    """exp(x - max) / the sum of it, along `dim`."""
    powers = np.exp(x - np.max(x, axis=attributes["dim"], keepdims=True, initial=-np.inf))
    return powers / np.sum(powers, axis=attributes["dim"], keepdims=True)


@op("graph.log_softmax", 1, only("float", _along), {"dim": attribute("int", -1)})
def log_softmax(attributes: Attributes, x: Any) -> Any:
    """X - max - log of the sum of exp(x - max), along `dim`."""
    shifted = x - np.max(x, axis=attributes["dim"], keepdims=True, initial=-np.inf)
    return shifted - np.log(np.sum(np.exp(shifted), axis=attributes["dim"], keepdims=True))


def _last_dims(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    rank = attributes["rank"]
    one_dtype(types)
    require(1 <= rank <= types[0].rank, f"rank {rank} is outside 1 to {types[0].rank}")
    for operand, what in zip(types[1:], ("the weight", "the bias"), strict=False):
        require_shape(operand, types[0].shape[-rank:], what)
    return (types[0],)


def _scaled(y: Any, parameters: Sequence[Any]) -> Any:
    """Y * weight + bias, each if given."""
    for parameter, apply in zip(parameters, (np.multiply, np.add), strict=False):
        y = apply(y, parameter)
    return y


@op(
    "graph.layer_norm",
    (1, 3),
    only("float", _last_dims),
    {"rank": attribute("int", 1), "eps": EPS},
)
def layer_norm(attributes: Attributes, x: Any, *parameters: Any) -> Any:
    """(x - mean) / sqrt(variance + eps) over the last `rank` dims; operands x, weight?, bias?."""
    axis = tuple(range(-attributes["rank"], 0))
    centred = x - np.mean(x, axis=axis, keepdims=True)
    variance = np.mean(np.square(centred), axis=axis, keepdims=True)
    return _scaled(centred / np.sqrt(variance + attributes["eps"]), parameters)


@op(
    "graph.rms_norm",
    (1, 2),
    only("float", _last_dims),
    {"rank": attribute("int", 1), "eps": EPS},
)
def rms_norm(attributes: Attributes, x: Any, *parameters: Any) -> Any:
    """X / sqrt(mean of x^2 + eps) over the last `rank` dims; operands x, weight?."""
    axis = tuple(range(-attributes["rank"], 0))
    mean = np.mean(np.square(x), axis=axis, keepdims=True)
    return _scaled(x / np.sqrt(mean + attributes["eps"]), parameters)


def _channels(types: Types, names: Sequence[str]) -> None:
    one_dtype(types)
    require(types[0].rank >= 2, f"{types[0]} has no channels, dim 1")
    for operand, name in zip(types[1:], names, strict=False):
        require_shape(operand, (types[0].shape[1],), f"the {name}")


def _batch_norm(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    _channels(types, ("mean", "variance", "weight", "bias"))
    return (types[0],)


def _per_channel(parameters: Sequence[Any], rank: int) -> list[Any]:
    return [p.reshape(1, -1, *[1] * (rank - 2)) for p in parameters]


@op("graph.batch_norm", (3, 5), only("float", _batch_norm), {"eps": EPS})
def batch_norm(attributes: Attributes, x: Any, *parameters: Any) -> Any:
    """(x - mean) / sqrt(variance + eps) a channel; operands x, mean, variance, weight?, bias?."""
    mean, variance, *scale = _per_channel(parameters, x.ndim)
    return _scaled((x - mean) / np.sqrt(variance + attributes["eps"]), scale)


def _group_norm(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    _channels(types, ("weight", "bias"))
    groups, channels = attributes["groups"], types[0].shape[1]
    require(groups > 0, f"groups is {groups}, but must be above 0")
    require(channels % groups == 0, f"{channels} channels are not {groups} equal groups")
    return (types[0],)


@op(
    "graph.group_norm",
    (1, 3),
    only("float", _group_norm),
    {"groups": attribute("int"), "eps": EPS},
)
def group_norm(attributes: Attributes, x: Any, *parameters: Any) -> Any:
    """(x - mean) / sqrt(variance + eps) over each group of channels; operands x, weight?, bias?."""
    groups = attributes["groups"]
    elements = x.shape[1] // groups * math.prod(x.shape[2:])
    grouped = x.reshape(x.shape[0], groups, elements)
    centred = grouped - np.mean(grouped, axis=-1, keepdims=True)
    variance = np.mean(np.square(centred), axis=-1, keepdims=True)
    normal = (centred / np.sqrt(variance + attributes["eps"])).reshape(x.shape)
    return _scaled(normal, _per_channel(parameters, x.ndim))
