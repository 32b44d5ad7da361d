"""Two processes with a device each; gloo on the host carries what they send."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from sidra.integrations.distributed import create_backend

HERE = Path(__file__).parent
EXPECTED = {
    "all_reduce async": [3, 6],
    "all_reduce bfloat16": [2, 4],
    "all_reduce int64": [2, 4],
    "all_reduce average": [0.5, 4],
    "all_reduce transposed": [0, 6, 2, 8, 4, 10],
    "broadcast": [1, 5],
    "broadcast parameter": [1, 1],
    "reduce": [2, 1],
    "all_gather": [0, 1, 1, 2],
    "all_gather_single": [0, 1],
    "all_gather_single row": [[0, 1]],
    "reduce_scatter": [2],
    "reduce_scatter_single": [6],
    "gather": [7, 8],
    "scatter": [3],
    "all_to_all": [0, 10],
    "all_to_all_single": [0, 10],
    "send and receive": [10, 9],
    "batch of sends": [1],
    "objects": [0, 1],
    "host tensor": [2, 2],
    "group": [2],
}


def run_two(script: str, folder: Path, *arguments: str) -> dict:
    """Run the script as ranks 0 and 1; return what rank 0 printed."""
    settings = {"SIDRA_CHIP": "ideal", "SIDRA_FALLBACK": "silent", "SIDRA_DEVICES": "2"}
    ranks = [
        subprocess.Popen(
            [sys.executable, HERE / script, str(rank), str(folder / "rendezvous"), *arguments],
            env=os.environ | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        printed = [rank.communicate(timeout=120) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    assert [rank.returncode for rank in ranks] == [0, 0], printed
    return json.loads(printed[0][0].splitlines()[-1])


@pytest.fixture(scope="module", params=["", "sidra_gloo", "cpu:gloo,sidra:sidra_gloo"])
def found(request, tmp_path_factory):
    return run_two("collectives.py", tmp_path_factory.mktemp("ranks"), request.param)


def test_collectives_give_what_they_are_defined_to(found) -> None:
    assert {name: found[name] for name in EXPECTED} == EXPECTED


def test_bad_shapes_are_named(found) -> None:
    assert found["errors"] == {
        "all_gather_single": "all_gather: the output [3] is not 2 (ranks) times the input [1]",
        "reduce_scatter_single": "reduce_scatter: the input [3] is not 2 (ranks) times the "
        "output [1]",
        "reduce_scatter": "reduce_scatter takes one output and one input per rank (2)",
        "reduce_scatter sizes": "reduce_scatter: the output [2] differs from input 0, [1]",
        "all_gather": "ProcessGroupGloo::allgather: invalid output tensor list at index 0 "
        "(expected length 2, got 1)",
    }


def test_training_in_parallel_is_training_on_the_whole_batch(tmp_path) -> None:
    found = run_two("parallel_training.py", tmp_path)
    assert found["moved"] > 1e-2
    assert len(found["differences"]) == 5
    # Two halves are averaged where one sum is taken: rounding, times five steps.
    assert max(found["differences"].values()) < 1e-6


def test_group_of_one_needs_no_arguments(run_python) -> None:
    done = run_python(
        "import os, torch, torch.distributed as dist\n"
        "os.environ |= dict(MASTER_ADDR='127.0.0.1', MASTER_PORT='0', RANK='0', WORLD_SIZE='1')\n"
        "dist.init_process_group()\n"
        "x = torch.ones(2, device='sidra'); dist.all_reduce(x)\n"
        "print(x.tolist(), dist.get_backend_config())\n"
        "dist.destroy_process_group()",
        SIDRA_FALLBACK="silent",
    )
    assert done.stdout == "[1.0, 1.0] sidra:sidra_gloo\n", done.stderr


def test_steps_are_timed(run_python) -> None:
    code = """
import torch, torch.distributed as dist
dist.init_process_group(rank=0, world_size=1, init_method="tcp://127.0.0.1:0")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).to("sidra"))
for _ in range(12):
    model(torch.ones(3, 2, device="sidra")).sum().backward()
print(model._get_ddp_logging_data()["backward_compute_time"] > 0)
"""
    done = run_python(code, SIDRA_FALLBACK="silent")
    assert done.stdout.split() == ["True"], done.stderr
    assert "Timer" not in done.stderr  # PyTorch's word for a device that has none


def test_torch_without_gloo_is_named(monkeypatch) -> None:
    monkeypatch.setattr(dist, "is_gloo_available", lambda: False)
    with pytest.raises(RuntimeError, match="sidra_gloo needs gloo, which this build of torch"):
        create_backend(dist.HashStore(), 0, 1, torch.distributed.default_pg_timeout)
