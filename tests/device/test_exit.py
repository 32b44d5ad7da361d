"""The end of a process, with everything still alive."""

from __future__ import annotations

import pytest

ALIVE = {
    "tensors": "x = torch.ones(1000, device='sidra'); y = [x + i for i in range(10)]",
    "a model": "m = torch.nn.Linear(8, 8).to('sidra'); z = m(torch.ones(2, 8, device='sidra'))",
    "streams": "s = torch.sidra.Stream(); e = s.record_event(); torch.sidra.set_stream(s)",
    "a generator": "g = torch.Generator('sidra'); torch.rand(2, device='sidra', generator=g)",
    "pinned memory": "p = torch.ones(100).pin_memory(); q = p.to('sidra', non_blocking=True)",
    "a cycle": "class C: pass\nc = C(); c.self = c; c.x = torch.ones(9, device='sidra')",
    "a builtin": "import builtins; builtins.x = torch.ones(9, device='sidra')",
    "nothing": "pass",
}


@pytest.mark.parametrize("alive", ALIVE.values(), ids=ALIVE.keys())
def test_exit_is_clean(run_python, alive: str) -> None:
    done = run_python("import torch\n" + alive + "\nprint('end')", SIDRA_FALLBACK="silent")
    assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 0)


def test_exit_right_after_backward(run_python) -> None:
    code = """
import torch
for device in ("sidra:0", "sidra:1"):
    x = torch.randn(3, 4, device=device, requires_grad=True)
    x.topk(2).values.sum().backward()
"""
    for _ in range(6):
        done = run_python(code, SIDRA_FALLBACK="silent", SIDRA_DEVICES="2")
        assert (done.stderr, done.returncode) == ("", 0)


def test_exit_from_a_thread_that_holds_tensors(run_python) -> None:
    # The thread is asleep nearly always: where an operator returns while Python ends, PyTorch takes
    # the GIL in a destructor and aborts, on every device.
    code = """
import threading, time, torch
def work():
    x = torch.ones(100, device="sidra")
    while True:
        x = x * 1
        time.sleep(0.02)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
"""
    done = run_python(code, SIDRA_FALLBACK="silent")
    assert (done.stderr, done.returncode) == ("", 0)
