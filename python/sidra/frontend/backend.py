"""`torch.compile(model, backend="sidra")`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx

from sidra import _C
from sidra.codegen.compile import compile_kernels
from sidra.compiler.emit import emit
from sidra.compiler.pipeline import lower
from sidra.errors import ConfigurationError, UnsupportedOperator
from sidra.frontend.decompositions import decompositions
from sidra.frontend.executable import CompiledGraph
from sidra.frontend.import_graph import import_graph
from sidra.frontend.plan import Plans

MODES = (None, "default")


def backend(
    graph_module: fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Compile a graph that Dynamo captured; what `torch.compile` calls.

    Raises UnsupportedOperator for a graph that is not on one device `sidra`, or on a driver whose
    memory the host cannot reach; ConfigurationError for options or a mode that there are not.
    """
    from torch._functorch.aot_autograd import aot_module_simplified

    _check_settings(options, mode)
    _check_driver()
    return aot_module_simplified(  # type: ignore[no-any-return]
        graph_module,
        example_inputs,
        fw_compiler=_compiler(gradient=False),
        bw_compiler=_compiler(gradient=True),
        decompositions=decompositions(),
    )


def compile_graph(graph_module: fx.GraphModule, gradient: bool = False) -> CompiledGraph:
    """Compile a functional graph of ATen operators with fake tensors in its nodes."""
    device = device_of(graph_module)
    imported = import_graph(graph_module)
    lower(imported.module, gradient=gradient)
    executable, sources = emit(imported.function, imported.module)
    plans = Plans(executable, compile_kernels(sources), device)
    return CompiledGraph(imported, plans)


def device_of(graph_module: fx.GraphModule) -> torch.device:
    """Return the one device `sidra` of a graph. Raises UnsupportedOperator if there is not one."""
    devices: dict[torch.device, str] = {}
    for node in graph_module.graph.nodes:
        value = node.meta.get("val")
        for tensor in value if isinstance(value, list | tuple) else (value,):
            if isinstance(tensor, torch.Tensor):
                devices.setdefault(tensor.device, f"{node.target} ({node.name})")
    chips = [device for device in devices if device.type == "sidra"]
    if len(chips) == 1:
        return chips[0]
    found = ", ".join(f"{device} at {name}" for device, name in devices.items()) or "no tensor"
    raise UnsupportedOperator(
        f"the backend sidra compiles for one device, but the graph has {found}; "
        "move the model and its inputs to one, such as sidra:0"
    )


def _compiler(gradient: bool) -> Callable[..., Any]:
    def compile_(graph_module: fx.GraphModule, example_inputs: Sequence[Any]) -> CompiledGraph:
        return compile_graph(graph_module, gradient)

    return compile_


def _check_settings(options: Mapping[str, Any] | None, mode: str | None) -> None:
    if mode not in MODES:
        raise ConfigurationError(f'mode is "{mode}", but the backend sidra has only "default"')
    if options:
        names = ", ".join(options)
        raise ConfigurationError(f"the backend sidra has no options, but was given {names}")


def _check_driver() -> None:
    if not _C.driver_info()["host_coherent"]:
        raise UnsupportedOperator(
            "compiled kernels run on the host's side of the memory, which cannot be reached on "
            "this driver; use torch.compile(backend='aot_eager')"
        )
