"""Functions of float32 as branch-free arithmetic, which loops of LLVM vectorise.

Each is a polynomial on a small interval, fitted by us for the least largest relative error, after a
reduction of the argument. Errors over all of float32 are at most 2 units in the last place
(`tests/codegen/test_vector_math.py`). Infinities, NaN and denormal results are as in C.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from llvmlite import ir

F32, I32 = ir.FloatType(), ir.IntType(32)

# (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2
_EXP = (0.499999934, 0.166665206, 0.0416683879, 0.00836871532, 0.00138146008)
# erf(x) / x - 1 in x^2, for |x| <= 1
_ERF_SMALL = (
    0.128379166, -0.376126258, 0.112835851, -0.0268538119, 0.00518832761, -0.0008010193,
    7.85385928e-05,
)  # fmt: skip
# log(1 - erf(t)) for 1 <= t <= 4
_ERF_LARGE = (
    0.000183443638, -1.12955683, -0.633262618, -0.108372473, 0.0251789637, -0.00419360947,
    0.000439106026, -2.14960823e-05,
)  # fmt: skip
# (tanh(x) / x - 1) / x^2 in x^2, for |x| <= 0.625
_TANH = (-0.333332839, 0.133314913, -0.0537434982, 0.0206505874, -0.00571704495)

_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4  # their sum is ln 2; the first has few bits
_ROUNDER = 1.5 * 2**23  # added and subtracted again, it rounds to the nearest integer


class VectorMath:
    """Writes at a builder."""

    def __init__(self, builder: ir.IRBuilder, module: ir.Module) -> None:
        self.builder = builder
        self.module = module

    def number(self, value: float) -> ir.Constant:
        """Return a float32 constant."""
        return ir.Constant(F32, value)

    def intrinsic(self, name: str, *operands: ir.Value) -> ir.Value:
        """Return what LLVM's function of one type gives."""
        function = self.module.declare_intrinsic(
            f"llvm.{name}", [operands[0].type], ir.FunctionType(
                operands[0].type, [operand.type for operand in operands])
        )  # fmt: skip
        return self.builder.call(function, operands)

    def fma(self, a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
        """Return a * b + c, rounded once where the processor can."""
        return self.intrinsic("fmuladd", a, b, c)

    def polynomial(self, x: ir.Value, coefficients: Sequence[float]) -> ir.Value:
        """Return the sum of coefficient i times x to the i."""
        result: ir.Value = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            result = self.fma(result, x, self.number(coefficient))
        return result

    def exp(self, x: ir.Value) -> ir.Value:
        """Return e to the x."""
        b = self.builder
        # Beyond these the result is 0 or infinity; a NaN stays one.
        x = b.select(b.fcmp_ordered("<", x, self.number(-104.0)), self.number(-104.0), x)
        x = b.select(b.fcmp_ordered(">", x, self.number(89.0)), self.number(89.0), x)
        shifted = self.fma(x, self.number(math.log2(math.e)), self.number(_ROUNDER))
        whole = b.fsub(shifted, self.number(_ROUNDER))
        n = b.sub(b.bitcast(shifted, I32), b.bitcast(self.number(_ROUNDER), I32))
        r = self.fma(whole, self.number(-_LN2_HIGH), x)
        r = self.fma(whole, self.number(-_LN2_LOW), r)
        square = b.fmul(r, r)
        power = self.fma(square, self.polynomial(r, _EXP), r)
        power = b.fadd(power, self.number(1.0))
        # Two steps: 2^n itself may be no normal number.
        half = b.ashr(n, ir.Constant(I32, 1))
        return b.fmul(b.fmul(power, self._power_of_two(half)), self._power_of_two(b.sub(n, half)))

    def _power_of_two(self, n: ir.Value) -> ir.Value:
        b = self.builder
        biased = b.add(n, ir.Constant(I32, 127))
        return b.bitcast(b.shl(biased, ir.Constant(I32, 23)), F32)

    def erf(self, x: ir.Value) -> ir.Value:
        """Return the error function."""
        b = self.builder
        size = self.intrinsic("fabs", x)
        square = b.fmul(x, x)
        small = self.fma(x, self.polynomial(square, _ERF_SMALL), x)
        t = b.select(b.fcmp_ordered(">", size, self.number(4.0)), self.number(4.0), size)
        large = b.fsub(self.number(1.0), self.exp(self.polynomial(t, _ERF_LARGE)))
        large = self.intrinsic("copysign", large, x)
        return b.select(b.fcmp_ordered("<", size, self.number(1.0)), small, large)

    def tanh(self, x: ir.Value) -> ir.Value:
        """Return the hyperbolic tangent."""
        b = self.builder
        size = self.intrinsic("fabs", x)
        square = b.fmul(x, x)
        small = self.fma(b.fmul(x, square), self.polynomial(square, _TANH), x)
        power = self.exp(b.fmul(size, self.number(2.0)))
        below_one = b.fdiv(self.number(2.0), b.fadd(power, self.number(1.0)))
        large = self.intrinsic("copysign", b.fsub(self.number(1.0), below_one), x)
        return b.select(b.fcmp_ordered("<", size, self.number(0.625)), small, large)

    def sigmoid(self, x: ir.Value) -> ir.Value:
        """Return 1 / (1 + exp(-x))."""
        b = self.builder
        return b.fdiv(self.number(1.0), b.fadd(self.number(1.0), self.exp(b.fneg(x))))
