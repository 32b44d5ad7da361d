"""Ranges in a profile, by the names that torch.cuda.nvtx gives them.

A range is a user annotation of torch.profiler: it lies on the track of its thread, and again on the
track of each stream, above the commands that were submitted inside it. Without a profile it costs a
few microseconds and does nothing. `torch.sidra.nvtx` is this module under the name of the other.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from torch.autograd.profiler import record_function

__all__ = ["mark", "range", "range_pop", "range_push"]


class _Pushed(threading.local):
    def __init__(self) -> None:
        self.ranges: list[record_function] = []


_pushed = _Pushed()


@contextmanager
def range(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    """Name what runs inside the block `msg.format(*args, **kwargs)`; also a decorator."""
    with record_function(msg.format(*args, **kwargs) if args or kwargs else msg):
        yield


def range_push(msg: str) -> int:
    """Open a range inside those that this thread has pushed; return how many lie around it."""
    opened = record_function(msg)
    opened.__enter__()
    _pushed.ranges.append(opened)
    return len(_pushed.ranges) - 1


def range_pop() -> int:
    """Close the range that this thread pushed last; return how many lay around it.

    RuntimeError when none is open.
    """
    if not _pushed.ranges:
        raise RuntimeError(
            "torch.sidra.profiler.range_pop: this thread has no open range; range_push opens one"
        )
    _pushed.ranges.pop().__exit__(None, None, None)
    return len(_pushed.ranges)


def mark(msg: str) -> None:
    """Put a moment called `msg` on the track of this thread."""
    with record_function(msg):
        pass
