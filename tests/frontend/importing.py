"""Functions of tests: traced as AOTAutograd traces them, imported, interpreted beside PyTorch."""

from __future__ import annotations

import numpy as np
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import sidra
from sidra.frontend.calls import decode_argument, find_operator
from sidra.frontend.decompositions import decompositions
from sidra.frontend.dtypes import FROM_TORCH, TO_TORCH
from sidra.frontend.import_graph import import_graph
from sidra.ir.interpreter import interpret
from sidra.ir.verifier import verify

sidra.register_pytorch_backend()
CPU = torch.device("cpu")


def to_numpy(tensor):
    tensor = tensor.detach().cpu()
    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy()


def call(operation, arrays):
    """An external call, on the CPU."""
    tensors = [
        torch.from_numpy(np.array(a)).to(TO_TORCH[v.type.dtype])
        for a, v in zip(arrays, operation.operands, strict=True)
    ]
    arguments = [
        decode_argument(entry, tensors.__getitem__, int, CPU)
        for entry in operation.attributes["arguments"]
    ]
    operator = find_operator(operation.attributes["operator"])
    names = [a.name for a in operator._schema.arguments]
    kept = {n: v for n, v in zip(names, arguments, strict=True)}
    result = operator(**{("self" if n == "self" else n): v for n, v in kept.items()})
    results = result if isinstance(result, list | tuple) else (result,)
    return [to_numpy(each) for each in results if isinstance(each, torch.Tensor)]


def traced(function, *inputs, symbolic=False):
    """The functional graph of a function, on the device."""
    mode = "symbolic" if symbolic else "fake"
    functional = torch.func.functionalize(function)
    return make_fx(functional, decomposition_table=decompositions(), tracing_mode=mode)(*inputs)


def imported(function, *inputs, symbolic=False):
    graph = traced(function, *inputs, symbolic=symbolic)
    found = import_graph(graph)
    verify(found.module)
    return found


def check(function, *inputs, symbolic=False, tolerance=1e-5):
    """Import a function and compare its meaning with the CPU's; returns the names of its ops."""
    found = imported(function, *(x.to("sidra") for x in inputs), symbolic=symbolic)
    arrays = [to_numpy(inputs[position]) for position in found.tensors]
    got = interpret(found.function, arrays, found.module, external=call)
    want = function(*inputs)
    want = list(want) if isinstance(want, list | tuple) else [want]
    tensors = [w for w in want if isinstance(w, torch.Tensor)]
    for a, order, w in zip(got, found.orders, tensors, strict=True):
        expected = to_numpy(w).transpose(order) if order else to_numpy(w)
        assert a.shape == expected.shape
        assert FROM_TORCH[w.dtype].numpy == a.dtype
        np.testing.assert_allclose(a, expected, rtol=tolerance, atol=tolerance)
    return [op.name for op in found.module.walk()]
