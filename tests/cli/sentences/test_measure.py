from __future__ import annotations

from sidra.cli.sentences import measure


def test_actions_take_turns_and_warmups_do_not_count() -> None:
    calls: list[str] = []
    best = measure.best_host_seconds(
        [lambda: calls.append("a"), lambda: calls.append("b")], repeats=2, warmups=1
    )
    assert calls == ["a", "b"] * 3
    assert all(0 < seconds < 1 for seconds in best)
