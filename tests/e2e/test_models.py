"""Trained models on the exact chip give what they give on the CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("models_on_ideal.py")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    settings = {"SIDRA_CHIP": "ideal", "SIDRA_FALLBACK": "silent", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path_factory.mktemp("models")],
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("model", ["sentences", "image", "speech", "translation", "whisper"])
def test_model_gives_what_the_cpu_gives(results, model: str) -> None:
    assert results[model]["difference"] < 1e-5  # float32 sums in another order
    assert results[model]["agreement"] == 1


def test_models_are_the_trained_ones(results) -> None:
    assert results["sentences"]["shown"]["close"] > 0.5 > results["sentences"]["shown"]["far"]
    assert results["image"]["shown"][1] == 985  # daisy, for the photograph of a dahlia
    assert results["speech"]["shown"]["voice"] > 2 * results["speech"]["shown"]["noise"]
    assert results["whisper"]["shown"] is True  # the same words
    assert results["translation"]["shown"][2] == "Ele comprou um carro vermelho."
