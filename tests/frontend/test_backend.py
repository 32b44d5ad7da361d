"""`torch.compile(backend="sidra")` beside eager execution."""

from __future__ import annotations

import copy
import threading

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import sidra
from sidra.errors import ConfigurationError, UnsupportedOperator


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def compiled(function, **settings):
    return torch.compile(function, backend="sidra", fullgraph=True, **settings)


def close(a, b, tolerance=1e-5):
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    scale = max(1.0, float(b.abs().max())) if b.numel() else 1.0
    assert a.shape == b.shape
    assert float((a - b).abs().max() if a.numel() else 0) <= tolerance * scale


def test_is_found_by_name():
    assert "sidra" in torch._dynamo.list_backends()


def test_elementwise_chain_with_broadcasts():
    def f(x, y):
        return torch.tanh(x * 2 + y).exp() / (1 + x.abs()), (x > y).sum()

    x, y = torch.randn(5, 7, device="sidra"), torch.randn(7, device="sidra")
    for a, b in zip(compiled(f)(x, y), f(x, y), strict=True):
        close(a, b)


def test_a_linear_layer_has_eagers_bits():
    layer = nn.Linear(300, 70).to("sidra")
    x = torch.randn(9, 300, device="sidra")
    assert torch.equal(compiled(layer)(x), layer(x))


def test_matrix_times_vector_has_eagers_bits():
    weight = nn.Parameter(torch.randn(40, 300)).to("sidra")
    v = torch.randn(300, device="sidra")
    f = lambda w, v: w @ v  # noqa: E731
    assert torch.equal(compiled(f)(weight, v), f(weight, v))


def test_a_transposed_parameter_has_eagers_bits():
    weight = torch.randn(300, 40).to("sidra").t()
    x = torch.randn(8, 300, device="sidra")
    f = lambda x, w: F.linear(x, w)  # noqa: E731
    assert torch.equal(compiled(f)(x, weight), f(x, weight))


def test_weights_are_programmed_once_for_both():
    layer = nn.Linear(64, 64).to("sidra")
    x = torch.randn(4, 64, device="sidra")
    layer(x)
    before = len(torch.sidra.residency())
    compiled(layer)(x)
    assert len(torch.sidra.residency()) == before


class Block(nn.Module):
    """A transformer block of its own."""

    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads = heads
        self.norm, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.out(y.transpose(1, 2).reshape(b, n, w))
        return x + self.down(F.gelu(self.up(self.after(x))))


def test_a_training_step_gives_eagers_gradients():
    torch.manual_seed(0)
    model = Block().to("sidra")
    twin = copy.deepcopy(model)
    fast = compiled(model)
    x = torch.randn(2, 10, 64, device="sidra")
    for module in (twin, fast):
        module(x).square().mean().backward()
    for (name, a), b in zip(model.named_parameters(), twin.parameters(), strict=True):
        assert a.grad is not None, name
        close(a.grad, b.grad, 2e-2)  # what the converters make of differences in rounding
    before = model(x)
    torch.optim.SGD(model.parameters(), lr=0.5).step()
    with torch.no_grad():
        assert not torch.equal(fast(x), before)


def test_dropout_draws_what_eager_draws():
    x = torch.randn(50, 50, device="sidra")
    f = lambda x: F.dropout(x, 0.3) * 2  # noqa: E731
    fast = compiled(f)
    torch.manual_seed(3)
    a = fast(x)
    torch.manual_seed(3)
    assert torch.equal(a, f(x))


def test_batch_norm_updates_its_statistics():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).to("sidra")
    twin = copy.deepcopy(model)
    x = torch.randn(2, 3, 9, 9, device="sidra")
    close(compiled(model)(x), twin(x))
    close(model[1].running_mean, twin[1].running_mean)
    assert int(model[1].num_batches_tracked) == 1


def test_inputs_are_changed_in_place():
    def f(x, y):
        x.add_(y)
        x[1].mul_(2)
        return x.sum()

    x, y = torch.randn(3, 4, device="sidra"), torch.randn(3, 4, device="sidra")
    a, b = x.clone(), x.clone()
    close(compiled(f)(a, y), f(b, y))
    close(a, b)


def test_outputs_may_be_views_inputs_and_repeated():
    def f(x):
        y = x + 1
        return x, x.t(), y, y[1:], y, 3, None

    x = torch.randn(4, 5, device="sidra")
    got, want = compiled(f)(x), f(x)
    assert got[0] is x
    assert got[1].stride() == want[1].stride()
    assert got[5:] == (3, None)
    for a, b in zip(got[:5], want[:5], strict=True):
        close(a, b)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x.clone(), x.contiguous().clone()),
        lambda x: (torch.cat([x]), x.repeat(1, 1)),
        lambda x: (x + 1, x + 1),
        lambda x: (torch.sin(x), torch.sin(x).view(-1)),
        lambda x: (x[:1].expand(4, 3).clone(), x * 1),
    ],
)
def test_an_output_that_is_no_view_has_memory_of_its_own(function):
    x = torch.randn(2, 3, device="sidra")
    before = x.clone()
    first, second = compiled(function)(x)
    want = [each.clone() for each in function(x)]
    first.add_(5)
    assert torch.equal(x, before)
    close(second, want[1])
    second.add_(5)
    close(first, want[0] + 5)


@pytest.mark.parametrize("dynamic", [False, True])
def test_an_output_that_is_a_view_of_an_input_lies_in_it(dynamic):
    f = lambda x, a, b: (x[a::b], x.sum())  # noqa: E731
    x = torch.arange(9.0, device="sidra")
    part, _ = compiled(f, dynamic=dynamic)(x, 1, 2)
    assert part.data_ptr() == x[1:].data_ptr()
    close(part, x[1::2])


def test_streams_do_not_share_what_a_run_still_uses():
    layer = nn.Linear(64, 64).to("sidra")
    f = lambda x: layer(torch.sin(x)) * 2  # noqa: E731
    fast = compiled(f)
    streams = [torch.Stream("sidra") for _ in range(2)]
    inputs = [torch.randn(8, 64, device="sidra") for _ in range(2)]
    with torch.no_grad():
        want = [f(x) for x in inputs]
        for _ in range(20):
            got = []
            for stream, x in zip(streams, inputs, strict=True):
                with stream:
                    got.append(fast(x))
            torch.sidra.synchronize()
            for a, b in zip(got, want, strict=True):
                close(a, b, 2e-2)


def test_an_output_keeps_the_strides_that_it_was_traced_with():
    f = lambda x: (x * 2).permute(2, 0, 1) + 1  # noqa: E731
    x = torch.randn(2, 3, 4, device="sidra")
    assert compiled(f)(x).stride() == f(x).stride()


def test_sequence_lengths_share_one_compilation():
    from torch._dynamo.testing import CompileCounterWithBackend

    counter = CompileCounterWithBackend("sidra")
    model = Block().to("sidra").eval()
    fast = torch.compile(model, backend=counter, fullgraph=True)
    with torch.no_grad():
        for length in range(3, 23):
            x = torch.randn(2, length, 64, device="sidra")
            assert torch.equal(fast(x).cpu(), fast(x).cpu())
            assert fast(x).shape == x.shape
    assert counter.frame_count <= 4


def test_sizes_may_be_one_and_zero():
    f = lambda x: torch.softmax(x * 2, -1) + x.mean(0)  # noqa: E731
    for shape in ((1, 1), (1, 5), (5, 1), (0, 4)):
        x = torch.randn(*shape, device="sidra")
        close(torch.nan_to_num(compiled(f, dynamic=False)(x)), torch.nan_to_num(f(x)))


def test_an_index_out_of_range_raises():
    table, index = torch.randn(4, 3, device="sidra"), torch.tensor([0, 4], device="sidra")
    with pytest.raises(IndexError, match="out of range in the compiled kernel"):
        compiled(lambda t, i: F.embedding(i, t) + 1)(table, index)


def test_operators_without_loops_are_called():
    def f(x):
        values, order = torch.sort(x, dim=-1)
        return torch.cumsum(values, 0), order, torch.topk(x, 2).values, x @ x.t()

    x = torch.randn(6, 6, device="sidra")
    for a, b in zip(compiled(f)(x), f(x), strict=True):
        close(a, b)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int32])
def test_element_types(dtype):
    x = torch.arange(24, device="sidra").reshape(4, 6).to(dtype)
    f = lambda x: (x * 3 - 1, x.sum(0), x.to(torch.float32) / 7)  # noqa: E731
    for a, b in zip(compiled(f)(x), f(x), strict=True):
        assert a.dtype == b.dtype
        close(a, b, 1e-2 if dtype.is_floating_point and dtype.itemsize == 2 else 1e-6)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_number_keeps_its_precision_beside_halves(dtype):
    x = torch.randn(500, device="sidra").to(dtype)
    f = lambda x: (x * 0.1, x + 0.3, 1.7 - x, x / 3, x > 0.1)  # noqa: E731
    for a, b in zip(compiled(f)(x), f(x), strict=True):
        assert torch.equal(a, b)


def test_constants_of_the_graph_reach_calls():
    def f(x):
        rows = torch.tensor([2, 0], device="sidra")
        return x.index_put((rows,), torch.zeros(4, device="sidra"))

    x = torch.randn(3, 4, device="sidra")
    assert torch.equal(compiled(f)(x), f(x))


def test_effects_stay_in_order():
    f = lambda x: torch.linalg.inv(x @ x.mT + torch.eye(5, device="sidra"))  # noqa: E731
    x = torch.randn(2, 5, 5, device="sidra")
    close(compiled(f)(x), f(x), 1e-3)
    singular = torch.zeros(3, 3, device="sidra")
    with pytest.raises(torch.linalg.LinAlgError, match="singular"):
        compiled(torch.linalg.inv)(singular)


def test_nothing_may_be_put_together():
    x = torch.randn(0, 5, device="sidra")
    got = compiled(lambda x: (torch.cat([x, x]), x.sum(0)))(x)
    assert got[0].shape == (0, 5)
    close(got[1], x.sum(0))


def test_complex_numbers_are_calls():
    x = torch.randn(4, 4, dtype=torch.complex64, device="sidra")
    f = lambda x: (x * x).abs() + 1  # noqa: E731
    close(compiled(f)(x), f(x))


def test_autocast():
    torch.manual_seed(0)
    layer = nn.Linear(64, 32).to("sidra")
    x = torch.randn(4, 64).to("sidra")

    def f(x):
        with torch.autocast("sidra", dtype=torch.bfloat16):
            return layer(x)

    got = compiled(f)(x)
    assert got.dtype == torch.bfloat16
    close(got, f(x), 5e-2)


def test_two_threads_compile_and_run():
    results = {}

    def work(number):
        layer = nn.Linear(32, 8 + number).to("sidra")
        x = torch.randn(3, 32, device="sidra")
        fast = torch.compile(layer, backend="sidra")
        results[number] = torch.equal(fast(x), layer(x))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {0: True, 1: True}


def test_memory_is_given_back():
    import gc

    def work():
        layer = nn.Linear(64, 64).to("sidra")
        compiled(lambda x: torch.tanh(layer(x)) * 2)(torch.randn(4, 64, device="sidra"))

    gc.collect()
    before = torch.sidra.memory_allocated()
    work()
    torch._dynamo.reset()
    gc.collect()
    assert torch.sidra.memory_allocated() == before


def test_the_report_names_kernels_and_products():
    layer = nn.Linear(64, 64).to("sidra")
    x = torch.randn(4, 64, device="sidra")
    fast = compiled(lambda x: torch.tanh(layer(x)))
    fast(x)
    with sidra.recording() as recorded:
        fast(x)
    names = {row.operator for row in recorded.report.rows}
    assert {"aten::addmm", "sidra::tanh"} <= names
    assert recorded.report.totals().chip_seconds > 0


def test_a_graph_on_the_cpu_runs_as_traced_with_a_warning():
    layer, x = nn.Linear(3, 3), torch.randn(2, 3)
    with pytest.warns(UserWarning, match="has nothing there runs as it was traced"):
        y = compiled(layer)(x)
    assert torch.equal(y, layer(x))


def test_scalars_of_the_host_take_part():
    x = torch.randn(3, device="sidra")
    f = lambda x, s: x * s + torch.tensor(2.0)  # noqa: E731
    close(compiled(f)(x, torch.tensor(3.0)), x * 3 + 2)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x, y: (x + 1, y + 1), "the input .* is on cpu"),
        (lambda x, y: x.cpu() + 1, "what aten._to_copy.default gives is on cpu"),
    ],
)
def test_a_graph_on_two_devices_is_refused(function, message):
    x, y = torch.randn(3, device="sidra"), torch.randn(3)
    with pytest.raises(Exception, match="compiles for one device, but .*" + message) as raised:
        compiled(function)(x, y)
    assert UnsupportedOperator.__name__ in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"options": {"fast": True}}, "has no options, but was given fast"),
        ({"mode": "max-autotune"}, 'mode is "max-autotune"'),
    ],
)
def test_unknown_settings_are_refused(settings, message):
    from sidra.frontend.backend import backend

    with pytest.raises(ConfigurationError, match=message):
        backend(None, (), **settings)
