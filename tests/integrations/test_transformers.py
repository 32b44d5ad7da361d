"""Tiny models made from a configuration; what they give is compared with a direct call."""

from __future__ import annotations

import warnings

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    logging,
    pipeline,
)

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 50}
ON_DEVICE = torch.device("sidra:0")


@pytest.fixture(autouse=True)
def quiet():
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("bert")
    BertModel(BertConfig(intermediate_size=64, **SMALL)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def decoder():
    torch.manual_seed(0)
    config = LlamaConfig(
        intermediate_size=64,
        num_key_value_heads=1,
        max_position_embeddings=64,
        bos_token_id=1,
        eos_token_id=None,
        pad_token_id=0,
        **SMALL,
    )
    return LlamaForCausalLM(config).eval()


@pytest.fixture(scope="module")
def tokenizer():
    words = {word: index for index, word in enumerate(["[PAD]", "[UNK]", "a", "b", "c", "d", "e"])}
    table = Tokenizer(models.WordLevel(words, "[UNK]"))
    table.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=table, pad_token="[PAD]", unk_token="[UNK]")


@pytest.mark.parametrize("device_map", ["sidra", "sidra:0", "auto", 0, {"": "sidra:0"}])
def test_model_is_loaded_onto_the_device(encoder, device_map) -> None:
    model = AutoModel.from_pretrained(encoder, device_map=device_map)
    assert {parameter.device for parameter in model.parameters()} == {ON_DEVICE}
    on_cpu = AutoModel.from_pretrained(encoder)
    for name, tensor in on_cpu.state_dict().items():
        assert torch.equal(tensor, model.state_dict()[name].cpu())


def test_model_larger_than_the_memory_given_is_split(encoder) -> None:
    device_map = {"embeddings": 0, "encoder.layer.0": 0, "encoder.layer.1": "cpu", "pooler": 0}
    model = AutoModel.from_pretrained(encoder, device_map=device_map).eval()
    assert model.embeddings.word_embeddings.weight.device == ON_DEVICE
    with torch.no_grad():
        hidden = model(torch.arange(8)[None].to("sidra")).last_hidden_state
    assert hidden.device == ON_DEVICE
    whole = AutoModel.from_pretrained(encoder, device_map="sidra").eval()
    with torch.no_grad():
        expected = whole(torch.arange(8)[None].to("sidra")).last_hidden_state
    torch.testing.assert_close(hidden.cpu(), expected.cpu(), rtol=0, atol=0)


@pytest.mark.parametrize("device", ["sidra:0", "sidra", 0, None, ON_DEVICE])
def test_pipeline_runs_on_the_device(tokenizer, device) -> None:
    torch.manual_seed(0)
    model = BertForSequenceClassification(BertConfig(intermediate_size=64, **SMALL)).eval()
    classify = pipeline("text-classification", model=model, tokenizer=tokenizer, device=device)
    assert (classify.device.type, classify.model.device) == ("sidra", ON_DEVICE)
    found = classify(["a b c", "d"], batch_size=2, top_k=None)
    tokens = tokenizer(["a b c", "d"], padding=True, return_tensors="pt").to("sidra")
    with torch.no_grad():
        expected = model(**tokens).logits.softmax(-1).max(-1).values
    assert [row[0]["score"] for row in found] == pytest.approx(expected.tolist(), abs=1e-6)


@pytest.mark.parametrize("device", ["cpu", -1])
def test_pipeline_runs_on_the_cpu_on_request(tokenizer, device) -> None:
    model = BertForSequenceClassification(BertConfig(intermediate_size=64, **SMALL))
    classify = pipeline("text-classification", model=model, tokenizer=tokenizer, device=device)
    assert classify.model.device == torch.device("cpu")


def test_pipeline_leaves_a_dispatched_model_where_it_is(encoder, tokenizer) -> None:
    device_map = {"embeddings": 0, "encoder": "cpu", "pooler": 0}
    model = AutoModel.from_pretrained(encoder, device_map=device_map)
    extract = pipeline("feature-extraction", model=model, tokenizer=tokenizer)
    assert torch.tensor(extract("a b")).shape == (1, 2, 32)


@pytest.mark.parametrize(
    "options",
    [
        {"do_sample": False},
        {"do_sample": False, "num_beams": 3},
        {"do_sample": True, "top_k": 10},
        {"do_sample": False, "cache_implementation": "static"},
    ],
    ids=["greedy", "beams", "sampling", "static cache"],
)
def test_generation_with_a_cache_is_the_one_without(decoder, tmp_path, options) -> None:
    decoder.save_pretrained(tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path, device_map="sidra").eval()
    prompt = torch.tensor([[1, 5, 7], [0, 1, 9]], device="sidra")
    mask = (prompt != 0).long()

    def generate(**more):
        torch.manual_seed(0)
        return model.generate(prompt, attention_mask=mask, max_new_tokens=8, **options | more)

    with_cache = generate()
    assert (with_cache.shape, with_cache.device) == ((2, 11), ON_DEVICE)
    assert torch.equal(with_cache, generate())
    if "cache_implementation" not in options:
        assert torch.equal(with_cache, generate(use_cache=False))


def test_padding_does_not_change_the_answer(decoder) -> None:
    model = decoder.to("sidra")
    short = torch.tensor([[1, 9]], device="sidra")
    padded = torch.tensor([[0, 0, 1, 9]], device="sidra")
    with torch.no_grad():
        alone = model(short).logits[0, -1]
        mask = (padded != 0).long()
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        beside = model(padded, attention_mask=mask, position_ids=positions).logits[0, -1]
    torch.testing.assert_close(beside.cpu(), alone.cpu(), rtol=1e-4, atol=1e-5)


class Run:
    """One training of a tiny classifier, with dropout, in a folder."""

    def __init__(self, folder, resume=None, **options):
        generator = torch.Generator().manual_seed(0)
        rows = torch.randint(0, 50, (32, 8), generator=generator)
        data = [{"input_ids": row, "labels": int(row[0]) % 2} for row in rows]
        torch.manual_seed(0)
        model = BertForSequenceClassification(BertConfig(intermediate_size=64, **SMALL))
        self.arguments = TrainingArguments(
            str(folder),
            per_device_train_batch_size=8,
            num_train_epochs=2,
            save_steps=4,
            learning_rate=1e-2,
            report_to=[],
            disable_tqdm=True,
            **options,
        )
        trainer = Trainer(model, self.arguments, train_dataset=data, eval_dataset=data)
        trainer.train(resume_from_checkpoint=resume and str(resume))
        self.model, self.evaluated = trainer.model, trainer.evaluate()
        self.state = {name: value.cpu() for name, value in trainer.model.state_dict().items()}


def test_trainer_trains_on_the_device_and_resumes_where_it_was(tmp_path) -> None:
    whole = Run(tmp_path)
    assert (whole.arguments.device, whole.arguments.n_gpu) == (ON_DEVICE, 1)
    assert whole.model.device == ON_DEVICE
    assert whole.evaluated["eval_loss"] > 0
    resumed = Run(tmp_path, resume=tmp_path / "checkpoint-4")
    for name, value in whole.state.items():  # dropout drew the same numbers
        assert torch.equal(value, resumed.state[name]), name


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_trainer_trains_in_mixed_precision(tmp_path, precision) -> None:
    run = Run(tmp_path, gradient_accumulation_steps=2, **{precision: True})
    assert run.model.device == ON_DEVICE
    assert 0 < run.evaluated["eval_loss"] < 5


def test_trainer_trains_on_the_cpu_on_request(tmp_path) -> None:
    run = Run(tmp_path, use_cpu=True)
    assert (run.arguments.device.type, run.model.device.type) == ("cpu", "cpu")


def test_device_is_found_whichever_library_comes_first(run_python) -> None:
    for first in ("import accelerate", "from transformers import Trainer"):
        done = run_python(
            f"{first}\nfrom transformers import TrainingArguments\n"
            "print(TrainingArguments('unused', report_to=[]).device)"
        )
        assert done.stdout == "sidra:0\n", (first, done.stderr)
