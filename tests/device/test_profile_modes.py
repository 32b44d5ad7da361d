"""The ways there are to start, stop and read a profile."""

from __future__ import annotations

import json
import warnings

import pytest
import torch
from profiles import BOTH, average, chip_events, seconds
from torch.autograd.profiler import profile as autograd_profile
from torch.profiler import profile, schedule

import sidra


@pytest.fixture
def layer(device) -> torch.nn.Linear:
    torch.manual_seed(0)
    return torch.nn.Linear(256, 256).to("sidra")


@pytest.fixture
def x(device) -> torch.Tensor:
    return torch.ones(4, 256, device="sidra")


def test_activities_default_to_all_there_are(layer, x) -> None:
    with profile() as profiled:
        layer(x)
    assert chip_events(profiled)


def test_schedule_records_only_active_steps(layer, x) -> None:
    layer(x)
    counts = []
    with (
        warnings.catch_warnings(),
        profile(
            activities=BOTH,
            schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
            on_trace_ready=lambda profiled: counts.append(len(chip_events(profiled))),
        ) as profiled,
    ):
        warnings.simplefilter("ignore")  # that events are cleared with each cycle
        for _ in range(8):
            layer(x)
            profiled.step()
    assert counts == [2, 2]


def test_shapes_and_stacks_are_recorded(layer, x) -> None:
    verbose = torch._C._profiler._ExperimentalConfig(verbose=True)  # stacks in Python too
    with profile(
        activities=BOTH, record_shapes=True, with_stack=True, experimental_config=verbose
    ) as profiled:
        layer(x)
    rows = profiled.key_averages(group_by_input_shape=True)
    (row,) = [row for row in rows if row.key == "aten::addmm"]
    assert row.input_shapes[:3] == [[256], [4, 256], [256, 256]]
    assert row.device_time_total > 0
    rows = profiled.key_averages(group_by_stack_n=5)
    assert any("test_shapes_and_stacks" in line for row in rows for line in row.stack)


def test_profile_ends_with_an_exception(layer, x) -> None:
    def broken() -> None:
        layer(x)
        raise KeyError("x")

    with pytest.raises(KeyError), profile(activities=BOTH) as cut_short:
        broken()
    assert chip_events(cut_short)
    with profile(activities=BOTH) as after:
        layer(x)
    assert [event.name for event in chip_events(after)] == ["aten::addmm (crossbar)"]


def test_profiles_one_after_the_other_share_nothing(layer, x) -> None:
    layer(x)
    for _ in range(3):
        with sidra.recording() as recorded, profile(activities=BOTH) as profiled:
            layer(x)
        assert len(chip_events(profiled)) == recorded.report.totals().calls == 1


def test_profile_inside_a_profile_breaks_nothing(printed) -> None:
    """PyTorch has one profile at a time; what the outer one then holds is its business."""
    code = """
import torch
from torch.profiler import profile, ProfilerActivity
both = [ProfilerActivity.CPU, ProfilerActivity.SIDRA]
x = torch.ones(8, device="sidra")
try:
    with profile(activities=both):
        with profile(activities=both):
            x.add_(1)
        x.add_(1)
except RuntimeError:
    pass
with profile(activities=both) as after:
    x.add_(1)
chip = [e for e in after.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1]
print([e.name for e in chip])
"""
    assert printed(code) == "['aten::add (compute_engine)']"


def test_profile_started_and_stopped_by_hand(layer, x) -> None:
    profiled = profile(activities=BOTH)
    profiled.start()
    layer(x)
    profiled.stop()
    layer(x)
    names = [event.name for event in chip_events(profiled)]
    assert names == ["sidra::program_weight (crossbar)", "aten::addmm (crossbar)"]


def test_profile_opens_no_device(printed) -> None:
    code = """
import torch
from torch.profiler import profile, ProfilerActivity
for start in (
    lambda: profile(activities=[ProfilerActivity.CPU, ProfilerActivity.SIDRA]),
    lambda: torch.autograd.profiler.profile(use_device="sidra", use_kineto=True),
    lambda: torch.autograd.profiler.profile(use_device="sidra", use_kineto=False),
):
    with start():
        torch.ones(2) + 1
print(torch.sidra.is_initialized())
"""
    assert printed(code) == "False"


def test_autograd_profile_with_kineto(layer, x) -> None:
    with sidra.recording() as recorded, autograd_profile(use_device="sidra", use_kineto=True) as p:
        layer(x)
    events = [event for event in p.function_events if event.name.endswith("(crossbar)")]
    assert seconds(events) == pytest.approx(recorded.report.totals().chip_seconds, abs=1e-9)


def test_autograd_profile_without_kineto_marks_operators(layer, x) -> None:
    """Events at both ends of each operator; PyTorch cuts their distance to whole microseconds."""
    with sidra.recording() as recorded, autograd_profile(use_device="sidra") as p:
        layer(x)
    row = average(p, "aten::addmm")
    micros = recorded.report.totals().chip_seconds * 1e6
    assert micros > 10  # the weight is programmed
    assert row.self_device_time_total == pytest.approx(micros, abs=1)
    assert average(p, "aten::linear").device_time_total == row.device_time_total


def test_autograd_profile_without_kineto_waits_for_its_marks(late) -> None:
    """On a driver whose events are never over before somebody waits."""
    code = """
import torch
x = torch.ones(4, device="sidra")
with torch.autograd.profiler.profile(use_device="sidra") as p:
    x.add_(1)
print([e.device_time_total >= 1e6 for e in p.key_averages() if e.key == "aten::add_"])
"""
    assert late(code) == "[True]"


def test_events_in_python_carry_what_the_trace_says(layer, x) -> None:
    config = torch._C._profiler._ExperimentalConfig(expose_kineto_event_metadata=True)
    with profile(activities=BOTH, experimental_config=config) as profiled:
        layer(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of metadata_json, which says the same
        event = json.loads("{" + chip_events(profiled)[-1].metadata_json + "}")
    assert event["place"] == "crossbar"
    assert event["joules"] > 0


def test_emitting_ranges_is_refused() -> None:
    config = torch._C._profiler.ProfilerConfig(
        torch._C._profiler.ProfilerState.PRIVATEUSE1,
        *(False,) * 5,
        torch._C._profiler._ExperimentalConfig(),
    )
    with pytest.raises(RuntimeError, match="ranges for an outside tool, and sidra has none"):
        torch._C._autograd._enable_profiler(config, {BOTH[0]})


def test_emit_nvtx_says_that_it_is_cudas() -> None:
    with pytest.raises(AssertionError, match="CUDA"), torch.autograd.profiler.emit_nvtx():
        pass
