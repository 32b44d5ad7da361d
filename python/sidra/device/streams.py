"""Streams: ordered queues of commands, each with a clock that runs in chip time."""

from __future__ import annotations

from typing import Any

import torch

from sidra import _C
from sidra.device._utils import DEVICE_TYPE, _get_device_index
from sidra.device.devices import Device
from sidra.device.events import Event


class Stream(torch.Stream):
    """A queue of commands of one device, one of a pool of 32 for each priority.

    `priority` 0 or -1; -1 goes first, and numbers beyond are the nearest of the two.
    """

    def __new__(cls, device: Device = None, priority: int = 0, **identity: int) -> Stream:
        """Take the next stream of the pool.

        `identity` is stream_id, device_index and device_type of one that exists.
        """
        if identity:
            return super().__new__(cls, priority=priority, **identity)
        index = _C.check_device(_get_device_index(device, optional=True))
        return super().__new__(cls, torch.device(DEVICE_TYPE, index), priority=priority)

    @property
    def chip_seconds(self) -> float:
        """Chip time at which the last finished command ends; streams of a device share zero."""
        return float(_C.stream_chip_seconds(self.stream_id, self.device_index))

    @property
    def priority(self) -> int:
        """0, or -1 for a stream that goes first."""
        return int(_C.stream_priority(self.stream_id, self.device_index))

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Return the lowest and the highest priority."""
        return 0, -1

    def record_event(self, event: torch.Event | None = None) -> torch.Event:
        """Record `event`, or a new one, in this stream and return it."""
        if event is None:
            event = Event()
        event.record(self)
        return event

    def wait_event(self, event: torch.Event) -> None:
        """Make later work of this stream start after `event`."""
        event.wait(self)

    def wait_stream(self, stream: torch.Stream) -> None:
        """Make later work of this stream start after what `stream` has been given so far."""
        self.wait_event(stream.record_event())

    def __repr__(self) -> str:
        return f"<torch.sidra.Stream device={self.device} stream_id={self.stream_id}>"


class StreamContext:
    """Context in which a stream is current, and its device too. None changes nothing."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self._previous: Stream | None = None
        self._previous_there: Stream | None = None  # on the stream's device, when it is another

    def __enter__(self) -> None:
        if self.stream is None:
            return
        self._previous = current_stream()
        if self._previous.device != self.stream.device:
            self._previous_there = current_stream(self.stream.device)
        set_stream(self.stream)

    def __exit__(self, *exception: object) -> None:
        if self._previous is None:
            return
        if self._previous_there is not None:
            set_stream(self._previous_there)
        set_stream(self._previous)


def stream(stream: torch.Stream | None) -> StreamContext:
    """Return a context in which `stream` is current."""
    return StreamContext(stream)


def current_stream(device: Device = None) -> Stream:
    """Return this thread's current stream of `device` (default: the current one)."""
    return _wrap(_C.current_stream(_get_device_index(device, optional=True)))


def default_stream(device: Device = None) -> Stream:
    """Return the stream of `device` that is current until another one is set."""
    return _wrap(_C.default_stream(_get_device_index(device, optional=True)))


def set_stream(stream: torch.Stream | None) -> None:
    """Make `stream` current for its device, and its device current. None changes nothing."""
    if stream is not None:
        _C.set_stream(stream.stream_id, stream.device_index)


def _wrap(parts: tuple[int, int, int]) -> Stream:
    stream_id, device_index, device_type = parts
    identity: dict[str, Any] = {
        "stream_id": stream_id,
        "device_index": device_index,
        "device_type": device_type,
    }
    return Stream(**identity)
