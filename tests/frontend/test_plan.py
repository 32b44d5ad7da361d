"""Plans of the native module: what they refuse, and that they come back the same."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from sidra import _C

F32 = torch.float32


def view(kind, index, sizes, offset=0):
    strides = list(torch.empty(sizes, device="meta").stride())
    return (kind, index, offset), F32, sizes, strides


X = view("input", 0, [2, 3])


def plan(arena=0, inputs=()):
    torch.empty(1, device="sidra")
    return _C.Plan(0, arena, [(list(sizes), F32) for sizes in inputs])


def test_calls_reach_operators_with_lists_and_numbers():
    made = plan(inputs=[(2, 3), (2, 3)])
    slot = made.add_slot()
    tensors = [(0, 0, view("input", 0, [2, 3])), (0, 1, view("input", 1, [2, 3]))]
    made.add_call("aten::cat", "", [[None, None], 1], tensors, [slot])
    made.set_results([view("slot", slot, [2, 6])])
    x, y = torch.randn(2, 3).to("sidra"), torch.randn(2, 3).to("sidra")
    for _ in range(2):
        (got,) = made.run([x, y])
        assert torch.equal(got, torch.cat([x, y], 1))


def test_products_are_eagers_bits():
    made = plan(inputs=[(5, 300), (7, 300), (7,)])
    out = made.add_output(([5, 7], F32))
    views = [view("input", i, s) for i, s in enumerate(([5, 300], [7, 300], [7]))]
    made.add_mvm(*views, view("output", out, [5, 7]), True)
    made.set_results([view("output", out, [5, 7])])
    x, w, b = (torch.randn(s).to("sidra") for s in ((5, 300), (7, 300), (7,)))
    (got,) = made.run([x, w, b])
    assert torch.equal(got, torch.relu(torch.nn.functional.linear(x, w, b)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("arena", 0, 64), "outside its buffer"),
        (("output", 3, 0), "outside its buffer"),
        (("slot", 0, 0), "outside its buffer"),
        (("input", -1, 0), "outside its buffer"),
        (("input", 0, -4), "outside its buffer"),
        (("arena", 0, 2**62), "outside its buffer"),
        (("moon", 0, 0), "no buffer of the kind moon; use input"),
    ],
)
def test_places_are_checked_when_a_plan_is_built(wrong, message):
    made = plan(arena=80, inputs=[(2, 3)])
    with pytest.raises((RuntimeError, ValueError), match=message):
        made.set_results([(wrong, F32, [2, 3], [3, 1])])


def test_inputs_are_checked():
    made = plan(inputs=[(2, 3)])
    made.set_results([view("input", 0, [2, 3])])
    with pytest.raises(RuntimeError, match="a dense tensor"):
        made.run([torch.empty(1, 3, device="sidra").expand(2, 3)])
    with pytest.raises(RuntimeError, match="takes 1 tensors, not 2"):
        made.run([torch.empty(2, 3, device="sidra")] * 2)
    with pytest.raises(RuntimeError, match=r"as input 0 a dense tensor Float\[2, 3\]"):
        made.run([torch.empty(3, 2, device="sidra")])
    with pytest.raises(RuntimeError, match="on cpu"):
        made.run([torch.empty(2, 3)])
    with pytest.raises(RuntimeError, match="not Double"):
        made.run([torch.empty(2, 3, device="sidra", dtype=torch.float64)])


def test_a_call_with_a_wrong_number_of_arguments_is_refused():
    with pytest.raises(ValueError, match="aten::relu takes 1 arguments, not 2"):
        plan().add_call("aten::relu", "", [None, 1], [], [])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda p: p.add_kernel("k", 0, [], [], 1, 1, [0, 0, 0, 0]), "the address of its code"),
        (lambda p: p.add_kernel("k", 8, [], [], 1, 1, [0]), "four counts of work: k"),
        (lambda p: p.add_call("aten::relu", "", [None], [], [3]), "has no slot 3"),
        (
            lambda p: p.add_call(
                "aten::relu", "", [None], [(4, None, view("input", 0, [2, 3]))], []
            ),
            "has no argument 4",
        ),
        (
            lambda p: p.add_attention(X, X, X, None, None, False, False, 0),
            "has no slot 0",
        ),
        (
            lambda p: p.add_mvm(
                *[view("input", 0, [2, 3])] * 2, None, view("input", 0, [2, 3]), False
            ),
            r"takes vectors \[M, K\], a weight \[N, K\]",
        ),
        (lambda p: p.set_results([(("input", 0, 0), F32, [2, 3], [-3, 1])]), "outside its buffer"),
    ],
)
def test_steps_are_checked_when_a_plan_is_built(build, message):
    with pytest.raises((RuntimeError, ValueError), match=message):
        build(plan(inputs=[(2, 3)]))


def test_a_negative_arena_is_refused():
    with pytest.raises(ValueError, match="an arena of -1 bytes"):
        plan(arena=-1)


def test_memory_that_the_host_cannot_reach_is_refused():
    code = (
        "import os; os.environ['SIDRA_STRICT_MEMORY'] = '1'\n"
        "import torch\nfrom sidra import _C\n"
        "try: _C.Plan(0, 0, [])\n"
        "except NotImplementedError as e: print(e)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cannot be reached on this driver; use torch.compile(backend='aot_eager')" in done.stdout
