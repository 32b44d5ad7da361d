"""Where calls ran and what they copied, from the ledger of the device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.torch.record import Record

PLACES = ("crossbar", "compute engine", "host, in place", "host, staged")

# The checks that say where an operator runs; the others add fills, copies and backward formulas.
COUNTED = {"values", "in-place of lists", "module", "optimizer"}


@contextmanager
def watching(record: Record, check: str, where: str, *, strict: bool) -> Iterator[None]:
    """Add the places of the block's calls to `record`; on coherent memory a copy is a fault."""
    from sidra import _C

    _C.ledger_reset()
    yield
    lines = [line for line in _C.ledger_entries() if line["calls"] > 0]
    for line in lines:
        place = place_of(line, strict)
        if place and check in COUNTED:
            record.places[place] = record.places.get(place, 0) + line["calls"]
    copied = {line["operator"]: line.get("copied_bytes", 0) for line in lines}
    guilty = {name: amount for name, amount in copied.items() if amount}
    if guilty and not strict:
        what = ", ".join(f"{name} {amount} bytes" for name, amount in sorted(guilty.items()))
        record.add("copies", "copies", f"{check}, {where}", what)


def place_of(line: dict[str, Any], strict: bool) -> str | None:
    """Return one of PLACES for a line of the ledger; None for lines that are no operator's."""
    if line["operator"].startswith("sidra::"):
        return None
    if line["place"] != "host":
        return str(line["place"]).replace("_", " ")
    return PLACES[3] if strict or line.get("copied_bytes", 0) else PLACES[2]
