"""The features of contractions: kernels of a ring in shared memory and matrix instructions, of warps or of warpgroups."""

from __future__ import annotations

from math import gcd
from typing import Any

from ...dialects.plan.schedule import Schedule
from ...targets.architectures import SECTOR, WARP
from ..epilogue import epilogue_ops
from ..multistage.resources import fragment_bytes, operand_elements
from ..problem import ROW_BYTES, Problem
from ..template import ContractionTemplate, Request
from ..warp_specialized.resources import divides_registers
from .features import Features, array_sectors, functions

UNROLLED = 2
"""Number of steps of a loop that NVRTC writes out, so that addresses are constants."""


def features(plan: Schedule, request: Request, template: ContractionTemplate[Any], p: Problem) -> Features:
    """Returns the features of a product."""
    of = _warp_specialized if plan.warp_specialized else _multistage
    return of(plan, request, template, p)


def _multistage(plan: Schedule, request: Request, template: ContractionTemplate[Any], p: Problem) -> Features:
    shape, mma = template.resources.shape_of(plan), p.mma
    (bm, bn, bk), (wm, wn), steps = shape.tile, shape.warp, shape.k_steps(p.k)
    work = p.outer * -(-p.m // bm) * -(-p.n // bn) * plan.split
    accumulators = wm * wn // (mma.m * mma.n) * mma.c.count * p.accumulator_bytes / 4 * (2 if p.of_rows else 1)
    fragments = -(-fragment_bytes(shape.warp, shape.transposed, p) // 4)
    widths, sizes = copy_widths(p), [side * bk * size for side, size in zip((bm, bn), p.source_bytes, strict=True)]
    copies = [-(-size // (width * plan.threads)) for size, width in zip(sizes, widths, strict=True)]
    computed = zip(operand_elements(shape.warp, shape.transposed, p), p.prologue, p.source_bytes, strict=True)
    prologue = sum(count * ops / size for count, ops, size in computed) * bk / mma.k * steps
    multiplies = wm * wn * bk / (mma.m * mma.n * mma.k) * steps
    short, long = functions(epilogue_ops(request.kernel, request.space))
    elements, loop = wm * wn / WARP, steps > UNROLLED
    loads = fragments / 4 * bk / mma.k * steps
    narrow = sum(count for count, width in zip(copies, widths, strict=True) if width < ROW_BYTES)
    return Features(
        kind="multistage",
        shared=template.resources.shared_bytes(shape, p),
        blocks=work,
        sectors=operand_sectors(plan, p) + array_sectors(request, 2),
        warps=work * plan.threads // WARP,
        registers={
            "one": 1,
            "accumulators": accumulators,
            "fragments": fragments * shape.buffers,
            "loop": loop,
            "copies": sum(copies),
            "windows": (p.run > 0) * sum(copies),
            "pointers": len(request.kernel.inputs) + len(request.kernel.outputs) - 3,
            "functions": (long > 0) * accumulators,
            "gathers": p.gathers * fragments,
            "prologue": any(p.prologue) * fragments,
        },
        instructions={
            "one": 1,
            "steps": steps,
            "loads": loads,
            "gathers": p.gathers * loads,
            "narrow": narrow * steps,
            "windows": (p.run > 0) * sum(copies) * steps,
            "multiplies": (mma.kind != "f32") * multiplies,
            "multiply_adds": (mma.kind == "f32") * multiplies * mma.m * mma.n * mma.k / WARP,
            "prologue": prologue,
            "elements": elements,
            "functions": elements * short,
            "long_functions": elements * long,
        },
    )


def _warp_specialized(plan: Schedule, request: Request, template: ContractionTemplate[Any], p: Problem) -> Features:
    shape, mma = template.resources.shape_of(plan), p.mma
    (bm, bn, bk), (wm, wn), steps = shape.tile, shape.warp, shape.k_steps(p.k)
    tiles = p.outer * -(-p.m // bm) * -(-p.n // bn)
    work, machine = (
        tiles * plan.split,
        plan.multiprocessors if isinstance(plan.multiprocessors, int) else request.machine.multiprocessors,
    )
    clusters = -(-p.m // (bm * plan.cluster[0])) * -(-p.n // (bn * plan.cluster[1])) * p.outer * plan.split
    each = plan.blocks_of_cluster
    blocks = machine // each * each if plan.matmul == "stream_k" else min(clusters, max(1, machine // each)) * each
    widths, sizes = copy_widths(p), [side * bk * size for side, size in zip((bm, bn), p.source_bytes, strict=True)]
    cut = p.run % bk > 0  # TMA copies boxes, and no step is one
    by_threads = [w < ROW_BYTES or turned or cut for w, turned in zip(widths, p.transposed_copies, strict=True)]
    copies = sum(size / width / 128 for size, width, threads in zip(sizes, widths, by_threads, strict=True) if threads)
    held = template.resources.fragment_registers(shape, p)
    accumulator = wm * wn // 128 * (2 if p.promotes else shape.accumulators)
    short, long = functions(epilogue_ops(request.kernel, request.space))
    warps, elements = plan.threads // WARP, wm * wn / 128
    share = 4 * plan.consumers / warps
    multiplies = wm * wn * bk / (64 * (wm if shape.transposed else wn) * mma.k) * steps
    return Features(
        kind="warp_specialized",
        shared=template.resources.shared_bytes(shape, p),
        blocks=blocks,
        sectors=operand_sectors(plan, p) + array_sectors(request, 2),
        warps=work * warps,
        registers={
            "one": 1,
            "held": held,
            "copies": copies,
        },
        instructions={
            "one": 1,
            "steps": steps,
            "copies": copies * steps * (1 - share),
            "functions": elements * short * share,
            "long_functions": elements * long * share,
            "prologue": any(p.prologue) * multiplies * share,
        },
        divides=divides_registers(plan.consumers, accumulator, any(by_threads)),
    )


def copy_widths(p: Problem) -> tuple[int, int]:
    """Returns the bytes that a thread copies of A and of B at a time: 16, or less if the rows in memory are no multiple of that."""
    (a, b), (of_a, of_b) = p.layouts, p.source_bytes
    k = p.run or p.k
    widths = [
        gcd(16, length * size) for length, size in ((k if a == "ND" else p.m, of_a), (p.n if b == "ND" else k, of_b))
    ]
    of_a, of_b = (width if width >= 4 else size for width, size in zip(widths, (of_a, of_b), strict=True))
    return of_a, of_b


def operand_sectors(plan: Schedule, p: Problem) -> int:
    """Returns the sectors of both operands that the blocks read: each tile reads its rows of A and its columns of B."""
    bm, bn, bk = plan.tile
    across, down = -(-p.n // bn), -(-p.m // bm)
    (a, b), (of_a, of_b) = p.layouts, p.source_bytes
    read_a = across * (p.m * _pieces(p.k, bk, of_a) if a == "ND" else p.k * _pieces(p.m, bm, of_a))
    read_b = down * (p.k * _pieces(p.n, bn, of_b) if b == "ND" else p.n * _pieces(p.k, bk, of_b))
    return p.outer * (read_a + read_b)


def _pieces(length: int, piece: int, size: int) -> int:
    """Returns the sectors of a contiguous row of `length` elements that is read in pieces."""
    whole, left = divmod(length, piece)
    return whole * -(-piece * size // SECTOR) + -(-left * size // SECTOR)
