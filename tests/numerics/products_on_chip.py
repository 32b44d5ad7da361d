"""Compares products on the chip of SIDRA_CHIP with the reference, bit for bit; prints how many.

A script of its own: chip and instruction set are chosen once a process.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import torch

import sidra
from sidra import chip

sys.path.insert(0, str(Path(__file__).parent))

import reference

SIZES = (1, 3, 7, 8, 9, 64, 65, 255, 256, 257, 1000)


def draw(rng: np.random.Generator, *shape: int) -> reference.F32:
    values = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4)
    return values.astype(np.float32)


def special(rng: np.random.Generator, x: reference.F32) -> reference.F32:
    """Rows with NaN, infinities, subnormals, the largest float and nothing but zeros."""
    for row, value in zip(x, (np.nan, np.inf, -np.inf, 1e-42, 3.4e38), strict=False):
        row[rng.integers(row.size)] = value
    x[-1] = 0
    return x


def compare(rng: np.random.Generator, spec: chip.ChipSpec, m: int, k: int, n: int) -> None:
    x, weight, bias = special(rng, draw(rng, m, k)), draw(rng, n, k), draw(rng, n)
    weight[rng.integers(n)] = 0
    y = torch.nn.functional.linear(
        *(torch.from_numpy(a).to("sidra:0") for a in (x, weight, bias))
    ).cpu()
    wanted = reference.linear(x, weight, spec, bias)
    same = y.numpy().view(np.int32) == wanted.view(np.int32)
    assert (same | np.isnan(wanted)).all(), (m, k, n)


def main() -> None:
    sidra.register_pytorch_backend()
    spec = chip.load(os.environ["SIDRA_CHIP"])
    rng = np.random.default_rng(1)
    limit = spec.clusters * spec.compute_units_per_cluster * spec.crossbars_per_compute_unit
    done = 0
    for k in SIZES:
        for n in SIZES:
            if -(-k // spec.crossbar_rows) * -(-n // spec.crossbar_columns) > limit:
                continue
            compare(rng, spec, int(rng.integers(1, 40)), k, n)
            done += 1
    print(done)


if __name__ == "__main__":
    main()
