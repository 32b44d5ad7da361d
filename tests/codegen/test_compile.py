"""Kernels of a graph together."""

from __future__ import annotations

import subprocess
import sys

import pytest
from running import compiled, region

from sidra.analysis.layout import dense_strides
from sidra.codegen.compile import compile_kernels
from sidra.codegen.source import KernelSource
from sidra.errors import CodegenError


def source(name, shape="f32[8, 4]"):
    block = region([shape], lambda op, x: op(name, x))
    return KernelSource(name, block, tuple(dense_strides(a.type.shape) for a in block.arguments))


def test_equal_kernels_are_compiled_once():
    code = compile_kernels([source("exp"), source("tanh"), source("exp")])
    first, second, third = code.kernels
    assert first.address == third.address != second.address


def test_no_kernels_are_none():
    assert compile_kernels([]).kernels == ()


def test_vectors_are_of_the_targets_width():
    code = compiled(region(["f32[4096]"], lambda op, x: op("exp", x)), isa="scalar")
    assert '"prefer-vector-width"="128"' in code.text


def test_a_region_that_is_no_kernel_is_shown():
    block = region(["f32[4, 5, 6]"], lambda op, x: op("sum", x, dims=(1,)))
    with pytest.raises(CodegenError, match=r"the kernel test: graph\.sum reduces dims \[1\]"):
        compiled(block)


def test_llvm_is_imported_when_something_is_compiled():
    code = "import torch, sys, sidra.ir; assert 'llvmlite' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
