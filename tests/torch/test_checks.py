"""Each check sees the fault that it is for: calls that go wrong on the device alone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from tests.torch import child
from tests.torch.case import Case, CpuCannot, Kind
from tests.torch.checks import (
    autocast,
    fake,
    gradients,
    inplace,
    noncontiguous,
    out,
    seeds,
    values,
    views,
    vmap,
)
from torch._subclasses.fake_tensor import FakeTensor

VECTOR = torch.arange(6.0).reshape(2, 3)


def make_case(name="add", **info):
    return Case(name, SimpleNamespace(**info), torch.float32)


def inputs(tensor=VECTOR):
    return (tensor,), {}


def wrong_if(condition):
    """A call that doubles; on the device it gives something else where `condition(input)`."""

    def call(device, args, kwargs):
        return args[0] * (3 if device == "sidra" and condition(args[0]) else 2)

    return call


def right(device, args, kwargs):
    return args[0] * 2


def findings(case):
    return [(found.check, found.verdict) for found in case.record.findings.values()]


def test_values():
    case = make_case()
    assert values.check(case, "here", wrong_if(lambda x: True), inputs()) is Kind.DEFINED
    assert findings(case) == [("values", "differs")]


def test_a_right_call_passes_every_check():
    sample = SimpleNamespace(input=VECTOR, args=(), kwargs={}, broadcasts_input=False)
    case = make_case(
        test_conjugated_samples=True,
        test_neg_view=True,
        supports_out=False,
        get_inplace=lambda: torch.Tensor.neg_,
    )
    values.check(case, "here", right, inputs())
    inplace.check(case, "here", sample, inputs(), Kind.DEFINED)
    views.check(case, "here", right, inputs(), Kind.DEFINED)
    gradients.check(case, "here", right, inputs(VECTOR.clone().requires_grad_()), Kind.DEFINED)
    autocast.check(case, "here", right, inputs())
    fake.check(case, "here", right, inputs())
    vmap.check(case, "here", right, inputs(), Kind.DEFINED)
    assert not findings(case)
    assert len(case.record.checks) == 7


def test_changed_arguments():
    def call(device, args, kwargs):
        result = args[0] * 2
        if device == "sidra":
            args[0].add_(1)
        return result

    case = make_case()
    values.check(case, "here", call, inputs())
    (finding,) = case.record.findings.values()
    assert finding.message.startswith("argument after the call: ")


def test_strides():
    def call(device, args, kwargs):
        return args[0].t().contiguous().t() if device == "sidra" else args[0].clone()

    case = make_case()
    values.check(case, "here", call, inputs())
    assert findings(case) == [("values", "strides")]


@pytest.mark.parametrize(("order", "name"), [(1, "gradients"), (2, "second gradients")])
def test_gradients(order, name):
    def call(device, args, kwargs):
        (x,) = args
        wrong = device == "sidra"
        return x**3 if not wrong else x**2 * x.detach() + (order == 2) * 0

    case = make_case()
    gradients.check(
        case, "here", call, inputs(VECTOR.clone().requires_grad_()), Kind.DEFINED, order
    )
    assert findings(case) == [(name, "differs")]


def test_noncontiguous_inputs():
    def twin():
        gaps = torch.zeros(2, 6)[:, ::2].copy_(VECTOR)
        return SimpleNamespace(input=gaps, args=(), kwargs={})

    case = make_case()
    call = wrong_if(lambda x: not x.is_contiguous())
    noncontiguous.check(case, "here", call, SimpleNamespace(noncontiguous=twin), Kind.DEFINED)
    assert findings(case) == [("non-contiguous", "differs")]


def test_in_place():
    def variant(tensor):
        return tensor.neg_().clone() if tensor.device.type == "sidra" else tensor.neg_()

    case = make_case(get_inplace=lambda: variant)
    sample = SimpleNamespace(broadcasts_input=False)
    inplace.check(case, "here", sample, inputs(), Kind.DEFINED)
    (finding,) = case.record.findings.values()
    assert finding.message == "the result is not the input"


def test_out():
    def call(device, args, kwargs):
        if device == "sidra" and kwargs:
            return args[0] * 2
        return torch.mul(args[0], 2, **kwargs)

    case = make_case(supports_out=True)
    out.check(case, "here", call, inputs(), Kind.DEFINED)
    assert findings(case) == [("out=", "differs")]
    assert case.record.checks == {"out=": 2}


def test_views():
    case = make_case(test_conjugated_samples=True, test_neg_view=True)
    case.dtype = torch.complex64
    call = wrong_if(lambda x: x.is_conj() or x.is_neg())
    views.check(case, "here", call, inputs(torch.tensor([1 + 2j])), Kind.DEFINED)
    assert findings(case) == [("conjugate view", "differs"), ("negative view", "differs")]


def test_autocast():
    case = make_case("mm")
    autocast.check(case, "here", right, inputs())
    (finding,) = case.record.findings.values()
    assert finding.message == "dtype torch.float32, autocast allows ['torch.bfloat16']"


def test_fake_tensors():
    def call(device, args, kwargs):
        wrong = device == "sidra" and isinstance(args[0], FakeTensor)
        return args[0].double() if wrong else args[0] * 2

    def differs_from_the_cpu(device, args, kwargs):
        wrong = device == "sidra" and not isinstance(args[0], FakeTensor)
        return args[0].double() if wrong else args[0] * 2

    case = make_case()
    fake.check(case, "here", call, inputs())
    assert not case.record.findings  # the device gives what the CPU gives
    fake.check(case, "here", differs_from_the_cpu, inputs())
    (finding,) = case.record.findings.values()
    assert finding.message == "dtype torch.float32, torch.float64 of the real result"


def test_vmap():
    case = make_case()
    call = wrong_if(torch._C._functorch.is_batchedtensor)
    vmap.check(case, "here", call, inputs(), Kind.DEFINED)
    assert findings(case) == [("vmap", "differs")]


def test_seeds():
    draws = iter(range(10))

    def call(device, args, kwargs):
        return torch.full((2,), float(next(draws)), device=device)

    case = make_case()
    seeds.check(case, "here", call, inputs())
    (finding,) = case.record.findings.values()
    assert finding.message == "the same seed gives other values"


def test_random_and_uninitialised_operators_are_recognised():
    random = values.kind_of("rand", lambda device, args, kwargs: torch.rand(9), inputs())
    assert random is Kind.RANDOM
    assert values.kind_of("new_empty", right, inputs()) is Kind.UNINITIALISED
    assert values.kind_of("mul", right, inputs()) is Kind.DEFINED


def test_the_cpu_raising_is_not_the_fault_of_the_device():
    with pytest.raises(CpuCannot, match="ZeroDivisionError"):
        values.check(make_case(), "here", lambda device, args, kwargs: 1 / 0, inputs())


def test_memory_that_is_still_held(monkeypatch):
    held = []
    monkeypatch.setitem(
        child.CHECKS, "operators", lambda case: held.append(torch.ones(4, device="sidra"))
    )
    case = make_case()
    child.run_pair(case, "operators")
    (finding,) = case.record.findings.values()
    assert finding.verdict == "leak"
    assert finding.message.endswith("bytes are still held")


def test_copies_on_coherent_memory(monkeypatch):
    line = {"operator": "aten::x", "place": "host", "calls": 1, "copied_bytes": 8}
    monkeypatch.setattr("sidra._C.ledger_entries", lambda: [line])
    coherent, strict = make_case(), make_case()
    strict.strict = True
    for case in (coherent, strict):
        with case.watching("values", "here"):
            pass
        assert case.record.places == {"host, staged": 1}
    assert [found.message for found in coherent.record.findings.values()] == ["aten::x 8 bytes"]
    assert not strict.record.findings
