"""What the templates of attention have in common: the sizes of tiles, the fields of plans, and their rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ...analysis.regions.kernel_space import KernelSpace
from ...dialects import pto
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule, Vectorize
from ..problem import Overflow
from ..rules import Rule, agreement, field_rule, tails
from ..template import Template

ONLINE = "online_softmax"
"""The value of `algo_choice.attention`: one pass over the keys, with sums relative to the maximum so far."""
GRANULE = 16
"""Head sizes, value sizes and numbers of keys in a tile are rounded up to a multiple of this: one step of the instruction."""


def rounded(size: int) -> int:
    return -(-size // GRANULE) * GRANULE


class OnlineAttention(Template):
    """Base of the templates of attention."""

    family = "attention"

    @property
    def head(self) -> int:
        a = self.space.attention
        return rounded(a.scores.sizes[a.scores.k[0]]) if a is not None else GRANULE

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
            algo_choice={"attention": ONLINE},
            **fields,
        )

    def ring_bytes(self, plan: Schedule) -> int:
        """Returns the bytes of the queries, and of the rings of keys and values."""
        bm, bn, keys = plan.tile
        return 2 * (bm * self.head + cast(int, plan.stages) * keys * (self.head + bn))

    def shared_overflow(self, shared: int) -> Overflow | None:
        limit = self.request.arch.shared_per_block
        if shared <= limit:
            return None
        return Overflow(f"its rings take {shared} bytes of shared memory, the limit is {limit}", "use a smaller tile")


def online_rules(plan: Schedule, space: KernelSpace, rows: int) -> Iterator[Rule]:
    """Yields the rules for the plan of a region: a tile has a multiple of `rows` rows."""
    yield (space.attention is not None, "algo_choice has attention", "this region has none: leave it out")
    yield field_rule(plan.algo_choice == {"attention": ONLINE}, "algo_choice", f'must be {{attention = "{ONLINE}"}}')
    bm, bn, keys = plan.tile
    whole = bn == rounded(space.n) == plan.warp[1] and bm % rows == 0 and keys % GRANULE == 0
    need = f"must have {rows} rows, or a multiple, {rounded(space.n)} columns and a multiple of {GRANULE} keys"
    yield field_rule(whole, "tile", need)


def online_program_rules(plan: Schedule, kernel: pto.PtoKernelOp) -> Iterator[Rule]:
    """
    Yields the rules for the plan of a tile program of two chained products, `[BM, D] · [D, BK]` and `[BM, BK] · [BK, BN]`, whose
    operands are in channels of one slot, which a tile fills once, or of `stages`.
    """
    bm, bn, bk = plan.tile
    yield field_rule(not plan.transposed, "layout_hints", "may not have C_stride col")
    products = [op for op in kernel.walk() if isinstance(op, pto.MatmulAccOp)]
    yield field_rule(
        len(products) >= 2,
        "algo_choice",
        "may have attention only for two products, one of which is the operand of the other",
    )
    for op in kernel.walk():
        match op:
            case pto.TilesOp():
                yield agreement("tile", [bm, bn], list(ints(op.steps)[-2:]))
                yield agreement("split", plan.split, op.parts)
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
