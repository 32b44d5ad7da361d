from __future__ import annotations

import torch


def test_autocast_is_torchs(device) -> None:
    a, b = torch.ones(2, 3, device="sidra"), torch.ones(3, 2, device="sidra")
    with device.amp.autocast(dtype=torch.bfloat16):
        assert torch.is_autocast_enabled("sidra")
        product = a @ b
    assert product.dtype == torch.bfloat16
    assert not torch.is_autocast_enabled("sidra")
    with device.amp.autocast(enabled=False):
        assert (a @ b).dtype == torch.float32


def test_autocast_decorates(device) -> None:
    @device.amp.autocast()
    def product(a: torch.Tensor) -> torch.Tensor:
        return a @ a

    assert product(torch.ones(2, 2, device="sidra")).dtype == torch.float16


def test_scaler_scales_and_skips(device) -> None:
    layer = torch.nn.Linear(2, 1).to("sidra")
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = device.amp.GradScaler(init_scale=8.0)
    before = layer.weight.detach().cpu().clone()
    scaler.scale(layer(torch.full((1, 2), float("inf"), device="sidra")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(layer.weight.detach().cpu(), before)
    assert scaler.get_scale() == 4.0


def test_custom_function_casts(device) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        @device.amp.custom_fwd(cast_inputs=torch.float32)
        def forward(ctx, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        @device.amp.custom_bwd
        def backward(ctx, gradient: torch.Tensor) -> torch.Tensor:
            return gradient * 2

    x = torch.ones(2, dtype=torch.float16, device="sidra", requires_grad=True)
    with device.amp.autocast():
        y = Double.apply(x)
    y.sum().backward()
    assert y.dtype == torch.float32
    assert x.grad.cpu().tolist() == [2, 2]
