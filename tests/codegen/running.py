"""Kernels of tests: built from graph ops, compiled, run on NumPy arrays, and interpreted."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np

from sidra.analysis.layout import dense_strides
from sidra.codegen.compile import compile_kernels
from sidra.codegen.source import KernelSource
from sidra.ir import dims
from sidra.ir.builder import Builder
from sidra.ir.core import Block, Function
from sidra.ir.interpreter import interpret
from sidra.ir.types import bf16, tensor

SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
)


def region(types, write):
    """A region; `write(op, *arguments)` gives its results, `op(name, ...)` builds graph ops."""
    block = Block([tensor(text) for text in types])
    builder = Builder(block)

    def op(name, *operands, **attributes):
        return builder.create(f"graph.{name}", operands, attributes)

    results = write(op, *block.arguments)
    results = results if isinstance(results, tuple) else (results,)
    builder.build("yield", results, {}, ())
    return block


def meaning(block, arrays):
    function = Function("f", block.clone({}))
    last = function.body.last
    results = last.operands
    last.erase()
    Builder(function.body).build("return", results)
    return interpret(function, arrays)


def compiled(block, strides=None, isa=None):
    given = strides or tuple(dense_strides(a.type.shape) for a in block.arguments)
    return compile_kernels([KernelSource("test", block, given)], isa)


def run(code, arrays, results, symbols=None, cuts=()):
    """Run a kernel; `cuts` are places at which its items are divided. Returns its status."""
    kernel = code.kernels[0]
    symbols = symbols or {}
    pointers = [array.ctypes.data for array in (*arrays, *results)]
    buffers = (ctypes.c_void_p * max(1, len(pointers)))(*pointers)
    values = (ctypes.c_int64 * max(1, len(kernel.symbols)))(*[symbols[n] for n in kernel.symbols])
    extent = dims.evaluate(kernel.extent, symbols)
    bounds = [0, *[cut for cut in cuts if cut < extent], extent]
    function = SIGNATURE(kernel.address)
    status = 0
    for begin, end in itertools.pairwise(bounds):
        status |= function(buffers, values, begin, end)
    return status


def packed(array, type):
    """An array as it is in memory: bf16 takes two bytes."""
    array = np.ascontiguousarray(array)
    return (array.view(np.uint32) >> 16).astype(np.uint16) if type.dtype is bf16 else array


def unpacked(array, type):
    """The reverse of `packed`."""
    if type.dtype is not bf16:
        return array
    return (array.astype(np.uint32) << 16).view(np.float32).reshape(array.shape)


def evaluate(types, write, arrays, symbols=None, cuts=(), isa=None):
    """Return (what the code gives, what the interpreter gives)."""
    block = region(types, write)
    want = meaning(block, arrays)
    yielded = [value.type for value in block.last.operands]
    blank = [np.full(each.shape, 77).astype(each.dtype) for each in want]
    got = [packed(each, type) for each, type in zip(blank, yielded, strict=True)]
    given = [packed(a, value.type) for a, value in zip(arrays, block.arguments, strict=True)]
    assert run(compiled(block, isa=isa), given, got, symbols, cuts) == 0
    return [unpacked(a, type) for a, type in zip(got, yielded, strict=True)], want
