"""Reading types and attribute values; `parser` builds on it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from sidra.errors import ParseError
from sidra.ir.attributes import MAX_DENSE_ELEMENTS, Attribute, Dense, ResourceRef
from sidra.ir.dims import Dimension, parse_dimension
from sidra.ir.lexer import Source, Token, tokens
from sidra.ir.types import DTYPES, DType, TensorType

MAX_NESTING = 32  # of tuples
MAX_DIGITS = 40  # of a number
MAX_RANK = 64

_WORDS: dict[str, Attribute] = {
    "none": None,
    "true": True,
    "false": False,
    "inf": math.inf,
    "nan": math.nan,
}
_DIMENSION_MARKS = ("+", "-", "*", "//", "%", "(", ")")


class AttributeParser:
    """Tokens with a position, and what reads one of them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokens(source)
        self.position = 0
        self.nesting = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return the token at hand, or one after it; the end again and again."""
        return self.tokens[min(self.position + ahead, len(self.tokens) - 1)]

    def next(self) -> Token:
        """Return the token at hand, consumed."""
        token = self.peek()
        self.position += 1
        return token

    def accept(self, text: str) -> bool:
        """Consume the token if it is this mark or word."""
        if self.peek().text != text or self.peek().kind not in ("mark", "word"):
            return False
        self.position += 1
        return True

    def expect(self, text: str) -> None:
        """Consume this mark or word. Raises ParseError."""
        if not self.accept(text):
            raise self.error(f"'{text}'")

    def kind(self, kind: str, expected: str) -> Token:
        """Consume a token of a kind. Raises ParseError."""
        if self.peek().kind != kind:
            raise self.error(expected)
        return self.next()

    def error(self, expected: str) -> ParseError:
        """Return the error at the token at hand."""
        token = self.peek()
        found = f"'{token.text[:40]}'" if token.text else "the end"
        return self.source.error(token.at, f"expected {expected}, found {found}")

    @contextmanager
    def at(self, place: int) -> Iterator[None]:
        """Turn a ValueError of the body into a ParseError at `place`."""
        try:
            yield
        except ParseError:
            raise
        except (ValueError, OverflowError, ZeroDivisionError, RecursionError) as error:
            raise self.source.error(place, str(error)) from None

    def integer(self) -> int:
        """Return an integer, maybe with a minus."""
        sign = -1 if self.accept("-") else 1
        token = self.kind("number", "an integer")
        if not token.text.isdecimal() or len(token.text) > MAX_DIGITS:
            raise self.source.error(token.at, f"expected an integer, found '{token.text[:40]}'")
        return sign * int(token.text)

    def dtype(self) -> DType:
        """Return an element type."""
        if self.peek().text not in DTYPES:
            raise self.error("a type like f32[2, s0]")
        return DTYPES[self.next().text]

    def tensor_type(self) -> TensorType:
        """Return a tensor type."""
        dtype = self.dtype()
        self.expect("[")
        shape: list[Dimension] = []
        while not self.accept("]"):
            if shape:
                self.expect(",")
            if len(shape) == MAX_RANK:
                raise self.error(f"at most {MAX_RANK} dimensions")
            at = self.peek().at
            shape.append(self.dimension())
            if isinstance(shape[-1], int) and shape[-1] < 0:
                raise self.source.error(at, f"a dimension cannot be {shape[-1]}")
        return TensorType(tuple(shape), dtype)

    def dimension(self) -> Dimension:
        """Return a dimension: the tokens up to a comma or bracket, given to its own reader."""
        first = self.peek()
        depth, end = 0, first.at
        while True:
            token = self.peek()
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if depth < 0 or not self.in_dimension(token):
                break
            end = token.at + len(token.text)
            self.position += 1
        if end == first.at:
            raise self.error("a dimension")
        with self.at(first.at):
            return parse_dimension(self.source.text[first.at : end])

    @staticmethod
    def in_dimension(token: Token) -> bool:
        """Whether the token may be part of a dimension; `%s0` is `%` and a symbol."""
        if token.kind == "value":
            return True
        return token.kind in ("number", "word") or token.text in _DIMENSION_MARKS

    def is_dictionary(self) -> bool:
        """Whether the brace at hand opens attributes, not a region."""
        return self.peek(1).kind in ("word", "string") and self.peek(2).text == "="

    def attributes(self) -> dict[str, Attribute]:
        """`{name = value, ...}`."""
        self.expect("{")
        found: dict[str, Attribute] = {}
        while not self.accept("}"):
            if found:
                self.expect(",")
            token = self.peek()
            if token.kind not in ("word", "string"):
                raise self.error("the name of an attribute")
            with self.at(token.at):
                name = json.loads(token.text) if token.kind == "string" else token.text
            self.position += 1
            if name in found:
                raise self.source.error(token.at, f"the attribute {name} is given twice")
            self.expect("=")
            found[name] = self.attribute()
        return found

    def attribute(self) -> Attribute:
        """One value."""
        token = self.peek()
        if token.kind == "string":
            with self.at(token.at):
                return str(json.loads(self.next().text))
        if token.kind == "symbol":
            return ResourceRef(self.next().text[1:])
        if token.text == "[":
            return self.sequence()
        if token.text == "dense" and self.peek(1).text == "<":
            return self.dense()
        if token.text in _WORDS:
            return _WORDS[self.next().text]
        if token.text in DTYPES:
            return self.tensor_type() if self.peek(1).text == "[" else self.dtype()
        return self.number()

    def number(self) -> Attribute:
        """Return a float, or an integer or dimension."""
        number = self.peek(1 if self.peek().text == "-" else 0)
        is_word = number.kind == "word" and number.text in ("inf", "nan")
        if is_word or (number.kind == "number" and not number.text.isdecimal()):
            return self.real()
        return self.dimension()

    def real(self) -> float:
        """Return a float, maybe with a minus; an integer will do."""
        sign = -1.0 if self.accept("-") else 1.0
        token = self.next()
        if token.text in ("inf", "nan"):
            return sign * float(token.text)
        if token.kind != "number" or len(token.text) > 400:
            self.position -= 1
            raise self.error("a number")
        return sign * float(token.text)

    def sequence(self) -> tuple[Attribute, ...]:
        """`[value, ...]`."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise self.error(f"at most {MAX_NESTING} nested tuples")
        self.expect("[")
        found: list[Attribute] = []
        while not self.accept("]"):
            if found:
                self.expect(",")
            found.append(self.attribute())
        self.nesting -= 1
        return tuple(found)

    def dense(self) -> Dense:
        """`dense<type: [value, ...]>`; a complex number is two values."""
        at = self.next().at
        self.expect("<")
        type = self.tensor_type()
        self.expect(":")
        self.expect("[")
        values: list[float] = []
        whole = type.dtype.is_integer or type.dtype.kind == "bool"
        while not self.accept("]"):
            if values:
                self.expect(",")
            if len(values) >= 2 * MAX_DENSE_ELEMENTS:
                raise self.error(f"at most {MAX_DENSE_ELEMENTS} elements")
            values.append(self.integer() if whole else self.real())
        self.expect(">")
        with self.at(at):
            return _dense(type, values)


def _dense(type: TensorType, values: list[float]) -> Dense:
    if not type.is_static:
        raise ValueError("a constant has no symbolic dimension")
    dtype = type.dtype
    if dtype.is_complex:
        array = dtype.cast(np.array(values, np.float64).view(np.complex128))
    elif dtype.is_float:
        array = dtype.cast(np.array(values, np.float64))
    else:
        bounds = (0, 1) if dtype.kind == "bool" else _bounds(dtype)
        if any(not bounds[0] <= v <= bounds[1] for v in values):
            raise ValueError(f"{dtype} holds {bounds[0]} to {bounds[1]}")
        array = np.array(values, dtype.numpy)
    if array.size != type.elements:
        raise ValueError(f"{type} has {type.elements} elements, not {array.size}")
    return Dense(type, array.reshape([int(str(d)) for d in type.shape]))


def _bounds(dtype: DType) -> tuple[int, int]:
    bits = 8 * dtype.size
    return (
        (0, 2**bits - 1) if dtype.kind == "unsigned" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )
