from __future__ import annotations

from types import ModuleType

import pytest

from sidra import plugin
from sidra.errors import DriverError

USE = "torch.ones(2, device='sidra') + 1"
ORDERS = {
    "torch": "import torch",
    "sidra, then torch": "import sidra, torch",
    "sidra_pytorch": "import sidra_pytorch, torch",
    "torch, then sidra_pytorch": "import torch, sidra_pytorch",
    "the plugin itself": "import sidra.plugin, torch",
    "by call, twice": "import sidra, torch; [sidra.register_pytorch_backend() for _ in 'ab']",
}
NO_NATIVE = "import sys; sys.modules['sidra._C'] = None; import torch; "


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
def test_device_is_there_whatever_is_imported_first(run_python, order: str) -> None:
    done = run_python(f"{order}; print(({USE}).device, torch.sidra.is_available())")
    assert (done.stdout, done.stderr) == ("sidra:0 True\n", "")


@pytest.mark.parametrize("explicit", ["sidra_pytorch", "sidra; sidra.register_pytorch_backend()"])
def test_device_without_autoload_comes_with_the_explicit_import(run_python, explicit: str) -> None:
    code = f"import torch; assert not hasattr(torch, 'sidra'); import {explicit}; print({USE})"
    done = run_python(code, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.stdout == "tensor([2., 2.], device='sidra:0')\n"
    assert done.stderr == ""


def test_importing_sidra_does_not_import_torch(run_python) -> None:
    done = run_python("import sys, sidra; sidra.report(); print('torch' in sys.modules)")
    assert done.stdout == "False\n"


def test_device_has_the_sugar_of_a_built_in_one(run_python) -> None:
    done = run_python(
        "import torch; x = torch.ones(2).sidra(); "
        "print(x.is_sidra, torch.nn.Linear(1, 1).sidra().weight.device, "
        "x.untyped_storage().is_sidra, torch.get_device_module('sidra') is torch.sidra)"
    )
    assert done.stdout == "True sidra:0 True True\n"


def test_bad_setting_leaves_torch_usable_and_is_raised_at_first_use(run_python) -> None:
    done = run_python(
        "import torch; torch.manual_seed(1)\n"
        "print(torch.sidra.is_available(), torch.sidra.device_count(), torch.ones(1).item())\n"
        f"{USE}",
        SIDRA_CHIP="y7",
    )
    assert done.stdout == "False 0 1.0\n"
    announced, *_, raised = done.stderr.splitlines()
    assert announced.startswith("sidra: the device is not available: no chip preset 'y7'; there")
    assert raised.startswith(
        "sidra.errors.DriverError: the device sidra is not available: no chip preset 'y7'; there"
    )


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("SIDRA_DRIVER", "/nowhere/driver.so", "/nowhere/driver.so"),
        ("SIDRA_DEVICES", "many", "SIDRA_DEVICES='many' is not legal; use an integer of 1 to 64"),
        ("SIDRA_ISA", "mmx", "SIDRA_ISA"),
    ],
)
def test_nonsense_in_the_environment_is_said_in_a_sentence(
    run_python, variable: str, value: str, said: str
) -> None:
    done = run_python(
        f"import torch; print(torch.sidra.is_available())\ntry: {USE}\n"
        "except Exception as error: print(str(error).splitlines()[0])",
        **{variable: value},
    )
    available, sentence = done.stdout.splitlines()
    assert available == "False"
    assert said in sentence
    assert done.stderr.count("sidra: the device is not available") <= 1


def test_missing_native_module_is_no_error_under_warnings_as_errors(run_python) -> None:
    done = run_python(NO_NATIVE + "print(torch.sidra.is_available())", "-W", "error")
    assert done.stdout == "False\n"
    assert done.stderr.count("\n") == 1
    assert "sidra._C does not load" in done.stderr


def test_missing_function_of_an_unavailable_device_says_why(run_python) -> None:
    done = run_python(NO_NATIVE + "torch.sidra.synchronize()")
    assert "AttributeError: torch.sidra has no synchronize: the device is not" in done.stderr


def test_other_holder_of_the_device_slot_is_named(run_python) -> None:
    code = (
        "import torch; torch.utils.rename_privateuse1_backend('other'); import sidra; "
        "sidra.register_pytorch_backend(); print(torch.device('other'))"
    )
    done = run_python(code, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.stdout == "other\n"
    assert "the device 'other' holds the one place" in done.stderr


def test_other_release_of_torch_is_refused() -> None:
    torch = ModuleType("torch")
    torch.__version__ = "2.14.0+cpu"  # type: ignore[attr-defined]
    with pytest.raises(DriverError, match=r"torch 2\.14\.0\+cpu is installed, .* for torch 2\.13"):
        plugin._check_torch(torch)


def test_use_chip_before_the_first_use_and_not_after(run_python) -> None:
    done = run_python(
        "import sidra, torch; sidra.use_chip('tiny')\n"
        "from sidra import ChipSpec, preset_names\n"
        f"{USE}; print(torch.sidra.get_device_properties(0).name)\n"
        "sidra.use_chip('y1')"
    )
    assert done.stdout == "tiny\n"
    assert "sidra.errors.DriverError" in done.stderr.splitlines()[-1]
