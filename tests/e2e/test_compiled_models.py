"""HuggingFace models under torch.compile(backend="sidra"): one graph, eager's values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("compiled_models.py")
MODELS = (
    "bert", "albert", "gpt2", "llama", "t5", "whisper", "vit", "resnet", "convnext", "mobilenet",
    "wav2vec",
)  # fmt: skip


@pytest.fixture(scope="module")
def results():
    settings = {"SIDRA_CHIP": "ideal", "SIDRA_FALLBACK": "silent", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, SCRIPT, *MODELS],
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("model", MODELS)
def test_is_one_graph_and_gives_what_eager_gives(results, model: str) -> None:
    assert results[model]["breaks"] == 0
    assert results[model]["frames"] == 1
    assert results[model]["difference"] < 5e-6  # float32 sums in another order
