"""The sentences: a few of our own, the user's, and enough English to correlate over."""

from __future__ import annotations

import importlib.util
from importlib.resources import files
from pathlib import Path

from sidra.errors import ConfigurationError

SHOWN = 8  # of the built-in sentences, in the table
CORPUS = 160  # sentences that the correlation is taken over, unless the user has more


def built_in() -> list[str]:
    """Sentences that ship with the package, similar ones side by side."""
    text = files("sidra.cli.sentences").joinpath("sentences.txt").read_text(encoding="utf-8")
    return text.splitlines()


def read_sentences(path: str | Path) -> list[str]:
    """Return the lines of a file that are not blank. Raises ConfigurationError below two."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read sentences from {path}: {error}") from error
    sentences = [line.strip() for line in lines if line.strip()]
    if len(sentences) < 2:
        raise ConfigurationError(f"{path} holds {len(sentences)} sentences; at least 2 are needed")
    return sentences


def news() -> list[str]:
    """First sentences of the Lee news corpus in gensim's test data; none without that package."""
    found = importlib.util.find_spec("gensim")
    if found is None or not found.submodule_search_locations:
        return []
    path = Path(found.submodule_search_locations[0], "test", "test_data", "lee_background.cor")
    lines = path.read_text(encoding="latin-1").splitlines()
    return [line.split(". ")[0].strip() + "." for line in lines]


def corpus(shown: list[str]) -> list[str]:
    """Return `shown`, then built-in sentences and news until there are CORPUS; none twice."""
    unique = dict.fromkeys([*shown, *built_in(), *news()])
    return list(unique)[: max(CORPUS, len(shown))]
