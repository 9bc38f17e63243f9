"""
Measures the effect of each field of a warp-specialized plan, one step at a time.

Each of `STEPS` changes the plan of the step before, as in published optimization ladders of hand-written kernels; each of
`VARIANTS` changes the plan of the last step. The planner's prediction is printed before each measurement, for comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from plans import planned, prediction, regions, with_roles
from products import Product
from xdsl.dialects.builtin import ModuleOp

from ptir.planning.warp_specialized.resources import Shape
from ptir.targets.machines import Machine

FIRST = Shape((128, 128, 64), (64, 128), 2)
STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("producer and two consumers", {}),
    ("four stages", {"stages": 4}),
    ("tile 128x256", {"tile": (128, 256, 64), "warp": (64, 256), "stages": 3}),
    ("fourth stage", {"stages": 4}),
    ("cluster 2x1", {"cluster": (2, 1)}),
    ("grouped order", {"order": "grouped_16"}),
)
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("cluster 1x2", {"cluster": (1, 2)}),
    ("cluster 2x2", {"cluster": (2, 2)}),
    ("order col", {"order": "col"}),
    ("order grouped_8", {"order": "grouped_8"}),
    ("epilogue_tile 64x32", {"epilogue_tile": (64, 32)}),
    ("epilogue_tile 64x128", {"epilogue_tile": (64, 128), "stages": 3}),
    ("BK 32", {"tile": (128, 256, 32), "stages": 8}),
    ("pingpong 128x128", {"tile": (128, 128, 64), "warp": (128, 128), "roles": "pingpong", "stages": 5}),
    ("pingpong 64x256", {"tile": (64, 256, 64), "warp": (64, 256), "roles": "pingpong", "stages": 4}),
    ("three consumers", {"tile": (192, 160, 64), "warp": (64, 160), "stages": 4}),
    ("stream-K", {"stream_k": True}),
    ("split 2", {"split": 2}),
)
PRODUCTS = (
    Product("bf16", (4096, 4096, 4096), "bf16", (), True),
    Product("bf16", (8192, 8192, 8192), "bf16", (), True),
    Product("bf16", (1024, 1024, 8192), "bf16", (), True),
)


def shapes() -> Iterator[tuple[str, Shape]]:
    """Yields the name and the shape of every step and variant."""
    shape = FIRST
    for name, change in STEPS:
        shape = replace(shape, **change)
        yield name, shape
    for name, change in VARIANTS:
        yield f"instead: {name}", replace(shape, **change)


def rungs(product: Product, machine: Machine) -> Iterator[tuple[str, ModuleOp, dict[str, Any]]]:
    """
    Yields the name of each rung, the product with the rung's plan, and the planner's prediction. The first rung is a plan
    without roles, the last one the planner's choice.
    """
    without = planned(product.text, "sm90", machine, roles=False)
    yield "mma.sync, no roles", without, prediction(without, "sm90", machine)
    for name, shape in shapes():
        module = with_roles(regions(product.text), shape)
        yield name, module, prediction(module, "sm90", machine)
    best = planned(product.text, "sm90", machine)
    yield "the planner's", best, prediction(best, "sm90", machine)
