"""The exceptions of sidra: one tree, so that one `except` catches everything that is ours.

The text of each names the thing refused (operator, field, variable), its value or shapes, and what
would work instead.
"""

from __future__ import annotations


class SidraError(Exception):
    """Anything that sidra refuses or that fails inside it."""


class ConfigurationError(SidraError, ValueError):
    """A setting, of a chip or of the environment, has a value that it cannot have."""


class UnsupportedOperator(SidraError, NotImplementedError):
    """A PyTorch operator with these shapes and dtypes runs neither on the chip nor on the host."""


class VerifyError(SidraError):
    """IR breaks a rule of its dialect; the text shows the IR at the op."""


class PassError(SidraError):
    """A pass met IR that it must not be given; the text names the pass."""


class CapacityError(SidraError):
    """A model needs more crossbars or memory than the chip has."""


class CodegenError(SidraError):
    """Machine code or chip commands could not be made from verified IR."""


class DriverError(SidraError):
    """A driver call failed; the text is the driver's `last_error`."""


class ParseError(SidraError, ValueError):
    """IR text that cannot be read; the text has file, line, column and what was expected."""


class InferenceError(SidraError, ValueError):
    """An IR op cannot take these operand types or attributes; the text names both."""


class InterpreterError(SidraError):
    """The IR interpreter was given arrays that do not fit, or met an op without a meaning."""
