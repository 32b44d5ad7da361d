from __future__ import annotations

import torch


def test_import_of_torch_does_not_import_dynamo(run_python) -> None:
    done = run_python("import sys, torch; print('torch._dynamo' in sys.modules)")
    assert done.stdout == "False\n"


def test_interface_is_there_with_dynamo_whichever_comes_first(run_python) -> None:
    ask = (
        "from torch._dynamo.device_interface import get_interface_for_device as ask; "
        "print(ask('sidra').device_count(), ask('sidra:1').__name__, ask('sidra').is_available())"
    )
    for first, autoload in (("", "1"), ("import torch._dynamo, sidra_pytorch; ", "0")):
        done = run_python(
            f"import torch; {first}{ask}", SIDRA_DEVICES="2", TORCH_DEVICE_BACKEND_AUTOLOAD=autoload
        )
        assert (done.stdout, done.stderr) == ("2 SidraInterface True\n", "")


def test_interface_switches_devices_and_streams() -> None:
    from torch._dynamo.device_interface import get_interface_for_device

    interface = get_interface_for_device("sidra")
    assert interface.exchange_device(0) == torch.sidra.current_device()
    stream = torch.sidra.Stream()
    before = torch.sidra.current_stream()
    interface._set_stream_by_id(stream.stream_id, stream.device_index, stream.device_type)
    try:
        assert torch.sidra.current_stream() == stream
        assert interface.get_raw_stream(0) == stream.stream_id
    finally:
        interface.set_stream(before)


def test_compiled_function_gives_what_eager_gives() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) + torch.ones(4, device=x.device)

    x = torch.randn(4, device="sidra")
    for backend in ("eager", "aot_eager"):
        compiled = torch.compile(function, backend=backend, fullgraph=True)
        torch.testing.assert_close(compiled(x), function(x))
