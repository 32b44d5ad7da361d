"""Events: marks in streams. Their times are chip time, not host time."""

from __future__ import annotations

from typing import Any

import torch

from sidra import _C
from sidra.device._utils import DEVICE_TYPE


class Event(torch.Event):
    """A mark in a stream, made by `record`.

    `elapsed_time(end)` is chip time in milliseconds: what the chip, real or simulated, needs for
    the commands between two events, whatever the host took. It needs `enable_timing=True` on both.
    `blocking` and `interprocess` have no effect.
    """

    _has_timing: bool

    def __new__(
        cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> Event:
        """Make an event that is not recorded yet; the driver's half comes with `record`."""
        event = super().__new__(
            cls,
            DEVICE_TYPE,
            enable_timing=enable_timing,
            blocking=blocking,
            interprocess=interprocess,
        )
        event._has_timing = bool(enable_timing)
        return event

    def record(self, stream: torch.Stream | None = None) -> None:
        """Mark where `stream` (default: the current one) has got to. Again: the mark moves."""
        super().record(_stream_or_current(stream))

    def wait(self, stream: torch.Stream | None = None) -> None:
        """Make later work of `stream` (default: the current one) start after this event."""
        super().wait(_stream_or_current(stream))

    def elapsed_time(self, end_event: torch.Event) -> float:
        """Return the chip time from this event to `end_event` in milliseconds.

        Raises ValueError when either has no timing or was not recorded, RuntimeError while either
        is still under way.
        """
        if not isinstance(end_event, Event):
            return super().elapsed_time(end_event)
        # torch's own takes no event of a derived class as the end.
        if not (self._has_timing and end_event._has_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        return float(_C.event_elapsed_milliseconds(self.event_id, end_event.event_id))

    def __repr__(self) -> str:
        state = "recorded" if self.event_id else "not recorded"
        return f"<torch.sidra.Event {state}>"


def _stream_or_current(stream: torch.Stream | None) -> Any:
    from sidra.device.streams import current_stream

    return current_stream() if stream is None else stream
