"""Chip events: their times, their operators, their tracks."""

from __future__ import annotations

import itertools
import threading

import pytest
import torch
from profiles import BOTH, average, chip_events, seconds, trace_of
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile, record_function

import sidra


@pytest.fixture
def layer(device) -> torch.nn.Linear:
    torch.manual_seed(0)
    layer = torch.nn.Linear(300, 200).to("sidra")
    layer(torch.ones(1, 300, device="sidra"))  # programs the weight
    return layer


@pytest.fixture
def x(device) -> torch.Tensor:
    return torch.ones(4, 300, device="sidra")


def test_chip_events_belong_to_their_operator(layer, x) -> None:
    with profile(activities=BOTH) as profiled:
        layer(x)
    (event,) = chip_events(profiled)
    assert event.name == "aten::addmm (crossbar)"
    assert event.device_type == DeviceType.PrivateUse1
    assert (event.device_index, event.device_resource_id) == (0, 0)
    row = average(profiled, "aten::addmm")
    assert row.self_device_time_total == row.device_time_total == event.device_time_total > 0
    assert average(profiled, "aten::linear").device_time_total == row.device_time_total
    assert average(profiled, "aten::linear").self_device_time_total == 0


def test_table_shows_the_device_columns(layer, x) -> None:
    with profile(activities=BOTH) as profiled:
        layer(x)
    table = profiled.key_averages().table(sort_by="self_device_time_total")
    assert "Self SIDRA" in table
    assert "Self SIDRA time total" in table


def test_durations_shorter_than_a_nanosecond_sum_to_the_report(printed) -> None:
    code = """
import torch
import sidra
from torch.profiler import profile, ProfilerActivity
y = torch.ones(64, device="sidra")
with sidra.recording() as recorded, profile(activities=[ProfilerActivity.SIDRA]) as profiled:
    for _ in range(200):
        y.fill_(1)
chip = [e for e in profiled.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1]
seconds = sum(e.time_range.elapsed_us() for e in chip) * 1e-6
total = recorded.report.totals()
print(len(chip) == total.calls, total.chip_seconds / total.calls < 1e-9,
      abs(seconds - total.chip_seconds) < 1e-9 < total.chip_seconds)
"""
    assert printed(code) == "True True True"


def test_durations_of_a_training_step_sum_to_the_report(device) -> None:
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 96), torch.nn.LayerNorm(96), torch.nn.GELU(), torch.nn.Linear(96, 8)
    ).to("sidra")
    optimizer = torch.optim.AdamW(model.parameters())
    with sidra.recording() as recorded, profile(activities=BOTH) as profiled:
        model(torch.randn(16, 64).to("sidra")).square().mean().backward()
        optimizer.step()
    assert seconds(chip_events(profiled)) == pytest.approx(
        recorded.report.totals().chip_seconds, abs=1e-9
    )


def test_events_of_a_stream_follow_each_other(layer, x) -> None:
    with profile(activities=BOTH) as profiled:
        for _ in range(20):
            layer(x.relu())
    events = chip_events(profiled)
    for before, after in itertools.pairwise(events):
        assert after.time_range.start >= before.time_range.end


def test_event_starts_no_earlier_than_its_operator(layer, x) -> None:
    with profile(activities=BOTH) as profiled:
        layer(x)
    (event,) = chip_events(profiled)
    (operator,) = [event for event in profiled.events() if event.name == "aten::addmm"]
    assert event.time_range.start >= operator.time_range.start


def test_each_stream_has_its_track(device, layer, x) -> None:
    first, second = device.Stream(), device.Stream()
    with profile(activities=BOTH) as profiled:
        for stream in (first, second):
            with device.stream(stream):
                layer(x)
    tracks = [event.device_resource_id for event in chip_events(profiled)]
    assert tracks == [first.stream_id, second.stream_id]


def test_stream_that_waits_starts_after_the_event(device, layer, x) -> None:
    """Programming takes the chip long after the host has gone on."""
    busy, waiting = device.Stream(), device.Stream()
    with profile(activities=BOTH) as profiled:
        with device.stream(busy):
            torch.nn.functional.linear(x, torch.ones(200, 300).to("sidra"))
            mark = busy.record_event()
        with device.stream(waiting):
            waiting.wait_event(mark)
            layer(x)
    by_track = {event.device_resource_id: event.time_range for event in chip_events(profiled)}
    assert by_track[waiting.stream_id].start >= by_track[busy.stream_id].end


def test_devices_are_told_apart(printed) -> None:
    code = """
import torch
from torch.profiler import profile, ProfilerActivity
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.SIDRA]) as profiled:
    for name in ("sidra:0", "sidra:1"):
        torch.ones(8, device=name).add_(1)
chip = [e for e in profiled.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1]
print([e.device_index for e in chip if "add" in e.name])
"""
    assert printed(code, SIDRA_DEVICES="2") == "[0, 1]"


def test_backward_thread_is_correlated(layer, x) -> None:
    with profile(activities=BOTH) as profiled:
        layer(x).sum().backward()
    row = average(profiled, "AddmmBackward0")
    assert row.device_time_total > 0
    (submitted,) = [
        event.thread
        for event in profiled.events()
        if event.name == "aten::mm" and event.device_time_total > 0
    ]
    (forward,) = [event.thread for event in profiled.events() if event.name == "aten::linear"]
    assert submitted != forward


def test_other_threads_commands_are_there_without_an_operator(layer, x) -> None:
    """As on other devices: operators are those of the profiled thread, the chip has no threads."""
    stop = threading.Event()
    started = threading.Event()

    def work() -> None:
        while not stop.is_set():
            x.relu()
            started.set()

    thread = threading.Thread(target=work)
    with sidra.recording() as recorded, profile(activities=BOTH) as profiled:
        thread.start()
        started.wait()
        for _ in range(50):
            layer(x)
        stop.set()
        thread.join()
    events = chip_events(profiled)
    assert seconds(events) == pytest.approx(recorded.report.totals().chip_seconds, abs=1e-9)
    linked = {event.name for event in events if event.linked_correlation_id > 0}
    unlinked = {event.name for event in events if event.linked_correlation_id == 0}
    assert linked == {"aten::addmm (crossbar)"}
    assert "aten::relu (compute_engine)" in unlinked
    assert not linked & unlinked


def test_chip_alone_can_be_profiled(layer, x) -> None:
    with profile(activities=[ProfilerActivity.SIDRA]) as profiled:
        layer(x)
    (event,) = chip_events(profiled)
    assert event.linked_correlation_id == 0


def test_cpu_alone_records_no_chip_events(layer, x) -> None:
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        layer(x)
    assert chip_events(profiled) == []


def test_memory_is_reported_with_the_device(device) -> None:
    with profile(activities=BOTH, profile_memory=True) as profiled:
        kept = torch.empty(1 << 20, dtype=torch.uint8, device="sidra")
    assert kept.numel() == average(profiled, "aten::empty").self_device_memory_usage == 1 << 20
    assert average(profiled, "aten::empty").self_cpu_memory_usage == 0


def test_trace_says_place_energy_and_bytes(layer, x, tmp_path) -> None:
    with sidra.recording() as recorded, profile(activities=BOTH) as profiled:
        layer(x).relu().cpu()
        torch.linalg.det(torch.eye(3, device="sidra"))
    commands = [
        event
        for event in trace_of(profiled, tmp_path)
        if event.get("cat") in ("kernel", "gpu_memcpy")
    ]
    places = {event["name"]: event["args"]["place"] for event in commands}
    assert places["aten::addmm (crossbar)"] == "crossbar"
    assert places["aten::relu (compute_engine)"] == "compute_engine"
    assert places["sidra::copy_to_host (link)"] == "link"
    (fallback,) = [event for event in commands if event["name"] == "aten::_linalg_det (host)"]
    assert fallback["args"]["place"] == "host"
    assert fallback["args"]["fallback"] == "no chip implementation"
    totals = recorded.report.totals()
    for name in ("chip_seconds", "joules", "datasheet_joules"):
        assert sum(event["args"][name] for event in commands) == pytest.approx(
            getattr(totals, name), rel=1e-12
        )
    assert sum(event["args"].get("bytes", 0) for event in commands) == totals.bytes_moved


def test_trace_joins_submission_and_command_by_an_arrow(layer, x, tmp_path) -> None:
    with profile(activities=BOTH) as profiled:
        layer(x)
    events = trace_of(profiled, tmp_path)
    (command,) = [event for event in events if event.get("cat") == "kernel"]
    (submission,) = [event for event in events if event.get("cat") == "privateuse1_runtime"]
    arrow = {event["ph"]: event for event in events if event.get("cat") == "ac2g"}
    assert submission["name"] == "sidra::submit"
    assert submission["args"]["correlation"] == command["args"]["correlation"] == arrow["s"]["id"]
    assert arrow["f"]["id"] == arrow["s"]["id"]
    assert (arrow["s"]["pid"], arrow["s"]["tid"]) == (submission["pid"], submission["tid"])
    assert (arrow["f"]["pid"], arrow["f"]["tid"]) == (command["pid"], command["tid"]) == (0, 0)
    (operator,) = [event for event in events if event.get("name") == "aten::addmm"]
    assert command["args"]["External id"] == operator["args"]["External id"]


def test_trace_names_the_tracks(layer, x, tmp_path) -> None:
    with profile(activities=BOTH) as profiled:
        layer(x)
    named = [event for event in trace_of(profiled, tmp_path) if event["ph"] == "M"]
    ours = [event["args"] for event in named if event["pid"] == 0]
    assert {"name": "stream 0 (chip time)"} in ours
    assert [value["labels"] for value in ours if "labels" in value][-1] == "sidra:0 (chip time)"


def test_range_encloses_its_commands(layer, x) -> None:
    with profile(activities=BOTH) as profiled, record_function("block"):
        layer(x)
        layer(x)
    (block,) = [
        event
        for event in profiled.events()
        if event.name == "block" and event.device_type == DeviceType.PrivateUse1
    ]
    events = chip_events(profiled)
    assert len(events) == 2
    assert block.time_range.start == min(event.time_range.start for event in events)
    assert block.time_range.end == max(event.time_range.end for event in events)
    total = average_of_operator(profiled, "block").device_time_total
    assert total == pytest.approx(seconds(events) * 1e6)


def average_of_operator(profiled, name: str):
    (row,) = [
        row
        for row in profiled.key_averages()
        if row.key == name and row.device_type == DeviceType.CPU
    ]
    return row


def test_durations_of_bert_sum_to_the_report(device) -> None:
    """The commands of a real model, from nanoseconds to milliseconds (programming)."""
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128
    )
    model = BertModel(config).eval().to("sidra")
    ids = torch.randint(0, 30000, (1, 128)).to("sidra")
    with torch.no_grad(), sidra.recording() as recorded, profile(activities=BOTH) as profiled:
        model(ids)
    chip_seconds = recorded.report.totals().chip_seconds
    assert seconds(chip_events(profiled)) == pytest.approx(chip_seconds, abs=1e-9)
    rows = [row for row in profiled.key_averages() if row.device_type == DeviceType.CPU]
    by_operator = sum(row.self_device_time_total for row in rows) * 1e-6
    assert by_operator == pytest.approx(chip_seconds, rel=1e-6)


def test_compiled_code_is_in_the_profile(printed) -> None:
    code = """
import torch
import sidra
from torch.profiler import profile, ProfilerActivity
compiled = torch.compile(lambda y: (y * 2 + 1).relu())
y = torch.ones(64, device="sidra")
compiled(y)
with sidra.recording() as recorded, profile(activities=[ProfilerActivity.SIDRA]) as profiled:
    compiled(y)
chip = [e for e in profiled.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1]
print(len(chip) == recorded.report.totals().calls,
      [row.reason for row in recorded.report.rows if row.reason])
"""
    assert printed(code) == "True ['compiled for the host by Inductor']"
