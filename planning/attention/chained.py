"""What the templates of chained products have in common: the sizes of tiles, the fields of plans, and their rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from ...analysis.regions.kernel_space import KernelSpace
from ...dialects import pto
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule, Vectorize
from ...targets.architectures import Arch
from ..problem import Overflow
from ..rules import Rule, agreement, field_rule, tails
from ..template import Template

ONLINE = "online_softmax"
"""The value of `algo_choice.attention`: one pass over the keys, with sums relative to the maximum so far."""
RECOMPUTE = "recompute"
"""The value of `algo_choice.attention`: the scores are computed again from queries and keys, and their row sums are stored."""
GRANULE = 16
"""Head sizes, value sizes and numbers of keys in a tile are rounded up to a multiple of this: one step of the instruction."""


def rounded(size: int) -> int:
    return -(-size // GRANULE) * GRANULE


class ChainedTemplate(Template):
    """Base of the templates of chained products, such as attention."""

    family = "attention"

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
    return Overflow(f"its rings take {shared} bytes of shared memory, the limit is {limit}", "use a smaller tile")


def chained_rules(plan: Schedule, space: KernelSpace, rows: int) -> Iterator[Rule]:
    """Yields the rules for the plan of a region: a tile has a multiple of `rows` rows."""
    yield (bool(space.chained), "algo_choice has attention", "this region has none: leave it out")
    want = algorithm(space)
    yield field_rule(plan.algo_choice == {"attention": want}, "algo_choice", f'must be {{attention = "{want}"}}')
    bm, bn, keys = plan.tile
    whole = bn == rounded(space.n) == plan.warp[1] and bm % rows == 0 and keys % GRANULE == 0
    need = f"must have {rows} rows, or a multiple, {rounded(space.n)} columns and a multiple of {GRANULE} keys"
    yield field_rule(whole, "tile", need)


def chained_program_rules(plan: Schedule, kernel: pto.PtoKernelOp) -> Iterator[Rule]:
    """
    Yields the rules for the plan of a tile program of chained products, `[BM, D] · [D, BK]` and `[BM, BK] · [BK, BN]`, whose
    operands are in channels of one slot, which a tile fills once, or of `stages`.
    """
    bm, bn, bk = plan.tile
    yield field_rule(not plan.transposed, "layout_hints", "may not have C_stride col")
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
