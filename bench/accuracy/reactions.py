"""RXNMapper's ALBERT, a masked language model of chemical reactions: 12 layers of shared weights.

pip install --no-deps rxnmapper==0.4.3
"""

from __future__ import annotations

import json
import re

import torch
from encoder import folder_of
from torch import Tensor, nn
from torch.nn import functional

TOKEN = re.compile(
    r"(\%\([0-9]{3}\)|\[[^\]]+]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\||\(|\)|\.|=|#|-|\+|\\|\/|:|~|@|\?"
    r"|>>?|\*|\$|\%[0-9]{2}|[0-9])"
)


def albert(folder: str) -> nn.Module:
    """Return the trained model."""
    from transformers import AlbertConfig, AlbertForMaskedLM

    path = folder_of("rxnmapper") / folder
    config = json.loads((path / "config.json").read_text())
    model = AlbertForMaskedLM(AlbertConfig(**config))
    stored = torch.load(path / "pytorch_model.bin", map_location="cpu", weights_only=True)
    missing, unused = model.load_state_dict(stored, strict=False)
    if any("position_ids" not in key and "pooler" not in key for key in missing + unused):
        raise SystemExit(f"rxnmapper's state does not fit: {missing} {unused}")
    return model.eval()


def reactions(count: int) -> list[str]:
    """Reactions from the tests that the package ships."""
    texts = [
        path.read_text()
        for path in (folder_of("rxnmapper").parent / "tests").glob("test_*mapper.py")
    ]
    found = {text for t in texts for text in re.findall(r'"([^"\s:]{20,}>>[^"\s:]+)"', t)}
    return sorted(found)[:count]


class Reactions:
    """The float32 model, masked reactions, and the logits it gives the masked tokens."""

    columns = ("cosine of logits", "same token", "masked token right")

    def __init__(self, count: int = 12, every: int = 6) -> None:
        """Load the model and compute the float32 logits."""
        folder = "models/transformers/albert_heads_8_uspto_all_1310k"
        self.model = albert(folder)
        lines = (folder_of("rxnmapper") / folder / "vocab.txt").read_text().splitlines()
        ids = {token: index for index, token in enumerate(lines)}
        self.batches, truth = [], []
        for text in reactions(count):
            known = [ids.get(token, ids["[UNK]"]) for token in TOKEN.findall(text)]
            tokens = torch.tensor([ids["[CLS]"], *known, ids["[SEP]"]])
            at = torch.arange(1, len(tokens) - 1, every)
            masked = tokens.repeat(len(at), 1)
            masked[torch.arange(len(at)), at] = ids["[MASK]"]
            self.batches.append((masked, at))
            truth.append(tokens[at])
        self.truth, self.wanted = torch.cat(truth), self.logits(self.model)

    @torch.inference_mode()
    def logits(self, model: nn.Module) -> Tensor:
        """Logits [masked tokens, vocabulary]."""
        return torch.cat([model(x).logits[torch.arange(len(at)), at] for x, at in self.batches])

    def measure(self, model: nn.Module) -> list[float]:
        """Mean cosine with the float32 logits, shares of the same and of the right token."""
        found = self.logits(model)
        cosine, best = functional.cosine_similarity(found, self.wanted).mean(), found.argmax(1)
        same, right = best == self.wanted.argmax(1), best == self.truth
        return [float(cosine), float(same.float().mean()), float(right.float().mean())]
