"""The trained encoder, as its users load it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from sidra.cli.sentences.encoder import weights_path

SENTENCES = ["A cat sleeps on the sofa.", "A kitten naps on a couch.", "Shares fell on Monday."]


@pytest.fixture(scope="module")
def encoders():
    path = str(weights_path())
    return {name: SentenceTransformer(path, device=name) for name in ("sidra", "cpu")} | {
        "found": SentenceTransformer(path)
    }


def test_device_is_found_and_can_be_named(encoders) -> None:
    assert {name: encoder.device.type for name, encoder in encoders.items()} == {
        "sidra": "sidra",
        "cpu": "cpu",
        "found": "sidra",
    }


def test_embeddings_on_the_chip_are_close_to_the_cpu_s(encoders) -> None:
    chip, cpu = (encoders[name].encode(SENTENCES) for name in ("sidra", "cpu"))
    cosines = (chip * cpu).sum(1) / np.linalg.norm(chip, axis=1) / np.linalg.norm(cpu, axis=1)
    assert cosines.min() > 0.97  # 8-bit converters
    similar, other = encoders["cpu"].similarity(chip[:1], chip[1:])[0].tolist()
    assert similar > 0.5 > 0.2 > other


def test_embeddings_stay_on_the_device_as_tensors(encoders) -> None:
    vectors = encoders["sidra"].encode(SENTENCES, convert_to_tensor=True)
    assert vectors.device == torch.device("sidra:0")
    assert encoders["sidra"].similarity(vectors, vectors).shape == (3, 3)


def test_rank_takes_its_device(monkeypatch) -> None:
    from sentence_transformers.util import get_device_name

    monkeypatch.setenv("LOCAL_RANK", "0")
    assert get_device_name() == "sidra:0"
