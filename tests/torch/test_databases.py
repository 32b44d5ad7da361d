"""The lists are complete, and so are the chunks that the tests are made of."""

from __future__ import annotations

import json

import pytest
from tests.torch.chunks import CHUNKS

LIST = """
import json
from tests.torch.databases import DATABASES, entries, pairs
print(json.dumps({
    "names": {database: list(entries(database)) for database in DATABASES},
    "chosen": [str(pair) for pair in pairs(["operators"], "^(add|abs)$", ["int8", "float32"])],
    "unwanted": [str(pair) for pair in pairs(["operators"], "^add$", ["qint8"])],
}))
"""


@pytest.fixture(scope="module")
def lists():
    """What databases.py says, in a process of its own: PyTorch's lists change global settings."""
    import subprocess
    import sys
    from pathlib import Path

    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", LIST], cwd=root, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_every_entry_of_pytorch_is_there(lists):
    counts = {database: len(names) for database, names in lists["names"].items()}
    assert counts == {"operators": 702, "modules": 114, "optimizers": 15, "foreach": 48}


def test_pairs_are_chosen_by_name_and_type(lists):
    assert lists["chosen"] == ["abs [float32]", "abs [int8]", "add [float32]", "add [int8]"]
    assert lists["unwanted"] == []


def test_every_name_is_in_one_chunk(lists):
    lost = {
        name: [chunk.title for chunk in CHUNKS if chunk.holds(database, name)]
        for database, names in lists["names"].items()
        for name in names
        if sum(chunk.holds(database, name) for chunk in CHUNKS) != 1
    }
    assert not lost
