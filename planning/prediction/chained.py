"""The features of chained products, such as attention."""

from __future__ import annotations

from math import prod
from typing import Any

from ...dialects.common.shapes import memref_of
from ...dialects.plan.schedule import Schedule
from ...targets.architectures import SECTOR, WARP
from ...targets.mma import element_bytes
from ..attention.chained import ChainedTemplate, heads
from ..rules import tile_counts
from ..template import Request
from .features import Features


def features(plan: Schedule, request: Request, template: ChainedTemplate) -> Features:
    """Returns the features of chained products."""
    space, (bm, bn, keys) = request.space, plan.tile
    row: dict[str, Any] = template.row(plan)
    summed, products = sum(heads(space)), len(space.chained)
    tiles = prod(tile_counts(plan, space)) * plan.split
    steps = plan.part(space.k) // keys
    alone = plan.warp_specialized
    blocks = min(tiles, request.machine.multiprocessors) if alone else tiles
    warps = plan.threads // WARP
    rows = 64 if alone else plan.warp[0]
    share = 4 * plan.consumers / warps if alone else 1.0
    scores = rows * keys / (128 if alone else WARP)
    outputs = products * rows * bn / (128 if alone else WARP)
    loaded = (keys * (summed + products * bn)) * 2 / 16
    types = [memref_of(arg) for arg in (*request.kernel.inputs, *request.kernel.outputs)]
    every = sum(-(-prod(t.get_shape()) * element_bytes(t.element_type) // SECTOR) for t in types)
    stored = 4 if plan.split > 1 else element_bytes(memref_of(request.kernel.outputs[0]).element_type)
    size = 2 * space.k * (summed + products * bn) * prod(space.sizes[: space.outer])
    return Features(
        kind="warp_specialized_attention" if alone else "multistage_attention",
        shared=template.ring_bytes(plan) + alone * (bm * bn * stored + min(1024, 16 * bn)),
        blocks=blocks,
        sectors=every + (-(-space.m // bm) - 1) * size // SECTOR,
        warps=tiles * warps,
        registers={
            "one": 1,
            "held": row["registers"],
            "accumulators": outputs,
        },
        instructions={
            "one": 1,
            "steps": steps,
            "copies": 0 if alone else loaded / plan.threads * steps,
            "scores": scores * steps * share,
            "outputs": outputs * share,
            "rescaled": outputs * steps * share,
        },
        divides=alone and plan.consumers > 1,
    )
