"""The graph dialect as a whole."""

from __future__ import annotations

from pathlib import Path

from sidra.ir.registry import operations_of

TESTS = Path(__file__).with_name("graph")


def test_every_op_is_tested_and_told() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in TESTS.glob("test_*.py"))
    ops = operations_of("graph")
    assert len(ops) > 90
    names = {op.name.partition(".")[2] for op in ops}
    assert not {n for n in names if f'"{n}"' not in text and f"graph.{n} " not in text}
    assert not [op.name for op in ops if not op.summary]
