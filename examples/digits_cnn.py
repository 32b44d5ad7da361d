"""A small convolutional network: trained on the CPU in seconds, then moved to the chip.

The images are drawn here: the digits of a seven-segment display, shifted and noisy.

    python examples/digits_cnn.py
"""

from itertools import product

import torch
from torch import nn

import sidra

# Segments a to g as (row, column, height, width) in a 9 x 5 cell, and which of them a digit lights.
SEGMENTS = [(0, 1, 1, 3), (1, 4, 3, 1), (5, 4, 3, 1), (8, 1, 1, 3), (5, 0, 3, 1), (1, 0, 3, 1)]
SEGMENTS.append((4, 1, 1, 3))
DIGITS = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"]


def glyphs() -> torch.Tensor:
    """Every digit at every shift, without noise: [10, 4, 4, 12, 8] f32."""
    images = torch.zeros(10, 4, 4, 12, 8)
    for digit, lit in enumerate(DIGITS):
        for top, left in product(range(4), range(4)):
            for row, column, height, width in (SEGMENTS["abcdefg".index(letter)] for letter in lit):
                cell = images[digit, top, left, top : top + 9, left : left + 5]
                cell[row : row + height, column : column + width] = 1.0
    return images


def draw(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Noisy images [count, 1, 12, 8] f32 and their digits [count]."""
    digits = torch.randint(10, (count,), generator=generator)
    top, left = torch.randint(4, (2, count), generator=generator)
    noise = torch.randn(count, 12, 8, generator=generator) * 0.4
    return (GLYPHS[digits, top, left] + noise).unsqueeze(1), digits


def accuracy(model: nn.Module, images: torch.Tensor, digits: torch.Tensor) -> float:
    """Share of images whose greatest output is their digit."""
    with torch.no_grad():
        return (model(images).argmax(1) == digits).float().mean().item()


GLYPHS = glyphs()
torch.set_num_threads(1)  # the work is too small for more
torch.manual_seed(0)
generator = torch.Generator().manual_seed(1)
model = nn.Sequential(
    *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
    *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
    *(nn.Flatten(), nn.Linear(32 * 3 * 2, 64), nn.ReLU(), nn.Linear(64, 10)),
)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(300):
    images, digits = draw(64, generator)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(images), digits).backward()
    optimizer.step()

images, digits = draw(1000, generator)
on_cpu = accuracy(model, images, digits)
on_chip = accuracy(model.to("sidra:0"), images.to("sidra:0"), digits.to("sidra:0"))
print(f"accuracy on {len(digits)} images: {on_cpu:.3f} on the CPU, {on_chip:.3f} on sidra:0")
assert on_chip > on_cpu - 0.02, "the chip should lose little"

sidra.report().print()
