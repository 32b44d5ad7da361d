"""The databases in pieces that a test can be named after."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Chunk:
    """The names of one database that a regular expression matches from their start."""

    database: str
    pattern: str
    title: str

    def holds(self, database: str, name: str) -> bool:
        """Tell whether a name belongs to this chunk."""
        return self.database == database and re.match(self.pattern, name) is not None


def _operators(title: str, pattern: str) -> Chunk:
    return Chunk("operators", pattern, title)


# No name is in two chunks, and every name is in one.
_PACKAGES = r"(?!fft\.|linalg\.|masked\.|nn\.functional\.|special\.|_refs)"
CHUNKS = (
    _operators("fft", r"fft\."),
    _operators("linalg", r"linalg\."),
    _operators("masked", r"masked\."),
    _operators("nn.functional a-e", r"nn\.functional\.[a-e]"),
    _operators("nn.functional f-m", r"nn\.functional\.[f-m]"),
    _operators("nn.functional n-z", r"nn\.functional\.[n-z]"),
    _operators("special", r"special\."),
    _operators("T and _", _PACKAGES + r"[A-Z_]"),
    _operators("a", _PACKAGES + r"a"),
    _operators("b-c", _PACKAGES + r"[b-c]"),
    _operators("d-h", _PACKAGES + r"[d-h]"),
    _operators("i-l", _PACKAGES + r"[i-l]"),
    _operators("m-n", _PACKAGES + r"[m-n]"),
    _operators("o-r", _PACKAGES + r"[o-r]"),
    _operators("s", _PACKAGES + r"s"),
    _operators("t-z", _PACKAGES + r"[t-z]"),
    Chunk("modules", r"nn\.[A-L]", "modules A-L"),
    Chunk("modules", r"nn\.[M-Z]", "modules M-Z"),
    Chunk("optimizers", r"", "optimizers"),
    Chunk("foreach", r"", "foreach"),
)
