"""The processor that code is made for."""

from __future__ import annotations

import pytest

from sidra.codegen import target
from sidra.errors import CodegenError


def test_less_than_this_processor_can_be_asked():
    assert target.host_target("scalar").vector_bits == 128
    assert "avx512" not in target.host_target("scalar").features


def test_the_environment_decides(monkeypatch):
    monkeypatch.setenv("SIDRA_ISA", "scalar")
    assert target.host_target() == target.host_target("scalar")


def test_what_the_processor_lacks_is_named(monkeypatch):
    monkeypatch.setitem(target.FEATURES, "avx512", ("avx2", "no-such-feature"))
    with pytest.raises(CodegenError, match=r"has no avx512: it lacks .*no-such-feature"):
        target.host_target("avx512")
