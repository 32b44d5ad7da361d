"""The life of one child process: all checks of one pair, then the look at its memory."""

from __future__ import annotations

import gc
import json
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from tests.torch.case import Case
from tests.torch.databases import Pair
from tests.torch.foreach import check_foreach
from tests.torch.modules import check_module
from tests.torch.operators import check_operator
from tests.torch.optimizers import check_optimizer

# A backward may return before its thread has released the last tensors.
SETTLING_SECONDS = 1.0

CHECKS = {
    "operators": check_operator,
    "modules": check_module,
    "optimizers": check_optimizer,
    "foreach": check_foreach,
}


def run_pair(case: Case, database: str) -> None:
    """Run the checks, and see that the device holds no more memory than before."""
    before = _allocated(case.device)
    CHECKS[database](case)
    after = _settled(case.device, before)
    if after != before:
        case.record.add("memory", "leak", "at the end", f"{after - before} bytes are still held")


def report(pair: Pair, info: Any, options: dict[str, Any], path: Path) -> None:
    """Check one pair and leave its result as JSON at `path`."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    started = time.monotonic()
    case = Case(pair.name, info, getattr(torch, pair.dtype), **options)
    run_pair(case, pair.database)
    result = case.record.to_dict() | {"seconds": round(time.monotonic() - started, 3)}
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(result), encoding="utf-8")
    partial.rename(path)


def _settled(device: str, wanted: int) -> int:
    """Bytes that are held once autograd's threads have let go of what they last worked on."""
    limit = time.monotonic() + SETTLING_SECONDS
    while (held := _allocated(device)) != wanted and time.monotonic() < limit:
        time.sleep(0.01)
    return held


def _allocated(device: str) -> int:
    """Bytes that tensors hold; opens the device."""
    if device != "sidra":
        return 0
    torch.empty(1, device=device)
    gc.collect()
    return int(torch.sidra.memory_allocated())
