"""The tile dialect as a whole."""

from __future__ import annotations

from pathlib import Path

from sidra.ir.registry import operations_of

TESTS = Path(__file__).with_name("tile")


def test_every_op_is_tested_and_told() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in TESTS.glob("test_*.py"))
    ops = operations_of("tile")
    assert {op.name for op in ops} == {"tile.kernel", "tile.mvm", "tile.attention"}
    assert not {op.name for op in ops if op.name not in text}
    assert not [op.name for op in ops if not op.summary]
