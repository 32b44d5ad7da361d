"""Where an element is: a place in a tensor's row-major order, as mixed radix digits.

A position is kept in as many digits as the loops around it have, so a reshape costs nothing, and
digits are only cut or joined where an op asks for indices along dims that the loops do not run
over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir

from sidra.ir.dims import Dimension, Quotient

I64 = ir.IntType(64)


@dataclass(frozen=True)
class Digit:
    """One index below `size`."""

    index: ir.Value
    size: Dimension


Position = tuple[Digit, ...]


class Positions:
    """Arithmetic on positions at a builder; `symbols`: the values of dimensions by name."""

    def __init__(self, builder: ir.IRBuilder, symbols: dict[str, ir.Value]) -> None:
        self.builder = builder
        self.symbols = symbols

    def number(self, dimension: Dimension) -> ir.Value:
        """Return a dimension's value."""
        if isinstance(dimension, int):
            return ir.Constant(I64, dimension)
        total: ir.Value = ir.Constant(I64, 0)
        for monomial, coefficient in dimension.terms:
            product: ir.Value = ir.Constant(I64, coefficient)
            for atom in monomial:
                product = self.times(product, self._atom(atom))
            total = self.plus(total, product)
        return total

    def _atom(self, atom: str | Quotient) -> ir.Value:
        if isinstance(atom, str):
            return self.symbols[atom]
        a, b = self.number(atom.numerator), self.number(atom.denominator)
        return self.builder.sdiv(a, b) if atom.kind == "//" else self.builder.srem(a, b)

    def plus(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Return a + b."""
        if _is(a, 0):
            return b
        return a if _is(b, 0) else self.builder.add(a, b, flags=("nsw",))

    def times(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Return a * b."""
        if _is(a, 0) or _is(b, 1):
            return a
        return b if _is(a, 1) or _is(b, 0) else self.builder.mul(a, b, flags=("nsw",))

    def linear(self, position: Sequence[Digit]) -> ir.Value:
        """Return the place in row-major order."""
        total: ir.Value = ir.Constant(I64, 0)
        for digit in position:
            total = self.plus(self.times(total, self.number(digit.size)), digit.index)
        return total

    def indices(self, position: Position, shape: Sequence[Dimension]) -> list[ir.Value]:
        """Return the index along each dim of a tensor with as many elements."""
        rest = [digit for digit in position if digit.size != 1]
        result: list[ir.Value] = []
        for size in reversed(shape):
            result.append(ir.Constant(I64, 0) if size == 1 else self._take(rest, size))
        return result[::-1]

    def _take(self, rest: list[Digit], size: Dimension) -> ir.Value:
        """Take the index below `size` off the end of the digits."""
        taken: list[Digit] = []
        have: Dimension = 1
        while rest:
            digit = rest[-1]
            if digit.size * have == size:
                rest.pop()
                return self.linear([digit, *taken])
            wanted = _divide(size, have)
            if wanted is not None and _divide(wanted, digit.size) is not None:
                taken.insert(0, rest.pop())
                have = digit.size * have
                continue
            larger = None if wanted is None else _divide(digit.size, wanted)
            if wanted is None or larger is None:
                return self._take_flat(rest, taken, size)
            rest[-1] = Digit(self.builder.udiv(digit.index, self.number(wanted)), larger)
            low = Digit(self.builder.urem(digit.index, self.number(wanted)), wanted)
            return self.linear([low, *taken])
        return self.linear(taken)

    def _take_flat(self, rest: list[Digit], taken: list[Digit], size: Dimension) -> ir.Value:
        """Where sizes do not divide one another: by the place in row-major order."""
        place = self.linear([*rest, *taken])
        elements: Dimension = 1
        for digit in (*rest, *taken):
            elements = digit.size * elements
        divisor = self.number(size)
        remaining = _divide(elements, size)
        rest[:] = [
            Digit(self.builder.udiv(place, divisor), elements if remaining is None else remaining)
        ]
        return self.builder.urem(place, divisor)


def position_of(indices: Sequence[ir.Value], shape: Sequence[Dimension]) -> Position:
    """Return the position with these indices along dims."""
    return tuple(Digit(i, size) for i, size in zip(indices, shape, strict=True) if size != 1)


def _is(value: ir.Value, number: int) -> bool:
    return isinstance(value, ir.Constant) and value.constant == number


def _divide(a: Dimension, b: Dimension) -> Dimension | None:
    """Return a / b if it is whole for certain."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b and a % b == 0 else None
    quotient = a // b if not isinstance(b, int) or b else None
    return quotient if quotient is not None and quotient * b == a else None
