"""HuggingFace pipelines on the device, with small models made from configurations."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from PIL import Image
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GenerationConfig,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
    ViTConfig,
    ViTForImageClassification,
    ViTImageProcessor,
    Wav2Vec2Config,
    Wav2Vec2CTCTokenizer,
    Wav2Vec2FeatureExtractor,
    Wav2Vec2ForCTC,
    WhisperConfig,
    WhisperForConditionalGeneration,
    pipeline,
)

WORDS = ["a", "cat", "sleeps", "on", "the", "sofa", "while", "two", "dogs", "run"]


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def words_tokenizer():
    vocabulary = {word: i for i, word in enumerate(["<pad>", "</s>", "<unk>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def test_translation():
    config = T5Config(
        vocab_size=16, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
        decoder_start_token_id=0,
    )  # fmt: skip
    model = T5ForConditionalGeneration(config).eval()
    tokenizer = words_tokenizer()
    batch = tokenizer(["a cat sleeps"], return_tensors="pt")
    model.to("sidra:0")
    settings = GenerationConfig(max_new_tokens=6, pad_token_id=0, decoder_start_token_id=0)
    tokens = model.generate(batch["input_ids"].to("sidra:0"), generation_config=settings)
    assert tokens.device.type == "sidra"
    assert 1 < tokens.shape[1] <= 7


def test_text_generation():
    config = GPT2Config(vocab_size=16, n_embd=32, n_layer=2, n_head=4, n_positions=32)
    generate = pipeline(
        "text-generation",
        model=GPT2LMHeadModel(config).eval(),
        tokenizer=words_tokenizer(),
        device="sidra:0",
    )
    (found,) = generate("a cat sleeps", max_new_tokens=4, pad_token_id=0)
    assert found["generated_text"].startswith("a cat sleeps")
    assert generate.model.device.type == "sidra"


def test_fill_mask():
    config = BertConfig(
        vocab_size=17, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64,
    )  # fmt: skip
    tokenizer = words_tokenizer()
    tokenizer.add_special_tokens({"mask_token": "[MASK]"})
    model = BertForMaskedLM(config).eval()
    model.resize_token_embeddings(len(tokenizer))
    fill = pipeline("fill-mask", model=model, tokenizer=tokenizer, device="sidra:0")
    found = fill("a cat [MASK] on the sofa", top_k=2)
    assert len(found) == 2
    assert found[0]["score"] >= found[1]["score"] > 0


def test_speech_recognition(tmp_path):
    letters = {"<pad>": 0, "<unk>": 1, "|": 2, **{c: i + 3 for i, c in enumerate("abcde")}}
    (tmp_path / "vocab.json").write_text(json.dumps(letters))
    tokenizer = Wav2Vec2CTCTokenizer(
        str(tmp_path / "vocab.json"), pad_token="<pad>", unk_token="<unk>"
    )
    config = Wav2Vec2Config(
        vocab_size=len(letters), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, conv_dim=(16, 16), conv_stride=(5, 4), conv_kernel=(10, 8),
        num_feat_extract_layers=2, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4,
    )  # fmt: skip
    model = Wav2Vec2ForCTC(config).eval()
    recognize = pipeline(
        "automatic-speech-recognition",
        model=model,
        tokenizer=tokenizer,
        feature_extractor=Wav2Vec2FeatureExtractor(),
        device="sidra:0",
    )
    wave = np.sin(np.arange(8000) / 7).astype(np.float32)
    assert isinstance(recognize(wave)["text"], str)
    assert next(recognize.model.parameters()).device.type == "sidra"


def test_whisper_generates():
    config = WhisperConfig(
        vocab_size=64, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=16,
        max_source_positions=50, max_target_positions=20, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=3, suppress_tokens=None, begin_suppress_tokens=None,
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config).eval().to("sidra:0")
    features = torch.randn(1, 16, 100, device="sidra:0")
    with torch.no_grad():
        ids = torch.tensor([[3]], device="sidra:0")
        logits = model(input_features=features, decoder_input_ids=ids).logits
        tokens = model.generate(features, max_new_tokens=5)
    assert logits.shape == (1, 1, 64)
    assert tokens.device.type == "sidra"


def test_image_classification():
    config = ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        image_size=32, patch_size=8, num_labels=3,
    )  # fmt: skip
    processor = ViTImageProcessor(size={"height": 32, "width": 32})
    classify = pipeline(
        "image-classification",
        model=ViTForImageClassification(config).eval(),
        image_processor=processor,
        device="sidra:0",
    )
    image = Image.fromarray(np.random.default_rng(0).integers(0, 255, (40, 40, 3), np.uint8))
    found = classify(image, top_k=3)
    assert len(found) == 3
    assert abs(sum(each["score"] for each in found) - 1) < 1e-3
    assert classify.model.device.type == "sidra"
