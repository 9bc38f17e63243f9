"""The base of the templates of chained products: the sizes of tiles, the fields of plans, and their rules."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod
from typing import Any, cast

from msgspec import UNSET, structs
from xdsl.ir import Block

from ...analysis.regions.attention import RowProduct, has_each_row_once
from ...analysis.regions.contraction import contractions
from ...analysis.regions.space import KernelSpace
from ...dialects import pto
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import MAX_SPLITS, ONLINE, SPLIT_KV, TWO_PASSES, Schedule, Vectorize
from ...targets.architectures import Arch
from ...targets.mma import Mma
from ..cost import LATENCY
from ..problem import Overflow
from ..row_time import LAUNCH, memory_clocks
from ..rules import Rule, agreement, field_rule, tails, tile_counts
from ..template import Template
from .operands import operands

RECOMPUTE = "recompute"
"""The value of `algo_choice.attention`: the scores are computed again from queries and keys, and their row sums are stored."""
GRANULE = 16
"""Head sizes, value sizes and numbers of keys in a tile are rounded up to a multiple of this: one step of the instruction."""

EXPONENTIALS = 16
"""Exponentials that a multiprocessor computes per clock (CUDA C++ Programming Guide, arithmetic instructions)."""


def rounded(size: int) -> int:
    return -(-size // GRANULE) * GRANULE


class ChainedTemplate(Template):
    """Base of the templates of chained products, such as attention."""

    family = "attention"

    @abstractmethod
    def whole(self) -> Sequence[Schedule]:
        """Returns the plans that fit and do not divide the keys, the best one first."""

    @abstractmethod
    def instruction(self) -> Mma | None:
        """Returns the instruction of all products."""

    @cached_property
    def mma(self) -> Mma | None:
        return self.instruction()

    def ranked(self) -> Sequence[Schedule]:
        """
        Returns the plans that fit, each with the keys divided if that is faster, or into as many parts as the request says; or those of the
        algorithm that it asks for.
        """
        if self.request.attention == TWO_PASSES and self.is_attention:
            twice = {"attention": TWO_PASSES}
            return (
                [structs.replace(plan, algo_choice=twice) for plan in self.whole()] if can_go_twice(self.space) else []
            )
        plans = [self.divided(plan, parts) for plan in self.whole() if (parts := self.parts(plan)) is not None]
        return [plan for plan in plans if self.overflow(plan) is None]

    @staticmethod
    def divided(plan: Schedule, parts: int) -> Schedule:
        return plan if parts == 1 else structs.replace(plan, split=parts, algo_choice={"attention": SPLIT_KV})

    @property
    def is_attention(self) -> bool:
        return algorithm(self.space) == ONLINE and not isinstance(self.space.attention, RowProduct)

    def parts(self, plan: Schedule) -> int | None:
        """Returns the number of parts of the keys with the least estimated time; None if there are no such parts as requested."""
        most = MAX_SPLITS if can_divide_keys(self.space) else 1
        counts = {ONLINE: range(1, 2), SPLIT_KV: range(2, most + 1)} if most > 1 else {}
        asked_for = counts.get(self.request.attention or "", range(1, most + 1))
        fitting = [n for n in asked_for if has_parts(self.space.k, plan.tile[2], n)]
        if (asked := self.request.split) is not None:
            return asked if asked in fitting else None
        return min(fitting, key=lambda n: (self.clocks(plan, n), n), default=None)

    def clocks(self, plan: Schedule, parts: int) -> float:
        """
        Estimates the clocks of a plan: those of the multiplications, or of the exponentials, of the largest number of blocks on a
        multiprocessor, or those in which the blocks read keys and values, with two stages of a ring in flight each; then those of the
        kernel that combines the parts. All keys count, also those that masks exclude.
        """
        space, machine = self.space, self.request.machine
        (bm, bn, keys), tiles, mma = plan.tile, prod(tile_counts(plan, space)), self.mma
        blocks, each = tiles * parts, -(-space.k // (keys * parts)) * keys
        a_score = max((sum(heads(self.space)) + bn) / machine.rate(mma), 1 / EXPONENTIALS) if mma is not None else 1.0
        computed = -(-blocks // machine.multiprocessors) * each * bm * a_score
        row = 2 * (sum(heads(self.space)) + bn)
        rate = min(machine.dram_share * machine.multiprocessors, blocks * 2 * keys * row / LATENCY)
        clocks = LATENCY + max(computed, tiles * space.k * row / rate)
        stored = 4 * parts * prod(space.points)
        return clocks if parts == 1 else clocks + memory_clocks(machine, 2 * stored, tiles) + LAUNCH

    def schedule(self, queries: int, rows: int, keys: int, stages: int, **fields: Any) -> Schedule:
        """Returns the plan of a tile of queries and keys, of which a warp, or a consumer warpgroup, has `rows` rows."""
        columns = rounded(self.space.n)
        tile = (queries, columns, keys)
        return Schedule(
            arch=self.request.arch.name,
            tile=tile,
            stages=stages,
            warp_tile=f"{rows}x{columns}",
            vectorize=Vectorize(axis="n.i.i", width=8),
            predicate_tail=tails(tile, self.space),
            epilogue=self.request.labels,
            algo_choice={"attention": algorithm(self.space)},
            **fields,
        )

    def ring_bytes(self, plan: Schedule) -> int:
        return ring_bytes(self.space, plan.tile, cast(int, plan.stages))


def algorithm(space: KernelSpace) -> str:
    """Returns the value of `algo_choice.attention` for a kernel of chained products."""
    return RECOMPUTE if space.attention is None else ONLINE


def heads(space: KernelSpace) -> list[int]:
    """Returns the sizes that the inner products sum, rounded up."""
    return [rounded(c.sizes[c.k[0]]) for c in space.chained[0].inner]


def ring_bytes(space: KernelSpace, tile: Sequence[int], stages: int) -> int:
    """Returns the bytes of the left operands of inner products, and of the rings of all right ones."""
    (bm, bn, keys), summed = tile, sum(heads(space))
    return 2 * (bm * summed + stages * keys * (summed + len(space.chained) * bn))


def shared_overflow(shared: int, arch: Arch) -> Overflow | None:
    limit = arch.shared_per_block
    if shared <= limit:
        return None
    return Overflow(
        f"its rings take {shared} bytes of shared memory, the limit is {limit}", "use a smaller tile, or fewer stages"
    )


def has_parts(keys: int, tile: int, parts: int) -> bool:
    """Returns whether keys can be divided into this many parts of equally many tiles, of which the last may have fewer but has some."""
    tiles = -(-keys // tile)
    return -(-tiles // -(-tiles // parts)) == parts


def can_divide_keys(space: KernelSpace) -> bool:
    """
    Returns whether a second kernel can combine parts of the keys: those of attention, whose results are relative to a maximum, and whose
    weights are divided by their sum.
    """
    a = space.attention
    return a is not None and not isinstance(a, RowProduct) and a.softmax.is_plain


def can_go_twice(space: KernelSpace) -> bool:
    """
    Returns whether a kernel can store the maximum and the sum of each row once, and a second one read them: products of one query are
    those of a vector, which are only computed by one kernel if it is attention, as are gathered keys and values.
    """
    if (
        (a := space.attention) is None
        or isinstance(a, RowProduct)
        or any(o.table is not None for o in operands(space, a))
        or not isinstance(block := a.product.op.parent, Block)
    ):
        return False
    return has_each_row_once(a) and {a.product.out, a.scores.out} <= contractions(block).keys()


def chained_rules(plan: Schedule, space: KernelSpace, rows: int) -> Iterator[Rule]:
    """Yields the rules for the plan of a region: a tile has a multiple of `rows` rows."""
    yield (bool(space.chained), "algo_choice has attention", "this region has none: leave it out")
    yield from _field_rules(plan)
    allowed = [algorithm(space), *[SPLIT_KV] * can_divide_keys(space), *[TWO_PASSES] * can_go_twice(space)]
    yield field_rule(
        plan.algo_choice in [{"attention": name} for name in allowed],
        "algo_choice",
        f"must have attention = {' or '.join(f'{chr(34)}{name}{chr(34)}' for name in allowed)} alone",
    )
    yield field_rule(
        plan.rescale_threshold is UNSET or can_divide_keys(space),
        "rescale_threshold",
        "must be left out: no accumulator of this region is relative to a maximum",
    )
    yield field_rule(
        has_parts(space.k, plan.tile[2], plan.split),
        "split",
        f"must leave no part without one of the {-(-space.k // plan.tile[2])} tiles of keys",
    )
    bm, bn, keys = plan.tile
    yield field_rule(plan.warp[1] == bn, "warp_tile", f"must have all {bn} columns of tile")
    whole = bn == rounded(space.n) and bm % rows == 0 and keys % GRANULE == 0
    need = f"must have {rows} rows, or a multiple, {rounded(space.n)} columns and a multiple of {GRANULE} keys"
    yield field_rule(whole, "tile", need)


def _field_rules(plan: Schedule) -> Iterator[Rule]:
    """Yields the rules for fields that all kernels of chained products leave at their defaults."""
    yield field_rule(plan.layout_hints in ({}, {"C_stride": "row"}), "layout_hints", 'may have C_stride = "row" only')
    one = "one tile has all columns, so that tiles have one order"
    in_turn = plan.tile_order == "row" or plan.heads_first is not None
    yield field_rule(
        in_turn, "reorder" if plan.reorder else "order", f"must be left out, or up_N or down_N with roles: {one}"
    )
    for field in ("cache", "local_edges"):
        yield field_rule(not getattr(plan, field), field, "must be left out: keys and values are always in rings")
    yield field_rule(plan.stages != 1, "stages", "must be at least 2: keys and values alternate between slots")


def chained_program_rules(plan: Schedule, kernel: pto.PtoKernelOp) -> Iterator[Rule]:
    """
    Yields the rules for the plan of a tile program of chained products, `[BM, D] · [D, BK]` and `[BM, BK] · [BK, BN]`, whose
    operands are in channels of one slot, which a tile fills once, or of `stages`.
    """
    bm, bn, bk = plan.tile
    yield from _field_rules(plan)
    products = [op for op in kernel.walk() if isinstance(op, pto.MatmulAccOp)]
    yield field_rule(
        bool(products),
        "algo_choice",
        "may have attention only for products",
    )
    for op in kernel.walk():
        match op:
            case pto.TilesOp():
                yield agreement("tile", [bm, bn], list(ints(op.steps)[-2:]))
                yield agreement("split", plan.split, ints(op.sizes)[0] if plan.split > 1 else op.parts)
            case pto.ChannelOp() if op.result.type.depth.data > 1:
                yield agreement("stages", plan.stages, op.result.type.depth.data)
            case pto.MatmulAccOp():
                sizes = pto.tile_type(op.result).sizes
                yield (
                    sizes in ((bm, bk), (bm, bn)),
                    f"tile is {list(plan.tile)}, but a product has {list(sizes)}",
                    "tile must be its sizes",
                )
            case _:
                pass
