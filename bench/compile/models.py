"""The models of the benchmark, random weights from their configurations, with fixed inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


class FirstOutput(nn.Module):
    """A HuggingFace model as a function from tensors to one tensor, which every exporter takes."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the first output."""
        return self.model(inputs, return_dict=False)[0]  # type: ignore[no-any-return]


class DecodeStep(nn.Module):
    """One token of GPT-2 after a cache: token [1, 1] and per layer keys, values [1, H, S, E]."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, token: torch.Tensor, *past: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the logits and the grown cache."""
        from transformers import DynamicCache

        cache = DynamicCache()
        for layer in range(len(past) // 2):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        result = self.model(token, past_key_values=cache, use_cache=True)
        grown = [part for layer in cache.layers for part in (layer.keys, layer.values)]
        return (result.logits, *grown)


@dataclass(frozen=True)
class Case:
    """One row of the table. `build`: the model, in eval mode; `inputs`: what it is called with."""

    name: str
    build: Callable[[], nn.Module]
    inputs: Callable[[], tuple[torch.Tensor, ...]]
    is_encoder: bool = False


def _tokens(batch: int, length: int) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(1)
    return (torch.randint(0, 30000, (batch, length), generator=generator),)


def _pixels() -> tuple[torch.Tensor, ...]:
    return (torch.randn(1, 3, 224, 224, generator=torch.Generator().manual_seed(1)),)


def _bert(**config: Any) -> nn.Module:
    from transformers import BertConfig, BertModel

    return FirstOutput(BertModel(BertConfig(**config)))


def _minilm() -> nn.Module:
    return _bert(
        hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    )


def _vit() -> nn.Module:
    from transformers import ViTConfig, ViTModel

    return FirstOutput(ViTModel(ViTConfig()))


def _resnet() -> nn.Module:
    from transformers import ResNetConfig, ResNetForImageClassification

    return FirstOutput(ResNetForImageClassification(ResNetConfig(num_labels=1000)))


def _gpt2() -> nn.Module:
    from transformers import GPT2Config, GPT2LMHeadModel

    return DecodeStep(GPT2LMHeadModel(GPT2Config()))


def _decode_inputs() -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(1)
    past = [torch.randn(1, 12, 128, 64, generator=generator) for _ in range(24)]
    return (torch.randint(0, 30000, (1, 1), generator=generator), *past)


CASES: dict[str, Case] = {
    case.name: case
    for case in (
        Case("minilm-16", _minilm, lambda: _tokens(1, 16), is_encoder=True),
        Case("minilm-128", _minilm, lambda: _tokens(1, 128), is_encoder=True),
        Case("bert-128", _bert, lambda: _tokens(1, 128), is_encoder=True),
        Case("bert-512", _bert, lambda: _tokens(1, 512), is_encoder=True),
        Case("bert-8x128", _bert, lambda: _tokens(8, 128), is_encoder=True),
        Case("vit-b16", _vit, _pixels, is_encoder=True),
        Case("resnet50", _resnet, _pixels),
        Case("gpt2-decode", _gpt2, _decode_inputs),
    )
}


def build(case: Case) -> nn.Module:
    """Return the model of a case; the same weights every time."""
    torch.manual_seed(0)
    return case.build().eval()
