"""What each elementwise op is on one element: LLVM instructions by dtype.

In registers f16 and bf16 are float32 whose values are of the type: each op's result is rounded to
its own dtype, as eager execution does. i1 is one bit; in memory it is a byte.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from llvmlite import ir

from sidra.codegen.vector_math import VectorMath
from sidra.errors import CodegenError
from sidra.ir import types
from sidra.ir.types import DType

F64, F32, F16 = ir.DoubleType(), ir.FloatType(), ir.HalfType()
I1, I8, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))

REGISTERS: Mapping[DType, ir.Type] = {
    types.f64: F64, types.f32: F32, types.f16: F32, types.bf16: F32, types.i64: I64,
    types.i32: I32, types.i16: I16, types.i8: I8, types.u8: I8, types.i1: I1,
}  # fmt: skip
MEMORY: Mapping[DType, ir.Type] = {
    **REGISTERS, types.f16: F16, types.bf16: I16, types.i1: I8,
}  # fmt: skip

_MATH = {"exp", "erf", "tanh", "sigmoid"}  # of float32, ours
_LIBRARY = {
    "exp": "exp", "expm1": "expm1", "log": "log", "log2": "log2", "log1p": "log1p", "erf": "erf",
    "tanh": "tanh", "sin": "sin", "cos": "cos", "tan": "tan", "atan": "atan", "atan2": "atan2",
    "pow": "pow", "fmod": "fmod",
}  # fmt: skip
_COMPARES = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class Scalars:
    """Writes elements' arithmetic at a builder."""

    def __init__(self, builder: ir.IRBuilder, module: ir.Module) -> None:
        self.b = builder
        self.module = module
        self.math = VectorMath(builder, module)

    # ---- constants, memory, conversion ----------------------------------------------------------

    def constant(self, number: Any, dtype: DType) -> ir.Constant:
        """Return a number of a dtype."""
        register = REGISTERS[dtype]
        value = dtype.cast(number).item()
        return ir.Constant(register, float(value) if dtype.is_float else int(value))

    def load(self, pointer: ir.Value, index: ir.Value, dtype: DType) -> ir.Value:
        """Return element `index`."""
        at = self.b.gep(pointer, [index], source_etype=MEMORY[dtype])
        value = self.b.load(at, typ=MEMORY[dtype])
        if dtype is types.f16:
            return self.b.fpext(value, F32)
        if dtype is types.bf16:
            return self._from_bf16(value)
        return self.b.icmp_unsigned("!=", value, I8(0)) if dtype is types.i1 else value

    def store(self, value: ir.Value, pointer: ir.Value, index: ir.Value, dtype: DType) -> None:
        """Write element `index`."""
        at = self.b.gep(pointer, [index], source_etype=MEMORY[dtype])
        if dtype is types.f16:
            value = self.b.fptrunc(value, F16)
        elif dtype is types.bf16:
            value = self.b.trunc(self.b.lshr(self.b.bitcast(value, I32), I32(16)), I16)
        elif dtype is types.i1:
            value = self.b.zext(value, I8)
        self.b.store(value, at)

    def rounded(self, value: ir.Value, dtype: DType) -> ir.Value:
        """Return a float32 result in the precision of its dtype."""
        if dtype is types.f16:
            return self.b.fpext(self.b.fptrunc(value, F16), F32)
        if dtype is not types.bf16:
            return value
        bits = self.b.bitcast(value, I32)
        odd = self.b.and_(self.b.lshr(bits, I32(16)), I32(1))
        up = self.b.and_(self.b.add(self.b.add(bits, I32(0x7FFF)), odd), I32(0xFFFF0000))
        bits = self.b.select(self.b.fcmp_unordered("uno", value, value), I32(0x7FC00000), up)
        return self.b.bitcast(bits, F32)

    def _from_bf16(self, bits: ir.Value) -> ir.Value:
        return self.b.bitcast(self.b.shl(self.b.zext(bits, I32), I32(16)), F32)

    def convert(self, value: ir.Value, source: DType, target: DType) -> ir.Value:
        """Return the value in another dtype; floats outside an integer type are its limits."""
        if target is types.i1:
            return self.truth(value, source)
        if source.is_float and target.is_float:
            return self._float_to_float(value, target)
        if source.is_float:
            sign = "u" if target is types.u8 else "s"
            wide = I64 if target is types.i64 else I32
            # As PyTorch on x86: through a wide signed integer, then the low bits.
            whole = self._saturate(value, wide) if sign == "s" else self._saturate(value, I32)
            return whole if REGISTERS[target] == wide else self.b.trunc(whole, REGISTERS[target])
        unsigned = source in (types.u8, types.i1)
        if target.is_float:
            register = REGISTERS[target]
            made = self.b.uitofp(value, register) if unsigned else self.b.sitofp(value, register)
            return self.rounded(made, target)
        return self._resize(value, REGISTERS[target], unsigned)

    def _saturate(self, value: ir.Value, integer: ir.Type) -> ir.Value:
        name = f"llvm.fptosi.sat.i{integer.width}.{'f64' if value.type == F64 else 'f32'}"
        function = self._declared(name, ir.FunctionType(integer, [value.type]))
        return self.b.call(function, [value])

    def _float_to_float(self, value: ir.Value, target: DType) -> ir.Value:
        if target is types.f64:
            return value if value.type == F64 else self.b.fpext(value, F64)
        narrow = self.b.fptrunc(value, F32) if value.type == F64 else value
        return self.rounded(narrow, target)

    def _resize(self, value: ir.Value, target: ir.Type, unsigned: bool) -> ir.Value:
        if value.type.width == target.width:
            return value
        if value.type.width > target.width:
            return self.b.trunc(value, target)
        return self.b.zext(value, target) if unsigned else self.b.sext(value, target)

    def truth(self, value: ir.Value, dtype: DType) -> ir.Value:
        """Return whether the value is not 0; NaN is not."""
        if dtype is types.i1:
            return value
        if dtype.is_float:
            return self.b.fcmp_unordered("!=", value, ir.Constant(value.type, 0.0))
        return self.b.icmp_unsigned("!=", value, ir.Constant(value.type, 0))

    def _declared(self, name: str, type: ir.FunctionType) -> ir.Function:
        existing = self.module.globals.get(name)
        return existing if existing is not None else ir.Function(self.module, type, name)

    # ---- the ops --------------------------------------------------------------------------------

    def compute(
        self, name: str, attributes: Mapping[str, Any], dtype: DType, values: list[ir.Value]
    ) -> ir.Value:
        """Return one element of `graph.<name>`. `dtype`: of the operands.

        Raises CodegenError for an op that has no instructions.
        """
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, attributes, dtype, *values)
        if name in _COMPARES:
            return self.compare(_COMPARES[name], dtype, *values)
        if dtype.is_float:
            return self.rounded(self._float(name, dtype, values), dtype)
        return self._integer(name, dtype, values)

    def compare(self, sign: str, dtype: DType, a: ir.Value, b: ir.Value) -> ir.Value:
        """Return a truth."""
        if dtype.is_float:
            ordered = self.b.fcmp_unordered if sign == "!=" else self.b.fcmp_ordered
            return ordered(sign, a, b)
        unsigned = dtype in (types.u8, types.i1)
        return (self.b.icmp_unsigned if unsigned else self.b.icmp_signed)(sign, a, b)

    def library(self, name: str, *values: ir.Value) -> ir.Value:
        """Return what C's function gives."""
        suffix = "" if values[0].type == F64 else "f"
        type = ir.FunctionType(values[0].type, [value.type for value in values])
        function = self._declared(name + suffix, type)
        function.attributes.add("nounwind")
        return self.b.call(function, values)

    def _float(self, name: str, dtype: DType, values: list[ir.Value]) -> ir.Value:
        if name in _MATH and values[0].type == F32:
            return getattr(self.math, name)(*values)
        if name in _LIBRARY:
            return self.library(_LIBRARY[name], *values)
        found = _FLOATS.get(name)
        if found is None:
            raise CodegenError(f"graph.{name} of {dtype} has no machine code")
        return found(self, *values)

    def _integer(self, name: str, dtype: DType, values: list[ir.Value]) -> ir.Value:
        found = _INTEGERS.get(name)
        if found is None:
            raise CodegenError(f"graph.{name} of {dtype} has no machine code")
        return found(self, dtype, *values)

    def one(self, like: ir.Value, number: float = 1.0) -> ir.Constant:
        """Return a float constant of a value's type."""
        return ir.Constant(like.type, number)


def _gelu(s: Scalars, attributes: Mapping[str, Any], dtype: DType, x: ir.Value) -> ir.Value:
    b = s.b
    if attributes["approximate"] == "none":
        inner = s._float("erf", dtype, [b.fmul(x, s.one(x, 0.7071067811865476))])
    else:
        cube = b.fmul(b.fmul(x, x), x)
        sum_ = b.fadd(x, b.fmul(s.one(x, 0.044715), cube))
        inner = s._float("tanh", dtype, [b.fmul(s.one(x, 0.7978845608028654), sum_)])
    half = b.fmul(x, s.one(x, 0.5))
    return s.rounded(b.fmul(half, b.fadd(s.one(x), inner)), dtype)


def _sigmoid(s: Scalars, x: ir.Value) -> ir.Value:
    if x.type == F32:
        return s.math.sigmoid(x)
    power = s.library("exp", s.b.fneg(x))
    return s.b.fdiv(s.one(x), s.b.fadd(s.one(x), power))


def _clamp(s: Scalars, attributes: Mapping[str, Any], dtype: DType, x: ir.Value) -> ir.Value:
    low, high = attributes["min"], attributes["max"]
    if low is not None:
        x = s.compute("maximum", {}, dtype, [x, s.constant(low, dtype)])
    return x if high is None else s.compute("minimum", {}, dtype, [x, s.constant(high, dtype)])


def _logical(combine: str) -> Callable[..., ir.Value]:
    def write(s: Scalars, attributes: Mapping[str, Any], dtype: DType, a: Any, b: Any) -> ir.Value:
        return getattr(s.b, combine)(s.truth(a, dtype), s.truth(b, dtype))

    return write


def _classify(wanted: str) -> Callable[..., ir.Value]:
    def write(s: Scalars, attributes: Mapping[str, Any], dtype: DType, x: Any) -> ir.Value:
        if wanted == "nan":
            return s.b.fcmp_unordered("uno", x, x)
        size = s.math.intrinsic("fabs", x)
        infinity = ir.Constant(x.type, float("inf"))
        return s.b.fcmp_ordered("==" if wanted == "inf" else "<", size, infinity)

    return write


def _select(
    s: Scalars, attributes: Mapping[str, Any], dtype: DType, c: Any, a: Any, b: Any
) -> ir.Value:
    return s.b.select(c, a, b)


def _not(s: Scalars, attributes: Mapping[str, Any], dtype: DType, x: Any) -> ir.Value:
    return s.b.not_(s.truth(x, dtype))


_SPECIAL: Mapping[str, Callable[..., ir.Value]] = {
    "gelu": _gelu,
    "clamp": _clamp,
    "select": _select,
    "logical_and": _logical("and_"),
    "logical_or": _logical("or_"),
    "logical_xor": _logical("xor"),
    "logical_not": _not,
    "isnan": _classify("nan"),
    "isinf": _classify("inf"),
    "isfinite": _classify("finite"),
}


def _round_to(name: str) -> Callable[..., ir.Value]:
    return lambda s, x: s.math.intrinsic(name, x)


def _relu(s: Scalars, x: ir.Value) -> ir.Value:
    zero = ir.Constant(x.type, 0.0)
    return s.b.select(s.b.fcmp_ordered("<=", x, zero), zero, x)


def _sign(s: Scalars, x: ir.Value) -> ir.Value:
    zero = ir.Constant(x.type, 0.0)
    positive = s.b.uitofp(s.b.fcmp_ordered(">", x, zero), x.type)
    return s.b.fsub(positive, s.b.uitofp(s.b.fcmp_ordered("<", x, zero), x.type))


def _softplus(s: Scalars, x: ir.Value) -> ir.Value:
    size = s.math.intrinsic("fabs", x)
    power = s.library("exp", s.b.fneg(size))
    return s.b.fadd(_maximum(s, x, ir.Constant(x.type, 0.0)), s.library("log1p", power))


def _maximum(s: Scalars, a: ir.Value, b: ir.Value) -> ir.Value:
    return s.math.intrinsic("maximum", a, b)


def _minimum(s: Scalars, a: ir.Value, b: ir.Value) -> ir.Value:
    return s.math.intrinsic("minimum", a, b)


def _floor_divide(s: Scalars, a: ir.Value, b: ir.Value) -> ir.Value:
    """As PyTorch: the quotient of a - remainder, rounded; a zero has the quotient's sign."""
    quotient = s.b.fdiv(s.b.fsub(a, s.library("fmod", a, b)), b)
    rest = s.library("fmod", a, b)
    zero = ir.Constant(a.type, 0.0)
    apart = s.b.and_(
        s.b.fcmp_unordered("!=", rest, zero),
        s.b.xor(s.b.fcmp_ordered("<", b, zero), s.b.fcmp_ordered("<", rest, zero)),
    )
    quotient = s.b.select(apart, s.b.fsub(quotient, s.one(a)), quotient)
    floor = s.math.intrinsic("floor", quotient)
    above = s.b.fcmp_ordered(">", s.b.fsub(quotient, floor), s.one(a, 0.5))
    floor = s.b.select(above, s.b.fadd(floor, s.one(a)), floor)
    none = s.math.intrinsic("copysign", zero, s.b.fdiv(a, b))
    floor = s.b.select(s.b.fcmp_ordered("==", quotient, zero), none, floor)
    return s.b.select(s.b.fcmp_ordered("==", b, zero), s.b.fdiv(a, b), floor)


def _remainder(s: Scalars, a: ir.Value, b: ir.Value) -> ir.Value:
    rest = s.library("fmod", a, b)
    zero = ir.Constant(a.type, 0.0)
    apart = s.b.and_(
        s.b.fcmp_unordered("!=", rest, zero),
        s.b.xor(s.b.fcmp_ordered("<", b, zero), s.b.fcmp_ordered("<", rest, zero)),
    )
    return s.b.select(apart, s.b.fadd(rest, b), rest)


_FLOATS: Mapping[str, Callable[..., ir.Value]] = {
    "add": lambda s, a, b: s.b.fadd(a, b),
    "sub": lambda s, a, b: s.b.fsub(a, b),
    "mul": lambda s, a, b: s.b.fmul(a, b),
    "div": lambda s, a, b: s.b.fdiv(a, b),
    "neg": lambda s, x: s.b.fneg(x),
    "abs": lambda s, x: s.math.intrinsic("fabs", x),
    "sqrt": lambda s, x: s.math.intrinsic("sqrt", x),
    "rsqrt": lambda s, x: s.b.fdiv(s.one(x), s.math.intrinsic("sqrt", x)),
    "reciprocal": lambda s, x: s.b.fdiv(s.one(x), x),
    "sigmoid": _sigmoid,
    "silu": lambda s, x: s.b.fmul(x, _sigmoid(s, x)),
    "softplus": _softplus,
    "relu": _relu,
    "sign": _sign,
    "maximum": _maximum,
    "minimum": _minimum,
    "floordiv": _floor_divide,
    "remainder": _remainder,
    "floor": _round_to("floor"),
    "ceil": _round_to("ceil"),
    "round": _round_to("rint"),
    "trunc": _round_to("trunc"),
}


def _divisor(s: Scalars, dtype: DType, a: ir.Value, b: ir.Value) -> ir.Value:
    """Return b, or 1 where the division would trap: by 0, and of the least integer by -1."""
    zero = s.b.icmp_unsigned("==", b, ir.Constant(b.type, 0))
    if dtype is not types.u8:
        least = ir.Constant(a.type, -(1 << (a.type.width - 1)))
        traps = s.b.and_(
            s.b.icmp_unsigned("==", a, least),
            s.b.icmp_unsigned("==", b, ir.Constant(b.type, -1)),
        )
        zero = s.b.or_(zero, traps)
    return s.b.select(zero, ir.Constant(b.type, 1), b)


def _divided(s: Scalars, dtype: DType, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value, Any]:
    """Return quotient and remainder towards zero, and whether they must go one lower."""
    b = _divisor(s, dtype, a, b)
    if dtype is types.u8:
        return s.b.udiv(a, b), s.b.urem(a, b), None
    rest = s.b.srem(a, b)
    zero = ir.Constant(a.type, 0)
    apart = s.b.icmp_signed("<", s.b.xor(rest, b), zero)
    lower = s.b.and_(s.b.icmp_unsigned("!=", rest, zero), apart)
    return s.b.sdiv(a, b), rest, lower


def _int_floordiv(s: Scalars, dtype: DType, a: ir.Value, b: ir.Value) -> ir.Value:
    quotient, _, lower = _divided(s, dtype, a, b)
    return quotient if lower is None else s.b.sub(quotient, s.b.zext(lower, a.type))


def _int_remainder(s: Scalars, dtype: DType, a: ir.Value, b: ir.Value) -> ir.Value:
    _, rest, lower = _divided(s, dtype, a, b)
    return rest if lower is None else s.b.select(lower, s.b.add(rest, b), rest)


def _int_fmod(s: Scalars, dtype: DType, a: ir.Value, b: ir.Value) -> ir.Value:
    return _divided(s, dtype, a, b)[1]


def _pick(sign: str) -> Callable[..., ir.Value]:
    return lambda s, dtype, a, b: s.b.select(s.compare(sign, dtype, a, b), a, b)


def _shift(left: bool) -> Callable[..., ir.Value]:
    def write(s: Scalars, dtype: DType, a: ir.Value, b: ir.Value) -> ir.Value:
        width = ir.Constant(b.type, b.type.width)
        inside = s.b.icmp_unsigned("<", b, width)
        by = s.b.select(inside, b, ir.Constant(b.type, b.type.width - 1))
        if left:
            return s.b.select(inside, s.b.shl(a, by), ir.Constant(a.type, 0))
        if dtype is types.u8:
            return s.b.select(inside, s.b.lshr(a, by), ir.Constant(a.type, 0))
        return s.b.ashr(a, by)

    return write


def _int_add(s: Scalars, dtype: DType, a: ir.Value, b: ir.Value) -> ir.Value:
    return s.b.or_(a, b) if dtype is types.i1 else s.b.add(a, b)


def _int_mul(s: Scalars, dtype: DType, a: ir.Value, b: ir.Value) -> ir.Value:
    return s.b.and_(a, b) if dtype is types.i1 else s.b.mul(a, b)


def _int_abs(s: Scalars, dtype: DType, x: ir.Value) -> ir.Value:
    negative = s.compare("<", dtype, x, ir.Constant(x.type, 0))
    return s.b.select(negative, s.b.neg(x), x)


def _int_sign(s: Scalars, dtype: DType, x: ir.Value) -> ir.Value:
    zero = ir.Constant(x.type, 0)
    positive = s.b.zext(s.compare(">", dtype, x, zero), x.type)
    return s.b.sub(positive, s.b.zext(s.compare("<", dtype, x, zero), x.type))


_INTEGERS: Mapping[str, Callable[..., ir.Value]] = {
    "add": _int_add,
    "mul": _int_mul,
    "sub": lambda s, dtype, a, b: s.b.sub(a, b),
    "neg": lambda s, dtype, x: s.b.neg(x),
    "abs": _int_abs,
    "sign": _int_sign,
    "relu": lambda s, dtype, x: _pick(">")(s, dtype, x, ir.Constant(x.type, 0)),
    "maximum": _pick(">"),
    "minimum": _pick("<"),
    "bitwise_and": lambda s, dtype, a, b: s.b.and_(a, b),
    "bitwise_or": lambda s, dtype, a, b: s.b.or_(a, b),
    "bitwise_xor": lambda s, dtype, a, b: s.b.xor(a, b),
    "bitwise_not": lambda s, dtype, x: s.b.not_(x),
    "shift_left": _shift(True),
    "shift_right": _shift(False),
    "floordiv": _int_floordiv,
    "remainder": _int_remainder,
    "fmod": _int_fmod,
}
