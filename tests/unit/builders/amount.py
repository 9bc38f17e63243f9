"""How much of a test the gate runs: `make test` a part, `make campaign` all (`PTIR_WHOLE` in the environment), `make quick` little."""

from __future__ import annotations

import os

WHOLE, QUICK = "PTIR_WHOLE" in os.environ, "PTIR_QUICK" in os.environ
PART = 20 if QUICK else 3
"""The gate draws one example for each so many that the campaign draws."""


def examples(count: int) -> int:
    """Returns how many of `count` random examples to draw."""
    return count if WHOLE else max(2, -(-count // PART))
