"""Work of single ops, products and kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sidra.analysis.work import RATES, Work, work_of
from sidra.ir import dims
from sidra.ir.core import Operation
from sidra.ir.parser import parse_module

S0 = dims.symbol("s0")
PLACEMENT = Path(__file__).parents[2] / "src/aten/placement.inc"


def first(text: str) -> Operation:
    operation = parse_module(text).functions["main"].body.first
    assert operation is not None
    return operation


def test_rates_are_those_of_the_device() -> None:
    rows = re.findall(r"^ENGINE\((\w+), (\d), (\d)\)", PLACEMENT.read_text(), re.MULTILINE)
    device = {name: (int(alu), int(lookups)) for name, alu, lookups in rows}
    names = {
        "softmax": "_softmax",
        "log_softmax": "_log_softmax",
        "layer_norm": "native_layer_norm",
        "group_norm": "native_group_norm",
        "batch_norm": "native_batch_norm",
    }
    shared = {op: names.get(op[6:], op[6:]) for op in RATES if names.get(op[6:], op[6:]) in device}
    assert len(shared) > 18
    assert {op: RATES[op] for op in shared} == {op: device[name] for op, name in shared.items()}


@pytest.mark.parametrize(
    ("operands", "operation", "expected"),
    [
        (
            "%x: f32[s0, 4]",
            "graph.gelu %x : f32[s0, 4]",
            Work(4 * S0, 4 * S0, 4 * S0, 16 * S0, 16 * S0),
        ),
        ("%x: f16[8, 4]", "graph.sum %x {dims = [1]} : f16[8]", Work(32, 32, 0, 64, 16)),
        ("%x: f32[s0, 4]", "graph.permute %x {dims = [1, 0]} : f32[4, s0]", Work()),
        ("", "graph.iota {size = 4} : i64[4]", Work(4, 0, 0, 0, 32)),
        ("", "graph.constant {value = dense<f32[1]: [0.0]>} : f32[1]", Work()),
        (
            "%w: f32[900, 4], %i: i64[3]",
            "graph.embedding %w, %i : f32[3, 4]",
            Work(12, 0, 0, 24 + 48, 48),
        ),
        (
            "%x: f32[s0, 8], %w: f32[5, 8]",
            "tile.mvm %x, %w : f32[s0, 5]",
            Work(40 * S0, 40 * S0, 0, 32 * S0 + 160, 20 * S0),
        ),
        (
            "%q: f32[2, 3, 8], %k: f32[2, 5, 8]",
            "tile.attention %q, %k, %k : f32[2, 3, 8]",
            Work(30 * 16, 30 * 16 + 30 * 4, 30, 192 + 320 + 320, 192),
        ),
        (
            "%x: f32[8]",
            'graph.external %x {operator = "aten::sort"} : f32[8]',
            Work(0, 0, 0, 32, 32),
        ),
    ],
)
def test_one_op(operands: str, operation: str, expected: Work) -> None:
    text = f"func @main({operands}) -> () {{\n%0 = {operation}\nreturn\n}}"
    assert work_of(first(text)) == expected


def test_a_kernel_reads_what_it_gathers() -> None:
    kernel = first("""func @main(%w: f32[900, 4], %i: i64[s0], %p: f32[512, 4]) -> (f32[s0, 4]) {
      %0 = tile.kernel %w, %i, %p {name = "embed"} : f32[s0, 4] {
        (%a: f32[900, 4], %b: i64[s0], %c: f32[512, 4])
        %1 = graph.embedding %a, %b : f32[s0, 4]
        %2 = graph.slice %c {start = [0, 0], stop = [1, 4], step = [1, 1]} : f32[1, 4]
        %3 = graph.add %1, %2 : f32[s0, 4]
        %4 = graph.softmax %3 : f32[s0, 4]
        yield %4
      }
      return %0
    }""")
    assert work_of(kernel) == Work(4 * S0, 16 * S0, 4 * S0, 16 * S0 + 8 * S0 + 16, 16 * S0)
