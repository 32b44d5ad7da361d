"""torch.accelerator on this device."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest
import torch


def test_sidra_is_the_accelerator(device) -> None:
    assert torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator(check_available=True) == torch.device("sidra")
    assert torch.accelerator.device_count() == device.device_count()
    assert torch.device(0) == torch.device("sidra:0")
    assert torch.get_device_module() is device


def test_streams_go_through(device) -> None:
    stream = torch.Stream("sidra")
    before = torch.accelerator.current_stream()
    torch.accelerator.set_stream(stream)
    assert device.current_stream() == stream
    torch.accelerator.set_stream(before)
    torch.accelerator.synchronize()
    assert stream.query()


def test_capability_leaves_out_what_has_no_operators(device) -> None:
    dtypes = torch.accelerator.get_device_capability()["supported_dtypes"]
    assert {torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.complex64} <= dtypes
    assert not {torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.bits8} & dtypes


def test_device_index_context(device) -> None:
    with torch.accelerator.device_index(0):
        assert torch.accelerator.current_device_index() == 0
    with torch.accelerator.device_index(None):
        assert torch.accelerator.current_device_index() == 0


def test_generic_objects(device) -> None:
    event = torch.Event("sidra", enable_timing=True)
    stream = torch.Stream("sidra")
    event.record(stream)
    event.synchronize()
    stream.wait_event(event)
    stream.wait_stream(torch.accelerator.current_stream())
    assert event.query()
    assert stream.native_handle != 0


# A call of each function; `_` and names that are not functions of its own are left out below.
CALLS = {
    "accelerator": {
        "current_accelerator": "(check_available=True)",
        "current_device_idx": "()",
        "current_device_index": "()",
        "current_stream": "()",
        "device_count": "()",
        "device_index": "(0).__enter__()",
        "empty_cache": "()",
        "empty_host_cache": "()",
        "get_device_capability": "()",
        "get_memory_info": "()",
        "is_available": "()",
        "max_memory_allocated": "()",
        "max_memory_reserved": "()",
        "memory_allocated": "()",
        "memory_reserved": "()",
        "memory_stats": "()",
        "reset_accumulated_memory_stats": "()",
        "reset_peak_memory_stats": "()",
        "set_device_idx": "(0)",
        "set_device_index": "(0)",
        "set_stream": "(torch.Stream('sidra'))",
        "synchronize": "()",
        "Graph": "()",
    },
    "accelerator.memory": {
        "_snapshot": "()",
        "empty_cache": "()",
        "empty_host_cache": "()",
        "get_memory_info": "()",
        "max_memory_allocated": "()",
        "max_memory_reserved": "()",
        "memory_allocated": "()",
        "memory_reserved": "()",
        "memory_stats": "()",
        "reset_accumulated_memory_stats": "()",
        "reset_peak_memory_stats": "()",
    },
    "accelerator.graphs": {"Graph": "()"},
}
NO_GRAPH = "RuntimeError: Graph is not supported on device type: sidra"

# Prints what each of the calls gives, each first thing in a process of its own: fork is cheap.
EACH_IN_A_CHILD = """
import os, sys, torch
for call in sys.stdin.read().split("\\n"):
    sys.stdout.flush()
    if os.fork() == 0:
        try:
            text = repr(eval(call))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
        print(call, "->", text.replace("\\n", " "), flush=True)
        os._exit(0)
    _, status = os.wait()
    if status:
        print(call, "-> died with", status)
"""


def all_calls() -> list[str]:
    return [f"torch.{m}.{name}{how}" for m, calls in CALLS.items() for name, how in calls.items()]


def results(environ: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIDRA_")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", EACH_IN_A_CHILD],
        input="\n".join(all_calls()),
        env=kept | environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return dict(line.split(" -> ", 1) for line in done.stdout.splitlines())


def test_no_function_is_forgotten() -> None:
    for name, calls in CALLS.items():
        module = importlib.import_module(f"torch.{name}")
        public = {n for n in dir(module) if not n.startswith("_") and callable(getattr(module, n))}
        imported = {"Any", "Literal", "OrderedDict", "Self", "cache", "deprecated"}
        assert public - imported == {n for n in calls if not n.startswith("_")}


def test_every_function_works_first_thing_in_a_process() -> None:
    found = results({})
    assert found.keys() == set(all_calls())
    wrong = {call for call, text in found.items() if "Error" in text or "died" in text}
    assert {found[call] for call in wrong} == {NO_GRAPH}
    assert wrong == {call for call in found if "Graph" in call}


@pytest.mark.parametrize("environ", [{"SIDRA_DRIVER": "/missing.so"}])
def test_without_a_device_the_reason_is_given(environ: dict[str, str]) -> None:
    found = results(environ)
    assert found.keys() == set(all_calls())
    assert found["torch.accelerator.is_available()"] == "False"
    assert found["torch.accelerator.device_count()"] == "0"
    assert found["torch.accelerator.memory_allocated()"] == "0"
    for call, text in found.items():
        if "Error" in text and text != NO_GRAPH:
            assert text.startswith("DriverError: there is no sidra driver '/missing.so'"), call
    assert not [text for text in found.values() if "died" in text]


def test_idle_devices_have_figures_too(printed) -> None:
    code = """
import torch
torch.ones(1, device="sidra:0")
memory = torch.accelerator.memory
print(memory.memory_allocated(1), memory.max_memory_reserved("sidra:1"))
print(memory.memory_stats(1)["allocated_bytes.all.peak"], memory.get_memory_info(1)[0] > 0)
memory.reset_peak_memory_stats(1)
torch.accelerator.synchronize(1)
print(torch.accelerator.current_stream(1).device)
"""
    expected = ["0 0", "0 True", "sidra:1"]
    assert printed(code, SIDRA_DEVICES="2").splitlines() == expected
