"""How PyTorch finds the device: the entry point that `import torch` runs, and its explicit twin.

Whatever goes wrong here must not take `import torch` away from people who never asked for this
device. So a failure leaves torch as it is, with `torch.sidra.is_available() == False`; it is
printed once, and its reason is raised when the device is first used.

torch is imported inside functions only: `import torch` loads this module while torch itself is
still being imported.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from sidra.errors import DriverError, SidraError

if TYPE_CHECKING:
    from sidra.chip import ChipSpec

DEVICE_NAME = "sidra"
TORCH_RELEASE = "2.13"

_registered = False


def autoload() -> None:
    """Entry point of the group `torch.backends`: run at the end of `import torch`."""
    register_pytorch_backend()


def register_pytorch_backend() -> None:
    """Make `sidra` a device of PyTorch. Calling it again does nothing. Never raises."""
    global _registered
    if _registered:
        return
    import torch  # may well run autoload() before it returns

    if _registered:
        return
    _registered = True
    try:
        _register(torch)
    except (SidraError, ImportError, RuntimeError) as error:
        _degrade(torch, str(error).split("\n", maxsplit=1)[0])


def use_chip(chip: str | ChipSpec) -> None:
    """Simulate `chip`, a preset's name, a .toml path or a ChipSpec, instead of SIDRA_CHIP's.

    Raises DriverError once the device has been opened: tensors live on the chip that was there.
    """
    from sidra import env
    from sidra.chip import driver_config, load

    register_pytorch_backend()
    native = _native()
    spec = load(chip) if isinstance(chip, str) else chip
    native.configure(env.read("SIDRA_DRIVER"), driver_config(chip=spec))


def open_device() -> Any:
    """Return the native module with its driver opened. Raises DriverError with the reason."""
    import torch

    register_pytorch_backend()
    module = getattr(torch, DEVICE_NAME, None)
    if isinstance(module, _Unavailable):
        module._lazy_init()
    native = _native()
    if not native.driver_available():
        raise DriverError(native.driver_error())
    return native


def _native() -> Any:
    try:
        return import_module("sidra._C")
    except ImportError as error:
        raise DriverError(
            f"the native module sidra._C does not load ({error}); build it with `make build`"
        ) from error


def _register(torch: ModuleType) -> None:
    _check_torch(torch)
    _claim_name(torch)
    native, module = _load_native()
    torch._register_device_module(DEVICE_NAME, module)
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
    _fill_gaps(torch)
    from sidra.frontend import dynamo, inductor
    from sidra.integrations import install_when_imported

    dynamo.register_when_imported()
    inductor.register_when_imported()
    install_when_imported()
    _announce_broken_driver(native)


def _check_torch(torch: ModuleType) -> None:
    if torch.__version__.split(".")[:2] != TORCH_RELEASE.split("."):
        raise DriverError(
            f"torch {torch.__version__} is installed, this build of sidra is for torch "
            f"{TORCH_RELEASE}; install torch=={TORCH_RELEASE}.* or build sidra again"
        )


def _claim_name(torch: ModuleType) -> None:
    holder = torch._C._get_privateuse1_backend_name()
    if holder not in ("privateuseone", DEVICE_NAME):
        raise DriverError(
            f"the device {holder!r} holds the one place that PyTorch has for devices from outside; "
            "set TORCH_DEVICE_BACKEND_AUTOLOAD=0 and import the one you want"
        )
    torch.utils.rename_privateuse1_backend(DEVICE_NAME)


def _load_native() -> tuple[Any, ModuleType]:
    """Return the native module, told what to open, and the module that becomes `torch.sidra`."""
    from sidra import env
    from sidra.chip import driver_config

    driver, config = env.read("SIDRA_DRIVER"), driver_config()
    native = _native()
    native.configure(driver, config)
    native.set_fallback_mode(env.read("SIDRA_FALLBACK"))
    native.set_eviction(env.read("SIDRA_EVICTION"))
    import sidra.device

    return native, sidra.device


def _fill_gaps(torch: ModuleType) -> None:
    """Reach what torch finds by lists of devices of its own, without a door for others."""
    from sidra.device import dlpack, memory_history, scatter_gather

    dlpack.install()
    memory_history.install()
    scatter_gather.install()
    # What may be called on a lazy module's parameters: .cuda() is in the list.
    torch.nn.parameter.UninitializedTensorMixin._allowed_methods.append(torch.Tensor.sidra)


def _announce_broken_driver(native: Any) -> None:
    """Say at once that a driver chosen by hand is broken; the built-in one opens at first use."""
    from sidra import env

    if env.read("SIDRA_DRIVER") != "sim" and not native.driver_available():
        _announce(native.driver_error())


def _degrade(torch: ModuleType, reason: str) -> None:
    _announce(reason)
    if not hasattr(torch, DEVICE_NAME) and torch._C._get_privateuse1_backend_name() in (
        "privateuseone",
        DEVICE_NAME,
    ):
        torch.utils.rename_privateuse1_backend(DEVICE_NAME)
        torch._register_device_module(DEVICE_NAME, _Unavailable(reason))


def _announce(reason: str) -> None:
    # Not warnings.warn: under -W error that would make `import torch` fail.
    print(f"sidra: the device is not available: {reason}", file=sys.stderr)


class _Unavailable(ModuleType):
    """Stands in for torch.sidra: answers that there is no device, and says why when it is used."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"torch.{DEVICE_NAME}", f"The device is not available: {reason}")
        self.reason = reason

    def is_available(self) -> bool:
        return False

    def is_initialized(self) -> bool:
        return False

    def device_count(self) -> int:
        return 0

    def manual_seed_all(self, seed: int) -> None:
        """Do nothing: torch.manual_seed calls this on every device."""

    def _is_in_bad_fork(self) -> bool:
        return False

    def _lazy_init(self) -> NoReturn:
        raise DriverError(f"the device sidra is not available: {self.reason}")

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"torch.sidra has no {name}: the device is not available: {self.reason}"
        )
