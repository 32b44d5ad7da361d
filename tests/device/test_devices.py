from __future__ import annotations

import threading

import pytest
import torch

TWO = {"SIDRA_DEVICES": "2"}


def test_asking_does_not_initialise(printed) -> None:
    code = (
        "import torch; s = torch.sidra; s.is_available(); s.device_count(); s.get_device_name();"
        "s.get_device_properties(); s.current_device(); torch.manual_seed(0); print("
        "s.is_initialized())"
    )
    assert printed(code) == "False"


def test_device_count_follows_the_setting(printed) -> None:
    code = "import torch; print(torch.sidra.device_count(), torch.accelerator.device_count())"
    assert printed(code, SIDRA_DEVICES="3") == "3 3"


@pytest.mark.parametrize(
    "use",
    [
        "torch.ones(2, device='sidra:5')",
        "torch.empty(0, device='sidra:5')",
        "torch.randn(2).to('sidra:5')",
        "torch.sidra.set_device(5)",
        "torch.sidra.device(5).__enter__()",
        "torch.sidra.synchronize(5)",
        "torch.sidra.Stream(5)",
        "torch.sidra.current_stream('sidra:5')",
        "torch.sidra.get_device_properties(5)",
        "torch.sidra.get_rng_state(5)",
        "torch.sidra.mem_get_info(5)",
        "torch.sidra.memory_summary(5)",
        "torch.Generator('sidra:5')",
        "torch.accelerator.set_device_index(5)",
        "torch.sidra.can_device_access_peer(0, 5)",
    ],
)
def test_missing_device_is_refused_everywhere(device, use: str) -> None:
    with pytest.raises(RuntimeError, match=r"sidra error: invalid device ordinal 5: this process"):
        exec(use, {"torch": torch})


def test_missing_device_text_says_what_there_is(printed) -> None:
    code = "import torch\ntry: torch.sidra.set_device(1000)\nexcept RuntimeError as e: print(e)"
    text = "sidra error: invalid device ordinal 1000: this process has "
    end = "; SIDRA_DEVICES sets how many are offered"
    assert printed(code) == text + "1 device, sidra:0" + end
    assert printed(code, **TWO) == text + "2 devices, sidra:0 to sidra:1" + end


def test_contexts_set_and_restore_the_device(printed) -> None:
    code = """
import torch
s = torch.sidra
seen = [s.current_device()]
with s.device(1):
    seen.append(torch.ones(1, device="sidra").device.index)
    with s.device("sidra:0"):
        seen.append(s.current_device())
    with s.device(torch.device("sidra")), s.device(-1):
        seen.append(s.current_device())
    x = torch.ones(1, device="sidra:0")
    with s.device_of(x), s.device_of(torch.ones(1)):
        seen.append(torch.accelerator.current_device_index())
seen.append(s.current_device())
print(seen)
"""
    assert printed(code, **TWO) == "[0, 1, 0, 1, 0, 0]"


def test_second_device_works_in_factories_and_copies(printed) -> None:
    code = """
import torch
x = torch.arange(3.0, device="sidra:1")
made = [torch.ones_like(x), x.to("sidra:0"), x.cpu().to(1), torch.nn.Linear(3, 1).to(1).weight,
        x.new_zeros(2), torch.stack([x, x]), x.to(torch.device(0)), x.clone(), x * 2]
print([t.device.index for t in made], made[1].tolist())
"""
    assert printed(code, **TWO) == "[1, 0, 1, 1, 1, 1, 0, 1, 1] [0.0, 1.0, 2.0]"


def test_backward_stays_on_the_tensors_device(printed) -> None:
    code = """
import torch
devices = set()
for f in (lambda x: x.min(1).values, lambda x: x.topk(2).values, lambda x: x.sort(1).values):
    x = torch.randn(3, 4, device="sidra:1", requires_grad=True)
    f(x).sum().backward()
    devices.add(str(x.grad.device))
print(devices, torch.sidra.current_device())
"""
    assert printed(code, **TWO) == "{'sidra:1'} 0"


def test_current_device_belongs_to_the_thread(printed) -> None:
    code = """
import threading, torch
torch.sidra.set_device(1)
seen = []
thread = threading.Thread(target=lambda: seen.append(torch.sidra.current_device()))
thread.start(); thread.join()
print(seen, torch.sidra.current_device())
"""
    assert printed(code, **TWO) == "[0] 1"


def test_set_device_ignores_a_negative_index(device) -> None:
    device.set_device(-1)
    assert device.current_device() == 0


def test_exchange_device_returns_the_previous_one(device) -> None:
    assert device._exchange_device(0) == 0
    assert device._exchange_device(-1) == -1
    assert device._maybe_exchange_device(0) == 0


def test_synchronize_before_use_and_from_threads(device, printed) -> None:
    printed("import torch; torch.sidra.synchronize(); torch.accelerator.synchronize()")
    threads = [threading.Thread(target=device.synchronize) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()


def test_peers(printed) -> None:
    code = """
import torch
peers = torch.sidra.can_device_access_peer
print(peers(0, 1), peers(1, "sidra"), peers(1, 1))
"""
    assert printed(code, **TWO) == "True True False"


@pytest.mark.parametrize(
    ("argument", "index"), [(1, 1), ("sidra:1", 1), (torch.device("cpu"), None), (2.5, None)]
)
def test_device_arguments(device, argument: object, index: int | None) -> None:
    get = device._utils._get_device_index
    if index is None:
        with pytest.raises((ValueError, TypeError), match=r"sidra device|a device is an int"):
            get(argument)
    else:
        assert get(argument) == index
    assert get(None, optional=True) == get("sidra", optional=True) == 0
    assert get("cpu", allow_cpu=True) == -1
    with pytest.raises(ValueError, match="Expected a sidra device with a specified index"):
        get("sidra")
