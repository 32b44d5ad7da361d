"""Makes the modules beside the tests importable."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent)]
