"""
The schema of a Schedule Plan: its fields and the rules between them.

All sizes, also `vectorize.width`, are numbers of elements. `ScheduleAttr` holds the fields in the IR, `to_json` writes them as JSON, and
`frontends/plan_dsl.py` as statements. Spec: `tensor-compiler.ja §1.7`, `§12.5`, `§12.6`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Annotated, Any, Literal

import msgspec

from ...targets.architectures import ARCHS, MAX_CLUSTER_BLOCKS, MAX_THREADS, WARP, WARPGROUP, ArchName
from ...targets.mma import MAX_N

Roles = Literal["cooperative", "pingpong"]
Positive = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
"""Sizes and counts, which kernels hold in 32 bits."""
MMA_GRANULARITY = (8, 8, 4)
"""Common divisors of the m, n and k of the warp-level instructions of `targets/mma.py`."""
WGMMA_GRANULARITY = (64, 8, 8)
"""Common divisors of the m, n and k of wgmma. If C is computed transposed, m and n are those of the transposed problem."""
MAX_STAGES = 8
"""Maximum number of stages of a plan without roles. With roles, only shared memory limits the number."""
MAX_CONSUMERS = 3
"""Maximum number of consumer warpgroups in a block."""
ROW_CLUSTER_SIZES = (1, 2, 4, 8)
"""Legal numbers of blocks of a cluster that share a row."""
MAX_UNROLLED = 64
"""Maximum number of steps of a loop that are written out: code and time to compile it grow with them."""
CLUSTER_SIZES = (1, 2, 4)
"""Legal numbers of blocks in a cluster along m, and along n."""
MAX_SPLITS = 64
"""Maximum number of parts into which k is split."""
GROUPED, HILBERT = "grouped_", "hilbert_"
"""Prefixes of the orders that end with a number: of rows of tiles in a group, or in a square."""
LARGEST_SQUARE = 64
"""Maximum number of rows of a square of a Hilbert curve."""
MATMUL = ("implicit_gemm", "splitk_serial", "splitk_parallel", "stream_k")
"""
The algorithms for the reduction over k. `implicit_gemm`: one block accumulates all of k. `splitk_serial`, `splitk_parallel`:
`split` blocks accumulate one part of k each; they add their parts one after the other, or the last block to finish adds all.
`stream_k`: the k-steps of all tiles are distributed evenly over the persistent blocks.
"""


CONV = ("implicit_gemm", "winograd_3x3", "fft_conv", "direct")
"""
The algorithms for a convolution. `implicit_gemm`: the windows are the rows of a matrix that is multiplied but never stored.
`winograd_3x3`, `fft_conv`: transforms of image and filter are multiplied (`transforms/tiny_choose_convolutions`). `direct`: a thread
adds the products of an element's window.
"""
ONLINE = "online_softmax"
"""The algorithm for attention with one pass over the keys, and sums relative to the maximum so far."""
ALGORITHMS = ("matmul", "conv", "attention", "reduce")
"""The keys of `algo_choice`: what an algorithm computes."""
MAX_RESCALE_THRESHOLD = 8
"""Maximum `rescale_threshold`: weights are up to 2 to this power, which fp16 and e4m3 hold, and sums of them in f32 do not overflow."""
SPLIT_KV = "split_kv"
"""The algorithm for attention in which `split` blocks have a part of the keys each, and a second kernel combines the parts."""
TWO_PASSES = "streaming_softmax_2pass"
"""The algorithm for attention in which a kernel computes the maximum and the sum of each row, and a second one computes scores again."""
ATTENTION = (ONLINE, SPLIT_KV, TWO_PASSES)


class Cache(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Stages operand `tensor` in memory `where`, at the loop `at`. With `pingpong`, buffers alternate."""

    tensor: str
    where: Literal["smem"] = "smem"
    at: str = "k.i"
    pingpong: bool = True


class Vectorize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """
    The maximum vector width, in elements, of loads and stores along `axis`. Accesses are narrower if the vector would exceed
    16 bytes, or if alignment or the tile requires it.
    """

    axis: str
    width: Literal[1, 2, 4, 8, 16]


class LocalEdge(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """A value that is kept in `buffer` between two ops of the region; `depth` buffers alternate."""

    source: str
    target: str
    buffer: Literal["reg", "smem_ring", "gmem"] = "reg"
    depth: Annotated[int, msgspec.Meta(ge=2, le=2**31 - 1)] | msgspec.UnsetType = msgspec.UNSET


class Fuse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two loops that become one, `into`: the first of `axes` varies more slowly."""

    axes: tuple[str, str]
    into: str


class Schedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """
    The main fields of a plan:

    - `tile`: the tile of a block, `[BM, BN, BK]` for a contraction and `[BM, BN]` otherwise.
    - `warp_tile`: the part of the tile that a warp computes, `"WMxWN"`. In a plan without BK it selects the template of rows,
      in which blocks hold whole rows in registers; or, with `algo_choice.reduce = "columns"`, that of columns, in which the
      rows of `tile` are those that a block reduces at a time.
    - `stages`: the number of slots of the ring in shared memory: 1 if `cache` has no `pingpong`.
    - `split`: the number of parts of k; a block accumulates one part.
    - `bind`: maps tile loops to grid axes.
    - `reorder`: the nest of loops, the outermost first. `n.o` before `m.o` is the order "col".
    - `fuse`: loops of tiles that become one, which `bind` maps to an axis of the grid.
    - `unroll`: the numbers of steps of a loop that are written out. With as many steps of `k.o` as `stages`, each slot has a constant
      place in shared memory and pointers move once an iteration: fewer instructions, but more code and a longer compilation.

    `roles` selects the warp-specialized template: blocks are persistent, warpgroup 0 of a block loads, and the others multiply.
    `warp_tile` is then the tile that a consumer *warpgroup* accumulates. With `C_stride = "col"` the kernel computes the transposed
    result; rows and columns "as computed" are those of this result.

    - `roles`: with `"cooperative"`, 1 to 3 consumer warpgroups share a tile, stacked along its rows as computed; with
      `"pingpong"`, two consumer warpgroups take turns with whole tiles.
    - `cluster`: the numbers of blocks along m and n that share loads; they compute adjacent tiles at the same time. In the
      template of rows, `[1, C]`: C blocks share each row.
    - `order`: the order in which blocks take tiles. `"row"`: along n first; `"col"`: along m first; `"grouped_8"`: in groups of
      8 rows of tiles, along m first within a group; `"hilbert_8"`: along a Hilbert curve in squares of 8 x 8, which follow each
      other along n. Squares must divide the tiles, and with `cluster` they are squares of clusters. Without `roles`, blocks take
      tiles in the order of their numbers, and `bind` may change what "row" is. For chained products with `roles`, `"down_8"` and
      `"up_8"`: in groups of 8 batches and heads, along these first, and along m from the last tile down, or from the first one up;
      every second wave of blocks takes tiles the other way round.
    - `epilogue_tile`: the rows and columns, as computed, that a warpgroup stages for one store of the result.
    - `accumulators`: with 2, cooperative warpgroups alternate between two accumulators: the first wgmmas of the next tile run under the
      epilogue of a tile, so that the tensor cores are not idle meanwhile. It takes twice as many accumulator registers.
    - `rescale_threshold`: for an online softmax with `roles`, the accumulator and the sums of a row are rescaled to a maximum that is
      greater by a factor of more than 2 to this power, and a warp skips the multiplication if none of its rows has one. With 0, results
      are those of rescaling for every tile of keys, which is what plans without the field do. A kernel takes 0 if it stores maxima, or if its weights
      depend on them otherwise.
    - `multiprocessors`: the number of multiprocessors for which there are persistent blocks, by default that of the first
      machine of `arch`.

    The rules here hold for all element types; `planning/rules.py` has the rules that depend on the region.
    """

    arch: ArchName
    tile: Annotated[tuple[Positive, ...], msgspec.Meta(min_length=2, max_length=3)]
    stages: Positive | msgspec.UnsetType = msgspec.UNSET
    warp_tile: (
        Annotated[str, msgspec.Meta(pattern=r"^[1-9][0-9]{0,8}x[1-9][0-9]{0,8}\Z", examples=["64x32"])]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    roles: Roles | msgspec.UnsetType = msgspec.UNSET
    cluster: tuple[Positive, Positive] = (1, 1)
    order: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^(row|col|(grouped|up|down)_[1-9][0-9]{0,3}|hilbert_(2|4|8|16|32|64))\Z",
            examples=["row", "col", "grouped_8", "hilbert_8", "down_8"],
        ),
    ] = "row"
    epilogue_tile: tuple[Positive, Positive] | msgspec.UnsetType = msgspec.UNSET
    accumulators: Literal[1, 2] = 1
    rescale_threshold: Annotated[int, msgspec.Meta(ge=0, le=MAX_RESCALE_THRESHOLD)] | msgspec.UnsetType = msgspec.UNSET
    multiprocessors: Positive | msgspec.UnsetType = msgspec.UNSET
    split: Annotated[int, msgspec.Meta(ge=1, le=MAX_SPLITS)] = 1
    bind: dict[str, str] = {}
    reorder: tuple[str, ...] = ()
    fuse: tuple[Fuse, ...] = ()
    unroll: dict[str, Annotated[int, msgspec.Meta(ge=1, le=MAX_UNROLLED)]] = {}
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
        Yields the conditions between fields, each with its error message. A condition may assume that the earlier ones hold.
        The error is located at the first field that the message names.
        """
        matmul, unset = self.matmul, msgspec.UNSET
        yield from self._loop_rules()
        unknown = sorted(self.algo_choice.keys() - set(ALGORITHMS))
        yield not unknown, f"algo_choice has {', '.join(unknown)}, but may have {', '.join(ALGORITHMS)}"
        yield matmul in MATMUL, f"algo_choice.matmul is one of {', '.join(MATMUL)}, got '{matmul}'"
        conv = self.algo_choice.get("conv", CONV[0])
        yield conv in CONV, f"algo_choice.conv is one of {', '.join(CONV)}, got '{conv}'"
        yield (
            "attention" in self.algo_choice or (self.split > 1) == matmul.startswith("splitk"),
            f"split = {self.split} contradicts algo_choice.matmul = '{matmul}': a split needs splitk_*, and splitk_* needs a split",
        )
        attention = self.algo_choice.get("attention")
        yield (
            attention is None or (self.split > 1) == (attention == SPLIT_KV),
            f"split = {self.split} contradicts algo_choice.attention = '{attention}': a split needs {SPLIT_KV}, and {SPLIT_KV} needs a split",
        )
        yield from self._role_rules()
        if len(self.tile) == 2:
            needs = "belongs to a plan with tile = [BM, BN, BK]"
            yield self.stages is unset, f"stages {needs}"
            yield self.order == "row", f"order = '{self.order}' {needs}"
            yield not self.warp_specialized, f"roles {needs}"
            yield self.split == 1, f"split {needs}"
            if self.holds_rows or self.reduces_columns:
                yield self.warp_tile is not unset, "a plan with algo_choice.reduce = 'columns' needs warp_tile"
                yield from self._share_rules()
                yield self._thread_rule()
            return
        yield (
            self.stages is not unset and self.warp_tile is not unset,
            "a plan with tile = [BM, BN, BK] needs stages and warp_tile",
        )
        yield from self._share_rules()
        yield from self._warpgroup_rules() if self.warp_specialized else self._warp_rules()

    def _loop_rules(self) -> Iterator[tuple[bool, str]]:
        """Yields the rules for the ring's only slot, and for the nest of loops."""
        alone = bool(self.cache) and not any(staged.pingpong for staged in self.cache)
        yield self.stages != 1 or alone, "stages = 1 needs a cache without pingpong: other rings have at least 2 slots"
        yield len(set(self.reorder)) == len(self.reorder), "reorder names a loop twice"
        nest = "reorder or fuse"
        outer = self._outer_axis
        yield outer != "both", "reorder contradicts fuse: the first axis of fuse is the outer loop"
        yield outer != "m" or self.order != "col", f"order = 'col' contradicts {nest}, where m.o is outside of n.o"
        yield (
            outer != "n" or (self.group in (None, 1) and self.square is None),
            f"order = '{self.order}' contradicts {nest}, where n.o is outside of m.o",
        )

    @property
    def _outer_axis(self) -> Literal["m", "n", "both", ""]:
        """The axis whose loop over tiles `reorder` and `fuse` say is the outer one; "both" if they differ, empty if none says it."""
        nests = [self.reorder, *(fused.axes for fused in self.fuse)]
        first = {nest[0][0] for axes in nests if len(nest := [axis for axis in axes if axis in ("m.o", "n.o")]) == 2}
        return "both" if len(first) == 2 else "m" if first == {"m"} else "n" if first else ""

    @property
    def tile_order(self) -> str:
        """The order in which blocks take tiles: `order`, or "col" if the loop over n is the outer one and `bind` does not say so."""
        inner = self.bind.get("m.o") == "block.x"
        return "col" if self._outer_axis == "n" and not inner and self.order == "row" else self.order

    def _role_rules(self) -> Iterator[tuple[bool, str]]:
        if self.warp_specialized:
            able = " or ".join(name for name, arch in ARCHS.items() if arch.has_wgmma)
            yield ARCHS[self.arch].has_wgmma, f"roles need arch = {able}, got {self.arch}"
        else:
            needs = 'needs roles = "cooperative" or "pingpong"'
            if self.holds_rows:
                yield from self._row_cluster_rules()
            else:
                yield self.cluster == (1, 1), f"cluster = {list(self.cluster)} {needs}; without them it is [1, 1]"
            yield self.epilogue_tile is msgspec.UNSET, f"epilogue_tile {needs}"
            yield self.accumulators == 1, 'accumulators = 2 needs roles = "cooperative"'
            yield self.multiprocessors is msgspec.UNSET, f"multiprocessors {needs}"
            yield self.matmul != "stream_k", f"algo_choice.matmul = 'stream_k' {needs}"
            deep = self.stages is not msgspec.UNSET and self.stages > MAX_STAGES
            yield not deep, f"without roles stages must be 2 to {MAX_STAGES}, got {self.stages}"
        yield (
            self.group is None or self.group == 1 or self.group % self.cluster[0] == 0,
            f"order = '{self.order}' must group whole clusters: a multiple of {self.cluster[0]} rows of tiles",
        )
        chained = self.warp_specialized and "attention" in self.algo_choice
        yield (
            self.heads_first is None or chained,
            f"order = '{self.order}' needs roles and algo_choice.attention: it is that of tiles of batches and heads",
        )
        yield (
            chained or self.rescale_threshold is msgspec.UNSET,
            "rescale_threshold needs roles and algo_choice.attention: it is that of an online softmax",
        )
        if self.holds_rows:
            return
        yield (
            set(self.cluster) <= set(CLUSTER_SIZES) and self.blocks_of_cluster <= MAX_CLUSTER_BLOCKS,
            f"cluster must be 1, 2 or 4 blocks along each of m and n, at most {MAX_CLUSTER_BLOCKS} in total, got {list(self.cluster)}",
        )

    def _row_cluster_rules(self) -> Iterator[tuple[bool, str]]:
        """Yields the rules of a cluster whose blocks share rows."""
        able = " or ".join(name for name, arch in ARCHS.items() if arch.has_tma)
        alone = self.cluster == (1, 1)
        yield alone or ARCHS[self.arch].has_tma, f"cluster = {list(self.cluster)} needs arch = {able}, got {self.arch}"
        rows, blocks = self.cluster
        legal = rows == 1 and blocks in ROW_CLUSTER_SIZES
        sizes = ", ".join(map(str, ROW_CLUSTER_SIZES))
        yield legal, f"cluster must be [1, C], where C of {sizes} blocks share a row, got {list(self.cluster)}"

    def _share_rules(self) -> Iterator[tuple[bool, str]]:
        (bm, bn), (wm, wn) = self.tile[:2], self.warp
        yield not (bm % wm or bn % wn), f"warp_tile {self.warp_tile} does not divide tile {bm}x{bn}"

    def _thread_rule(self) -> tuple[bool, str]:
        problem = f"a block has {self.threads} threads, but the limit is {MAX_THREADS}: enlarge warp_tile"
        return self.threads <= MAX_THREADS, problem

    def _warp_rules(self) -> Iterator[tuple[bool, str]]:
        (wm, wn), bk, (m, n, k) = self.warp, self.tile[2], MMA_GRANULARITY
        yield (
            not (wm % m or wn % n or bk % k),
            f"warp_tile must be a multiple of {m}x{n} and BK of {k}, got {self.warp_tile} and {bk}",
        )
        yield self._thread_rule()

    def _warpgroup_rules(self) -> Iterator[tuple[bool, str]]:
        (m, n, k), bk = WGMMA_GRANULARITY, self.tile[2]
        tile, (rows, columns) = self.oriented
        sides = "columns x rows, as C_stride is col" if self.transposed else "rows x columns"
        yield (
            not (rows % m or columns % n) and columns <= MAX_N and not bk % k,
            f"with roles warp_tile ({sides}) must have a multiple of {m} rows and {n} to {MAX_N} columns in "
            f"steps of {n}, and BK must be a multiple of {k}, got {self.warp_tile} and {bk}",
        )
        if self.roles == "pingpong":
            yield (
                self.accumulators == 1,
                "accumulators = 2 needs roles = 'cooperative': a pingpong warpgroup multiplies while the other one has its epilogue",
            )
            yield (
                tile == (rows, columns),
                f"pingpong warpgroups take whole tiles: warp_tile must be {self.tile[0]}x{self.tile[1]}, got {self.warp_tile}",
            )
        else:
            yield (
                tile[1] == columns and self.consumers <= MAX_CONSUMERS,
                f"1 to {MAX_CONSUMERS} cooperative warpgroups are stacked along the rows as computed: warp_tile must have "
                f"all {tile[1]} columns and {tile[0]} rows or half or a third of them, got {self.warp_tile}",
            )
        if self.epilogue_tile is not msgspec.UNSET:
            high, wide = self.epilogue_tile
            yield (
                high == m and not wide % 16 and not columns % wide,
                f"epilogue_tile must be {m} rows and a multiple of 16 columns, as computed, that divides the {columns} of "
                f"warp_tile, got {list(self.epilogue_tile)}",
            )

    @property
    def holds_rows(self) -> bool:
        """Whether the plan selects the template of rows: it has no BK, but a warp_tile."""
        return len(self.tile) == 2 and self.warp_tile is not msgspec.UNSET and not self.reduces_columns

    @property
    def reduces_columns(self) -> bool:
        """Whether the plan selects the template of columns: `algo_choice.reduce` is `"columns"`."""
        return self.algo_choice.get("reduce") == "columns"

    @property
    def block_tile(self) -> tuple[int, int]:
        """The points along m and n that a block computes. In the template of columns, the rows of `tile` are reduced."""
        return (1 if self.reduces_columns else self.tile[0]), self.tile[1]

    @property
    def row_columns(self) -> int:
        """The number of elements of a row that a block, or the blocks of a cluster, hold at a time, in the template of rows."""
        return self.tile[1] * self.cluster[1]

    @property
    def row_tile(self) -> tuple[int, int]:
        """The sizes of a tile in the template of rows, as computed: with `C_stride = "col"`, a row is a column of the tile."""
        rows, columns = self.tile[0], self.row_columns
        return (columns, rows) if self.transposed else (rows, columns)

    @property
    def row_lanes(self) -> int:
        """The number of lanes that hold a row, in the template of rows."""
        return WARP // self.warp[0] * self.warps[1] * self.cluster[1]

    @property
    def lane_parts(self) -> tuple[int, int | None]:
        """
        The `run` and the `group` with which a reduction of a row returns one partial result for each of these lanes: a lane holds
        vectors, and a warp contiguous ones.
        """
        return self.vectorize.width, self.warp[1] if self.warp[1] < self.row_columns else None

    @property
    def warp_specialized(self) -> bool:
        """Whether the plan selects the warp-specialized template: it has roles."""
        return self.roles is not msgspec.UNSET

    @property
    def consumers(self) -> int:
        """The number of consumer warpgroups; 0 without roles."""
        if not self.warp_specialized:
            return 0
        return 2 if self.roles == "pingpong" else prod(self.warps)

    @property
    def blocks_of_cluster(self) -> int:
        return prod(self.cluster)

    @property
    def group(self) -> int | None:
        """
        The number of rows of tiles in a group of `tile_order`: None for `"col"`, whose group has all rows, and 1 for other orders that
        have no groups.
        """
        order = self.tile_order
        return None if order == "col" else int(order.removeprefix(GROUPED)) if order.startswith(GROUPED) else 1

    @property
    def square(self) -> int | None:
        """The number of rows of a square of `order`, in tiles or in clusters of them; None if it is no Hilbert curve."""
        return int(self.order.removeprefix(HILBERT)) if self.order.startswith(HILBERT) else None

    @property
    def heads_first(self) -> int | None:
        """The number of batches and heads in a group of `tile_order` that blocks take before the next tile along m; None if they do not."""
        return int(self.tile_order.split("_")[1]) if self.tile_order.startswith(("up", "down")) else None

    @property
    def warp(self) -> tuple[int, int]:
        """The rows and columns that one warp, or with roles one consumer warpgroup, computes: `warp_tile` as numbers."""
        rows, columns = str(self.warp_tile).split("x")
        return int(rows), int(columns)

    @property
    def warps(self) -> tuple[int, int]:
        """The numbers of warps, or with roles of consumer warpgroups, into which the tile is divided along m and n."""
        return self.tile[0] // self.warp[0], self.tile[1] // self.warp[1]

    @property
    def warps_along(self) -> Literal["m", "n"]:
        """The axis along which consecutive warps are neighbors: the axis bound to `warp.x`, by default n."""
        return "m" if self.bind.get("m.i.o") == "warp.x" else "n"

    @property
    def threads(self) -> int:
        """Number of threads of a block, including the producer of a plan with roles; 128 without a warp_tile."""
        if self.warp_specialized:
            return WARPGROUP * (1 + self.consumers)
        return WARPGROUP if self.warp_tile is msgspec.UNSET else self.warps[0] * self.warps[1] * WARP

    @property
    def transposed(self) -> bool:
        """Whether blocks compute Cᵀ = Bᵀ·Aᵀ, so that lanes hold contiguous elements along m: `C_stride = "col"`."""
        return self.layout_hints.get("C_stride") == "col"

    @property
    def oriented(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The sizes (rows, columns) of the tile and of `warp`, as computed: swapped if the plan is `transposed`."""
        (bm, bn), (wm, wn) = self.tile[:2], self.warp
        return ((bn, bm), (wn, wm)) if self.transposed else ((bm, bn), (wm, wn))

    @property
    def matmul(self) -> str:
        """The algorithm for the reduction over k: one of `MATMUL`."""
        return self.algo_choice.get("matmul", MATMUL[0])

    @property
    def unrolled_steps(self) -> int:
        """The number of steps of k that the main loop of a contraction has written out."""
        return self.unroll.get("k.o", 1)

    @property
    def double_buffered(self) -> bool:
        """Whether the fragments of A and B alternate between two buffers, so that loads overlap with mma."""
        return any(e.source in ("A", "B") and e.buffer == "reg" for e in self.local_edges)

    def part(self, k: int) -> int:
        """Returns the length of a part of `k` after the split, a multiple of BK. The last part may be shorter."""
        steps = -(-k // self.tile[2])
        return -(-steps // self.split) * self.tile[2]

    def to_dict(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)

    def to_json(self) -> str:
        return msgspec.json.encode(self).decode()
