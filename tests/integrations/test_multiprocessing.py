"""Device tensors in queues, and loaders with workers. Children are processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

# The parent must not use the device before it forks; so each case is a program.
PROGRAM = """
import os, sys, torch, torch.multiprocessing as mp
torch.set_num_threads(1)

def echo(inbox, outbox):
    received = inbox.get()
    try:
        a, b = received
        a.data[0] = 7
        outbox.put((str(b.device), b.tolist(), type(a).__name__))
    except Exception as error:
        outbox.put(f"{type(error).__name__}: {error}")
    if inbox.get() == "answer":
        outbox.put(torch.ones(2, device="sidra"))
        inbox.get()

if __name__ == "__main__":
    method, device = sys.argv[1:]
    context = mp.get_context(method)
    inbox, outbox = context.SimpleQueue(), context.SimpleQueue()
    child = context.Process(target=echo, args=(inbox, outbox))
    child.start()
    base = torch.arange(4.0, device=device)
    inbox.put((torch.nn.Parameter(base[:2]), base) if method == "spawn" else (base[:2], base))
    print(outbox.get(), base.tolist())
    inbox.put("answer")
    print(outbox.get().device)
    inbox.put("end")
    child.join()
    print(child.exitcode)
"""


@pytest.fixture
def run_program(tmp_path):
    def run(*arguments: str, **environ: str) -> list[str]:
        script = tmp_path / "program.py"
        script.write_text(PROGRAM)
        done = subprocess.run(
            [sys.executable, script, *arguments],
            env=os.environ | {"SIDRA_FALLBACK": "silent"} | environ,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_forked_child_of_a_parent_without_device_receives_and_sends(run_program) -> None:
    assert run_program("fork", "sidra") == [
        "('sidra:0', [7.0, 1.0, 2.0, 3.0], 'Tensor') [0.0, 1.0, 2.0, 3.0]",
        "sidra:0",
        "0",
    ]


def test_device_index_travels(run_program) -> None:
    received, *_ = run_program("fork", "sidra:1", SIDRA_DEVICES="2")
    assert received.startswith("('sidra:1', [7.0")


def test_spawned_child_receives_and_sends(run_program) -> None:
    assert run_program("spawn", "sidra") == [
        "('sidra:0', [7.0, 1.0, 2.0, 3.0], 'Parameter') [0.0, 1.0, 2.0, 3.0]",
        "sidra:0",
        "0",
    ]


def test_storage_of_the_host_is_reduced_as_ever() -> None:
    from multiprocessing.reduction import ForkingPickler

    tensor = torch.arange(3.0)
    copy = ForkingPickler.loads(ForkingPickler.dumps(tensor))
    copy[0] = 5
    assert tensor[0] == 5  # shared memory


def test_loader_with_workers_pins_and_its_batches_reach_the_device() -> None:
    data = TensorDataset(torch.arange(8.0).view(8, 1))
    loader = DataLoader(data, batch_size=4, num_workers=1, pin_memory=True)
    batches = [batch for (batch,) in loader]
    assert [batch.is_pinned() for batch in batches] == [True, True]
    moved = [batch.to("sidra", non_blocking=True) for batch in batches]
    assert torch.cat(moved).flatten().tolist() == list(range(8))
