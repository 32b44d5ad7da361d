"""From kernels to machine code: one LLVM module for all kernels of a graph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm
from llvmlite import ir

from sidra.analysis.kernels import ROWS, Unfit, analyse
from sidra.analysis.kernels import Kernel as Analysis
from sidra.analysis.layout import is_dense
from sidra.codegen.decompose import decompose
from sidra.codegen.elements import Buffer, Elements
from sidra.codegen.loops import MAX_SCRATCH, Nest, extent_and_grain, write_loops
from sidra.codegen.position import I64
from sidra.codegen.source import Kernel, KernelSource
from sidra.codegen.target import Target, host_target
from sidra.errors import CodegenError
from sidra.ir.core import Block

I32, POINTER = ir.IntType(32), ir.PointerType()
SIGNATURE = ir.FunctionType(I32, [POINTER, POINTER, I64, I64])


@dataclass(frozen=True)
class CompiledKernels:
    """kernels: one for each source, in order. The code lives as long as this object."""

    kernels: tuple[Kernel, ...]
    engine: llvm.ExecutionEngine
    text: str  # the LLVM IR, before optimisation


def compile_kernels(sources: Sequence[KernelSource], isa: str | None = None) -> CompiledKernels:
    """Compile kernels, equal ones once.

    isa: a name of `sidra.codegen.target.FEATURES`; by default SIDRA_ISA's, or the best there is.
    Raises CodegenError, which shows the region, for what cannot be compiled.
    """
    target = host_target(isa)
    module = ir.Module("kernels")
    module.triple = target.triple
    names: dict[str, str] = {}
    described: dict[str, Kernel] = {}
    for source in sources:
        if source.key not in names:
            name = names[source.key] = f"k{len(names)}_{source.name}"
            described[name] = _write(module, name, source)
    text = with_target(str(module), target)
    engine = _machine_code(text, target)
    kernels = []
    for source in sources:
        name = names[source.key]
        found = described[name]
        address = engine.get_function_address(name)
        kernels.append(Kernel(source.name, address, found.symbols, found.extent, found.grain))
    return CompiledKernels(tuple(kernels), engine, text)


def _write(module: ir.Module, name: str, source: KernelSource) -> Kernel:
    """Write one kernel; its address is not known yet."""
    try:
        analysis = analyse(source.region)
        block = decompose(source.region)
        extent, grain = extent_and_grain(analysis, block)
        _write_function(module, name, source, block, analysis)
    except (CodegenError, Unfit, NotImplementedError) as error:
        raise CodegenError(f"the kernel {source.name}: {error}\n{source.key}") from error
    return Kernel(source.name, 0, source.symbols, extent, grain)


def _write_function(
    module: ir.Module, name: str, source: KernelSource, block: Block, analysis: Analysis
) -> None:
    """Write what is called, and what it calls: a function whose pointers alias nothing."""
    bodies = [_write_body(module, f"{name}_body", source, block, analysis, True)]
    inner = analysis.space.inner_elements
    symbolic = analysis.space.kind == ROWS and not isinstance(inner, int)
    if symbolic:
        bodies.append(_write_body(module, f"{name}_long", source, block, analysis, False))
    function = ir.Function(module, SIGNATURE, name)
    buffers, symbols, begin, end = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    assert block.last is not None
    count = len(block.arguments) + len(block.last.operands)
    pointers = [
        builder.load(builder.gep(buffers, [I64(i)], source_etype=POINTER), typ=POINTER)
        for i in range(count)
    ]
    arguments = [*pointers, symbols, begin, end]
    if symbolic:
        values = _symbol_values(builder, source, symbols)
        elements = Elements(builder, module, {}, values, symbols)
        long = builder.icmp_signed(">", elements.positions.number(inner), I64(MAX_SCRATCH))
        with builder.if_then(long):
            builder.ret(builder.call(bodies[1], arguments))
    builder.ret(builder.call(bodies[0], arguments))


def _symbol_values(
    builder: ir.IRBuilder, source: KernelSource, symbols: ir.Value
) -> dict[str, ir.Value]:
    return {
        name: builder.load(builder.gep(symbols, [I64(i)], source_etype=I64), typ=I64)
        for i, name in enumerate(source.symbols)
    }


def _write_body(
    module: ir.Module,
    name: str,
    source: KernelSource,
    block: Block,
    analysis: Analysis,
    keeps_rows: bool,
) -> ir.Function:
    assert block.last is not None
    count = len(block.arguments) + len(block.last.operands)
    type = ir.FunctionType(I32, [POINTER] * count + [POINTER, I64, I64])
    function = ir.Function(module, type, name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    for argument in function.args[: count + 1]:
        argument.attributes.add("noalias")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    *pointers, symbols, begin, end = function.args
    flag = builder.alloca(I32)
    builder.store(I32(0), flag)
    buffers = {
        value: Buffer(pointer, strides, is_dense(value.type.shape, strides))
        for value, pointer, strides in zip(
            block.arguments, pointers, source.operand_strides, strict=False
        )
    }
    values = _symbol_values(builder, source, symbols)
    elements = Elements(builder, module, buffers, values, flag)
    outputs = pointers[len(block.arguments) :]
    write_loops(Nest(elements, block, analysis, outputs, begin, end, keeps_rows))
    builder.ret(builder.load(flag, typ=I32))
    return function


def with_target(text: str, target: Target) -> str:
    """Return LLVM IR whose functions are made for a target."""
    attributes = f'nounwind "target-features"="{target.features}"'
    if target.vector_bits:
        attributes += f' "prefer-vector-width"="{target.vector_bits}"'
    attributes += f' "min-legal-vector-width"="{target.vector_bits}"'
    text = re.sub(r"^(define .*\))( noinline)?$", r"\1\2 #0", text, flags=re.MULTILINE)
    return f"{text}\nattributes #0 = {{ {attributes} }}\n"


def _machine_code(text: str, target: Target) -> llvm.ExecutionEngine:
    module = llvm.parse_assembly(text)
    machine = target.machine()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = True
    options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
