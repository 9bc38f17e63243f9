"""
`plan-regions{arch=sm80}`: writes a Schedule Plan on every region that has none.

The tile is the candidate with the least estimated time on the architecture; stages and BK follow from the
shape and from shared memory. `retreat=N` gives the plan N steps further down the ladder *fewer stages →
smaller warp tile → smaller tile*: the compile driver asks for it when the compiled kernel spills or does
not fit; `stages=N` makes every ring N deep. A plan that stands on a region already is kept if it fits.

Spec: `tensor-compiler.ja §1.7`, `§5` (resources), `§10` (retreat).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ..analysis.statistics import count
from ..dialects import region, tiny
from ..dialects.plan import ScheduleAttr
from ..errors import InvalidAttributeValue, NoPlanFits, PlanMismatch

if TYPE_CHECKING:
    from ..analysis.arch import Arch
    from ..analysis.kernel_space import KernelSpace
    from ..dialects.schedule import Schedule

log = logging.getLogger(__name__)

BASE_REGISTERS = 48
"""Addresses, predicates and loop state of the template, beside accumulators and fragments."""
CANDIDATES = (
    ((128, 128), (64, 64)),
    ((128, 64), (64, 32)),
    ((64, 128), (32, 64)),
    ((64, 64), (32, 32)),
    ((128, 32), (32, 32)),
    ((32, 128), (32, 32)),
    ((64, 32), (32, 16)),
    ((32, 64), (16, 32)),
    ((128, 16), (32, 16)),
    ((64, 16), (16, 16)),
    ((32, 32), (16, 16)),
    ((16, 64), (16, 16)),
    ((16, 32), (16, 16)),
    ((32, 16), (16, 16)),
    ((16, 16), (16, 16)),
)
"""(BM, BN) and the warp tile; the ladder of retreat goes down this list."""


@dataclass(frozen=True)
class PlanRegions(ModulePass):
    """Plans for `arch`; `retreat` steps down the ladder, `stages` fixes the depth of the rings."""

    name = "plan-regions"
    arch: str = "sm80"
    retreat: int = 0
    stages: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from ..analysis.arch import ARCHS

        if self.arch not in ARCHS:
            raise InvalidAttributeValue(name="arch", problem=f"is '{self.arch}'", help=f"one of {', '.join(ARCHS)}")
        if self.retreat < 0:
            raise InvalidAttributeValue(name="retreat", problem=f"is {self.retreat}", help="0 is the best plan")
        if self.stages is not None and not 2 <= self.stages <= 8:
            raise InvalidAttributeValue(name="stages", problem=f"is {self.stages}", help="a ring has 2 to 8 stages")
        for kernel in [o for o in op.body.block.ops if isinstance(o, region.RegionKernelOp)]:
            plan_region(kernel, ARCHS[self.arch], self.retreat, self.stages)


def plan_region(kernel: region.RegionKernelOp, arch: Arch, retreat: int = 0, stages: int | None = None) -> None:
    """Gives one kernel its plan. Raises `NoPlanFits` at the end of the ladder."""
    from ..analysis.kernel_space import kernel_space

    space = kernel_space(kernel)
    if kernel.plan is not None:
        _check(kernel, kernel.plan.schedule(), arch)
        return
    ladder = list(_ladder(kernel, space, arch, stages))
    if retreat >= len(ladder):
        raise NoPlanFits(
            kernel,
            kernel=kernel.sym_name.data,
            arch=arch.name,
            problem=f"all {len(ladder)} plans{'' if stages is None else f' of {stages} stages'} were tried",
            help="give a smaller tile by hand: plan #plan.schedule<{…}>",
        )
    kernel.plan = ScheduleAttr(ladder[retreat])
    count("plans made")
    count("plans considered", len(ladder))


def _check(kernel: region.RegionKernelOp, plan: Schedule, arch: Arch) -> None:
    if plan.arch != arch.name:
        raise PlanMismatch(
            kernel,
            kernel=kernel.sym_name.data,
            problem=f"it is for {plan.arch}",
            help=f"remove it, or run plan-regions{{arch={plan.arch}}}",
        )
    if (used := shared_bytes(plan)) > arch.shared_per_block:
        raise NoPlanFits(
            kernel,
            kernel=kernel.sym_name.data,
            arch=arch.name,
            problem=f"its ring takes {used} bytes of shared memory, the limit is {arch.shared_per_block}",
            help="use fewer stages or a smaller tile",
        )


def shared_bytes(plan: Schedule, element_bytes: int = 2) -> int:
    """§5: `(BM·BK + BK·BN) · sizeof(T) · stages`."""
    if len(plan.tile) != 3:
        return 0
    bm, bn, bk = plan.tile
    return (bm * bk + bk * bn) * element_bytes * int(plan.stages)  # pyright: ignore[reportArgumentType]


def registers(tile: Sequence[int], warp: tuple[int, int]) -> int:
    """§5: base, accumulators, and two k-steps of operand fragments, per thread."""
    wm, wn = warp
    return BASE_REGISTERS + wm * wn // 32 + 2 * (wm * 16 + wn * 16) // 64


def _ladder(kernel: region.RegionKernelOp, space: KernelSpace, arch: Arch, stages: int | None) -> Iterator[Schedule]:
    """Plans that fit, best first."""
    if space.contraction is None:
        yield from _elementwise(kernel, space, arch)
        return
    candidates = [c for c in CANDIDATES if registers(*c) <= arch.registers_per_thread]
    ranked = sorted(candidates, key=lambda c: _time(*c, space, arch))
    for tile, warp in ranked:
        bk = min(64, max(16, _power_of_two(space.k)))
        steps = -(-space.k // bk)
        for depth in range(max(2, min(4, steps + 1)), 1, -1) if stages is None else (stages,):
            plan = _schedule(kernel, space, arch, (*tile, bk), warp, depth)
            if (used := shared_bytes(plan)) <= arch.shared_per_block:
                yield plan
            else:
                refused = "tile %s with %d stages takes %d bytes of shared memory, the limit is %d"
                log.debug(refused, list(plan.tile), depth, used, arch.shared_per_block, extra={"op": kernel})


L2_COST = 42
"""Multiply-adds that the tensor cores of a multiprocessor do while it reads one 16-bit element from L2."""
SHARED_COST = 16
"""The same for one element from shared memory: 1024 multiply-adds and 64 elements a clock on A100."""


def _time(tile: tuple[int, int], warp: tuple[int, int], space: KernelSpace, arch: Arch) -> float:
    """
    Relative time: the blocks that one multiprocessor runs, each as long as its slowest part: multiplying,
    filling shared memory from L2, or reading fragments from shared memory, per unit of k.
    """
    (bm, bn), (wm, wn) = tile, warp
    blocks = prod(space.sizes[: space.outer]) * -(-space.m // bm) * -(-space.n // bn)
    warps = bm * bn // (wm * wn)
    work = max(bm * bn, L2_COST * (bm + bn), SHARED_COST * warps * (wm + wn))
    return -(-blocks // arch.multiprocessors) * work


def _power_of_two(n: int) -> int:
    """The least power of two that is at least n."""
    return 1 << (n - 1).bit_length()


def _schedule(
    kernel: region.RegionKernelOp,
    space: KernelSpace,
    arch: Arch,
    tile: tuple[int, int, int],
    warp: tuple[int, int],
    stages: int,
) -> Schedule:
    from ..dialects.schedule import Cache, LocalEdge, Schedule, Vectorize

    bm, bn, bk = tile
    tail = [
        axis
        for axis, size, step in (("m.i.i", space.m, bm), ("n.i.i", space.n, bn), ("k.i.i", space.k, bk))
        if size % step
    ]
    labels = epilogue_labels(kernel, space)
    return Schedule(
        arch=arch.name,
        tile=tile,
        stages=stages,
        warp_tile=f"{warp[0]}x{warp[1]}",
        bind=_bind(space, tile) | {"m.i.o": "warp.y", "n.i.o": "warp.x"},
        cache=(Cache(tensor="A"), Cache(tensor="B")),
        vectorize=Vectorize(axis="n.i.i", width=2 if warp[1] % 32 else 8),
        predicate_tail=tuple(tail),
        epilogue=labels,
        layout_hints={"A_swizzle": True, "B_swizzle": True, "C_stride": "row"},
        algo_choice={"matmul": "implicit_gemm"},
        local_edges=(LocalEdge(source="sum", target=labels[0], buffer="reg"),) if labels else (),
    )


def _bind(space: KernelSpace, tile: Sequence[int]) -> dict[str, str]:
    """n over x, m over y, the rest over z; m over x where there are more rows of tiles than y can count."""
    from ..analysis.arch import GRID_LIMIT

    tall = -(-space.m // tile[0]) > GRID_LIMIT[1]
    return {"m.o": "block.x", "n.o": "block.y"} if tall else {"m.o": "block.y", "n.o": "block.x"}


def _elementwise(kernel: region.RegionKernelOp, space: KernelSpace, arch: Arch) -> Iterator[Schedule]:
    from ..dialects.schedule import Schedule, Vectorize

    columns = min(1024, max(8, _power_of_two(space.n)))
    rows = max(1, min(_power_of_two(space.m), 1024 // columns))
    width = 4 if space.n % 4 == 0 else 2 if space.n % 2 == 0 else 1
    for height in dict.fromkeys(max(1, rows // step) for step in (1, 2, 4)):
        tile = (height, columns)
        yield Schedule(
            arch=arch.name,
            tile=tile,
            bind=_bind(space, tile),
            vectorize=Vectorize(axis="n.i.i", width=width),
            predicate_tail=tuple(
                a for a, s, t in zip(("m.i.i", "n.i.i"), (space.m, space.n), tile, strict=True) if s % t
            ),
            epilogue=epilogue_labels(kernel, space),
        )


def epilogue_labels(kernel: region.RegionKernelOp, space: KernelSpace) -> tuple[str, ...]:
    """The functions applied after the contraction, in order: labels for a reader; the region's SSA decides."""
    inside: set[Operation] = {space.contraction.op, *space.contraction.interior} if space.contraction else set()
    return tuple(
        op.fn.data for op in kernel.body.block.ops if isinstance(op, tiny.UnaryOp | tiny.BinaryOp) and op not in inside
    )
