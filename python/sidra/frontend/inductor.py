"""torch.compile's default backend: Inductor's C++ code, run by the host on device memory in place.

Products and convolutions stay calls of the device's operators, and so do crossbars. What Inductor
fuses becomes C++ for the host, which the report shows as work of the host. This needs memory that
the host can reach; without it, and where SIDRA_FALLBACK=error forbids the host, compilation is
refused.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NoReturn

import torch

from sidra import _C
from sidra.after_import import after_import
from sidra.device._utils import DEVICE_TYPE
from sidra.errors import UnsupportedOperator

# Imported before anything is compiled, after everything that registration needs.
WAITED_FOR = "torch._inductor.graph"

_warned = False


def register_when_imported() -> None:
    """Register the backend as soon as Inductor is there, which may be now."""
    after_import(WAITED_FOR, register)


def register(_: ModuleType) -> None:
    """Tell Inductor how code for the device is made, and what is around its kernels."""
    from torch._inductor import config
    from torch._inductor.codegen import common
    from torch._inductor.codegen.cpp import CppScheduling
    from torch._inductor.codegen.wrapper import (
        PythonWrapperCodegen,
        SubgraphPythonWrapperCodegen,
    )

    common.register_backend_for_device(
        DEVICE_TYPE,
        make_scheduling(CppScheduling),
        make_wrapper(PythonWrapperCodegen, SubgraphPythonWrapperCodegen),
        device_cpp_wrapper_codegen=NoCppWrapper,
        device_custom_pass=make_cache_key(),
    )
    common.register_device_op_overrides(DEVICE_TYPE, make_overrides(common.DeviceOpOverrides))
    # For GPUs: Inductor leaves it out for the CPU by name, and takes this device for a GPU.
    config.loop_reindexing_after_fusion = False


def check_host() -> None:
    """Raise UnsupportedOperator where the host must not or cannot compute; warn once that it does.

    `SIDRA_FALLBACK` decides, as for operators.
    """
    global _warned
    mode = _C.fallback_mode()
    if not _C.driver_info()["host_coherent"]:
        raise UnsupportedOperator(
            "Inductor's code runs on the host, which cannot reach this driver's memory; "
            "use torch.compile(backend='aot_eager')"
        )
    if mode == "error":
        raise UnsupportedOperator(
            "Inductor's code runs on the host, which SIDRA_FALLBACK=error forbids; "
            "use torch.compile(backend='aot_eager')"
        )
    if mode == "warn" and not _warned:
        _warned = True
        warnings.warn(
            "torch.compile: what Inductor fuses runs on the host. sidra.report() lists it; "
            "SIDRA_FALLBACK=silent hides this warning, backend='aot_eager' leaves it to the chip",
            stacklevel=2,
        )


@contextlib.contextmanager
def _as_for_the_cpu() -> Iterator[None]:
    # Code generation asks for the name of the device where it means "C++ or Triton".
    from torch._inductor.virtualized import V

    with V.graph.set_current_device(torch.device("cpu")):
        yield


def make_cache_key() -> Any:
    """Return a pass that does nothing but be part of the key of Inductor's cache.

    Code that an older version of this file made is not found any more.
    """
    from torch._inductor.custom_graph_pass import CustomGraphModulePass, get_hash_for_files

    class CacheKey(CustomGraphModulePass):
        def __call__(self, gm: torch.fx.GraphModule) -> None:
            """Leave the graph as it is."""

        def uuid(self) -> Any:
            return get_hash_for_files((__file__,))

    return CacheKey()


def make_scheduling(base: type) -> type:
    """Return the subclass of Inductor's C++ scheduling that generates code as for the CPU."""

    class SidraScheduling(base):  # type: ignore[misc]
        def __init__(self, scheduler: Any) -> None:
            check_host()
            super().__init__(scheduler)

        def codegen_node(self, node: Any) -> Any:
            with _as_for_the_cpu():
                return super().codegen_node(node)

        def codegen_template(self, *arguments: Any, **options: Any) -> Any:
            with _as_for_the_cpu():
                return super().codegen_template(*arguments, **options)

        def flush(self) -> Any:
            with _as_for_the_cpu():
                return super().flush()

    return SidraScheduling


def make_wrapper(base: type, subgraph_base: type) -> type:
    """Return the subclass of Inductor's Python wrapper that frames each kernel."""

    class SidraSubgraphWrapper(_Frames, subgraph_base):  # type: ignore[misc]
        pass

    class SidraWrapper(_Frames, base):  # type: ignore[misc]
        @staticmethod
        def create(is_subgraph: bool, *arguments: Any) -> Any:
            return SidraSubgraphWrapper(*arguments) if is_subgraph else SidraWrapper()

        def write_header(self) -> None:
            super().write_header()
            # Code from Inductor's cache is checked too, for the process that runs it.
            self.header.splice(
                """
                from sidra import _C as sidra_native
                from sidra.frontend.inductor import check_host
                check_host()
                """,
                strip=True,
            )

    return SidraWrapper


class _Frames:
    """What a wrapper writes around kernels, whichever graph they are of."""

    def make_allocation(self, name: str, device: torch.device, *rest: Any, **options: Any) -> str:
        code: str = super().make_allocation(name, device, *rest, **options)  # type: ignore[misc]
        return code.replace(f"device='{DEVICE_TYPE}'", f"device='{device}'")

    def generate_kernel_call(self, kernel_name: str, call_args: Any, **options: Any) -> None:
        operands = zip(call_args, options.get("arg_types") or [], strict=False)
        tensors = [(name, str(kind)) for name, kind in operands if "*" in str(kind)]
        read = [name for name, kind in tensors if kind.startswith("const")]
        written = [name for name, kind in tensors if not kind.startswith("const")]
        write: Any = self.writeline  # type: ignore[attr-defined]
        write(f"sidra_native.begin_host_kernel([{', '.join(read + written)}])")
        super().generate_kernel_call(kernel_name, call_args, **options)  # type: ignore[misc]
        write(
            f"sidra_native.end_host_kernel('inductor::{kernel_name}', "
            f"[{', '.join(read)}], [{', '.join(written)}])"
        )


class NoCppWrapper:
    """Refuses to write in C++ what calls the kernels: it would call none of the device's."""

    supports_caching = False

    @staticmethod
    def create(*arguments: Any) -> NoReturn:
        """Raise UnsupportedOperator."""
        raise UnsupportedOperator(
            "Inductor's cpp_wrapper and ahead-of-time packages know no sidra devices; "
            "compile without cpp_wrapper"
        )


def make_overrides(base: type) -> Any:
    """Return what generated code calls to make a device current."""

    class SidraOverrides(base):  # type: ignore[misc]
        def import_get_raw_stream_as(self, name: str) -> str:
            return f"def {name}(_):\n    return 0\n"

        def set_device(self, device_idx: int) -> str:
            return f"torch.sidra.set_device({device_idx})"

        def synchronize(self) -> str:
            return "torch.sidra.synchronize()"

        def device_guard(self, device_idx: int) -> str:
            return f"torch.sidra.device({device_idx})"

        def cpp_kernel_type(self) -> str:
            return "void*"

    return SidraOverrides()
