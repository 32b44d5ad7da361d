"""Who takes part: each is given a model and its inputs and returns what runs them once.

What a contender needs beside torch is imported when it is asked for; one that is not installed, or
that cannot take a model, is listed with the reason.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

Inputs = tuple[torch.Tensor, ...]
Run = Callable[[], Any]
Prepare = Callable[[nn.Module, Inputs, int], Run]


def _first(result: Any) -> torch.Tensor:
    return result[0] if isinstance(result, tuple) else result


def eager(model: nn.Module, inputs: Inputs, threads: int) -> Run:
    """PyTorch on the CPU, float32."""
    return lambda: model(*inputs)


def inductor(model: nn.Module, inputs: Inputs, threads: int) -> Run:
    """torch.compile's default on the CPU, float32."""
    torch._dynamo.reset()
    compiled = torch.compile(copy.deepcopy(model), dynamic=False)
    return lambda: compiled(*inputs)


def quantize_dynamic(model: nn.Module, inputs: Inputs, threads: int) -> Run:
    """PyTorch's dynamic INT8 of linear layers."""
    from torch.ao.quantization import quantize_dynamic as quantize

    quantized = quantize(copy.deepcopy(model), {nn.Linear}, dtype=torch.qint8)
    return lambda: quantized(*inputs)


def _export(model: nn.Module, inputs: Inputs, folder: str) -> Path:
    path = Path(folder) / "model.onnx"
    torch.onnx.export(model, inputs, str(path), dynamo=True, verbose=False, external_data=False)
    return path


def onnxruntime_int8(model: nn.Module, inputs: Inputs, threads: int) -> Run:
    """ONNX Runtime, dynamic INT8."""
    import onnxruntime
    from onnxruntime.quantization import QuantType
    from onnxruntime.quantization import quantize_dynamic as quantize

    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "int8.onnx"
        quantize(_export(model, inputs, folder), small, weight_type=QuantType.QInt8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(str(small), options, ["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]
    feed = dict(zip(names, (t.numpy() for t in inputs), strict=True))
    return lambda: session.run(None, feed)


def openvino_int8(model: nn.Module, inputs: Inputs, threads: int) -> Run:
    """OpenVINO, INT8 by NNCF's post-training quantisation."""
    import nncf
    import openvino

    nncf.set_log_level("ERROR")
    arrays = [tensor.numpy() for tensor in inputs]
    with tempfile.TemporaryDirectory() as folder:
        converted = openvino.convert_model(_export(model, inputs, folder))
        data = nncf.Dataset([arrays] * 4)
        kind = {} if inputs[0].is_floating_point() else {"model_type": nncf.ModelType.TRANSFORMER}
        quantized = nncf.quantize(converted, data, subset_size=4, **kind)
        config = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
        request = openvino.compile_model(quantized, "CPU", config).create_infer_request()
    return lambda: request.infer(arrays, share_inputs=True, share_outputs=True)


def _on_chip(model: nn.Module, inputs: Inputs) -> tuple[nn.Module, Inputs]:
    return copy.deepcopy(model).to("sidra:0"), tuple(tensor.to("sidra:0") for tensor in inputs)


def sidra_eager(model: nn.Module, inputs: Inputs, threads: int) -> Run:
    """Our own eager execution on sidra:0."""
    on_chip, given = _on_chip(model, inputs)

    def run() -> torch.Tensor:
        result = _first(on_chip(*given))
        torch.sidra.synchronize()
        return result

    return run


def sidra(model: nn.Module, inputs: Inputs, threads: int) -> Run:
    """torch.compile(backend="sidra") on sidra:0."""
    torch._dynamo.reset()
    on_chip, given = _on_chip(model, inputs)
    compiled = torch.compile(on_chip, backend="sidra", dynamic=False, fullgraph=True)

    def run() -> torch.Tensor:
        result = _first(compiled(*given))
        torch.sidra.synchronize()
        return result

    return run


CONTENDERS: dict[str, Prepare] = {
    "eager": eager,
    "inductor": inductor,
    "quantize_dynamic": quantize_dynamic,
    "ort-int8": onnxruntime_int8,
    "openvino-int8": openvino_int8,
    "sidra-eager": sidra_eager,
    "sidra": sidra,
}
