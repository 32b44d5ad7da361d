from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
import torch
from accelerate import Accelerator, cpu_offload, dispatch_model, infer_auto_device_map
from accelerate.state import AcceleratorState, PartialState
from accelerate.utils import get_max_memory
from accelerate.utils.memory import clear_device_cache
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from sidra.integrations import accelerate as integration


@pytest.fixture(autouse=True)
def fresh_state(monkeypatch):
    monkeypatch.delenv("ACCELERATE_TORCH_DEVICE", raising=False)
    AcceleratorState._reset_state(reset_partial_state=True)
    yield
    AcceleratorState._reset_state(reset_partial_state=True)


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))


def prepared(accelerator):
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    generator = torch.Generator().manual_seed(1)
    data = TensorDataset(
        torch.randn(64, 8, generator=generator), torch.randint(0, 2, (64,), generator=generator)
    )
    return accelerator.prepare(model, optimizer, DataLoader(data, batch_size=8))


def train(accelerator):
    """Two epochs; return the model, the last logits and how often the optimizer stepped."""
    model, optimizer, loader = prepared(accelerator)
    steps = 0
    for inputs, labels in [batch for _ in range(2) for batch in loader]:
        with accelerator.accumulate(model):
            logits = model(inputs)
            accelerator.backward(cross_entropy(logits, labels))
            optimizer.step()
            optimizer.zero_grad()
            steps += accelerator.sync_gradients
    return model, logits, steps


@pytest.mark.parametrize("by_environment", [False, True])
def test_half_precision_has_its_scaler(monkeypatch, by_environment) -> None:
    if by_environment:
        monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "fp16")
        accelerator = Accelerator()
    else:
        accelerator = Accelerator(mixed_precision="fp16")
    assert accelerator.mixed_precision == "fp16"
    assert isinstance(accelerator.scaler, torch.amp.GradScaler)
    model, logits, steps = train(accelerator)
    with accelerator.autocast():
        assert model[0](torch.ones(1, 8, device="sidra")).dtype == torch.float16
    assert logits.isfinite().all()
    assert steps == 16


def test_the_environment_variable_names_the_device_too(monkeypatch) -> None:
    monkeypatch.setenv("ACCELERATE_TORCH_DEVICE", "sidra:0")
    assert Accelerator().device == torch.device("sidra:0")


def test_device_is_found_without_an_environment_variable() -> None:
    accelerator = Accelerator()
    assert accelerator.device == torch.device("sidra")
    _, _, loader = prepared(accelerator)
    assert next(iter(loader))[0].device == torch.device("sidra:0")


def test_cpu_on_request() -> None:
    assert Accelerator(cpu=True).device == torch.device("cpu")


@pytest.mark.parametrize(("precision", "accumulate", "steps"), [("no", 1, 16), ("bf16", 2, 8)])
def test_training_moves_the_parameters(precision: str, accumulate: int, steps: int) -> None:
    accelerator = Accelerator(mixed_precision=precision, gradient_accumulation_steps=accumulate)
    model, logits, stepped = train(accelerator)
    assert stepped == steps
    assert logits.dtype == torch.float32  # accelerate converts what leaves the model
    weight = model[0].weight.detach().cpu()
    assert weight.dtype == torch.float32
    assert (weight - make_model()[0].weight).abs().max() > 1e-2


def test_autocast_is_that_of_the_device() -> None:
    accelerator = Accelerator(mixed_precision="bf16")
    with accelerator.autocast():
        product = torch.ones(2, 2, device="sidra") @ torch.ones(2, 2, device="sidra")
    assert product.dtype == torch.bfloat16


def test_checkpoint_restores_model_and_generator(tmp_path) -> None:
    accelerator = Accelerator()
    model, _, _ = train(accelerator)
    accelerator.save_state(tmp_path)
    weight, drawn = model[0].weight.clone(), torch.rand(4, device="sidra")
    nn.init.zeros_(model[0].weight)
    accelerator.load_state(tmp_path)
    assert torch.equal(model[0].weight, weight)
    assert torch.equal(torch.rand(4, device="sidra"), drawn)


def test_weights_offloaded_to_the_host_visit_the_device(ledger) -> None:
    model = make_model()
    cpu_offload(model, "sidra:0")
    assert model(torch.randn(3, 8)).shape == (3, 2)
    assert model[0].weight.device.type == "meta"
    assert ledger()["aten::addmm", "crossbar"] == 2


def test_model_is_dispatched_over_device_and_host(ledger) -> None:
    model = dispatch_model(
        make_model(), {"0": 0, "1": 0, "2": "cpu"}, main_device=0, offload_buffers=True
    )
    assert model(torch.randn(3, 8)).shape == (3, 2)
    assert model[0].weight.device == torch.device("sidra:0")
    assert ledger()["aten::addmm", "crossbar"] == 2  # the host's part is computed here too


def test_memory_of_the_device_is_divided() -> None:
    free = get_max_memory()
    assert set(free) == {0, "cpu"}
    assert 0 < free[0] <= torch.sidra.mem_get_info(0)[1]
    assert set(infer_auto_device_map(make_model()).values()) == {0}


def test_asked_memory_is_taken_without_a_warning(caplog) -> None:
    with caplog.at_level(logging.WARNING):
        assert get_max_memory({0: "1KB", "cpu": "1MB"}) == {0: 1000, "cpu": 1_000_000}
    assert not caplog.records
    get_max_memory({7: 10})
    assert "Device 7 is not available" in caplog.text


def test_cache_is_emptied() -> None:
    torch.ones(1 << 20, device="sidra")  # 4 MB that stay reserved
    reserved = torch.sidra.memory_reserved()
    clear_device_cache()
    assert torch.sidra.memory_reserved() <= reserved - (1 << 22)


def test_one_of_several_processes_takes_its_device_and_the_backend(monkeypatch) -> None:
    from accelerate.utils import DistributedType

    monkeypatch.setenv("LOCAL_RANK", "0")
    backend, kind = PartialState._prepare_backend(SimpleNamespace(), False, False, None)
    assert (backend, kind) == (integration.BACKEND, DistributedType.MULTI_GPU)
    state = SimpleNamespace(
        device=None, distributed_type=DistributedType.MULTI_GPU, local_process_index=0
    )
    PartialState.set_device(state)
    assert state.device == torch.device("sidra:0")


def test_processes_of_torchrun_train_together(launch) -> None:
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    assert launch(*torchrun, "launched.py", "accelerate") == [
        "sidra:0 2 DistributedDataParallel",
        "sidra:1 2 DistributedDataParallel",
    ]
