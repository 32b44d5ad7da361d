"""Tensors from nothing: constants, resources, fills, ranges, dimensions."""

from __future__ import annotations

import numpy as np

from sidra.ir.core import Module, Operation
from sidra.ir.dialects.graph.inference import require
from sidra.ir.registry import EXACT, PURE, Attributes, Types, attribute, op
from sidra.ir.types import Array, TensorType, f32, i64


def _constant(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    return (attributes["value"].type,)


def _full(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    return (TensorType(attributes["shape"], attributes["dtype"]),)


def _iota(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    return (TensorType((attributes["size"],), attributes["dtype"]),)


def _dimension(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    return (TensorType((), i64),)


def _verify_resource(operation: Operation, module: Module) -> None:
    name = getattr(operation.attributes["name"], "name", "")
    require(len(operation.results) == 1, "it has one result")
    resource = module.resources[name]
    type = operation.result.type
    require(resource.type == type, f"the resource @{name} is {resource.type}, not {type}")


@op("graph.constant", 0, _constant, {"value": attribute("dense")}, (PURE, EXACT))
def constant(attributes: Attributes) -> Array:
    """Give a small constant."""
    value: Array = attributes["value"]
    return value


@op(
    "graph.resource",
    0,
    attributes={"name": attribute("resource")},
    flags=(PURE, EXACT),
    verify=_verify_resource,
)
def resource(attributes: Attributes) -> Array:
    """Give a large constant of the module; the result type is the resource's."""
    value: Array = attributes["name"]
    return value


@op(
    "graph.full",
    0,
    _full,
    {"shape": attribute("dims"), "value": attribute("number"), "dtype": attribute("dtype", f32)},
)
def full(attributes: Attributes) -> Array:
    """Give `shape`, filled with `value`."""
    return np.full(attributes["shape"], attributes["value"])


@op(
    "graph.iota",
    0,
    _iota,
    {
        "size": attribute("dim"),
        "start": attribute("number", 0),
        "step": attribute("number", 1),
        "dtype": attribute("dtype", i64),
    },
)
def iota(attributes: Attributes) -> Array:
    """Start + step * i, for i from 0 to size - 1."""
    steps: Array = attributes["start"] + attributes["step"] * np.arange(attributes["size"])
    return steps


@op("graph.dimension", 0, _dimension, {"value": attribute("dim")})
def dimension(attributes: Attributes) -> Array:
    """Give the integer that a symbolic dimension has at run time."""
    return np.array(attributes["value"], np.int64)
