"""BERT-base, eager, on sidra:0 under torch.profiler: its chip time against sidra.report()'s.

Random weights from the config, batch 1, no_grad. Two forwards are profiled: the first, which
programs the weights, and one with the weights resident. Also says what a profile costs the host.

    python bench/profiler.py --trace bert.json
"""

from __future__ import annotations

import argparse
import sys
import time

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile
from transformers import BertConfig, BertModel

import sidra

BOTH = [ProfilerActivity.CPU, ProfilerActivity.SIDRA]


def chip_seconds(profiled: profile) -> float:
    """Sum of the chip events' durations."""
    events = [event for event in profiled.events() if event.device_type == DeviceType.PrivateUse1]
    micros = (event.time_range.elapsed_us() for event in events if not event.is_user_annotation)
    return sum(micros) * 1e-6


def compare(name: str, model: BertModel, ids: torch.Tensor, trace: str | None) -> float:
    """Profile one forward; print and return how far the two sums are apart, as a fraction."""
    with sidra.recording() as recorded, profile(activities=BOTH) as profiled:
        model(ids)
    if trace:
        profiled.export_chrome_trace(trace)
        print(f"trace of the {name} forward: {trace}")
    measured, booked = chip_seconds(profiled), recorded.report.totals().chip_seconds
    apart = abs(measured - booked) / booked
    print(f"{name}: profiler {measured:.9f} s, report {booked:.9f} s, apart {apart:.2e}")
    return apart


def host_seconds(model: BertModel, ids: torch.Tensor, profiled: bool) -> float:
    """Best of five forwards; collecting and reading the profile is not in it."""
    best = float("inf")
    for _ in range(5):
        run = profile(activities=BOTH)
        if profiled:
            run.start()
        start = time.perf_counter()
        model(ids)
        best = min(best, time.perf_counter() - start)
        if profiled:
            run.stop()
    return best


def main() -> int:
    """Exit status 1 when the sums are further apart than --bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--trace", help="write the second forward's Chrome trace here")
    parser.add_argument("--bar", type=float, default=0.01, help="greatest fraction apart")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    model = BertModel(BertConfig(num_hidden_layers=arguments.layers)).eval().to("sidra:0")
    ids = torch.randint(0, 30000, (1, arguments.tokens)).to("sidra:0")
    with torch.no_grad():
        apart = [
            compare("programming", model, ids, None),
            compare("resident", model, ids, arguments.trace),
        ]
        without, within = (host_seconds(model, ids, profiled) for profiled in (False, True))
    print(f"host seconds of a forward: {without:.4f}, in a profile {within:.4f}")
    return int(max(apart) > arguments.bar)


if __name__ == "__main__":
    sys.exit(main())
