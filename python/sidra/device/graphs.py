"""Graphs of recorded commands: the device records none, and every way to ask for one says so."""

from __future__ import annotations

from typing import Any, NoReturn

from sidra.errors import UnsupportedOperator

_REASON = "sidra records no graphs of commands; run eagerly or use torch.compile"


def is_current_stream_capturing() -> bool:
    """Return whether commands are being recorded instead of run: never."""
    return False


def graph(*arguments: Any, **options: Any) -> NoReturn:
    """Raise UnsupportedOperator: nothing can be recorded."""
    raise UnsupportedOperator(_REASON)


def make_graphed_callables(*arguments: Any, **options: Any) -> NoReturn:
    """Raise UnsupportedOperator: nothing can be recorded."""
    raise UnsupportedOperator(_REASON)


def graph_pool_handle() -> NoReturn:
    """Raise UnsupportedOperator: there are no graphs whose memory could be shared."""
    raise UnsupportedOperator(_REASON)
