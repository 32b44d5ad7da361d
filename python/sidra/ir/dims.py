"""Symbolic dimensions: integer polynomials over symbols, with floor division and modulo.

A dimension is an `int` or a `Dim`; whatever is constant is an int. A `Dim` is immutable and in
canonical form, so equal forms are equal dimensions. The converse does not hold for every use of
`//` and `%`: two unequal Dims may still always have one value. A symbol stands for an integer
greater than zero, therefore `(s0*s1)//s0` is `s1`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, Union

MAX_TERMS = 256  # of one polynomial
MAX_COEFFICIENT = 2**63
MAX_DEGREE = 64  # factors of one term
MAX_DEPTH = 32  # of parentheses in text
MAX_TEXT = 1000  # characters of text

SYMBOL = re.compile(r"[a-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Quotient:
    """An atom: `numerator // denominator`, or `%` where `kind` says so."""

    kind: str
    numerator: Dimension
    denominator: Dimension

    def __str__(self) -> str:
        return f"{_operand(self.numerator)}{self.kind}{_operand(self.denominator)}"


Atom: TypeAlias = str | Quotient
Monomial: TypeAlias = tuple[Atom, ...]  # sorted; a square names its atom twice; () is constant


@dataclass(frozen=True)
class Dim:
    """A dimension that is not constant. Build one with `symbol`, arithmetic or `parse_dimension`.

    `terms`: pairs of monomial and coefficient (never 0), in printing order.
    """

    terms: tuple[tuple[Monomial, int], ...]

    def __add__(self, other: Dimension) -> Dimension:
        return _polynomial([*self.terms, *_terms(other)])

    def __sub__(self, other: Dimension) -> Dimension:
        return self + other * -1

    def __rsub__(self, other: Dimension) -> Dimension:
        return self * -1 + other

    def __neg__(self) -> Dimension:
        return self * -1

    def __mul__(self, other: Dimension) -> Dimension:
        right = _terms(other)
        if len(self.terms) * len(right) > MAX_TERMS:
            raise ValueError(f"a dimension has more than {MAX_TERMS} terms")
        return _polynomial(
            [(_sorted(a + b), x * y) for a, x in self.terms for b, y in right],
        )

    __radd__ = __add__
    __rmul__ = __mul__

    def __floordiv__(self, other: Dimension) -> Dimension:
        return floordiv(self, other)

    def __rfloordiv__(self, other: int) -> Dimension:
        return floordiv(other, self)

    def __mod__(self, other: Dimension) -> Dimension:
        return modulo(self, other)

    def __rmod__(self, other: int) -> Dimension:
        return modulo(other, self)

    def __str__(self) -> str:
        text = ""
        for monomial, coefficient in self.terms:
            sign = "-" if coefficient < 0 else "+" if text else ""
            text += sign + _term_text(monomial, coefficient)
        return text

    __repr__ = __str__


Dimension: TypeAlias = Union[int, Dim]  # noqa: UP007 - a forward reference


def symbol(name: str) -> Dim:
    """Return the dimension called `name`. Raises ValueError if that is not a name like `s0`."""
    if not SYMBOL.fullmatch(name):
        raise ValueError(f"{name!r} is not a symbol; use a name like s0")
    return Dim((((name,), 1),))


def floordiv(a: Dimension, b: Dimension) -> Dimension:
    """Return `a // b`, rounded down. Raises ZeroDivisionError if `b` is 0."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if isinstance(b, int) and b < 0:
        return floordiv(-a, -b)
    if isinstance(b, Dim):
        exact = _divide_exactly(a, b)
        return _atom(Quotient("//", a, b)) if exact is None else exact
    whole, rest = _split(a, b)
    common = math.gcd(b, *(c for monomial, c in _terms(rest) if monomial))
    rest = _polynomial([(m, c // common) for m, c in _terms(rest)])
    b //= common
    if isinstance(rest, int) or b == 1:
        return whole + floordiv(rest, b) if isinstance(rest, int) else whole + rest
    return whole + _atom(Quotient("//", rest, b))


def modulo(a: Dimension, b: Dimension) -> Dimension:
    """Return `a % b`, with the sign of `b`. Raises ZeroDivisionError if `b` is 0."""
    if isinstance(a, int) and isinstance(b, int):
        return a % b
    if isinstance(b, Dim):
        return _atom(Quotient("%", a, b)) if _divide_exactly(a, b) is None else 0
    if b == 0:
        raise ZeroDivisionError("modulo of a dimension by 0")
    _, rest = _split(a, abs(b))
    if isinstance(rest, int):
        return rest % b
    return _atom(Quotient("%", rest, b))


def ceildiv(a: Dimension, b: Dimension) -> Dimension:
    """Return `a / b`, rounded up, for `b` greater than 0."""
    return (a + b - 1) // b


def product(dimensions: Iterable[Dimension]) -> Dimension:
    """Return the product; 1 of nothing."""
    total: Dimension = 1
    for dimension in dimensions:
        total = total * dimension
    return total


def symbols(dimension: Dimension) -> frozenset[str]:
    """Return the names of the symbols that occur."""
    found: set[str] = set()
    for monomial, _ in _terms(dimension):
        for atom in monomial:
            if isinstance(atom, str):
                found.add(atom)
            else:
                found |= symbols(atom.numerator) | symbols(atom.denominator)
    return frozenset(found)


def evaluate(dimension: Dimension, values: Mapping[str, int]) -> int:
    """Return the value for these values of the symbols. Raises KeyError if one is missing."""
    if isinstance(dimension, int):
        return dimension
    total = 0
    for monomial, coefficient in dimension.terms:
        for atom in monomial:
            coefficient *= values[atom] if isinstance(atom, str) else _quotient(atom, values)
        total += coefficient
    return total


def substitute(dimension: Dimension, values: Mapping[str, Dimension]) -> Dimension:
    """Return the dimension with some symbols replaced."""
    total: Dimension = 0
    for monomial, coefficient in _terms(dimension):
        term: Dimension = coefficient
        for atom in monomial:
            if isinstance(atom, str):
                term = term * values.get(atom, symbol(atom))
            else:
                a, b = substitute(atom.numerator, values), substitute(atom.denominator, values)
                term = term * (floordiv(a, b) if atom.kind == "//" else modulo(a, b))
        total = total + term
    return total


def parse_dimension(text: str) -> Dimension:
    """Read what `str` writes, and any expression of + - * // % and parentheses.

    Raises ValueError with the position.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"a dimension has at most {MAX_TEXT} characters")
    return _Reader(text).read()


def _quotient(atom: Quotient, values: Mapping[str, int]) -> int:
    a, b = evaluate(atom.numerator, values), evaluate(atom.denominator, values)
    return a // b if atom.kind == "//" else a % b


def _terms(dimension: Dimension) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(dimension, Dim):
        return dimension.terms
    return (((), dimension),) if dimension else ()


def _atom(atom: Quotient) -> Dim:
    return Dim((((atom,), 1),))


def _sorted(monomial: Monomial) -> Monomial:
    return tuple(sorted(monomial, key=lambda atom: (isinstance(atom, Quotient), str(atom))))


def _polynomial(terms: Iterable[tuple[Monomial, int]]) -> Dimension:
    collected: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        collected[monomial] = collected.get(monomial, 0) + coefficient
    kept = {monomial: c for monomial, c in collected.items() if c}
    if len(kept) > MAX_TERMS or any(len(monomial) > MAX_DEGREE for monomial in kept):
        raise ValueError("a dimension has too many terms or factors")
    if any(abs(c) > MAX_COEFFICIENT for c in kept.values()):
        raise ValueError("a dimension has too large a coefficient")
    if not kept.keys() - {()}:
        return kept.get((), 0)
    order = sorted(kept, key=lambda m: (-len(m), [str(atom) for atom in m]))
    return Dim(tuple((monomial, kept[monomial]) for monomial in order))


def _split(a: Dimension, b: int) -> tuple[Dimension, Dimension]:
    """Return `a` as `b * whole + rest`, with every divisible term and constant part in `whole`."""
    whole, rest = [], []
    for monomial, c in _terms(a):
        if c % b == 0 or not monomial:
            whole.append((monomial, c // b))
            rest.append((monomial, c % b))
        else:
            rest.append((monomial, c))
    return _polynomial(whole), _polynomial(rest)


def _divide_exactly(a: Dimension, b: Dim) -> Dimension | None:
    """Return `a / b` if that is a polynomial: `b` is one monomial, or `a` is a multiple of `b`."""
    if isinstance(a, int):
        return 0 if a == 0 else None
    if len(b.terms) > 1:
        factor = a.terms[0][1] // b.terms[0][1]
        return factor if b * factor == a else None
    ((divisor, scale),) = b.terms
    terms = []
    for monomial, c in a.terms:
        rest = list(monomial)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if c % scale:
            return None
        terms.append((tuple(rest), c // scale))
    return _polynomial(terms)


def _operand(dimension: Dimension) -> str:
    text = str(dimension)
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _term_text(monomial: Monomial, coefficient: int) -> str:
    """Return the text without its sign. After a minus, a quotient needs its parentheses."""
    if not monomial:
        return str(abs(coefficient))
    if len(monomial) == 1 and coefficient == 1:
        return str(monomial[0])
    factors = [atom if isinstance(atom, str) else f"({atom})" for atom in monomial]
    return "*".join(([str(abs(coefficient))] if abs(coefficient) != 1 else []) + factors)


class _Reader:
    """Recursive descent over one dimension's text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            (m.group(), m.start()) for m in re.finditer(r"[0-9]+|[A-Za-z_]\w*|//|\S", text)
        ]
        self.tokens.append(("", len(text)))
        self.at = 0
        self.depth = 0

    def read(self) -> Dimension:
        result = self.sum()
        if self.tokens[self.at][0]:
            raise self.error("an operator")
        return result

    def error(self, expected: str) -> ValueError:
        found, at = self.tokens[self.at]
        return ValueError(f"{self.text!r}: expected {expected} at {at}, found {found!r}")

    def take(self, *tokens: str) -> str:
        found = self.tokens[self.at][0]
        if found and found in tokens:
            self.at += 1
            return found
        return ""

    def sum(self) -> Dimension:
        result = self.product()
        while operator := self.take("+", "-"):
            right = self.product()
            result = result + right if operator == "+" else result - right
        return result

    def product(self) -> Dimension:
        result = self.factor()
        while operator := self.take("*", "//", "%"):
            right = self.factor()
            if operator != "*" and right == 0:
                raise self.error("a divisor other than 0")
            if operator == "*":
                result = result * right
            else:
                result = floordiv(result, right) if operator == "//" else modulo(result, right)
        return result

    def factor(self) -> Dimension:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"at most {MAX_DEPTH} levels")
        result = self.primary()
        self.depth -= 1
        return result

    def primary(self) -> Dimension:
        if self.take("-"):
            return self.factor() * -1
        if self.take("("):
            inner = self.sum()
            if not self.take(")"):
                raise self.error("')'")
            return inner
        token = self.tokens[self.at][0]
        if token.isascii() and token.isdecimal() and len(token) < 20:
            self.at += 1
            return int(token)
        if SYMBOL.fullmatch(token):
            self.at += 1
            return symbol(token)
        raise self.error("a number, a symbol or '('")
