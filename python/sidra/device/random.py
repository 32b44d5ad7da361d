"""Random numbers: one generator per device. Equal seeds draw what the CPU's generator draws.

Seeding needs no driver and initialises nothing; where there is no device it does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch

from sidra import _C
from sidra.device._utils import _get_device_index
from sidra.device.devices import Device, device_count, is_available

_SEEDS = 1 << 64


def _generator(device: Device) -> torch.Generator:
    generator: torch.Generator = _C.default_generator(_get_device_index(device, optional=True))
    return generator


def default_generators() -> tuple[torch.Generator, ...]:
    """Return the generators that the devices draw from, in order."""
    return tuple(_generator(index) for index in range(device_count()))


def get_rng_state(device: Device = "sidra") -> torch.Tensor:
    """Return the state of a device's generator, a ByteTensor on the CPU."""
    return _generator(device).get_state()


def set_rng_state(new_state: torch.Tensor, device: Device = "sidra") -> None:
    """Set the state of a device's generator to one that `get_rng_state` returned."""
    _generator(device).set_state(new_state)


def get_rng_state_all() -> list[torch.Tensor]:
    """Return the states of all devices' generators."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Set the states of all devices' generators, in order."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Seed the generator of the current device."""
    if is_available():
        _generator(None).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all devices. `torch.manual_seed` does this too.

    Raises RuntimeError for a seed outside of -2^63 to 2^64 - 1, torch's own bounds.
    """
    seed = int(seed)
    if not -(_SEEDS // 2) <= seed < _SEEDS:
        raise RuntimeError(f"a seed lies within -2^63 and 2^64 - 1, which {seed} does not")
    _C.seed_default_generators(seed % _SEEDS)


def seed() -> None:
    """Seed the generator of the current device with a random number."""
    if is_available():
        _generator(None).seed()


def seed_all() -> None:
    """Seed the generators of all devices with one random number."""
    manual_seed_all(torch.Generator().seed())


def initial_seed() -> int:
    """Return the seed of the current device's generator."""
    return _generator(None).initial_seed()
