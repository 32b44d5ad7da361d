from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sidra import integrations
from sidra.cli.sentences.encoder import weights_path
from sidra.integrations import INTEGRATIONS, Integration

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "integrations.md"

# What the document says is there, before each of its pieces of code.
GIVEN = """
import torch
from torch import nn

model = nn.Linear(4, 2)
inputs = torch.randn(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.TensorDataset(inputs, torch.zeros(8, dtype=torch.long))
loader = torch.utils.data.DataLoader(data, batch_size=4)
q = k = v = torch.randn(1, 2, 128, 16).to("sidra")
noise = torch.randn(1, 3, 16, 16)
two_blocks = {
    "norm_num_groups": 8,
    "layers_per_block": 1,
    "down_block_types": ("DownBlock2D", "AttnDownBlock2D"),
    "up_block_types": ("AttnUpBlock2D", "UpBlock2D"),
}
"""
CHECK = {
    "FlexAttention": "attended.device",
    "safetensors": "state['weight'].device",
    "transformers": "(encoder.device, extract.device)",
    "accelerate": "(next(iter(loader))[0].device, model.weight.device)",
    "sentence-transformers": "vectors.shape",
    "diffusers": "(sample.device, sample.shape)",
    "Lightning": "(trainer.strategy.root_device, fabric.device)",
    "torch.distributed": "(model(inputs.to('sidra')).device, model.module.weight.device)",
    "torch.multiprocessing": "queue.get().device",
}
SIDRA = "sidra:0"
PRINTED = {
    "FlexAttention": SIDRA,
    "safetensors": SIDRA,
    "transformers": "(device(type='sidra', index=0), device(type='sidra', index=0))",
    "accelerate": "(device(type='sidra', index=0), device(type='sidra', index=0))",
    "sentence-transformers": "(1, 384)",
    "diffusers": "(device(type='sidra', index=0), torch.Size([1, 3, 16, 16]))",
    "Lightning": "(device(type='sidra', index=0), device(type='sidra', index=0))",
    "torch.distributed": "(device(type='sidra', index=0), device(type='sidra', index=0))",
    "torch.multiprocessing": SIDRA,
}
ALONE = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "RANK": "0", "WORLD_SIZE": "1"}


def documented() -> dict[str, str]:
    """The code under each heading."""
    sections = re.findall(
        r"^## (\S+)[^\n]*\n.*?^```python\n(.*?)^```", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE
    )
    return dict(sections)


def test_every_section_of_the_document_is_run() -> None:
    assert set(documented()) == set(CHECK)


@pytest.mark.parametrize("section", CHECK)
def test_documented_lines_do_what_they_say(run_python, tmp_path, section: str) -> None:
    folder = f"folder = {str(weights_path())!r}\nimport os\nos.chdir({str(tmp_path)!r})\n"
    code = f"{folder}{GIVEN}\n{documented()[section]}\nprint({CHECK[section]})"
    done = run_python(code, SIDRA_FALLBACK="silent", HF_HUB_OFFLINE="1", **ALONE)
    assert done.stdout.splitlines()[-1:] == [PRINTED[section]], done.stderr


def test_import_of_torch_imports_no_library(run_python) -> None:
    libraries = sorted({row.distribution.replace("-", "_") for row in INTEGRATIONS} - {"torch"})
    done = run_python(
        "import sys, torch\n"
        f"print([name for name in {libraries} if name in sys.modules])\n"
        "print(sorted(n for n in sys.modules if n.startswith('sidra.integrations.')))"
    )
    assert done.stdout.splitlines() == [
        "[]",
        "['sidra.integrations.distributed', 'sidra.integrations.insides', "
        "'sidra.integrations.multiprocessing']",
    ]


@pytest.mark.parametrize("row", INTEGRATIONS, ids=lambda row: row.module)
def test_row_names_a_function(row: Integration) -> None:
    file, name = row.function.split(":")
    module = __import__(f"sidra.integrations.{file}", fromlist=[name])
    assert callable(getattr(module, name))


def test_library_with_other_insides_is_left_alone_and_named(capsys) -> None:
    module = ModuleType("safetensors")
    integrations._install(Integration("safetensors", "safetensors:install", "numpy", "0.8"), module)
    assert not hasattr(module, "safe_open")
    said = capsys.readouterr().err
    assert said.startswith("sidra: numpy ")
    assert "is not told about the device (safe_open offers " in said
    assert said.endswith("tested is 0.8, see docs/integrations.md\n")


def test_failure_of_an_integration_stays_within_it(capsys, monkeypatch) -> None:
    broken = ModuleType("sidra.integrations.broken")
    broken.install = lambda module: 1 / 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, broken.__name__, broken)
    integrations._install(Integration("m", "broken:install", "no-such", "1"), ModuleType("m"))
    assert capsys.readouterr().err == (
        "sidra: no-such of an unknown version is not told about the device "
        "(ZeroDivisionError: division by zero); tested is 1, see docs/integrations.md\n"
    )
