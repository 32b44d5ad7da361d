"""One of two processes: trains by halves of each batch; rank 0 prints the differences as JSON.

python parallel_training.py rank rendezvous-file
"""

from __future__ import annotations

import copy
import json
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

RANK, FILE = int(sys.argv[1]), sys.argv[2]
DEVICE = torch.device("sidra", RANK)
HALF = slice(8 * RANK, 8 * RANK + 8)


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)).to(DEVICE)


def train(model, part):
    generator = torch.Generator().manual_seed(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(5):
        inputs = torch.randn(16, 8, generator=generator)
        labels = torch.randint(0, 2, (16,), generator=generator)
        optimizer.zero_grad()
        cross_entropy(model(inputs[part].to(DEVICE)), labels[part].to(DEVICE)).backward()
        optimizer.step()
    return model


def data_parallel(**options):
    model = make_model()
    if RANK == 1:  # rank 0's parameters are what both start from
        nn.init.zeros_(model[0].weight)
    train(DistributedDataParallel(model, **options), HALF)
    return model.state_dict()


def synchronised():
    """The largest difference of BatchNorm over the whole batch and SyncBatchNorm over halves."""
    torch.manual_seed(0)
    layers = (nn.Linear(8, 16, bias=False), nn.BatchNorm1d(16), nn.Linear(16, 2))
    alone = nn.Sequential(*layers).to(DEVICE)
    both = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(alone))
    train(alone, slice(None))
    train(DistributedDataParallel(both), HALF)
    expected, found = alone.state_dict(), both.state_dict()
    assert expected["1.running_mean"].abs().max() > 1e-2
    return max((found[key] - expected[key]).abs().max().item() for key in expected)


def sharded():
    model = make_model()
    fully_shard(model[0])
    fully_shard(model[2])
    fully_shard(model)
    train(model, HALF)
    return {name: value.full_tensor() for name, value in model.state_dict().items()}


def main():
    torch.set_num_threads(1)
    torch.sidra.set_device(DEVICE)
    dist.init_process_group(init_method=f"file://{FILE}", rank=RANK, world_size=2)
    alone = train(make_model(), slice(None)).state_dict()
    trained = {
        "plain": data_parallel(),
        "device_ids": data_parallel(device_ids=[RANK]),
        "static graph": data_parallel(static_graph=True, gradient_as_bucket_view=True),
        "fully_shard": sharded(),
    }
    differences = {
        name: max((state[key] - alone[key]).abs().max().item() for key in alone)
        for name, state in trained.items()
    }
    moved = (alone["0.weight"] - make_model()[0].weight).abs().max().item()
    differences["SyncBatchNorm"] = synchronised()
    if RANK == 0:
        print(json.dumps({"moved": moved, "differences": differences}))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
