"""Compiles HuggingFace models of small configurations on the exact chip; prints JSON.

For each: the largest difference to eager execution over the largest output, graph breaks, and how
often what was compiled. A script of its own, because the chip is chosen once a process.
"""

from __future__ import annotations

import json
import sys
import warnings

import torch
import transformers as hf
from torch._dynamo.utils import counters

SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}


def ids(rows=2, length=12, size=90):
    return torch.randint(5, size, (rows, length), generator=torch.Generator().manual_seed(1))


def pixels(size):
    return torch.randn(1, 3, size, size, generator=torch.Generator().manual_seed(1))


def bert():
    config = hf.BertConfig(vocab_size=99, intermediate_size=96, **SMALL)
    mask = torch.ones(2, 12, dtype=torch.int64)
    mask[1, 7:] = 0
    return hf.BertModel(config), {"input_ids": ids(), "attention_mask": mask}


def albert():
    config = hf.AlbertConfig(vocab_size=99, intermediate_size=96, embedding_size=32, **SMALL)
    return hf.AlbertModel(config), {"input_ids": ids()}


def gpt2():
    config = hf.GPT2Config(vocab_size=99, n_embd=64, n_layer=2, n_head=4)
    return hf.GPT2LMHeadModel(config), {"input_ids": ids(), "use_cache": False}


def llama():
    config = hf.LlamaConfig(vocab_size=99, intermediate_size=96, num_key_value_heads=2, **SMALL)
    return hf.LlamaForCausalLM(config), {"input_ids": ids(), "use_cache": False}


def t5():
    config = hf.T5Config(vocab_size=99, d_model=64, d_kv=16, d_ff=96, num_layers=2, num_heads=4)
    model = hf.T5ForConditionalGeneration(config)
    return model, {"input_ids": ids(), "decoder_input_ids": ids(2, 5), "use_cache": False}


def whisper():
    config = hf.WhisperConfig(
        vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=16,
        max_source_positions=50, max_target_positions=20, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=3,
    )  # fmt: skip
    features = torch.randn(1, 16, 100, generator=torch.Generator().manual_seed(1))
    model = hf.WhisperForConditionalGeneration(config)
    inputs = {"input_features": features, "decoder_input_ids": ids(1, 4), "use_cache": False}
    return model, inputs


def vit():
    config = hf.ViTConfig(image_size=32, patch_size=8, intermediate_size=96, **SMALL)
    return hf.ViTModel(config), {"pixel_values": pixels(32)}


def resnet():
    config = hf.ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 2], num_labels=7)
    return hf.ResNetForImageClassification(config), {"pixel_values": pixels(48)}


def convnext():
    config = hf.ConvNextConfig(hidden_sizes=[16, 32], depths=[1, 1], num_stages=2)
    return hf.ConvNextModel(config), {"pixel_values": pixels(32)}


def mobilenet():
    return hf.MobileNetV2Model(hf.MobileNetV2Config(depth_multiplier=0.35)), {
        "pixel_values": pixels(64)
    }


def wav2vec():
    config = hf.Wav2Vec2Config(
        vocab_size=9, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, conv_dim=(16, 16), conv_stride=(5, 4), conv_kernel=(10, 8),
        num_feat_extract_layers=2, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4,
    )  # fmt: skip
    wave = torch.randn(1, 2000, generator=torch.Generator().manual_seed(1))
    return hf.Wav2Vec2ForCTC(config), {"input_values": wave}


CASES = {
    function.__name__: function
    for function in (
        bert, albert, gpt2, llama, t5, whisper, vit, resnet, convnext, mobilenet, wav2vec,
    )
}  # fmt: skip


def outputs(result):
    return [value for value in result.to_tuple() if isinstance(value, torch.Tensor)]


def run(name):
    torch.manual_seed(0)
    model, inputs = CASES[name]()
    model = model.eval().to("sidra")
    inputs = {n: v.to("sidra") if isinstance(v, torch.Tensor) else v for n, v in inputs.items()}
    counters.clear()
    torch._dynamo.reset()
    with torch.no_grad():
        want = outputs(model(**inputs))
        fast = torch.compile(model, backend="sidra")
        fast(**inputs)
        got = outputs(fast(**inputs))
    apart = [
        float((a.float() - b.float()).abs().max() / b.float().abs().max().clamp(min=1e-6))
        for a, b in zip(got, want, strict=True)
    ]
    breaks = sum(counters["graph_break"].values())
    return {
        "difference": max(apart),
        "breaks": breaks,
        "frames": counters["stats"]["unique_graphs"],
    }


def main():
    warnings.simplefilter("ignore")
    hf.logging.set_verbosity_error()
    torch.set_num_threads(1)
    names = sys.argv[1:] or list(CASES)
    print(json.dumps({name: run(name) for name in names}))


if __name__ == "__main__":
    main()
