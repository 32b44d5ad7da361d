"""The processor that code is made for: this one, or less of it where SIDRA_ISA says so."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import llvmlite.binding as llvm

from sidra import env
from sidra.errors import CodegenError

_AVX2 = ("sse4.2", "avx", "avx2", "fma", "f16c", "bmi", "bmi2")
_AVX512 = (*_AVX2, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd")
FEATURES: dict[str, tuple[str, ...]] = {
    "scalar": (),
    "avx2": _AVX2,
    "avxvnni": _AVX2,
    "avx512": _AVX512,
    "avx512vnni": _AVX512,
    "amxint8": _AVX512,
}


@dataclass(frozen=True)
class Target:
    """What LLVM is told. vector_bits: of the registers that loops use; 0 leaves it to LLVM."""

    triple: str
    features: str
    vector_bits: int

    def machine(self) -> llvm.TargetMachine:
        """Return LLVM's code generator for the target."""
        target = llvm.Target.from_triple(self.triple)
        made: llvm.TargetMachine = target.create_target_machine(
            cpu="", features=self.features, opt=3, jit=True
        )
        return made


@functools.cache
def initialize() -> None:
    """Let LLVM know this processor, once."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def host_target(isa: str | None = None) -> Target:
    """Return the target of an instruction set's name, SIDRA_ISA's, or this processor's best.

    Raises CodegenError for one that this processor does not have.
    """
    initialize()
    wanted = isa or env.read("SIDRA_ISA")
    triple = llvm.get_process_triple()
    if not triple.startswith("x86_64"):
        return Target(triple, llvm.get_host_cpu_features().flatten(), 0)
    host = {name for name, has in llvm.get_host_cpu_features().items() if has}
    if not wanted:
        wanted = next(name for name in ("avx512", "avx2", "scalar") if host >= {*FEATURES[name]})
    missing = sorted({*FEATURES[wanted]} - host)
    if missing:
        raise CodegenError(f"this processor has no {wanted}: it lacks {', '.join(missing)}")
    features = ",".join(f"+{name}" for name in FEATURES[wanted])
    bits = 512 if "avx512f" in FEATURES[wanted] else 256 if FEATURES[wanted] else 128
    return Target(triple, features, bits)
