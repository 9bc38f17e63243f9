"""The features of kernels without matrix instructions: rows, columns, and elements that threads compute alone."""

from __future__ import annotations

from math import gcd, prod

from ...analysis.regions.addresses import is_affine, stride
from ...analysis.regions.passes import passes_of
from ...dialects import tiny
from ...dialects.common.shapes import memref_of
from ...dialects.plan.schedule import Schedule
from ...targets.architectures import SECTOR, WARP
from ..elementwise import WIDEST, Elementwise
from ..rows import Rows
from ..rules import tile_counts
from ..template import Request, Template
from .features import Features, array_sectors, functions


def features(plan: Schedule, request: Request, template: Template) -> Features:
    """Returns the features of a kernel without matrix instructions."""
    if isinstance(template, Elementwise):
        return _elements(plan, request, template)
    return _reductions(plan, request, template)


def _reductions(plan: Schedule, request: Request, template: Template) -> Features:
    space, kernel = request.space, request.kernel
    blocks = prod(tile_counts(plan, space)) * plan.blocks_of_cluster
    warps = plan.threads // WARP
    held = prod(plan.warp) / WARP
    arrays = [memref_of(arg) for arg in (*kernel.inputs, *kernel.outputs)]
    whole = [t for t in arrays if prod(t.get_shape()) >= space.m * space.n] or arrays
    short, long = functions(kernel.body.block.ops)
    reduced = sum(isinstance(op, tiny.ReduceOp) for op in kernel.body.block.ops)
    width = plan.vectorize.width
    if plan.reduces_columns:
        lanes, across = WARP // (plan.warp[1] // width), plan.warps[0]
        rounds = -(-max(prod(t.get_shape()) for t in arrays) // space.n // plan.tile[0])
    elif plan.transposed:
        lanes, across, rounds = WARP // max(1, plan.warp[0] // width), plan.warps[1], 1
    else:
        lanes, across, rounds = WARP // plan.warp[0], plan.warps[1], -(-space.n // plan.row_columns)
    again = 1
    if isinstance(template, Rows) and rounds > 1:
        again = passes_of(kernel, space.book).count(template.stored)
    rows = plan.warp[0] if not plan.reduces_columns else width
    combined = reduced * rows if plan.transposed else reduced * (width if plan.reduces_columns else 1)
    shared = 0
    if across > 1:
        of = plan.warp[1] if plan.reduces_columns else plan.warp[0]
        others = plan.warps[1] if plan.reduces_columns else plan.warps[0]
        shared = of * across * others * 4
    return Features(
        kind=template.family,
        shared=shared,
        blocks=blocks,
        sectors=array_sectors(request),
        warps=blocks * warps,
        registers={
            "one": 1,
            "held": held,
            "in_flight": held * (rounds > 1),
            "functions": long > 0,
            "arrays": len(arrays),
            "adjacent": plan.transposed,
            "shares": across > 1,
        },
        instructions={
            "one": 1,
            "rounds": rounds * again,
            "accesses": held / width * len(whole) * rounds * again,
            "functions": held * short * rounds,
            "long_functions": held * long * rounds,
            "shuffles": combined * (lanes.bit_length() - 1),
            "shares": (across > 1) * across * combined,
        },
    )


def _elements(plan: Schedule, request: Request, template: Elementwise) -> Features:
    space, kernel = request.space, request.kernel
    blocks, column = prod(tile_counts(plan, space)), space.outer + 1
    each, width = prod(plan.tile) / plan.threads, plan.vectorize.width
    points = min(each, prod(space.points) / blocks / plan.threads)
    short, long = functions(kernel.body.block.ops)
    words = accesses = sectors = 0.0
    across = min(WARP, -(-plan.tile[1] // width))
    for size, address, sizes in template.accesses:
        affine = is_affine(address)
        step, row = (abs(stride(address, axis)) if affine else WARP for axis in (column, column - 1))
        part = gcd(width, max(1, WIDEST // size), space.n) if step == 1 else 1
        of_row = min(across * max(1, part * size // SECTOR), -(-across * width * step * size // SECTOR)) if step else 1
        down = WARP // across
        lanes = of_row * (min(down, -(-down * row * size // SECTOR)) if row else 1)
        repeats = prod(sizes[len(space.points) :])
        words += (part if step else 1) * max(1.0, size / 4)
        accesses += repeats / (part if step else width)
        sectors += repeats * prod(space.points) / (WARP * part) * lanes
    return Features(
        kind="elementwise",
        shared=0,
        blocks=blocks,
        sectors=max(array_sectors(request), round(sectors)),
        warps=blocks * plan.threads // WARP,
        registers={
            "one": 1,
            "words": words,
            "vectors": min(4, -(-each // width)) - 1,
            "functions": long > 0,
        },
        instructions={
            "one": 1,
            "vectors": -(-each // width),
            "accesses": accesses * points,
            "functions": short * points,
            "long_functions": long * points,
        },
    )
