"""
What a plan will take, before it is compiled: registers, shared memory, occupancy, and what a launch moves and executes.

`tests/cost_model` compares these numbers with the cubin's and the emulator's. Blocks, threads, shared memory and the sectors of operands
follow from the plan. Registers and instructions are estimates: sums of features of the plan (fragments, accumulators, copies, steps), with
the constants of `REST`, which were fitted to compiled kernels. Spec: `tensor-compiler.ja §5`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Any, cast

from ..analysis.regions.operands import elementwise_count
from ..dialects.common.shapes import memref_of
from ..dialects.plan.schedule import Schedule
from ..targets.architectures import REGISTERS, WARP
from ..targets.mma import element_bytes
from .multistage.resources import fragment_bytes
from .problem import Problem
from .rules import tile_counts
from .template import ContractionTemplate, Request
from .templates import template_of

SECTOR = 32
"""Granularity of accesses to L2, in bytes."""


@dataclass(frozen=True)
class Prediction:
    """Per thread: `registers`. Per block: `shared` bytes, `threads`. Of the launch: `blocks`, `sectors`, and `instructions` of warps."""

    registers: int
    shared: int
    threads: int
    blocks: int
    occupancy: int
    """Number of blocks that a multiprocessor holds."""
    sectors: int
    instructions: int


@dataclass(frozen=True)
class Rest:
    """
    Constants of a kind of kernel, by which features are multiplied: `registers` of a thread, and `instructions` of a warp. The first one of
    each is what a kernel takes without data.
    """

    registers: tuple[float, ...]
    """By the features of `Features.of_registers`."""
    instructions: tuple[float, ...]
    """By 1, and the features `steps`, `loads`, `copies`, `elements` and `multiplies`."""


REST = {
    "multistage": Rest(
        (3.41, 1.84, 14.12, 0.45, 1.56, 1.08, 0.73, 12.4, 4.13, 13.66), (7.08, 65.64, 11.69, 0.34, 2.02, 0.0)
    ),
    "warp_specialized": Rest((21.4, 2.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (54.34, 0.0, 0.0, 0.0, 1.75, 6.33)),
    "rows": Rest((16.52, 1.16, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (49.68, 0.0, 1.5, 0.0, 0.0, 0.0)),
    "columns": Rest((22.11, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (77.82, 3.16, 0.24, 0.0, 0.0, 0.0)),
    "elementwise": Rest((16.62, 0.03, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (20.51, 0.54, 0.85, 0.0, 0.0, 0.0)),
}
"""Fitted to the points with even numbers of `tests/cost_model`, by `python -m tests.cost_model --fit`."""


def predicted(plan: Schedule, request: Request) -> Prediction:
    """Returns what the kernel of a request will take with a plan, which must be legal for it."""
    kind, features = features_of(plan, request)
    rest, most = REST[kind], min(request.arch.registers_per_thread, REGISTERS // plan.threads // 8 * 8)
    registers = min(most, round(_sum_of_products(rest.registers, features.of_registers)))
    instructions = features.warps * _sum_of_products(rest.instructions, features.of_instructions)
    occupancy = request.arch.blocks(plan.threads, registers, features.shared)
    return Prediction(
        registers, features.shared, plan.threads, features.blocks, occupancy, features.sectors, round(instructions)
    )


@dataclass(frozen=True)
class Features:
    """What follows from a plan exactly. `steps` and those after it are of one warp, of which there are `warps` in all blocks."""

    values: float
    """32-bit words of data that a thread holds."""
    shared: int
    blocks: int
    sectors: int
    warps: int
    steps: float
    loads: float
    copies: float
    elements: float
    multiplies: float
    gathers: bool = False
    """Whether lanes assemble the words of an operand byte by byte."""
    windows: bool = False
    """Whether the addresses of an operand have divisions, such as those of a convolution."""

    @property
    def of_registers(self) -> tuple[float, ...]:
        """
        1, the values of a thread; whether the kernel has a loop, and the copies and loads of its step; those of a kernel that has no loop;
        whether lanes gather bytes, and these loads; whether there are windows.
        """
        each, loop = max(1.0, self.steps), self.steps > 1
        copies, loads = self.copies / each, self.loads / each
        in_loop, alone = (loop, loop * copies, loop * loads), ((not loop) * copies, (not loop) * loads)
        return 1, self.values, *in_loop, *alone, self.gathers, self.gathers * loads, self.windows

    @property
    def of_instructions(self) -> tuple[float, ...]:
        return 1, self.steps, self.loads, self.copies, self.elements, self.multiplies


def _sum_of_products(constants: Sequence[float], features: Sequence[float]) -> float:
    return sum(c * f for c, f in zip(constants, features, strict=True))


def features_of(plan: Schedule, request: Request) -> tuple[str, Features]:
    """Returns the key of `REST` for a plan, and its features."""
    template = template_of(plan)(request)
    if isinstance(template, ContractionTemplate):
        product = cast("ContractionTemplate[Any]", template)
        if product.problem is not None:
            return _of_product(plan, request, product, product.problem)
    return _of_points(plan, request, template.family)


def _of_product(
    plan: Schedule, request: Request, template: ContractionTemplate[Any], p: Problem
) -> tuple[str, Features]:
    shape = template.resources.shape_of(plan)
    (bm, bn, bk), (wm, wn), mma = shape.tile, shape.warp, p.mma
    tiles = p.outer * -(-p.m // bm) * -(-p.n // bn)
    steps, work = shape.k_steps(p.k), tiles * plan.split
    blocks = min(work, request.machine.multiprocessors) if plan.warp_specialized else work
    warps = plan.threads // WARP
    consumers = plan.consumers * 4 if plan.warp_specialized else warps
    held = template.resources.fragment_registers(shape, p)
    if not plan.warp_specialized:  # what is copied and loaded is counted apart
        held = wm * wn // (mma.m * mma.n) * mma.c.count * p.accumulator_bytes // 4
    loads = 0.0
    if not plan.warp_specialized:
        loads = fragment_bytes(shape.warp, shape.transposed, p) / 16 * bk / mma.k
    of_a, of_b = p.source_bytes
    rows, columns = (wn, wm) if shape.transposed else (wm, wn)
    multiplies = rows * columns * bk / (mma.m * mma.n * mma.k) * steps
    return "warp_specialized" if plan.warp_specialized else "multistage", Features(
        values=held,
        shared=template.resources.shared_bytes(shape, p),
        blocks=blocks,
        sectors=_operand_sectors(plan, p) + _other_sectors(request),
        warps=work * warps,
        steps=steps,
        loads=loads * steps,
        copies=sum(
            side * bk * size / width / plan.threads * steps
            for side, size, width in zip((bm, bn), (of_a, of_b), _copy_widths(p), strict=True)
        ),
        elements=wm * wn / (128 if plan.warp_specialized else 32) * (1 + p.operations) * consumers / warps,
        multiplies=multiplies * consumers / warps,
        gathers=p.gathers,
        windows=p.run > 0,
    )


def _copy_widths(p: Problem) -> tuple[int, int]:
    """Returns the bytes that a thread copies of A and of B at a time: 16, or less if the rows in memory are no multiple of that."""
    (a, b), (of_a, of_b) = p.layouts, p.source_bytes
    k = p.run or p.k
    widths = [
        gcd(16, length * size) for length, size in ((k if a == "ND" else p.m, of_a), (p.n if b == "ND" else k, of_b))
    ]
    of_a, of_b = (width if width >= 4 else size for width, size in zip(widths, (of_a, of_b), strict=True))
    return of_a, of_b


def _operand_sectors(plan: Schedule, p: Problem) -> int:
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


def _other_sectors(request: Request, operands: int = 2) -> int:
    """Returns the sectors of the arrays of a kernel but its first inputs, each read or written once."""
    arrays = [memref_of(arg) for arg in (*request.kernel.inputs[operands:], *request.kernel.outputs)]
    return sum(-(-prod(t.get_shape()) * element_bytes(t.element_type) // SECTOR) for t in arrays)


def _of_points(plan: Schedule, request: Request, family: str) -> tuple[str, Features]:
    space, kernel = request.space, request.kernel
    blocks = prod(tile_counts(plan, space)) * plan.blocks_of_cluster
    arrays = [memref_of(arg) for arg in (*kernel.inputs, *kernel.outputs)]
    points = max(prod(space.sizes), *(prod(t.get_shape()) for t in arrays))
    threads = blocks * plan.threads
    each = points / threads
    words = max(element_bytes(t.element_type) for t in arrays) / 4
    held = (
        min(each, plan.tile[0] * plan.tile[1] / plan.threads) * words
        if family == "rows"
        else plan.vectorize.width * words
    )
    kind = family if family in REST else "elementwise"
    return kind, Features(
        values=held * (len(kernel.inputs) if kind == "elementwise" else 1),
        shared=0,
        blocks=blocks,
        sectors=_other_sectors(request, 0),
        warps=threads // WARP,
        steps=each / plan.vectorize.width * len(arrays),
        loads=each * (1 + elementwise_count(list(kernel.body.block.ops))),
        copies=0,
        elements=0,
        multiplies=0,
    )
