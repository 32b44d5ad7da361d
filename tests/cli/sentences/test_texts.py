from __future__ import annotations

from pathlib import Path

import pytest

from sidra.cli.sentences import texts
from sidra.errors import ConfigurationError


def test_corpus_starts_with_what_is_shown_and_has_no_sentence_twice() -> None:
    shown = ["Ours.", *texts.built_in()[:2]]
    sentences = texts.corpus(shown)
    assert sentences[:3] == shown
    assert len(sentences) == len(set(sentences)) == texts.CORPUS


def test_corpus_keeps_all_of_a_user_who_has_more() -> None:
    assert len(texts.corpus([f"Sentence {n}." for n in range(200)])) == 200


def test_news_are_first_sentences() -> None:
    sentences = texts.news()
    assert len(sentences) == 300
    assert all(len(sentence) < 1000 for sentence in sentences)


def test_file_is_read_without_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("One.\n\n  Two. \n")
    assert texts.read_sentences(path) == ["One.", "Two."]


@pytest.mark.parametrize("content", [b"", b"One.\n", b"\xff\xfe\n"])
def test_file_without_two_sentences_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"mine\.txt"):
        texts.read_sentences(path)
