"""
The Schedule Plan's schema: what a plan may say, and the rules between its fields.

Sizes count elements, `vectorize.width` too. Spec: `tensor-compiler.ja §1.7`, `§12.5`. `to_json` writes
the JSON spelling, which `frontends/json/plan.py` reads; `ScheduleAttr` holds the same fields in the IR.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Annotated, Any, Literal

import msgspec

from ...targets.architectures import ARCHS, ArchName

Roles = Literal["cooperative", "pingpong"]
Positive = Annotated[int, msgspec.Meta(ge=1)]
WARP, WARPGROUP = 32, 128
SMALLEST_MMA = (8, 8, 4)
"""What every instruction of `targets/mma.py` for a warp has whole multiples of, along m, n and k."""
SMALLEST_WGMMA = (64, 8, 8)
"""The same of those for a warpgroup, whose rows and columns are those of the result as it is computed."""
MOST_COLUMNS = 256
"""Columns of one wgmma."""
MOST_STAGES = 8
"""Of a ring without roles; with roles, shared memory is the limit."""
MOST_CONSUMERS = 3
CLUSTER_SIZES, MOST_BLOCKS = (1, 2, 4), 8
"""Blocks of a cluster along each of m and n, and in all: what every machine with clusters can start."""
MOST_PARTS = 64
MATMUL = ("implicit_gemm", "splitk_serial", "splitk_parallel", "stream_k")
"""
One block sums all of k; or `split` blocks a part each: joined one after the other, or by the last to finish; or the
steps of all tiles, one after the other, are dealt out evenly to the persistent blocks.
"""


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

    `roles` asks for the template of Hopper: warpgroup 0 of a block loads, the others multiply, and blocks are
    persistent. `"cooperative"`: 1 to 3 consumer warpgroups share a tile, stacked along its rows as computed;
    `"pingpong"`: two take turns with whole tiles. `warp_tile` is then what one consumer *warpgroup* accumulates.
    `cluster` counts blocks along m and n that share what they load. `order` is how tiles follow each other:
    `"row"` along n first, `"col"` along m first, `"grouped_8"` 8 rows of tiles at a time, column by column; the blocks of
    a cluster take neighbours, all at once. `epilogue_tile` is rows and columns, as computed, of the result that a warpgroup stages for one store.
    `multiprocessors` says how many of them the persistent blocks fill; without it, those of the first machine of `arch`.

    The rules here hold for all element types; `planning/rules.py` has those that need the region.
    """

    arch: ArchName
    tile: Annotated[tuple[Positive, ...], msgspec.Meta(min_length=2, max_length=3)]
    stages: Annotated[int, msgspec.Meta(ge=2)] | msgspec.UnsetType = msgspec.UNSET
    warp_tile: (
        Annotated[str, msgspec.Meta(pattern=r"^[1-9][0-9]{0,8}x[1-9][0-9]{0,8}\Z", examples=["64x32"])]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    roles: Roles | msgspec.UnsetType = msgspec.UNSET
    cluster: tuple[Positive, Positive] = (1, 1)
    order: Annotated[
        str, msgspec.Meta(pattern=r"^(row|col|grouped_[1-9][0-9]{0,3})\Z", examples=["row", "col", "grouped_8"])
    ] = "row"
    epilogue_tile: tuple[Positive, Positive] | msgspec.UnsetType = msgspec.UNSET
    multiprocessors: Positive | msgspec.UnsetType = msgspec.UNSET
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
        for holds, rule in self._rules():
            if not holds:
                raise ValueError(rule)

    def _rules(self) -> Iterator[tuple[bool, str]]:
        """
        What must hold between the fields, and what to say where it does not; each rule trusts those before it. The first
        field that is named is underlined.
        """
        matmul, unset = self.matmul, msgspec.UNSET
        yield matmul in MATMUL, f"algo_choice.matmul is one of {', '.join(MATMUL)}, got '{matmul}'"
        yield (
            (self.split > 1) == matmul.startswith("splitk"),
            f"split = {self.split} contradicts algo_choice.matmul = '{matmul}': splitk_* splits, and only it",
        )
        yield from self._role_rules()
        if len(self.tile) == 2:
            needs = "belongs to a plan with tile = [BM, BN, BK]"
            yield self.stages is unset, f"stages {needs}"
            yield self.warp_tile is unset, f"warp_tile {needs}"
            yield not self.warp_specialized, f"roles {needs}"
            yield self.split == 1, f"split {needs}"
            return
        yield (
            self.stages is not unset and self.warp_tile is not unset,
            "a plan with tile = [BM, BN, BK] needs stages and warp_tile",
        )
        bm, bn, _ = self.tile
        wm, wn = self.warp
        yield not (bm % wm or bn % wn), f"warp_tile {self.warp_tile} does not divide tile {bm}x{bn}"
        yield from self._warpgroup_rules() if self.warp_specialized else self._warp_rules()

    def _role_rules(self) -> Iterator[tuple[bool, str]]:
        if self.warp_specialized:
            able = " or ".join(name for name, arch in ARCHS.items() if arch.has_wgmma)
            yield ARCHS[self.arch].has_wgmma, f"roles need arch = {able}, got {self.arch}"
        else:
            needs = 'needs roles = "cooperative" or "pingpong"'
            yield self.cluster == (1, 1), f"cluster = {list(self.cluster)} {needs}; without them it is [1, 1]"
            yield self.order == "row", f"order = '{self.order}' {needs}; without them it is \"row\""
            yield self.epilogue_tile is msgspec.UNSET, f"epilogue_tile {needs}"
            yield self.multiprocessors is msgspec.UNSET, f"multiprocessors {needs}"
            yield self.matmul != "stream_k", f"algo_choice.matmul = 'stream_k' {needs}"
            deep = self.stages is not msgspec.UNSET and self.stages > MOST_STAGES
            yield not deep, f"stages is 2 to {MOST_STAGES} without roles, got {self.stages}"
        yield (
            self.group is None or self.group == 1 or self.group % self.cluster[0] == 0,
            f"order = '{self.order}' takes whole clusters: a multiple of {self.cluster[0]} rows of tiles",
        )
        yield (
            set(self.cluster) <= set(CLUSTER_SIZES) and self.blocks_of_cluster <= MOST_BLOCKS,
            f"cluster is 1, 2 or 4 blocks along each of m and n, {MOST_BLOCKS} at most in all, got {list(self.cluster)}",
        )

    def _warp_rules(self) -> Iterator[tuple[bool, str]]:
        (wm, wn), bk, (m, n, k) = self.warp, self.tile[2], SMALLEST_MMA
        yield (
            not (wm % m or wn % n or bk % k),
            f"warp_tile must be a multiple of {m}x{n} and BK of {k}, got {self.warp_tile} and {bk}",
        )
        yield self.threads <= 1024, f"{self.threads} threads a block; the limit is 1024: enlarge warp_tile"

    def _warpgroup_rules(self) -> Iterator[tuple[bool, str]]:
        (m, n, k), bk = SMALLEST_WGMMA, self.tile[2]
        tile, (rows, columns) = self.oriented
        sides = "columns x rows, as C_stride is col" if self.transposed else "rows x columns"
        yield (
            not (rows % m or columns % n) and columns <= MOST_COLUMNS and not bk % k,
            f"warp_tile is {sides} of a warpgroup with roles, whole {m} rows and {n} to {MOST_COLUMNS} columns in "
            f"steps of {n}, and BK a multiple of {k}, got {self.warp_tile} and {bk}",
        )
        if self.roles == "pingpong":
            yield (
                tile == (rows, columns),
                f"pingpong warpgroups take whole tiles: warp_tile must be {self.tile[0]}x{self.tile[1]}, got {self.warp_tile}",
            )
        else:
            yield (
                tile[1] == columns and self.consumers <= MOST_CONSUMERS,
                f"1 to {MOST_CONSUMERS} cooperative warpgroups are stacked along the rows as computed: warp_tile must have "
                f"all {tile[1]} columns and {tile[0]} rows or a half or a third of them, got {self.warp_tile}",
            )
        if self.epilogue_tile is not msgspec.UNSET:
            high, wide = self.epilogue_tile
            yield (
                high == m and not wide % 16 and not columns % wide,
                f"epilogue_tile is {m} rows and a multiple of 16 columns, as computed, that divides the {columns} of "
                f"warp_tile, got {list(self.epilogue_tile)}",
            )

    @property
    def warp_specialized(self) -> bool:
        """Whether the plan has roles, and so stands for the template of Hopper."""
        return self.roles is not msgspec.UNSET

    @property
    def consumers(self) -> int:
        """How many warpgroups multiply; 0 without roles."""
        if not self.warp_specialized:
            return 0
        return 2 if self.roles == "pingpong" else prod(self.warps)

    @property
    def blocks_of_cluster(self) -> int:
        return prod(self.cluster)

    @property
    def group(self) -> int | None:
        """How many rows of tiles `order` takes at a time, column by column: 1 for `"row"`, None, all, for `"col"`."""
        return None if self.order == "col" else int(self.order.removeprefix("grouped_")) if self.order != "row" else 1

    @property
    def warp(self) -> tuple[int, int]:
        """Rows and columns of the tile that one warp, or with roles one consumer warpgroup, accumulates."""
        rows, columns = str(self.warp_tile).split("x")
        return int(rows), int(columns)

    @property
    def warps(self) -> tuple[int, int]:
        """How many warps, or with roles consumer warpgroups, share the tile, along m and n."""
        return self.tile[0] // self.warp[0], self.tile[1] // self.warp[1]

    @property
    def warps_along(self) -> Literal["m", "n"]:
        """The axis along which consecutive warps lie: the one bound to `warp.x`, n where `bind` does not say."""
        return "m" if self.bind.get("m.i.o") == "warp.x" else "n"

    @property
    def threads(self) -> int:
        """Threads of a block, with roles those of the producer too; a region without a contraction uses 128."""
        if self.warp_specialized:
            return WARPGROUP * (1 + self.consumers)
        return self.warps[0] * self.warps[1] * WARP if len(self.tile) == 3 else 128

    @property
    def transposed(self) -> bool:
        """Whether blocks compute Cᵀ = Bᵀ·Aᵀ, so that lanes hold neighbours along m: `C_stride = "col"`."""
        return self.layout_hints.get("C_stride") == "col"

    @property
    def oriented(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Rows and columns of the result's tile and of a warp's, or a warpgroup's, share of it, as they are computed."""
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
