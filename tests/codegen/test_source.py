"""Sources: equal kernels have equal keys, and symbols are found wherever they are."""

from __future__ import annotations

from running import region

from sidra.codegen.source import KernelSource
from sidra.ir.dims import symbol


def source(shape="f32[s0, 4]", name="exp", strides=(4, 1)):
    return KernelSource(name, region([shape], lambda op, x: op(name, x)), (strides,))


def test_keys_tell_what_the_code_depends_on():
    assert source().key == source().key
    assert len({source().key, source("f32[s1, 4]").key, source(name="tanh").key,
                source(strides=(symbol("s2"), 1)).key}) == 4  # fmt: skip


def test_symbols_of_shapes_and_strides():
    assert source().symbols == ("s0",)
    assert source(strides=(symbol("s2"), 1)).symbols == ("s0", "s2")
