"""Resident set of BERT-base on sidra:0, over that of a bare `import torch`.

Each figure is that of a child process of its own, after a forward pass, garbage collection and
malloc_trim. The bar is float32 weights + 1.3 x int8 weights + 150 MB: int8 is one byte for each
weight of a linear layer, the ones that occupy crossbars.

transformers imports scipy wherever it finds it, which this project needs for its tests alone: the
children hide it.

    python bench/memory.py
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

SETTLE = """
def settle():
    import ctypes, gc, json, re
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    status = open("/proc/self/status").read()
    return int(re.search(r"VmRSS:\\s+(\\d+) kB", status).group(1)) * 1024
"""

BARE = SETTLE + "import torch, json\nprint(json.dumps({'resident': settle()}))"
LIBRARY = SETTLE + (
    "import torch, json, sys\nsys.modules['scipy'] = None\n"
    "from transformers import BertConfig, BertModel\n"
    "print(json.dumps({'resident': settle()}))"
)
MODEL = (
    SETTLE
    + """
import json, sys, torch
sys.modules["scipy"] = None
from transformers import BertConfig, BertModel
torch.manual_seed(0)
if BUILT_ON_DEVICE:
    with torch.device("sidra:0"):
        model = BertModel(BertConfig()).eval()
else:
    model = BertModel(BertConfig()).eval().to("sidra:0")
ids = torch.arange(128).reshape(1, 128).to("sidra:0")
with torch.no_grad():
    model(ids).last_hidden_state.cpu()
torch.sidra.synchronize()
linear = sum(m.weight.numel() for m in model.modules() if isinstance(m, torch.nn.Linear))
total = sum(p.numel() for p in model.parameters())
print(json.dumps({"resident": settle(), "float32": 4 * total, "int8": linear}))
"""
)


def child(code: str) -> dict[str, Any]:
    """Run `code` in a new process and return what it printed last."""
    done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def measure() -> dict[str, Any]:
    """Return resident bytes over a bare import, for both ways of making the model, and the bar."""
    bare = child(BARE)["resident"]
    moved = child("BUILT_ON_DEVICE = False\n" + MODEL)
    built = child("BUILT_ON_DEVICE = True\n" + MODEL)
    return {
        "bare_import_bytes": bare,
        "library_bytes": child(LIBRARY)["resident"] - bare,
        "moved_bytes": moved["resident"] - bare,
        "built_on_device_bytes": built["resident"] - bare,
        "float32_bytes": moved["float32"],
        "int8_bytes": moved["int8"],
        "bar_bytes": moved["float32"] + int(1.3 * moved["int8"]) + 150_000_000,
    }


def main() -> int:
    """Print the figures; with --check, exit status 1 when one is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    row = measure()
    if arguments.json:
        print(json.dumps(row, indent=2))
    else:
        print("resident set over a bare `import torch`, MB:")
        for name in ("moved", "built_on_device", "bar"):
            print(f"{row[name + '_bytes'] / 1e6:8.0f}  {name.replace('_', ' ')}")
        print(
            f"the bar: float32 {row['float32_bytes'] / 1e6:.0f} + 1.3 x int8 "
            f"{row['int8_bytes'] / 1e6:.0f} + 150; importing transformers alone takes "
            f"{row['library_bytes'] / 1e6:.0f}"
        )
    above = max(row["moved_bytes"], row["built_on_device_bytes"]) > row["bar_bytes"]
    return int(arguments.check and above)


if __name__ == "__main__":
    sys.exit(main())
