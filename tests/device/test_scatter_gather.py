"""nn.DataParallel and the copies that it is made of."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.parallel import comm


def test_one_device_is_used_as_it_is(device) -> None:
    layer = nn.Linear(3, 2).to("sidra")
    x = torch.randn(4, 3, device="sidra")
    expected = layer(x)
    for ids in (None, [0]):
        parallel = nn.DataParallel(layer, device_ids=ids)
        assert torch.equal(parallel(x), expected)
        assert torch.equal(parallel(x.cpu()), expected)


def test_two_devices_train_as_one(printed) -> None:
    code = """
import copy, torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8, track_running_stats=False), nn.Tanh())
model = model.to("sidra")
whole = copy.deepcopy(model)
x = torch.randn(6, 3, device="sidra")
parallel = nn.DataParallel(model)
y = parallel(x)
y.square().sum().backward()
parts = [whole(part) for part in x.chunk(2)]
torch.cat(parts).square().sum().backward()
print(parallel.device_ids, y.device, y.shape == (6, 8))
for a, b in zip(model.parameters(), whole.parameters()):
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-2, atol=1e-2)
"""
    assert printed(code, SIDRA_DEVICES="2", SIDRA_CHIP="ideal") == "[0, 1] sidra:0 True"


def test_pieces_on_their_own(printed) -> None:
    code = """
import torch
from torch.nn.parallel import comm
x = torch.arange(10.0)
parts = comm.scatter(x, [0, 1], chunk_sizes=[4, 6])
print([(str(p.device), p.tolist()) for p in parts] == [
    ("sidra:0", [0, 1, 2, 3]), ("sidra:1", [4, 5, 6, 7, 8, 9])])
out = [torch.empty(3, device="sidra:0"), torch.empty(7, device="sidra:1")]
print([p.tolist() for p in comm.scatter(x, out=out)] == [x[:3].tolist(), x[3:].tolist()])
print(comm.gather(parts, destination="cpu").equal(x), comm.gather(parts, destination=1).device)
print(comm.gather(parts, out=torch.empty(10, device="sidra:1")).tolist() == x.tolist())
copies = comm.broadcast(x.to("sidra:0"), [0, 1])
print([str(c.device) for c in copies])
print([c.sum().item() for c in comm.broadcast(x, out=[torch.empty(10, device="sidra:1")])])
(a, b), (c, d) = comm.broadcast_coalesced([x.to("sidra"), x.to("sidra") * 2], [0, 1])
print(c.device, d.sum().item())
print(comm.reduce_add_coalesced([[a, b], [c, d]], destination=1)[1].sum().item())
"""
    assert printed(code, SIDRA_DEVICES="2").splitlines() == [
        "True",
        "True",
        "True sidra:1",
        "True",
        "['sidra:0', 'sidra:1']",
        "[45.0]",
        "sidra:1 90.0",
        "180.0",
    ]


def test_fewer_rows_than_devices_use_fewer_devices(device) -> None:
    parts = comm.scatter(torch.ones(1, 2), [0, 0])
    assert len(parts) == 1
