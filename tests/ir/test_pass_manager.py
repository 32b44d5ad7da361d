"""Order, names, dumps, statistics, errors between passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidra.errors import InferenceError, PassError, VerifyError
from sidra.ir.core import Module
from sidra.ir.parser import parse_module
from sidra.ir.pass_manager import Context, Pass, PassManager, Statistics
from sidra.ir.rewrite import eliminate_dead
from sidra.ir.types import tensor

TEXT = """module {
  func @main(%x: f32[2]) -> (f32[2]) {
    %0 = graph.exp %x : f32[2]
    return %x
  }
}
"""


class EliminateDead(Pass):
    def run(self, module: Module, context: Context) -> Statistics:
        erased = sum(eliminate_dead(f) for f in module.functions.values())
        context.facts["erased"] = erased
        return Statistics(rounds=2, counts={"erased": erased})


class Break(Pass):
    def run(self, module: Module, context: Context) -> Statistics:
        for function in module.functions.values():
            function.arguments[0].type = tensor("i64[2]")
        return Statistics()


class Refuse(Pass):
    def run(self, module: Module, context: Context) -> Statistics:
        raise InferenceError("no")


def test_runs_dumps_and_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDRA_DUMP", str(tmp_path / "ir"))
    monkeypatch.setattr(EliminateDead, "__module__", "sidra.passes.eliminate_dead")
    context = Context()
    (done,) = PassManager([EliminateDead()]).run(parse_module(TEXT), context)
    assert (done.name, done.ops_before, done.ops_after) == ("eliminate-dead", 2, 1)
    assert (done.rounds, done.counts, context.facts) == (2, {"erased": 1}, {"erased": 1})
    assert done.host_seconds >= 0
    assert (tmp_path / "ir/00-input.sir").read_text() == TEXT
    assert "graph.exp" not in (tmp_path / "ir/01-eliminate-dead.sir").read_text()


def test_ir_that_a_pass_breaks_names_the_pass() -> None:
    with pytest.raises(VerifyError, match=r"^after test-pass-manager: @main: graph\.exp"):
        PassManager([Break()]).run(parse_module(TEXT))


def test_a_refusal_names_the_pass() -> None:
    with pytest.raises(PassError, match=r"^test-pass-manager: no$"):
        PassManager([Refuse()]).run(parse_module(TEXT))


def test_input_is_verified() -> None:
    with pytest.raises(VerifyError, match=r"^@main: t\.a"):
        PassManager([]).run(parse_module("func @main() -> () { t.a\nreturn }"))


def test_a_pass_must_run() -> None:
    with pytest.raises(NotImplementedError):
        Pass().run(Module(), Context())
