"""
The Schedule Plan's schema: what a plan may say, and the rules between its fields.

Sizes count elements, `vectorize.width` too. Spec: `tensor-compiler.ja §1.7`, `§12.5`. `Schedule.from_json`
and `to_json` read and write the JSON spelling; `ScheduleAttr` holds the same fields in the IR.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

ArchName = Literal["sm80", "sm86", "sm89", "sm90"]
Positive = Annotated[int, msgspec.Meta(ge=1)]
WARP = 32
SMALLEST_MMA = (8, 8, 4)
"""What every instruction of `dialects/mma.py` has whole multiples of, along m, n and k."""
MOST_PARTS = 64
MATMUL = ("implicit_gemm", "splitk_serial", "splitk_parallel")
"""One block sums all of k; or `split` blocks a part each: joined one after the other, or by the last to finish."""


class Cache(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an operand is staged, and at which loop."""

    tensor: str
    where: Literal["smem"] = "smem"
    at: str = "k.i"
    pingpong: bool = True


class Vectorize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many elements of `axis` one load or store moves at most; fewer where 16 bytes, alignment or the tile allow fewer."""

    axis: str
    width: Literal[1, 2, 4, 8, 16]


class LocalEdge(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """A value that stays on chip between two ops of the region; `depth` buffers of it take turns."""

    source: str
    target: str
    buffer: Literal["reg", "smem_ring", "gmem"] = "reg"
    depth: Annotated[int, msgspec.Meta(ge=2)] | msgspec.UnsetType = msgspec.UNSET


class Schedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """
    `tile` is `[BM, BN, BK]`, or `[BM, BN]` for a region without a contraction. `warp_tile` is `"WMxWN"`;
    `stages` is the depth of the shared-memory ring; `split` the number of parts of k, each summed by a block of
    its own; `bind` says which grid axis runs over which tiles.

    The rules here hold for all element types; `transforms/plan_rules.py` has those that need the region.
    """

    arch: ArchName
    tile: Annotated[tuple[Positive, ...], msgspec.Meta(min_length=2, max_length=3)]
    stages: Annotated[int, msgspec.Meta(ge=2, le=8)] | msgspec.UnsetType = msgspec.UNSET
    warp_tile: Annotated[str, msgspec.Meta(pattern=r"^[1-9][0-9]*x[1-9][0-9]*\Z")] | msgspec.UnsetType = msgspec.UNSET
    split: Annotated[int, msgspec.Meta(ge=1, le=MOST_PARTS)] = 1
    bind: dict[str, str] = {}
    cache: tuple[Cache, ...] = ()
    vectorize: Vectorize
    predicate_tail: tuple[str, ...] = ()
    epilogue: tuple[str, ...] = ()
    layout_hints: dict[str, bool | str] = {}
    algo_choice: dict[str, str] = {}
    local_edges: tuple[LocalEdge, ...] = ()

    def __post_init__(self) -> None:
        if (matmul := self.matmul) not in MATMUL:
            raise ValueError(f"algo_choice.matmul is one of {', '.join(MATMUL)}, got '{matmul}'")
        if (self.split > 1) != matmul.startswith("splitk"):
            raise ValueError(
                f"split = {self.split} contradicts algo_choice.matmul = '{matmul}': splitk_* splits, and only it"
            )
        if len(self.tile) == 2:
            self._require_no_contraction()
            return
        if self.stages is msgspec.UNSET or self.warp_tile is msgspec.UNSET:
            raise ValueError("a plan with tile = [BM, BN, BK] needs stages and warp_tile")
        bm, bn, bk = self.tile
        wm, wn = self.warp
        if bm % wm or bn % wn:
            raise ValueError(f"warp_tile {self.warp_tile} does not divide tile {bm}x{bn}")
        m, n, k = SMALLEST_MMA
        if wm % m or wn % n or bk % k:
            raise ValueError(f"warp_tile must be a multiple of {m}x{n} and BK of {k}, got {self.warp_tile} and {bk}")
        if self.threads > 1024:
            raise ValueError(f"{self.threads} threads a block; the limit is 1024: enlarge warp_tile")

    def _require_no_contraction(self) -> None:
        for field, given in (("stages", self.stages), ("warp_tile", self.warp_tile)):
            if given is not msgspec.UNSET:
                raise ValueError(f"{field} belongs to a plan with tile = [BM, BN, BK]")
        if self.split > 1:
            raise ValueError("split belongs to a plan with tile = [BM, BN, BK]")

    @property
    def warp(self) -> tuple[int, int]:
        """Rows and columns of the tile that one warp accumulates."""
        rows, columns = str(self.warp_tile).split("x")
        return int(rows), int(columns)

    @property
    def warps(self) -> tuple[int, int]:
        """How many warps share the tile, along m and n."""
        return self.tile[0] // self.warp[0], self.tile[1] // self.warp[1]

    @property
    def warps_along(self) -> Literal["m", "n"]:
        """The axis along which consecutive warps lie: the one bound to `warp.x`, n where `bind` does not say."""
        return "m" if self.bind.get("m.i.o") == "warp.x" else "n"

    @property
    def threads(self) -> int:
        """Threads of a block; a region without a contraction uses 128."""
        return self.warps[0] * self.warps[1] * WARP if len(self.tile) == 3 else 128

    @property
    def transposed(self) -> bool:
        """Whether blocks compute Cᵀ = Bᵀ·Aᵀ, so that lanes hold neighbours along m: `C_stride = "col"`."""
        return self.layout_hints.get("C_stride") == "col"

    @property
    def oriented(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Rows and columns of the result's tile and of a warp's share of it, as they are computed."""
        (bm, bn), (wm, wn) = self.tile[:2], self.warp
        return ((bn, bm), (wn, wm)) if self.transposed else ((bm, bn), (wm, wn))

    @property
    def matmul(self) -> str:
        """How k is summed: one of `MATMUL`."""
        return self.algo_choice.get("matmul", MATMUL[0])

    @property
    def double_buffered(self) -> bool:
        """Whether the fragments of A and B alternate between two buffers, so that loads run beside mma."""
        return any(e.source in ("A", "B") and e.target == "sum" for e in self.local_edges)

    def part(self, k: int) -> int:
        """How much of k one of the `split` parts sums: whole steps of BK; the last part may be shorter."""
        steps = -(-k // self.tile[2])
        return -(-steps // self.split) * self.tile[2]

    def to_dict(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)

    def to_json(self) -> str:
        return msgspec.json.encode(self).decode()

    @staticmethod
    def from_json(source: str) -> Schedule:
        """Raises `msgspec.ValidationError` that names the field."""
        return msgspec.json.decode(source, type=Schedule)
