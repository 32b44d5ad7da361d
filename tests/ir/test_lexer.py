"""Tokens and the place of an error."""

from __future__ import annotations

import pytest

from sidra.errors import ParseError
from sidra.ir.lexer import Source, tokens


def test_kinds() -> None:
    found = tokens(Source('%x = a.b 1e-5 "s\\"" @w -> s0//4 // gone\n', "f"))
    assert [(t.kind, t.text) for t in found] == [
        ("value", "%x"),
        ("mark", "="),
        ("word", "a.b"),
        ("number", "1e-5"),
        ("string", '"s\\""'),
        ("symbol", "@w"),
        ("mark", "->"),
        ("word", "s0"),
        ("mark", "//"),
        ("number", "4"),
        ("end", ""),
    ]


def test_error_shows_file_line_column_and_place() -> None:
    with pytest.raises(ParseError) as caught:
        tokens(Source("ab\n  ?x\ny", "m.sir"))
    assert str(caught.value) == "m.sir:2:3: unexpected character '?'\n  ?x\n  ^"
