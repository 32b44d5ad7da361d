"""One of two processes: runs every collective on device tensors; rank 0 prints what it saw as JSON.

python collectives.py rank rendezvous-file backend     ("" for the default)
"""

from __future__ import annotations

import json
import sys

import torch
import torch.distributed as dist

RANK, FILE, BACKEND = int(sys.argv[1]), sys.argv[2], sys.argv[3] or None


def make(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype, device="sidra")


def in_place(collective, tensor, *arguments, **options):
    collective(tensor, *arguments, **options)
    return tensor


def all_reduce_async():
    tensor = make(1, 2) * (RANK + 1)
    work = dist.all_reduce(tensor, async_op=True)
    assert work.wait()
    assert work.is_completed()
    (value,) = work.get_future().wait()
    assert value.device == tensor.device
    return tensor


def all_gather():
    outputs = [make(0, 0), make(0, 0)]
    dist.all_gather(outputs, make(RANK, RANK + 1))
    return torch.cat(outputs)


def gather():
    outputs = [make(0), make(0)] if RANK == 0 else None
    dist.gather(make(RANK + 7), outputs, dst=0)
    return torch.cat(outputs) if outputs else make()


def scatter():
    return in_place(dist.scatter, make(0), [make(3), make(4)] if RANK == 0 else None, src=0)


def all_to_all():
    outputs = [make(0), make(0)]
    dist.all_to_all(outputs, [make(10 * RANK), make(10 * RANK + 1)])
    return torch.cat(outputs)


def send_receive():
    if RANK == 0:
        dist.send(make(9, 8), 1)
        return in_place(dist.recv, make(0, 0))
    received = in_place(dist.recv, make(0, 0), 0)
    dist.send(received + 1, 0)
    return received


def exchange():
    received = make(0)
    operations = [dist.P2POp(dist.isend, make(RANK), 1 - RANK)]
    operations += [dist.P2POp(dist.irecv, received, 1 - RANK)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    return received


def transposed():
    tensor = make(*range(6)).view(2, 3).t()
    dist.all_reduce(tensor)
    return tensor.reshape(-1)


def objects():
    gathered = [None, None]
    dist.all_gather_object(gathered, {"rank": RANK})
    return torch.tensor([item["rank"] for item in gathered])


def average():
    return in_place(dist.all_reduce, make(RANK, 4), op=dist.ReduceOp.AVG)


def parameter():
    weight = torch.nn.Parameter(make(RANK, RANK))
    dist.broadcast(weight, 1)
    return weight.detach()


def error_of(collective, *arguments):
    try:
        collective(*arguments)
    except (RuntimeError, ValueError) as error:
        return str(error).splitlines()[0]
    return "no error"


CASES = {
    "all_reduce async": all_reduce_async,
    "all_reduce bfloat16": lambda: in_place(dist.all_reduce, make(1, 2, dtype=torch.bfloat16)),
    "all_reduce int64": lambda: in_place(dist.all_reduce, make(1, 2, dtype=torch.int64)),
    "all_reduce average": average,
    "all_reduce transposed": transposed,
    "broadcast": lambda: in_place(dist.broadcast, make(RANK, 5), 1),
    "broadcast parameter": parameter,
    "reduce": lambda: in_place(dist.reduce, make(1, RANK), 0),
    "all_gather": all_gather,
    "all_gather_single": lambda: in_place(dist.all_gather_single, make(0, 0), make(RANK)),
    "all_gather_single row": lambda: in_place(
        dist.all_gather_single, make(0, 0).view(1, 2), make(RANK)
    ),
    "reduce_scatter": lambda: in_place(dist.reduce_scatter, make(0), [make(1), make(2)]),
    "reduce_scatter_single": lambda: in_place(dist.reduce_scatter_single, make(0), make(3, 4)),
    "gather": gather,
    "scatter": scatter,
    "all_to_all": all_to_all,
    "all_to_all_single": lambda: in_place(
        dist.all_to_all_single, make(0, 0), make(10 * RANK, 10 * RANK + 1)
    ),
    "send and receive": send_receive,
    "batch of sends": exchange,
    "objects": objects,
}
CASES["host tensor"] = lambda: in_place(dist.all_reduce, torch.ones(2))
ERRORS = {
    "all_gather_single": lambda: error_of(dist.all_gather_single, make(0, 0, 0), make(1)),
    "reduce_scatter_single": lambda: error_of(dist.reduce_scatter_single, make(0), make(1, 2, 3)),
    "reduce_scatter": lambda: error_of(dist.reduce_scatter, make(0), [make(1)]),
    "reduce_scatter sizes": lambda: error_of(dist.reduce_scatter, make(0, 0), [make(1), make(1)]),
    "all_gather": lambda: error_of(dist.all_gather, [make(0)], make(1)),
}


def main():
    torch.set_num_threads(1)
    dist.init_process_group(BACKEND, init_method=f"file://{FILE}", rank=RANK, world_size=2)
    found = {name: case().tolist() for name, case in CASES.items()}
    dist.barrier()
    found["errors"] = {name: case() for name, case in ERRORS.items()}
    group = dist.new_group([0, 1])
    found["group"] = in_place(dist.all_reduce, make(1), group=group).tolist()
    dist.destroy_process_group()
    if RANK == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
