"""Tokens of the IR's text, with their places, and the error that shows one.

A comment is `//` at the start of a line or after a blank, up to the end of the line; a floor
division is written without blanks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sidra.errors import ParseError

MAX_TEXT = 64 * 2**20  # characters

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|(?:(?<=\s)|(?<![\s\S]))//[^\n]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<value>%[A-Za-z0-9_.$-]+)
    |(?P<symbol>@[A-Za-z0-9_.$-]+)
    |(?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)
    |(?P<word>[A-Za-z_][A-Za-z0-9_.$]*)
    |(?P<mark>->|//|[-+*%(){}\[\]<>=:,])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """kind: string, value, symbol, number, word, mark, or end. at: offset in the text."""

    kind: str
    text: str
    at: int


class Source:
    """A text and its name, for errors."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file

    def error(self, at: int, message: str) -> ParseError:
        """`file:line:column: message`, then the line with a mark under the place."""
        line = self.text.count("\n", 0, at) + 1
        start = self.text.rfind("\n", 0, at) + 1
        end = self.text.find("\n", at)
        shown = self.text[start : end if end >= 0 else len(self.text)][:200]
        place = f"{self.file}:{line}:{at - start + 1}"
        return ParseError(f"{place}: {message}\n{shown}\n{' ' * min(at - start, 200)}^")


def tokens(source: Source) -> list[Token]:
    """All tokens, an `end` last. Raises ParseError."""
    if len(source.text) > MAX_TEXT:
        raise source.error(0, f"the text is longer than {MAX_TEXT} characters")
    found = []
    at = 0
    while at < len(source.text):
        match = _TOKEN.match(source.text, at)
        if match is None:
            raise source.error(at, f"unexpected character {source.text[at]!r}")
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match.group(), at))
        at = match.end()
    return [*found, Token("end", "", len(source.text))]
