"""What the device adds to `import torch`: child processes with and without it, in turn.

python bench/import_time.py
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from typing import Any

CODE = "import time; start = time.perf_counter(); import torch; print(time.perf_counter() - start)"


def import_seconds(autoload: str) -> float:
    """Seconds of `import torch` in a new process."""
    environ = os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": autoload}
    done = subprocess.run(
        [sys.executable, "-c", CODE], check=True, stdout=subprocess.PIPE, env=environ
    )
    return float(done.stdout)


def measure(repeats: int) -> dict[str, Any]:
    """Return the medians, and the median of the differences."""
    import_seconds("1")  # fills the caches of the file system
    pairs = [(import_seconds("0"), import_seconds("1")) for _ in range(repeats)]
    return {
        "bare_seconds": statistics.median(bare for bare, _ in pairs),
        "with_device_seconds": statistics.median(full for _, full in pairs),
        "added_seconds": statistics.median(full - bare for bare, full in pairs),
    }


def main() -> int:
    """Print the times; exit status 1 when what is added is above --bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--bar", type=float, help="greatest addition allowed, in seconds")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    row = measure(arguments.repeats)
    if arguments.json:
        print(json.dumps(row, indent=2))
    else:
        print(
            f"import torch: {row['bare_seconds'] * 1e3:.0f} ms; the device adds "
            f"{row['added_seconds'] * 1e3:.0f} ms"
        )
    return int(arguments.bar is not None and row["added_seconds"] > arguments.bar)


if __name__ == "__main__":
    sys.exit(main())
