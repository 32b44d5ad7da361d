"""Calls of PyTorch operators as attributes of `graph.external`, and back.

`arguments` holds one entry for each argument of the schema, in order:

    "$0"        operand 0, a tensor         "'text"     a string
    "$device"   the device of the graph     "$none"     an argument that is left out
    dtype, int, float, bool, dimension, tuple (a list) are themselves
    "$layout", "$memory_format:channels_last"    torch.strided, a memory format
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from sidra.errors import UnsupportedOperator
from sidra.frontend.dtypes import FROM_TORCH, TO_TORCH
from sidra.ir.attributes import Attribute
from sidra.ir.core import Value
from sidra.ir.dims import Dim
from sidra.ir.types import DType

MEMORY_FORMATS = {
    torch.contiguous_format: "contiguous_format",
    torch.channels_last: "channels_last",
    torch.channels_last_3d: "channels_last_3d",
    torch.preserve_format: "preserve_format",
}


def operator_name(target: torch._ops.OpOverload) -> str:
    """Return the name that the dispatcher knows, such as `aten::add.Tensor`."""
    overload = target._overloadname
    return target._schema.name + ("" if overload == "default" else f".{overload}")


def find_operator(name: str) -> torch._ops.OpOverload:
    """Return the operator of a name that `operator_name` gave."""
    namespace, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    found: torch._ops.OpOverload = getattr(
        getattr(getattr(torch.ops, namespace), packet), overload or "default"
    )
    return found


def encode_call(
    target: torch._ops.OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[list[Value], dict[str, Attribute]]:
    """Return operands and attributes of a call whose tensors are Values and sizes dimensions.

    Raises UnsupportedOperator for an argument that no attribute can hold.
    """
    operands: list[Value] = []
    arguments = []
    for position, argument in enumerate(target._schema.arguments):
        if position < len(args) and not argument.kwarg_only:
            given = args[position]
        elif argument.name in kwargs:
            given = kwargs[argument.name]
        else:
            given = argument.default_value
        arguments.append(_encode(given, operands, target))
    return operands, {"operator": operator_name(target), "arguments": tuple(arguments)}


def _encode(given: Any, operands: list[Value], target: torch._ops.OpOverload) -> Attribute:
    if isinstance(given, Value):
        operands.append(given)
        return f"${len(operands) - 1}"
    if given is None:
        return "$none"
    if isinstance(given, list | tuple):
        return tuple(_encode(part, operands, target) for part in given)
    if isinstance(given, bool | int | float | Dim):
        return given
    if isinstance(given, str):
        return f"'{given}"
    if isinstance(given, torch.dtype) and given in FROM_TORCH:
        return FROM_TORCH[given]
    if isinstance(given, torch.device):
        return "$device" if given.type == "sidra" else f"$device:{given}"
    if given is torch.strided:
        return "$layout"
    if isinstance(given, torch.memory_format):
        return f"$memory_format:{MEMORY_FORMATS[given]}"
    raise UnsupportedOperator(
        f"{operator_name(target)}: the compiler cannot keep the argument {given!r}, "
        f"a {type(given).__name__}"
    )


def decode_argument(
    entry: Any, tensor: Callable[[int], Any], size: Callable[[Any], int], device: torch.device
) -> Any:
    """Return the Python value of an entry. `tensor` gives operands, `size` the int of a Dim."""
    if isinstance(entry, tuple):
        return [decode_argument(part, tensor, size, device) for part in entry]
    if isinstance(entry, Dim):
        return size(entry)
    if isinstance(entry, DType):
        return TO_TORCH[entry]
    if not isinstance(entry, str):
        return entry
    if entry.startswith("'"):
        return entry[1:]
    return _decode_special(entry[1:], tensor, device)


def _decode_special(name: str, tensor: Callable[[int], Any], device: torch.device) -> Any:
    if name.isdecimal():
        return tensor(int(name))
    if name == "none":
        return None
    if name == "layout":
        return torch.strided
    kind, _, detail = name.partition(":")
    if kind == "device":
        return torch.device(detail) if detail else device
    return getattr(torch, detail)
