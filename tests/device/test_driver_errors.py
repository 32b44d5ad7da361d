"""A driver that cannot be used: each cause has its own sentence, and torch stays usable."""

from __future__ import annotations

import pytest

OPEN = """
import torch
from sidra import _C
assert not torch.sidra.is_available() and torch.ones(2).sum() == 2
try:
    torch.ones(2, device="sidra")
except Exception as error:
    print(type(error).__name__ + ":", error)
"""
PATH = "the path of a driver library"


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("SYMBOL", "is not a sidra driver: it does not export sidra_driver_get; set SIDRA_DRIVER"),
        ("TABLE", "has no function table for driver ABI 1; use a driver built for ABI 1"),
        ("MAJOR", "speaks driver ABI 2.0, which this sidra does not; rebuild it against driver.h"),
        ("LENGTH", "has a function table of 64 bytes where "),
        ("ENTRY", "leaves function 2 of its table NULL; every function of ABI 1.0 must be there"),
    ],
)
def test_broken_library(printed, make_driver, broken: str, said: str) -> None:
    path = make_driver(broken)
    text = printed(OPEN, SIDRA_DRIVER=path)
    assert text.startswith("DriverError: ")
    assert f"'{path}'" in text
    assert said in text
    assert "\n" not in text


def test_missing_name_lists_what_is_installed(printed) -> None:
    text = printed(OPEN, SIDRA_DRIVER="nonesuch")
    assert text.startswith("DriverError: there is no sidra driver '/")
    assert "libsidra_driver_nonesuch.so'; set SIDRA_DRIVER to one of (" in text
    assert "sim" in text.split("one of (")[1]
    assert text.endswith(PATH)


def test_missing_path(printed) -> None:
    text = printed(OPEN, SIDRA_DRIVER="./nowhere/driver.so")
    assert text.startswith("DriverError: there is no sidra driver './nowhere/driver.so'; set")


def test_file_that_is_no_library(printed, tmp_path) -> None:
    path = tmp_path / "driver.so"
    path.write_text("not a library")
    text = printed(OPEN, SIDRA_DRIVER=str(path))
    assert text.startswith(f"DriverError: sidra driver '{path}' cannot be loaded (")
    assert text.endswith(PATH)


def test_refused_configuration_gives_the_drivers_reason(printed, make_driver) -> None:
    code = f"""
import torch
from sidra import _C
_C.configure({make_driver()!r}, "colour=red")
print(torch.sidra.is_available(), _C.driver_error())
"""
    available, text = printed(code).split(" ", 1)
    assert available == "False"
    assert "refused its configuration: unknown key 'colour' (SIDRA_STATUS_INVALID_ARGUMENT)" in text
    assert text.endswith("check SIDRA_CHIP and SIDRA_DEVICES")


def test_no_devices(printed, make_driver) -> None:
    code = f"""
import torch
from sidra import _C
_C.configure({make_driver()!r}, "devices=0")
print(torch.sidra.is_available(), _C.driver_error())
"""
    text = printed(code)
    assert text.startswith("False sidra driver '")
    assert text.endswith("offers 0 devices; set SIDRA_DEVICES to 1 to 64")


def test_another_driver_may_be_configured_after_a_failure(printed, make_driver) -> None:
    code = f"""
import torch
from sidra import _C
_C.configure("nonesuch", "")
before = torch.sidra.is_available()
_C.configure({make_driver()!r}, "")
print(before, torch.sidra.is_available(), _C.driver_error() == "", _C.driver_info()["name"])
"""
    assert printed(code) == "False True True late"


def test_open_driver_is_not_exchanged(printed, make_driver) -> None:
    code = f"""
import torch
from sidra import _C
_C.configure({make_driver()!r}, "")
torch.sidra.init()
_C.configure({make_driver()!r}, "")
try:
    _C.configure("sim", "")
except Exception as error:
    print(type(error).__name__, error)
"""
    text = printed(code)
    assert text.startswith("DriverError sidra driver '")
    assert "is in use and cannot be exchanged for 'sim'; configure it before the first use" in text


def test_driver_info_and_description(printed, make_driver) -> None:
    code = "from sidra import plugin; c = plugin.open_device(); i = c.driver_info();"
    late = code + "print(i['name'], i['version'], i['abi'], i['path'], c.driver_describe())"
    assert printed(late, SIDRA_DRIVER=make_driver()) == f"late 1.2.3 1.0 {make_driver()} {{}}"
    sim = code + "import json; print(i['name'], bool(json.loads(c.driver_describe())['isa']))"
    assert printed(sim) == "sim True"


def test_failed_call_carries_the_drivers_text_and_status(late) -> None:
    code = """
import torch
try:
    torch.nn.functional.linear(torch.ones(2, 2, device="sidra"), torch.ones(2, 2, device="sidra"))
except Exception as error:
    print(type(error).__name__, error)
"""
    text = late(code)
    assert text.startswith("CapacityError ")
    assert text.endswith("there are no crossbars (SIDRA_STATUS_OUT_OF_CROSSBARS)")
