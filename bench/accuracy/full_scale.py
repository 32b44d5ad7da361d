"""What the range of the ADC costs in accuracy: the demo's correlation over adc_full_scale_sigmas.

    python bench/accuracy/full_scale.py 4 4.5 5 5.5

Each row runs `sidra demo` on a chip like y1: a trained sentence encoder, no calibration data.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = "import sys; from sidra.cli.main import main; sys.exit(main())"  # the command `sidra`


def spearman(fields: str, folder: Path) -> float:
    """Correlation of the pairwise similarities with float32 on y1 with these fields."""
    chip = folder / "chip.toml"
    chip.write_text(f'preset = "y1"\n{fields}\n')
    done = subprocess.run(
        [sys.executable, "-c", RUN, "demo", "--json"],
        env=os.environ | {"SIDRA_CHIP": str(chip), "SIDRA_FALLBACK": "silent"},
        stdout=subprocess.PIPE,
        check=False,  # the demo's status says whether the bar was reached
    )
    return float(json.loads(done.stdout)["spearman"])


def main() -> None:
    """Print one row per setting, and one without an ADC."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sigmas", nargs="*", type=float, default=[4.0, 4.5, 5.0, 5.5, 6.0])
    arguments = parser.parse_args()
    print("root mean squares    Spearman correlation with float32")
    with tempfile.TemporaryDirectory() as name:
        for sigmas in arguments.sigmas:
            print(f"{sigmas:19}  {spearman(f'adc_full_scale_sigmas = {sigmas}', Path(name)):.4f}")
        print(f"{'no ADC':>19}  {spearman('adc_bits = 0', Path(name)):.4f}")


if __name__ == "__main__":
    main()
