"""Two threads that run models on one device, and on two, get what one thread gets."""

from __future__ import annotations

import pytest

STRESS = """
import threading, torch, sidra
sidra.register_pytorch_backend()
torch.manual_seed(0)

def model():
    return torch.nn.Sequential(
        torch.nn.Linear(64, 96), torch.nn.GELU(), torch.nn.LayerNorm(96), torch.nn.Linear(96, 8))

models = [model().to(f"sidra:{i % DEVICES}") for i in range(2)]
inputs = [torch.randn(16, 64).to(f"sidra:{i % DEVICES}") for i in range(2)]
with torch.no_grad():
    wanted = [m(x).cpu() for m, x in zip(models, inputs)]
failures = []

def run(i):
    try:
        with torch.no_grad(), torch.sidra.stream(torch.sidra.Stream(device=f"sidra:{i % DEVICES}")):
            for round in range(60):
                y = models[i](inputs[i])
                if not torch.equal(y.cpu(), wanted[i]):
                    failures.append((i, round))
                if round % 10 == 0:
                    models[i][0].weight.mul_(1.0)
                    torch.sidra.empty_cache()
    except Exception as error:
        failures.append((i, repr(error)))

threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not failures, failures[:3]
print("done")
"""


@pytest.mark.parametrize("devices", [1, 2])
def test_two_threads_two_models(run_python, devices):
    code = STRESS.replace("DEVICES", str(devices))
    done = run_python(code, SIDRA_DEVICES=str(devices), SIDRA_FALLBACK="silent")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "done"
