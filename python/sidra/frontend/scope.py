"""Where a node of a traced graph comes from in the model."""

from __future__ import annotations

import re

from torch import fx

from sidra.ir.core import UNKNOWN, Location

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
# How Dynamo writes a path: L['self'].encoder.layer[3], or getattr(L['self'].layer, '3').
_ROOT = re.compile(r"^L\[['\"]\w+['\"]\]")  # what the compiled module is called
_ITEM = re.compile(r"\[['\"]?(\w+)['\"]?\]")
_GETATTR = re.compile(r"getattr\(([^()]*), ['\"](\w+)['\"]\)")


def location_of(node: fx.Node) -> Location:
    """Return the module's path, such as `encoder.layer.3.attention.query`, the file and line."""
    stack = node.meta.get("nn_module_stack") or {}
    module = module_path(next(reversed(stack.values()))[0]) if stack else ""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    if not frames:
        return Location(module) if module else UNKNOWN
    file, line = frames[-1]
    return Location(module, file, int(line))


def module_path(text: str) -> str:
    """Return a module's dotted path from what Dynamo calls it; empty for the whole model."""
    while (shorter := _GETATTR.sub(r"\1.\2", text)) != text:
        text = shorter
    text = _ROOT.sub("", text)
    text = _ITEM.sub(r".\1", text).replace("._modules", "").replace("_modules.", "")
    return ".".join(part for part in text.split(".") if part not in ("", "self", "L"))
