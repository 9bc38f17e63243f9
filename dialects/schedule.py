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
MMA = (16, 8, 16)
"""m, n, k of `mma.sync` for 16-bit operands (PTX ISA §9.7.14)."""


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
    """A value that stays on chip between two ops of the region."""

    source: str
    target: str
    buffer: Literal["reg", "smem_ring", "gmem"] = "reg"
    depth: Annotated[int, msgspec.Meta(ge=2)] | msgspec.UnsetType = msgspec.UNSET


class Schedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """
    `tile` is `[BM, BN, BK]`, or `[BM, BN]` for a region without a contraction. `warp_tile` is `"WMxWN"`;
    `stages` is the depth of the shared-memory ring; `bind` says which grid axis runs over which tiles.
    """

    arch: ArchName
    tile: Annotated[tuple[Positive, ...], msgspec.Meta(min_length=2, max_length=3)]
    stages: Annotated[int, msgspec.Meta(ge=2, le=8)] | msgspec.UnsetType = msgspec.UNSET
    warp_tile: Annotated[str, msgspec.Meta(pattern=r"^[1-9][0-9]*x[1-9][0-9]*$")] | msgspec.UnsetType = msgspec.UNSET
    bind: dict[str, str] = {}
    cache: tuple[Cache, ...] = ()
    vectorize: Vectorize
    predicate_tail: tuple[str, ...] = ()
    epilogue: tuple[str, ...] = ()
    layout_hints: dict[str, bool | str] = {}
    algo_choice: dict[str, str] = {}
    local_edges: tuple[LocalEdge, ...] = ()

    def __post_init__(self) -> None:
        if len(self.tile) == 2:
            return
        if self.stages is msgspec.UNSET or self.warp_tile is msgspec.UNSET:
            raise ValueError("a plan with tile = [BM, BN, BK] needs stages and warp_tile")
        bm, bn, bk = self.tile
        wm, wn = self.warp
        if bm % wm or bn % wn:
            raise ValueError(f"warp_tile {self.warp_tile} does not divide tile {bm}x{bn}")
        if wm % MMA[0] or wn % (2 * MMA[1]) or bk % MMA[2]:
            raise ValueError(f"warp_tile must be a multiple of 16x16 and BK of 16, got {self.warp_tile} and {bk}")
        for what, size in (("BM", bm), ("BN", bn), ("BK", bk)):
            if size & (size - 1):
                raise ValueError(f"{what} must be a power of two for the shared-memory swizzle, got {size}")
        if self.threads > 1024:
            raise ValueError(f"{self.threads} threads a block; the limit is 1024: enlarge warp_tile")

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
    def threads(self) -> int:
        """Threads of a block; a region without a contraction uses 128."""
        return self.warps[0] * self.warps[1] * WARP if len(self.tile) == 3 else 128

    def to_dict(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)

    def to_json(self) -> str:
        return msgspec.json.encode(self).decode()

    @staticmethod
    def from_json(source: str) -> Schedule:
        """Raises `msgspec.ValidationError` that names the field."""
        return msgspec.json.decode(source, type=Schedule)
