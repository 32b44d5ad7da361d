"""A process that forks: as with CUDA, the child may not use a device that the parent has used."""

from __future__ import annotations

FORK = """
import os, sys, torch
s = torch.sidra
{before}
sys.stdout.flush()
child = os.fork()
if child == 0:
    try:
        {inside}
    except Exception as error:
        print(type(error).__name__, error)
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
{after}
"""
REFUSED = (
    "RuntimeError Cannot re-initialize sidra in forked subprocess. To use sidra with "
    "multiprocessing, you must use the 'spawn' start method"
)
ASKED = "s.is_available(), s.device_count(), s.get_device_name(), torch.manual_seed(1)"
USED = "x = torch.ones(2, device='sidra')"


def test_child_of_a_user_is_refused(printed) -> None:
    for use in ("torch.ones(2, device='sidra')", "x + x", "s.synchronize()", "s.init()"):
        code = FORK.format(before=USED, inside=use, after="print((x + x).cpu().tolist())")
        assert printed(code).splitlines() == [REFUSED, "[2.0, 2.0]"], use


def test_child_of_a_user_knows_it(printed) -> None:
    code = FORK.format(
        before=USED,
        inside="print(s._is_in_bad_fork(), s.is_initialized(), s.is_available(), s.device_count())",
        after="print(s._is_in_bad_fork(), s.is_initialized())",
    )
    assert printed(code).splitlines() == ["True False True 1", "False True"]


def test_child_of_a_user_may_seed_and_let_go(printed) -> None:
    code = FORK.format(
        before=USED + "; y = torch.ones(2).pin_memory()",
        inside="torch.manual_seed(3); del x, y; import gc; gc.collect(); print('fine')",
        after="print(y.is_pinned())",
    )
    assert printed(code).splitlines() == ["fine", "True"]


def test_child_of_one_who_asked_may_use_the_device(printed) -> None:
    code = FORK.format(
        before=ASKED,
        inside="print((torch.ones(2, device='sidra') * 3).cpu().tolist(), s._is_in_bad_fork())",
        after="print((torch.ones(2, device='sidra') * 4).cpu().tolist())",
    )
    assert printed(code).splitlines() == ["[3.0, 3.0] False", "[4.0, 4.0]"]


def test_spawned_child_of_a_user_may_use_the_device(printed, tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""
import torch
import torch.multiprocessing as mp
def child(rank):
    print((torch.ones(2, device="sidra") * (rank + 3)).cpu().tolist(), flush=True)
if __name__ == "__main__":
    torch.ones(2, device="sidra")
    mp.spawn(child, nprocs=1)
""")
    code = f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
    assert printed(code) == "[3.0, 3.0]"


def test_forking_loader_works_beside_the_device(printed) -> None:
    code = """
import torch
x = torch.ones(2, device="sidra")
data = torch.utils.data.TensorDataset(torch.arange(8.0))
loader = torch.utils.data.DataLoader(data, batch_size=2, num_workers=2, pin_memory=True,
                                     multiprocessing_context="fork")
print(sum((batch.to("sidra") * x).sum().item() for (batch,) in loader))
"""
    assert printed(code) == "28.0"
