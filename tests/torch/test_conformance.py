"""A part of the conformance run, small enough for every change: few samples, two types.

One run serves all tests of this file; it looks at the chunks that were selected and no others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.torch.chunks import CHUNKS, Chunk
from tests.torch.known import KNOWN
from tests.torch.run import failure_lines, is_failure

ROOT = Path(__file__).parents[2]
# By database: the types, and how many samples of each entry.
PARTS = {
    "operators": ("float32,int64", 2),
    "modules": ("float32", 2),
    "optimizers": ("float32", 0),
    "foreach": ("float32", 2),
}


@pytest.fixture(scope="session")
def results(request, tmp_path_factory) -> list[dict[str, Any]]:
    """The results of every chunk that this session tests."""
    folder = tmp_path_factory.mktemp("conformance")
    chunks = [item.callspec.params["chunk"] for item in request.session.items if _is_ours(item)]
    return [
        result
        for database in PARTS
        if (patterns := [c.pattern for c in chunks if c.database == database])
        for result in _run(database, patterns, folder / f"{database}.json")
    ]


def _is_ours(item: pytest.Item) -> bool:
    return getattr(item, "originalname", "") == "test_device_agrees_with_the_cpu"


def _run(database: str, patterns: list[str], path: Path) -> Iterator[dict[str, Any]]:
    types, samples = PARTS[database]
    names = "|".join(f"^(?:{pattern})" for pattern in patterns)
    command = [sys.executable, "-m", "tests.torch.run", "--db", database, "--ops", names]
    command += ["--dtypes", types, "--samples", str(samples), "--json", str(path), "--quiet"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIDRA_")}
    done = subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True)
    assert path.exists(), done.stdout + done.stderr
    yield from json.loads(path.read_text(encoding="utf-8"))["results"]


@pytest.mark.parametrize("chunk", CHUNKS, ids=lambda chunk: chunk.title)
def test_device_agrees_with_the_cpu(chunk: Chunk, results: list[dict[str, Any]]) -> None:
    mine = [result for result in results if chunk.holds(result["database"], result["name"])]
    assert mine, "no pair was run"
    known = {name for database, name in KNOWN if chunk.holds(database, name)}
    failed = [result for result in mine if is_failure(result)]
    new = [failure_lines(result) for result in failed if result["name"] not in known]
    assert not new, "\n" + "\n".join(new)
    repaired = known - {result["name"] for result in failed}
    assert not repaired, "no longer a fault: take it out of known.py"
