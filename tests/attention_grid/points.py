"""
The points of the grid of attention: masks, biases, caps, head sizes, lengths, heads, types, layouts and what masked scores are.

Points are drawn by their number, each small enough for the emulator. A tenth has rows that TMA cannot copy.
"""

from __future__ import annotations

from random import Random

from tests.unit.builders.attention_cases import Case

SCORES = 60_000
"""The most scores of a point, over all its heads."""
LENGTHS = (
    1,
    2,
    7,
    13,
    31,
    47,
    48,
    49,
    63,
    64,
    65,
    79,
    81,
    97,
    127,
    128,
    129,
    144,
    175,
    176,
    177,
    191,
    193,
    211,
    257,
    353,
    513,
)
SIZES = (16, 24, 32, 40, 48, 64, 64, 72, 80, 96, 112, 128, 128, 136, 160, 192, 200, 256)
RAGGED = (1, 12, 20, 33, 68)
"""Head sizes whose rows are not at multiples of 16 bytes."""
SPREADS = (0.25, 1.0, 1.0, 1.0, 8.0)
"""The standard deviations of queries and keys: scores are about its square."""


def point(number: int, seed: int = 0) -> tuple[Case, float]:
    """Returns a point by its number, and the spread of its queries and keys."""
    rng = Random(f"{seed}:{number}")
    while True:
        case, spread = _draw(rng), rng.choice(SPREADS)
        if case.batch * case.heads * case.group * case.queries * case.keys <= SCORES:
            return case, spread


def _draw(rng: Random) -> Case:
    sizes = RAGGED if rng.random() < 0.1 else SIZES
    queries = rng.choice(LENGTHS)
    mask = rng.choice(("none", "causal", "causal", "window", "prefix", "chunk", "lengths", "documents"))
    return Case(
        queries=queries,
        keys=queries if rng.random() < 0.4 else rng.choice(LENGTHS),
        size=rng.choice(sizes),
        value_size=rng.choice((0, 0, rng.choice(sizes))),
        batch=rng.choice((1, 1, 2, 3)),
        heads=rng.choice((1, 1, 2, 3)),
        group=rng.choice((1, 1, 2, 4)),
        mask=mask,
        bias=rng.choice(("none", "none", "alibi", "tensor")),
        cap=rng.choice((0.0, 0.0, 3.0, 30.0)),
        dtype=rng.choice(("bf16", "f16")),
        heads_last=rng.random() < 0.4,
        reciprocal=rng.random() < 0.3,
        window=rng.choice((1, 17, 64, 70, 128, 200)),
        fill="-inf" if mask == "none" else rng.choice(("-inf", "-inf", "added", "-5.0", "-1000000000.0")),
        log_sums=rng.random() < 0.2,
        transposed=rng.choice(("", "", "", "k", "v", "q", "qkv")),
    )


def is_one_kernel(case: Case) -> bool:
    """
    Whether there is one kernel: heads of 2 to 256 elements; and more than one key, as the softmax of one is no reduction. On sm90, rows
    or columns at multiples of 16 bytes are copied by TMA.
    """
    return all(2 <= size <= 256 for size in (case.size, case.columns)) and case.keys > 1
