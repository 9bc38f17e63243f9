"""
The number of random examples that a test draws: all with `make campaign` (`PTIR_WHOLE` in the environment), a part with
`make test`, few with `make quick` (`PTIR_QUICK`).
"""

from __future__ import annotations

import os

WHOLE, QUICK = "PTIR_WHOLE" in os.environ, "PTIR_QUICK" in os.environ
PART = 20 if QUICK else 6
"""The campaign draws this many times as many examples."""
THINNING = 8
"""The gate runs one case of `n * THINNING` of a test marked `sampled(n)`: what to raise when the gate takes too long."""


def examples(count: int) -> int:
    """Returns how many of `count` random examples to draw."""
    return count if WHOLE else max(2, -(-count // PART))
