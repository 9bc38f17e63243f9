"""
Each field of a plan changes the kernel, or only says what the kernel does anyway, or is refused by name: for each family of kernels.

`tests/unit/dialects/test_plan_fields.py` has the counters that each field of a product changes, and its results.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
import pytest

from ptir.dialects.plan.schedule import Schedule
from ptir.errors import PtirError
from tests.unit.builders.plan_families import PROGRAMS, cuda_of, plan_of, with_plan

CHANGED, STATED, REFUSED = "changes the kernel", "says what the kernel does", "is refused"
PRODUCTS = ("product on sm80", "product on sm90", "convolution on sm80", "convolution on sm90")
WITH_ROLES = ("product on sm90", "convolution on sm90", "attention on sm90")
ATTENTION = ("attention on sm80", "attention on sm90")
ROWS = ("rows", "rows of clusters", "adjacent rows", "scatter")
OTHERS = (*ROWS, "columns", "elementwise", "layouts")
MULTISTAGE = tuple(family for family in PRODUCTS if family not in WITH_ROLES)
SINGLE = tuple({"tensor": tensor, "pingpong": False} for tensor in "AB")
FUSED = [{"axes": ["m.o", "n.o"], "into": "tile"}]
WARPS = {"m.i.o": "warp.x", "n.i.o": "warp.y"}
FRAGMENTS = [{"from": tensor, "to": "sum", "depth": 2} for tensor in "AB"]
RING = [{"from": "A", "to": "sum", "buffer": "smem_ring"}]

OTHER_NAMES = {"layout_hints": "C_stride"}
"""Words by which an error may refer to a field."""

TABLE: list[tuple[tuple[str, ...], Mapping[str, Any], str]] = [
    (tuple(PROGRAMS), {"arch": "sm86"}, REFUSED),
    (("product on sm90", "convolution on sm90"), {"tile": (64, 32, 64), "warp_tile": "64x32"}, CHANGED),
    (("attention on sm90",), {"tile": (64, 64, 32), "warp_tile": "64x64"}, CHANGED),
    (("rows",), {"tile": (4, 1024)}, CHANGED),
    (("rows of clusters",), {"tile": (1, 8192)}, CHANGED),
    (("adjacent rows",), {"tile": (64, 64)}, CHANGED),
    (("columns",), {"tile": (64, 128)}, CHANGED),
    (("scatter",), {"tile": (1, 2048)}, CHANGED),
    (("elementwise", "layouts"), {"tile": (1, 128)}, CHANGED),
    (tuple(f for f in PROGRAMS if f != "rows of clusters"), {"tile": (8, 8, 8)}, REFUSED),
    (PRODUCTS, {"stages": 4}, CHANGED),
    (("attention on sm80",), {"stages": 3}, CHANGED),
    (("attention on sm90",), {"stages": 2}, CHANGED),
    (ATTENTION, {"stages": 1, "cache": SINGLE}, REFUSED),
    (OTHERS, {"stages": 3}, REFUSED),
    (("product on sm80", "convolution on sm80"), {"warp_tile": "16x16", "tile": (32, 32, 64)}, CHANGED),
    (WITH_ROLES, {"warp_tile": "16x16"}, REFUSED),
    (("attention on sm80",), {"warp_tile": "32x64", "tile": (64, 64, 64)}, CHANGED),
    (ATTENTION, {"warp_tile": "16x32"}, REFUSED),
    (("rows", "scatter"), {"warp_tile": "1x256"}, CHANGED),
    (OTHERS, {"warp_tile": "3x5"}, REFUSED),
    (tuple(f for f in PROGRAMS if f not in WITH_ROLES), {"roles": "pingpong"}, REFUSED),
    (("product on sm90", "convolution on sm90"), {"roles": "pingpong"}, CHANGED),
    (("attention on sm90",), {"roles": "pingpong", "tile": (64, 64, 64), "warp_tile": "64x64"}, REFUSED),
    (("product on sm90",), {"cluster": (2, 1)}, CHANGED),
    (("convolution on sm90",), {"cluster": (1, 1)}, CHANGED),
    (("rows of clusters",), {"cluster": (1, 2)}, CHANGED),
    (tuple(f for f in PROGRAMS if f not in (*WITH_ROLES, "rows of clusters")), {"cluster": (2, 1)}, REFUSED),
    (("attention on sm90",), {"cluster": (2, 1)}, REFUSED),
    (("product on sm80", "product on sm90", "convolution on sm80", "convolution on sm90"), {"order": "col"}, CHANGED),
    ((*ATTENTION, *OTHERS), {"order": "col"}, REFUSED),
    (("attention on sm90",), {"order": "down_1"}, CHANGED),
    (tuple(f for f in PROGRAMS if f != "attention on sm90"), {"order": "up_2"}, REFUSED),
    (("attention on sm90",), {"rescale_threshold": 8}, CHANGED),
    (tuple(f for f in PROGRAMS if f != "attention on sm90"), {"rescale_threshold": 8}, REFUSED),
    (("product on sm90", "convolution on sm90"), {"epilogue_tile": (64, 8)}, REFUSED),
    (tuple(f for f in PROGRAMS if f not in PRODUCTS or f in MULTISTAGE), {"epilogue_tile": (64, 16)}, REFUSED),
    (("product on sm90",), {"accumulators": 2}, CHANGED),
    (("convolution on sm90",), {"accumulators": 2}, CHANGED),
    (tuple(f for f in PROGRAMS if f not in PRODUCTS or f in MULTISTAGE), {"accumulators": 2}, REFUSED),
    (WITH_ROLES, {"multiprocessors": 1}, CHANGED),
    (tuple(f for f in PROGRAMS if f not in WITH_ROLES), {"multiprocessors": 1}, REFUSED),
    (tuple(PROGRAMS), {"split": 2}, REFUSED),
    (("convolution on sm80",), {"split": 3, "algo_choice": {"matmul": "splitk_serial"}}, CHANGED),
    (("convolution on sm90",), {"split": 3, "algo_choice": {"matmul": "splitk_parallel"}, "cluster": (1, 1)}, CHANGED),
    (("attention on sm80",), {"split": 2, "algo_choice": {"attention": "split_kv"}}, CHANGED),
    (MULTISTAGE, {"bind": {"m.o": "block.x", "n.o": "block.y"}}, CHANGED),
    (MULTISTAGE, {"bind": WARPS, "tile": (64, 64, 64), "warp_tile": "32x16"}, CHANGED),
    (WITH_ROLES, {"bind": {"m.o": "block.x", "n.o": "block.y"}}, REFUSED),
    (
        ("attention on sm80", "columns", "elementwise", "layouts"),
        {"bind": {"m.o": "block.x", "n.o": "block.y"}},
        CHANGED,
    ),
    (ROWS, {"bind": {"m.o": "block.y", "n.o": "block.x"}}, CHANGED),
    (tuple(PROGRAMS), {"bind": {"m.o": "block.z"}}, REFUSED),
    (PRODUCTS, {"reorder": ["n.o", "m.o"]}, CHANGED),
    (("elementwise", "layouts"), {"reorder": ["n.o", "m.o"], "tile": (8, 128)}, CHANGED),
    (ATTENTION, {"reorder": ["n.o", "m.o"]}, REFUSED),
    (ROWS, {"reorder": ["n.o", "m.o"]}, STATED),
    (tuple(PROGRAMS), {"reorder": ["k.o", "m.o"]}, REFUSED),
    (
        (*MULTISTAGE, "attention on sm80", "elementwise", "layouts"),
        {"fuse": FUSED, "bind": {"tile": "block.x"}},
        CHANGED,
    ),
    (("rows", "adjacent rows", "scatter"), {"fuse": FUSED, "bind": {"tile": "block.x"}}, STATED),
    (("rows of clusters",), {"fuse": FUSED, "bind": {"tile": "block.x"}}, REFUSED),
    (WITH_ROLES, {"fuse": FUSED, "bind": {"tile": "block.x"}}, REFUSED),
    (tuple(PROGRAMS), {"fuse": [{"axes": ["m.i.o", "n.i.o"], "into": "warp"}]}, REFUSED),
    ((*MULTISTAGE, "product on sm90"), {"unroll": {"k.o": 2}}, CHANGED),
    (("convolution on sm90",), {"unroll": {"k.o": 2}}, REFUSED),
    ((*ATTENTION, *OTHERS), {"unroll": {"k.o": 2}}, REFUSED),
    (PRODUCTS, {"unroll": {"m.o": 2}}, REFUSED),
    (PRODUCTS, {"cache": SINGLE, "stages": 1, "local_edges": []}, CHANGED),
    (PRODUCTS, {"cache": SINGLE}, REFUSED),
    (PRODUCTS, {"cache": []}, REFUSED),
    ((*ATTENTION, *OTHERS), {"cache": [{"tensor": "A"}]}, REFUSED),
    (("product on sm80", "rows", "elementwise", "layouts"), {"vectorize": {"axis": "n.i.i", "width": 1}}, CHANGED),
    (("attention on sm80",), {"vectorize": {"axis": "n.i.i", "width": 1}}, CHANGED),
    (tuple(PROGRAMS), {"vectorize": {"axis": "k.i.i", "width": 4}}, REFUSED),
    (("product on sm80", "rows", "elementwise", "columns"), {"predicate_tail": ["n.i.i"]}, CHANGED),
    (tuple(PROGRAMS), {"predicate_tail": ["n.o"]}, REFUSED),
    (("product on sm80", "product on sm90", "elementwise"), {"epilogue": ["bias"]}, STATED),
    (tuple(PROGRAMS), {"epilogue": ["nothing"]}, REFUSED),
    (("product on sm80",), {"layout_hints": {"A_swizzle": False}}, CHANGED),
    (("product on sm80",), {"layout_hints": {"B_swizzle": False}, "tile": (64, 64, 64), "warp_tile": "32x32"}, CHANGED),
    ((*WITH_ROLES, "attention on sm80", *OTHERS), {"layout_hints": {"A_swizzle": False}}, REFUSED),
    (tuple(PROGRAMS), {"layout_hints": {"C_stride": "diagonal"}}, REFUSED),
    (tuple(PROGRAMS), {"algo_choice": {"conv": "winograd_3x3"}}, REFUSED),
    (tuple(PROGRAMS), {"algo_choice": {"sort": "radix"}}, REFUSED),
    (MULTISTAGE, {"local_edges": []}, CHANGED),
    (WITH_ROLES, {"local_edges": FRAGMENTS}, REFUSED),
    ((*MULTISTAGE, "product on sm90"), {"local_edges": RING, "unroll": {"k.o": 2}}, CHANGED),
    (("product on sm90", "convolution on sm90"), {"local_edges": RING}, STATED),
    (("attention on sm80", "attention on sm90", *OTHERS), {"local_edges": RING}, REFUSED),
    (tuple(PROGRAMS), {"local_edges": [{"from": "sum", "to": "nothing"}]}, REFUSED),
]
"""The families, the changes to the planner's plan, and what they do."""
ROWS_OF_TABLE = [(family, changes, outcome) for families, changes, outcome in TABLE for family in families]


@cache
def before(family: str, tile: Any, warp_tile: Any) -> str:
    """Returns the CUDA of the family with the planner's plan and, if they are not None, another tile and warp tile."""
    sizes = {"tile": tile, "warp_tile": warp_tile}
    return cuda_of(with_plan(family, {**plan_of(family), **{k: v for k, v in sizes.items() if v is not None}}))


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("family", "changes", "outcome"), ROWS_OF_TABLE, ids=lambda value: str(value)[:60])
def test_a_field(family: str, changes: Mapping[str, Any], outcome: str):
    fields = {**plan_of(family), **changes}
    if outcome == REFUSED:
        with pytest.raises((PtirError, msgspec.ValidationError)) as refusal:
            cuda_of(with_plan(family, fields))
        said = f"{refusal.value} {getattr(refusal.value, 'help', '')}"
        assert any(word in said for field in changes for word in (field, OTHER_NAMES.get(field, field))), said
        return
    others = {"tile", "warp_tile"} & changes.keys()
    whole = len(changes) > len(others) and others
    base = before(family, *(changes.get(name) if whole else None for name in ("tile", "warp_tile")))
    assert (cuda_of(with_plan(family, fields)) != base) == (outcome == CHANGED)


def test_the_first_fused_axis_is_the_outer_one():
    family, bind = "product on sm80", {"tile": "block.x"}
    texts = [
        cuda_of(with_plan(family, {**plan_of(family), "fuse": [{"axes": axes, "into": "tile"}], "bind": bind}))
        for axes in (["m.o", "n.o"], ["n.o", "m.o"])
    ]
    by_order = cuda_of(with_plan(family, {**plan_of(family), "fuse": FUSED, "bind": bind, "order": "row"}))
    assert texts[0] == by_order != texts[1]
    with pytest.raises(msgspec.ValidationError, match="order = 'col' contradicts reorder or fuse"):
        with_plan(family, {**plan_of(family), "fuse": FUSED, "bind": bind, "order": "col"})


def test_the_table_has_every_field_and_family():
    named = {(family, field) for family, changes, _ in ROWS_OF_TABLE for field in changes}
    missing = {(f, field) for f in PROGRAMS for field in Schedule.__struct_fields__} - named
    assert not missing
