"""
The points of the grids of attention: masks, biases, caps, head sizes, lengths, heads, types, layouts and what masked scores are; of the forward
pass also the form of the softmax, its algorithm, and fields of the plan.

Points are drawn by their number, each small enough for the emulator. A tenth has rows that TMA cannot copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from ptir.analysis.regions.computed_operands import MAX_COMBINED
from tests.unit.builders.attention_cases import Case
from tests.unit.builders.softmax_forms import FORMS, NEEDS_MASK

SCORES = 60_000
"""The most scores of a point, over all its heads."""
LENGTHS = (1, 2, 7, 13, 31, 47, 48, 49, 63, 64, 65, 79, 81, 97, 127, 128, 129, 144, 175, 176, 177, 191, 193, 211, 257, 353, 513)  # fmt: skip
SIZES = (16, 24, 32, 40, 48, 64, 64, 72, 80, 96, 112, 128, 128, 136, 160, 192, 200, 256)
RAGGED = (1, 12, 20, 33, 68)
"""Head sizes whose rows are not at multiples of 16 bytes."""
SPREADS = (0.25, 1.0, 1.0, 1.0, 8.0)
"""The standard deviations of queries and keys: scores are about its square."""
AXES: Mapping[str, tuple[Any, ...]] = {
    "mask": ("none", "causal", "causal", "window", "prefix", "chunk", "lengths", "documents"),
    "batch": (1, 1, 2, 3),
    "heads": (1, 1, 2, 3),
    "group": (1, 1, 2, 4),
    "bias": ("none", "none", "alibi", "tensor"),
    "cap": (0.0, 0.0, 3.0, 30.0),
    "dtype": ("bf16", "f16"),
    "heads_last": (False, False, False, True, True),
    "reciprocal": (False, False, True),
    "window": (1, 17, 64, 70, 128, 200),
}
"""What both grids draw, with frequent values repeated. The size of values, and what masked scores are, depend on other axes."""
ALSO = ("", "", "", "", "", "", "weights", "rounded weights", "sums over queries", "scores")
"""What else is a result of the forward pass."""
PLANS: Mapping[str, tuple[Any, ...]] = {
    "rescale_threshold": (None, 0, 3, 8),
    "order": (None, "row", "up_2", "down_3"),
    "multiprocessors": (None, 1, 3),
}
"""Fields of plans with roles; None is what the planner chooses. Only plain forms of the softmax have a threshold."""


@dataclass(frozen=True)
class Point:
    """A program, the spread of its queries and keys, and how it is compiled: the algorithm, and fields of the plan on sm90."""

    case: Case
    spread: float
    algorithm: str | None = None
    plan: Mapping[str, Any] = field(default_factory=dict[str, Any])


def point(number: int, seed: int = 0) -> Point:
    """Returns a point by its number."""
    rng, further = Random(f"{seed}:{number}"), Random(f"{seed}:{number}:also")
    case = fitting(rng, _case, SCORES)
    if case.rotates != "pairs":  # such queries are rounded to other numbers than in f64, here and there
        case = replace(case, also=further.choice(ALSO))
    plan = {name: value for name, of in PLANS.items() if (value := rng.choice(of)) is not None}
    if case.form:
        plan.pop("rescale_threshold", None)
    algorithm = rng.choice((None, None, None, "streaming_softmax_2pass"))
    if case.queries == case.group == 1:  # products of one query are those of a vector
        algorithm = None
    return Point(case, rng.choice(SPREADS), *((algorithm, plan) if is_one_kernel(case) and rng.random() < 0.5 else ()))


def fitting(rng: Random, draw: Any, most: int) -> Any:
    """Draws cases until one has at most so many scores."""
    while True:
        case = draw(rng)
        if case.batch * case.heads * case.group * case.queries * case.keys <= most:
            return case


def drawn(rng: Random) -> dict[str, Any]:
    """Draws what the cases of both grids have."""
    sizes, queries = RAGGED if rng.random() < 0.1 else SIZES, rng.choice(LENGTHS)
    values = {name: rng.choice(of) for name, of in AXES.items()}
    return values | {
        "queries": queries,
        "keys": queries if rng.random() < 0.4 else rng.choice(LENGTHS),
        "size": rng.choice(sizes),
        "value_size": rng.choice((0, 0, rng.choice(sizes))),
        "fill": "-inf" if values["mask"] == "none" else rng.choice(("-inf", "-inf", "added", "-1000000000.0")),
    }


def common_values(case: Mapping[str, Any], line: Mapping[str, Any]) -> dict[str, str]:
    """Returns the value of each axis that both grids draw, of a case in the outcome `line`."""
    return {
        **{
            axis: str(case[axis])
            for axis in (*AXES, "fill", "size")
            if axis not in ("batch", "heads", "group", "window")
        },
        "heads": "grouped" if case["group"] > 1 else "several" if case["heads"] > 1 else "one",
        "values": "as keys" if case["value_size"] in (0, case["size"]) else "of another size",
        "positions": "one query" if case["queries"] == 1 else "as many" if case["queries"] == case["keys"] else "other",
        "arch": line["arch"],
        "kernels": f"{line['arch']} {line['launches']}" if "launches" in line else "none",
    }


def _case(rng: Random) -> Case:
    axes = drawn(rng)
    if axes["fill"] != "-inf" and rng.random() < 0.2:
        axes["fill"] = "-5.0"
    form = rng.choice((*[""] * len(FORMS), *FORMS))
    if form in NEEDS_MASK and axes["mask"] == "none":
        form = ""
    transposed = rng.choice(("", "", "", "k", "v", "q", "qkv"))
    log_sums, scales_queries = not form and rng.random() < 0.2, rng.random() < 0.3
    rotates = rng.choice(("", "", "", "", "halves", "pairs")) if axes["size"] % 2 == 0 else ""
    log_sums &= rotates != "pairs"
    further = {"form": form, "scales_queries": scales_queries, "rotates": rotates}
    return Case(**axes, log_sums=log_sums, transposed=transposed, **further)


def is_one_kernel(case: Case) -> bool:
    """
    Whether there is one kernel: heads of 2 to 256 elements, no further results but rows; and more than one key, as the softmax of one is no
    reduction. On sm90, rows
    or columns at multiples of 16 bytes are copied by TMA. Queries that are rotated
    are stored first if heads or values are large.
    """
    stored = case.rotates and max(case.size, case.columns) > MAX_COMBINED
    return (
        not stored and not case.also and all(2 <= size <= 256 for size in (case.size, case.columns)) and case.keys > 1
    )
