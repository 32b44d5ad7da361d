"""Lets the tests of this folder, and others, import `reference` by name in any import mode."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
