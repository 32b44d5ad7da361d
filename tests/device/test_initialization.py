from __future__ import annotations


def test_first_tensor_initialises(printed) -> None:
    code = "import torch; torch.empty(1, device='sidra'); print(torch.sidra.is_initialized())"
    assert printed(code) == "True"


def test_first_stream_and_generator(printed) -> None:
    code = (
        "import torch; torch.sidra.Stream().synchronize(); print(torch.sidra.is_initialized(),"
        "torch.Generator('sidra').device)"
    )
    assert printed(code) == "True sidra:0"


def test_init_may_be_called_again(device) -> None:
    device.init()
    device._lazy_init()
    assert device.is_initialized()
    assert not device._is_in_bad_fork()


def test_without_a_driver_every_use_raises_the_reason(printed) -> None:
    code = """
import torch
s = torch.sidra
for use in (lambda: torch.ones(2, device="sidra"), s.init, s.Stream, s.mem_get_info,
            lambda: torch.Generator("sidra"), lambda: torch.ones(1).sidra(),
            s.get_device_properties):
    try:
        use()
    except Exception as error:
        print(type(error).__name__, str(error).split(";")[0])
print(torch.sidra.is_available(), torch.sidra.device_count(), torch.accelerator.device_count())
"""
    *raised, last = printed(code, SIDRA_DRIVER="/nowhere.so").splitlines()
    assert raised == ["DriverError there is no sidra driver '/nowhere.so'"] * 7
    assert last == "False 0 0"
