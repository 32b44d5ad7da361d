"""Element types: PyTorch's and the IR's."""

from __future__ import annotations

import torch

from sidra.ir import types
from sidra.ir.types import DType

FROM_TORCH: dict[torch.dtype, DType] = {
    torch.float64: types.f64,
    torch.float32: types.f32,
    torch.float16: types.f16,
    torch.bfloat16: types.bf16,
    torch.int64: types.i64,
    torch.int32: types.i32,
    torch.int16: types.i16,
    torch.int8: types.i8,
    torch.uint8: types.u8,
    torch.bool: types.i1,
    torch.complex64: types.c64,
    torch.complex128: types.c128,
}
TO_TORCH: dict[DType, torch.dtype] = {ours: theirs for theirs, ours in FROM_TORCH.items()}
