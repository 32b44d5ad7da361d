"""The table that `memory_summary` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_ROWS = (
    ("allocated_bytes", "Allocated memory"),
    ("active_bytes", "Active memory"),
    ("requested_bytes", "Requested memory"),
    ("reserved_bytes", "Reserved memory"),
    ("inactive_split_bytes", "Non-releasable memory"),
    ("allocation", "Allocations"),
    ("active", "Active blocks"),
    ("segment", "Reserved segments"),
    ("inactive_split", "Non-releasable blocks"),
)
_POOLS = (("large_pool", "  large pool"), ("small_pool", "  small pool"))
_COLUMNS = ("current", "peak", "allocated", "freed")
_NAME_WIDTH, _FIGURE_WIDTH = 23, 12


def format_memory_table(stats: Mapping[str, int], index: int, abbreviated: bool) -> str:
    """Return `stats`, the flat keys of `memory_stats`, as text of one line per figure.

    No stats at all, of a device that was never used, count as zeros.
    """
    heads = ("now", "peak", "allocated", "freed")
    lines = [
        f"Memory of sidra:{index}",
        f"Out of memory: {stats.get('num_ooms', 0)}, "
        f"emptied the cache to go on: {stats.get('num_alloc_retries', 0)}",
        _line("", heads),
        _line("-" * _NAME_WIDTH, ["-" * _FIGURE_WIDTH] * len(heads)),
    ]
    for key, name in _ROWS:
        lines.append(_row(stats, f"{key}.all", name))
        if not abbreviated:
            lines += [_row(stats, f"{key}.{pool}", label) for pool, label in _POOLS]
    return "\n".join(lines) + "\n"


def _row(stats: Mapping[str, int], prefix: str, name: str) -> str:
    is_bytes = "_bytes" in prefix
    figures = (stats.get(f"{prefix}.{column}", 0) for column in _COLUMNS)
    return _line(name, (_format(figure, is_bytes) for figure in figures))


def _line(name: str, figures: Iterator[str] | list[str] | tuple[str, ...]) -> str:
    return " | ".join([f"{name:<{_NAME_WIDTH}}", *(f"{f:>{_FIGURE_WIDTH}}" for f in figures)])


def _format(figure: int, is_bytes: bool) -> str:
    if not is_bytes:
        return f"{figure:,}"
    size = float(figure)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024:
            return f"{int(size)} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
