"""Runs modules on the exact chip and on the CPU; prints the largest differences as JSON.

A script of its own, because the chip is chosen once a process.
"""

from __future__ import annotations

import copy
import json
import sys

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

import sidra


def draw(*shape):
    return torch.randn(*shape)


def channels_last(tensor):
    return tensor.to(memory_format=torch.channels_last)


CASES = {
    "linear": lambda: (nn.Linear(300, 70), draw(5, 300)),
    "conv1d": lambda: (nn.Conv1d(8, 16, 3, padding=2), draw(2, 8, 19)),
    "conv2d": lambda: (nn.Conv2d(8, 16, 3, padding=1), draw(2, 8, 9, 10)),
    "conv2d unbatched": lambda: (nn.Conv2d(8, 16, 3), draw(8, 9, 10)),
    "conv2d strided": lambda: (
        nn.Conv2d(8, 16, (3, 2), stride=(2, 1), dilation=(1, 2), bias=False),
        draw(2, 8, 19, 10),
    ),
    "conv2d channels last": lambda: (
        channels_last(nn.Conv2d(8, 16, 3, padding=1)),
        channels_last(draw(2, 8, 9, 10)),
    ),
    "conv2d circular": lambda: (
        nn.Conv2d(4, 6, 3, padding=1, padding_mode="circular"),
        draw(1, 4, 5, 6),
    ),
    "conv2d large": lambda: (nn.Conv2d(64, 8, 5, padding=2), draw(1, 64, 40, 40)),
    "pointwise": lambda: (nn.Conv2d(8, 16, 1), draw(2, 8, 9, 10)),
    "pointwise strided": lambda: (nn.Conv2d(8, 16, 1, stride=2), draw(2, 8, 9, 10)),
    "depthwise": lambda: (nn.Conv2d(64, 64, 3, padding=1, groups=64), draw(2, 64, 9, 10)),
    "depthwise doubled": lambda: (nn.Conv2d(10, 20, 3, groups=10), draw(2, 10, 9, 10)),
    "grouped": lambda: (nn.Conv2d(12, 24, 3, padding=1, groups=3), draw(2, 12, 9, 10)),
    "grouped pointwise": lambda: (nn.Conv2d(12, 24, 1, groups=3), draw(2, 12, 9, 10)),
    "conv3d": lambda: (nn.Conv3d(4, 6, 3, padding=1), draw(2, 4, 5, 6, 7)),
    "transposed 1d": lambda: (nn.ConvTranspose1d(8, 6, 3, stride=2), draw(2, 8, 9)),
    "transposed 2d": lambda: (
        nn.ConvTranspose2d(8, 6, 3, stride=2, padding=1, output_padding=1),
        draw(2, 8, 9, 10),
    ),
    "transposed grouped": lambda: (
        nn.ConvTranspose2d(8, 6, 3, stride=2, groups=2),
        draw(2, 8, 9, 10),
    ),
    "transposed 3d": lambda: (
        nn.ConvTranspose3d(4, 6, 3, stride=2, dilation=2),
        draw(2, 4, 4, 5, 3),
    ),
    "batch norm": lambda: (nn.BatchNorm2d(8), draw(2, 8, 9, 10)),
    "instance norm": lambda: (
        nn.InstanceNorm2d(8, track_running_stats=True, affine=True),
        draw(2, 8, 9, 10),
    ),
    "lstm": lambda: (nn.LSTM(10, 20, 2, bidirectional=True), draw(7, 3, 10)),
    "gru": lambda: (nn.GRU(10, 20, 2), draw(7, 3, 10)),
    "rnn": lambda: (nn.RNN(10, 20, 2), draw(7, 3, 10)),
    "lstm cell": lambda: (nn.LSTMCell(10, 20, bias=False), draw(3, 10)),
    "gru cell": lambda: (nn.GRUCell(10, 20, bias=False), draw(3, 10)),
    "attention": lambda: (nn.MultiheadAttention(32, 4, batch_first=True), *[draw(2, 7, 32)] * 3),
    "encoder layer": lambda: (
        nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True),
        draw(2, 7, 32),
    ),
    "encoder layer, evaluating": lambda: (
        nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval(),
        draw(2, 7, 32),
    ),
    "embedding": lambda: (nn.Embedding(10, 4), torch.randint(10, (3, 5))),
}


def tensors(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def largest(pairs):
    return max([(left - right.cpu()).abs().max().item() for left, right in pairs], default=0.0)


def differences(module, *inputs):
    twin = copy.deepcopy(module).to("sidra:0")
    moved = [x.to("sidra:0") for x in inputs]
    wanted, got = tensors(module(*inputs)), tensors(twin(*moved))
    sum(y.sum() for y in wanted).backward()
    sum(y.sum() for y in got).backward()
    gradients = [
        (p.grad, q.grad) for p, q in zip(module.parameters(), twin.parameters(), strict=True)
    ]
    return {
        "shapes": [list(y.shape) for y in wanted] == [list(y.shape) for y in got],
        "output": largest(zip(wanted, got, strict=True)),
        "gradient": largest(gradients),
        "state": largest(zip(module.buffers(), twin.buffers(), strict=True)),
    }


if __name__ == "__main__":
    sidra.register_pytorch_backend()
    torch.manual_seed(0)
    json.dump({name: differences(*make()) for name, make in CASES.items()}, sys.stdout)
