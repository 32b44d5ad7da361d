from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from sidra.cli.sentences.view import MATRIX_LIMIT, show


def result(count: int) -> dict[str, Any]:
    matrix = [[1.0 if row == column else 0.25 for column in range(count)] for row in range(count)]
    return {
        "sentences": [f"Sentence [{number}]." for number in range(count)],
        "similarity_sidra": matrix,
        "similarity_cpu": matrix,
        "nearest_sidra": [1] + [0] * (count - 1),
        "nearest_cpu": [1] + [0] * (count - 2) + [1],
        "corpus": 160,
        "pairs": 12720,
        "spearman": 0.9967,
        "bar": 0.995,
        "chip": {"chip_seconds": 3e-4, "joules": 2e-4, "datasheet_joules": 9e-4},
        "programming": {"chip_seconds": 0.5, "joules": 0.01},
        "chip_name": "y1",
        "crossbars": 6400,
        "crossbars_used": 240,
        "host": [{"sentences": 16, "cpu_float32": 0.2, "sidra": 0.1}],
    }


def printed(count: int) -> str:
    out = io.StringIO()
    show(Console(file=out, width=140), result(count))
    return out.getvalue()


def test_figures_are_shown_with_their_units() -> None:
    text = printed(3)
    assert "0.9967 over 12,720 pairs of 160 sentences" in text
    assert "300 us" in text
    assert "200 uJ, sum of the parts; 900 uJ" in text
    assert "240 of 6,400" in text
    assert "100 ms on sidra, 200 ms on the CPU in float32 (0.50 x)" in text


def test_brackets_of_a_sentence_are_text_and_a_different_neighbour_is_marked() -> None:
    text = printed(3)
    assert "Sentence [0]." in text
    assert text.count("(CPU: another)") == 1


def test_matrix_is_left_out_when_it_does_not_fit() -> None:
    assert "Similarity on sidra" in printed(MATRIX_LIMIT)
    assert "Similarity on sidra" not in printed(MATRIX_LIMIT + 1)
