"""tile.kernel: its meaning is its region's, and the region is closed."""

from __future__ import annotations

import numpy as np
import pytest

from sidra.errors import VerifyError
from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module
from sidra.ir.printer import module_text
from sidra.ir.verifier import verify

ADD_TANH = """module {
  func @main(%a: f32[s0, 4], %b: f32[4]) -> (f32[s0, 4]) {
    %0 = tile.kernel %a, %b {name = "add_tanh"} : f32[s0, 4] { (%x: f32[s0, 4], %c: f32[4])
      %1 = graph.add %x, %c : f32[s0, 4]
      %2 = graph.tanh %1 : f32[s0, 4]
      yield %2
    }
    return %0
  }
}
"""


def test_runs_the_region() -> None:
    module = parse_module(ADD_TANH)
    verify(module)
    a = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    b = np.arange(4, dtype=np.float32)
    (y,) = interpret(module.functions["main"], [a, b])
    np.testing.assert_allclose(y, np.tanh(a + b), rtol=1e-6)


def test_the_text_is_read_back() -> None:
    text = module_text(parse_module(ADD_TANH))
    assert module_text(parse_module(text)) == text


def test_several_results() -> None:
    module = parse_module("""func @main(%x: f32[s0, 4]) -> (f32[s0], f32[s0, 4]) {
      %0, %1 = tile.kernel %x {name = "sum_sub"} : f32[s0], f32[s0, 4] { (%a: f32[s0, 4])
        %2 = graph.sum %a {dims = [1], keepdim = true} : f32[s0, 1]
        %3 = graph.sub %a, %2 : f32[s0, 4]
        %4 = graph.reshape %2 {shape = [s0]} : f32[s0]
        yield %4, %3
      }
      return %0, %1
    }""")
    verify(module)
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    total, rest = interpret(module.functions["main"], [x])
    np.testing.assert_array_equal(total, x.sum(1))
    np.testing.assert_array_equal(rest, x - x.sum(1, keepdims=True))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"add_tanh"', '"Add"', 'name is "Add", but must be like "add_layer_norm"'),
        ("%c: f32[4])", "%c: f32[4], %d: f32[4])", "its operands are "),
        ("graph.add %x, %c", "graph.add %x, %b", "a graph.add in its region uses a value from out"),
        (
            "graph.tanh %1",
            'graph.external %1 {operator = "aten::tanh"}',
            "its region holds graph.external, which is no pure op of graph",
        ),
        ("yield %2", "yield %2, %2", "but its region yields [f32[s0, 4], f32[s0, 4]]"),
    ],
)
def test_refuses(old: str, new: str, message: str) -> None:
    module = parse_module(ADD_TANH.replace(old, new))
    with pytest.raises(VerifyError) as caught:
        verify(module)
    assert message in str(caught.value)


def test_needs_a_result() -> None:
    module = parse_module("""func @main() -> () {
      tile.kernel {name = "nothing"} {
        yield
      }
      return
    }""")
    with pytest.raises(VerifyError, match="it has no result"):
        verify(module)
