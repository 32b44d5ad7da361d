"""simplify-views folds chains, and keeps what moves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidra.ir.core import Module
from sidra.passes.simplify_views import SimplifyViews

Lower = Callable[..., Module]

X = "f32[s0, 4, 4]"


@pytest.mark.parametrize(
    ("body", "type", "left"),
    [
        (f"%y = graph.reshape %x {{shape = [s0, 4, 4]}} : {X}", X, []),
        (f"%y = graph.permute %x {{dims = [0, 1, -1]}} : {X}", X, []),
        (f"%y = graph.broadcast %x {{shape = [s0, 4, 4]}} : {X}", X, []),
        (f"%y = graph.convert %x {{dtype = f32}} : {X}", X, []),
        (
            f"%y = graph.slice %x {{start = [0, 0, 0], stop = [s0, 4, 4], step = [1, 1, 1]}} : {X}",
            X,
            [],
        ),
        (
            "%0 = graph.reshape %x {shape = [16*s0]} : f32[16*s0]\n"
            "%y = graph.reshape %0 {shape = [s0, 16]} : f32[s0, 16]",
            "f32[s0, 16]",
            ["graph.reshape"],
        ),
        (
            "%0 = graph.permute %x {dims = [1, 2, 0]} : f32[4, 4, s0]\n"
            f"%y = graph.permute %0 {{dims = [2, 0, 1]}} : {X}",
            X,
            [],
        ),
        (
            "%0 = graph.permute %x {dims = [1, 2, 0]} : f32[4, 4, s0]\n"
            f"%y = graph.permute %0 {{dims = [2, 1, 0]}} : {X}",
            X,
            ["graph.permute"],
        ),
        (
            "%0 = graph.broadcast %x {shape = [1, s0, 4, 4]} : f32[1, s0, 4, 4]\n"
            "%y = graph.broadcast %0 {shape = [2, s0, 4, 4]} : f32[2, s0, 4, 4]",
            "f32[2, s0, 4, 4]",
            ["graph.broadcast"],
        ),
        ("%y = graph.convert %x {dtype = f64} : f64[s0, 4, 4]", "f64[s0, 4, 4]", ["graph.convert"]),
    ],
)
def test_folds(lower: Lower, body: str, type: str, left: list[str]) -> None:
    text = f"func @main(%x: {X}) -> ({type}) {{\n{body}\nreturn %y\n}}"
    module = lower(text, SimplifyViews(), symbols={"s0": 3})
    assert [op.name for op in module.walk()] == [*left, "return"]
