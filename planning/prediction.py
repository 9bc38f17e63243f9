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
from typing import Any

from ..analysis.regions.operands import elementwise_count
from ..dialects.common.shapes import memref_of
from ..dialects.plan.schedule import Schedule
from ..targets.architectures import REGISTERS, WARP
from ..targets.mma import element_bytes
from .multistage.resources import BASE_REGISTERS, fragment_bytes, offset_registers
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
    """By 1, and the features `values`, `copies` and `loads` of a step."""
    instructions: tuple[float, ...]
    """By 1, and the features `steps`, `loads`, `copies`, `elements` and `multiplies`."""


REST = {
    "multistage": Rest((25, 0.8, 1.0, 0.8), (4, 36, 14, 3, 1, 11)),
    "warp_specialized": Rest((24, 1.8, 0.0, 0.0), (60, 20, 0, 3, 1, 9)),
    "rows": Rest((17, 0.8, 0.0, 0.0), (42, 0, 0.6, 0, 0, 0)),
    "columns": Rest((17, 2.7, 0.0, 0.0), (118, 0, 1, 0, 0, 0)),
    "elementwise": Rest((17, 0.0, 0.0, 0.0), (21, 0, 1, 0, 0, 0)),
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

    @property
    def of_registers(self) -> tuple[float, ...]:
        each = max(1.0, self.steps)
        return 1, self.values, self.copies / each, self.loads / each

    @property
    def of_instructions(self) -> tuple[float, ...]:
        return 1, self.steps, self.loads, self.copies, self.elements, self.multiplies


def _sum_of_products(constants: Sequence[float], features: Sequence[float]) -> float:
    return sum(c * f for c, f in zip(constants, features, strict=True))


def features_of(plan: Schedule, request: Request) -> tuple[str, Features]:
    """Returns the key of `REST` for a plan, and its features."""
    template = template_of(plan)(request)
    if isinstance(template, ContractionTemplate) and template.problem is not None:
        return _of_product(plan, request, template, template.problem)
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
    loads = 0.0
    if not plan.warp_specialized:
        held += offset_registers(shape, p) + BASE_REGISTERS[mma.name] - BASE_REGISTERS["m16n8k16"]
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
    points, threads = prod(space.sizes), blocks * plan.threads
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
