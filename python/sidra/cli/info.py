"""`sidra info`: what is installed, which driver and chip would be used, which devices there are."""

from __future__ import annotations

import argparse
import json
import os
import platform
from importlib import metadata
from typing import Any

from rich.console import Console
from rich.table import Table

from sidra import __version__, env
from sidra.report.scale import format_bytes

HELP = "show versions, driver, instruction set, chip and devices"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sidra info`."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the state; exit status 1 when no device is available."""
    state = collect()
    if arguments.json:
        print(json.dumps(state, indent=2))
    else:
        _print(state)
    return 0 if state["available"] else 1


def collect() -> dict[str, Any]:
    """Return everything that `sidra info` shows. Opens the driver."""
    state: dict[str, Any] = {
        "versions": {
            "sidra": __version__,
            "torch": metadata.version("torch"),
            "python": platform.python_version(),
        },
        "environment": {
            variable.name: os.environ[variable.name]
            for variable in env.VARIABLES
            if variable.name in os.environ
        },
    }
    return state | _device_state()


def _device_state() -> dict[str, Any]:
    from sidra.plugin import open_device

    try:
        native = open_device()
    except Exception as error:
        return {"available": False, "reason": str(error).split("\n", maxsplit=1)[0], "devices": []}
    devices = [native.device_properties(index) for index in range(native.device_count())]
    return {
        "available": True,
        "driver": native.driver_info(),
        "isa": json.loads(native.driver_describe()).get("isa"),
        "devices": devices,
    }


def _print(state: dict[str, Any]) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, version in state["versions"].items():
        table.add_row(name, version)
    if state["available"]:
        driver = state["driver"]
        table.add_row("driver", f"{driver['name']} {driver['version']} (ABI {driver['abi']})")
        table.add_row("", driver["path"])
        table.add_row("instruction set", state["isa"] or "-")
    else:
        table.add_row("device", f"not available: {state['reason']}")
    for index, device in enumerate(state["devices"]):
        table.add_row(f"sidra:{index}", _describe(device))
    for name, value in state["environment"].items():
        table.add_row(name, value)
    Console(soft_wrap=True).print(table)


def _describe(device: dict[str, Any]) -> str:
    return (
        f"{device['name']}: {device['crossbars']:,} crossbars of "
        f"{device['crossbar_rows']} x {device['crossbar_columns']}, "
        f"DAC {device['dac_bits']} bit, ADC {device['adc_bits']} bit, "
        f"{format_bytes(device['memory_bytes'])} memory"
    )
