"""`torch.compile(model, backend="sidra")`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from sidra.frontend.import_graph import import_graph, is_token
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

    Raises UnsupportedOperator for a graph on several devices, or on a driver whose memory the host
    cannot reach; ConfigurationError for options or a mode that there are not.
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


def compile_graph(
    graph_module: fx.GraphModule, gradient: bool = False
) -> CompiledGraph | Callable[..., Any]:
    """Compile a functional graph of ATen operators with fake tensors in its nodes.

    A graph that has nothing on the device, as one around a graph break may be, runs as it was
    traced, with a warning.
    """
    device = device_of(graph_module)
    if device is None:
        return _as_traced(graph_module)
    imported = import_graph(graph_module)
    lower(imported.module, gradient=gradient)
    executable, sources = emit(imported.function, imported.module)
    plans = Plans(executable, compile_kernels(sources), device)
    return CompiledGraph(imported, plans)


def _as_traced(graph_module: fx.GraphModule) -> Callable[..., Any]:
    from torch._functorch.aot_autograd import make_boxed_func

    count = sum(1 for node in graph_module.graph.nodes if node.op == "call_function")
    if count:
        warnings.warn(
            f"the backend sidra compiles what is on the device sidra; a graph of {count} operators "
            "that has nothing there runs as it was traced",
            stacklevel=2,
        )
    return make_boxed_func(graph_module.forward)  # type: ignore[no-any-return]


def device_of(graph_module: fx.GraphModule) -> torch.device | None:
    """Return the device `sidra` of a graph; None for a graph that has nothing on one.

    Scalars of the host may take part, as in eager execution. Raises UnsupportedOperator for a graph
    on several devices, naming what lies where.
    """
    places = list(_places(graph_module))
    chips = dict.fromkeys(device for device, _, _ in places if device.type == "sidra")
    if not chips:
        return None
    chip = next(iter(chips))
    for device, name, matters in places:
        if device != chip and (matters or device.type == "sidra"):
            raise UnsupportedOperator(
                f"the backend sidra compiles for one device, but of a graph on {chip} {name} is on "
                f"{device}; move it to {chip}, or keep it outside of what is compiled"
            )
    return chip


def _places(graph_module: fx.GraphModule) -> Iterator[tuple[torch.device, str, bool]]:
    """Give each tensor's device, what it is, and whether it is more than a scalar operand."""
    (output,) = (node for node in graph_module.graph.nodes if node.op == "output")
    returned = set(output.all_input_nodes)
    for node in graph_module.graph.nodes:
        value = node.meta.get("val")
        if is_token(node):
            continue
        what = f"the input {node.name}" if node.op == "placeholder" else f"what {node.target} gives"
        for tensor in value if isinstance(value, list | tuple) else (value,):
            if isinstance(tensor, torch.Tensor):
                is_result = node in returned and node.op != "placeholder"
                yield tensor.device, what, tensor.dim() > 0 or is_result


def _compiler(gradient: bool) -> Callable[..., Any]:
    def compile_(graph_module: fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
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
