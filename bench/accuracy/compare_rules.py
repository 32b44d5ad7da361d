"""What rules for the input and ADC ranges cost in accuracy, on trained models without calibration.

    python bench/accuracy/compare_rules.py                       # all models, the compared rules
    python bench/accuracy/compare_rules.py --models photos --rules near

The products are emulated (emulate.py), so the rules need not be in any kernel. The last of the
compared rules is the chip's: it is checked against tests/numerics/reference.py first.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")  # nothing here runs on the device

import numpy as np
import rules
import torch
from emulate import Product, Rules, emulate
from encoder import Encoder
from photos import Photos
from reactions import Reactions

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "numerics"))

import reference

from sidra.chip import preset

MODELS = {"encoder": Encoder, "photos": Photos, "reactions": Reactions}


def check_chosen() -> None:
    """Raise unless the chip's rule, emulated, gives the reference's results but for rounding."""
    rng = np.random.default_rng(0)
    for inputs in (5, 200, 700):
        x = rng.uniform(-1, 3, (20, inputs)).astype(np.float32)
        weight = rng.standard_normal((30, inputs)).astype(np.float32)
        wanted = reference.linear(x, weight, preset("y1"))
        found = Product(torch.from_numpy(weight), None, rules.chosen())(torch.from_numpy(x))
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-5)


def table(model: str, chosen: list[Rules]) -> None:
    """Print one row a rule."""
    task = MODELS[model]()
    print(f"\n{model}\n| rule | {' | '.join(task.columns)} |\n|---|{'---|' * len(task.columns)}")
    print(f"| float32 | {' | '.join(f'{value:.4f}' for value in task.measure(task.model))} |")
    for rule in chosen:
        values = task.measure(emulate(task.model, rule))
        print(f"| {rule.name} | {' | '.join(f'{value:.4f}' for value in values)} |", flush=True)


def main() -> None:
    """Print one table a model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", choices=MODELS, default=list(MODELS))
    parser.add_argument("--rules", choices=rules.LISTS, default="compared")
    arguments = parser.parse_args()
    check_chosen()
    for model in arguments.models:
        table(model, rules.LISTS[arguments.rules]())


if __name__ == "__main__":
    main()
