"""
Ops on tiles in registers: elementwise maps, of rows that a whole block holds or of a warp's operand, and reductions of rows.

```mlir
%x = nv.map [%m, %n] in [64, 1024] dims [0, 1] guard [] tile [4, 1024] ins(%in : …) addresses […] widths [4] -> !rows { … }
%s = nv.row_reduce %x : !rows -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> { ^bb(%a: f32, %b: f32): … }
```
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, i64
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
)

from ...targets.layouts import Layout, Mode, layout_of
from ...targets.mma import element_bytes
from ..common.checks import check, check_count, check_shape, check_type, check_value
from ..common.shapes import memref_of, shape_text, signless
from ..common.syntax import ints
from ..poly import MapAttr, SetAttr
from .epilogue import ElementsOp, YieldOp
from .fragments import FragmentElementwise, FragOp
from .roles import ClusterSyncOp, Scope
from .scratch import ScratchOp, SharedCollective, check_block
from .types import FragType, frag


@irdl_op_definition
class MapOp(ElementsOp):
    """
    Runs its body once for each element of a tile, in the lane that holds it. All fragments have the same layout, except that a
    fragment of one column is broadcast along the rows, a fragment of one row is broadcast along the columns, and a fragment with one
    element per lane is broadcast to the elements of that lane. If the tile has one column or one row, several lanes hold each
    element, and one of these lanes stores it.

    The memrefs whose numbers are in `realigned`, inputs before outputs, begin at a multiple of their vectors' 4, 8 or 16 bytes, but
    their vectors at any multiple of the element size. Lanes access the aligned vectors that contain these, and exchange elements
    with the next lane of the row. The first elements of the row that a warp holds, and its last ones, are stored one by one. No
    byte outside the memref is read, and none outside the row is written. Which lane holds which element does not depend on the
    alignment.

    `nv.map` also computes an operand of mma.sync, or operand A of wgmma, from fragments with the operand's lanes, such as an
    `!nv.frag<16x8xbf16, B of m16n8k16>` from an `!nv.frag<16x8xsi8, B of m16n8k16>`. Likewise it computes accumulators from
    accumulators, and from fragments with an element for each of their rows, or for each row and lane.

    With `into`, accumulators are written to storage, each element after it has been read: then a loop keeps them without a copy. With
    `column`, the tile is a range of their columns that starts there, and other columns keep their elements.

    ```mlir
    %a = nv.frag : !nv.frag<16x16xbf16, C of m16n8k16>
    nv.map(%p : !nv.frag<16x16xf32, C of m16n8k16>) [%m, %n] in [16, 16] dims [0, 1] guard [] tile [16, 8] addresses [] widths []
      into %a : !nv.frag<16x16xbf16, C of m16n8k16> column 8 {
    ^bb0(%0: f32):
      %1 = arith.truncf %0 : f32 to bf16
      nv.yield %1 : bf16
    }
    ```
    """

    name = "nv.map"
    held_fragments = var_operand_def(base(FragType))
    into = var_operand_def(base(FragType))
    realigned = opt_prop_def(DenseArrayBase.constr(i64))
    first = opt_prop_def(IntegerAttr.constr(i64))
    traits = traits_def(FragmentElementwise(Scope.WARP))
    assembly_format = (
        "(`(` $held_fragments^ `:` type($held_fragments) `)`)? `[` $offsets `]` `in` custom<Axes>($bounds) "
        "`dims` custom<Axes>($dims) `guard` custom<Axes>($guards) `tile` custom<Axes>($tile) "
        "(`ins` `(` $ins^ `:` type($ins) `)`)? (`outs` `(` $outs^ `:` type($outs) `)`)? "
        "`addresses` $addresses `widths` custom<Axes>($widths) (`realigned` custom<Axes>($realigned)^)? "
        "(`where` $where^)? (`into` $into^ `:` type($into))? (`column` $first^)? (`->` type($fragments)^)? "
        "attr-dict-with-keyword $body"
    )

    def __init__(
        self,
        held: Sequence[SSAValue],
        offsets: Sequence[SSAValue],
        ins: Sequence[SSAValue],
        outs: Sequence[SSAValue],
        bounds: Sequence[int],
        dims: Sequence[int],
        guards: Sequence[int],
        tile: Sequence[int],
        addresses: Sequence[str],
        widths: Sequence[int],
        where: Sequence[str],
        body: Region,
        results: Sequence[FragType],
        realigned: Sequence[int] = (),
        into: Sequence[SSAValue] = (),
        first: int | None = None,
    ):
        super().__init__(
            [held, into, offsets, ins, outs],
            [results],
            [body],
            bounds=bounds,
            dims=dims,
            guards=guards,
            tile=tile,
            addresses=ArrayAttr([MapAttr(a) for a in addresses]),
            widths=widths,
            where=ArrayAttr([SetAttr(s) for s in where]) if where else None,
            realigned=realigned or None,
            first=first,
        )

    @property
    def held(self) -> Sequence[SSAValue]:
        return list(self.held_fragments)

    @property
    def realigned_memrefs(self) -> Sequence[int]:
        return () if self.realigned is None else ints(self.realigned)

    @property
    def written(self) -> Sequence[SSAValue]:
        return [*self.fragments, *self.into]

    @property
    def first_column(self) -> int:
        return 0 if self.first is None else self.first.value.data

    @property
    def like(self) -> FragType | None:
        if self.first is not None and self.into:
            return frag(self.into[0])
        types = [frag(value) for value in (*self.held, *self.written)]
        return next((t for t in types if t.sizes == ints(self.tile)), None)

    def verify_fragments(self) -> None:
        check(self, self.like is not None, "needs an operand or a result that is a fragment of the tile's shape")
        if (like := self.like) is None:
            return
        self._verify_storage(like)
        if like.is_operand:
            self._verify_operands(like)
            return
        if not like.spelled:
            self._verify_accumulators(like)
            return
        check_block(self, like)
        self.check_widths()
        self._verify_realigned(like)
        rows = replace_columns(like.layout)
        if rows != like.layout and any(frag(value).layout == rows for value in (*self.held, *self.fragments)):
            help = "beside a fragment of one column, the elements that a lane holds of a row must be consecutive"
            check_type(self, counts_columns_first(like.layout.elements), "a fragment", like, help)
        columns = replace_rows(like.layout)
        if columns != like.layout and any(frag(value).layout == columns for value in (*self.held, *self.fragments)):
            help = "beside a fragment of one row, a lane must hold one vector of each of its rows"
            check_type(self, holds_a_vector_of_rows(like.layout), "a fragment", like, help)
        layouts = like.layout, rows, columns, lane_layout(like.layout)
        for value in (*self.held, *self.fragments):
            t = frag(value)
            fits = t.spelled and t.layout in layouts
            help = f"expected the layout of {like}, or one element a row, a column or a lane"
            check_type(self, fits, "a fragment", t, help)
        for t in map(frag, self.fragments):
            check_shape(self, t.sizes == ints(self.tile), "a result", t, "the tile's shape")

    def _verify_storage(self, like: FragType) -> None:
        """Checks that what is written in place is storage of accumulators, and that a range of columns is one of theirs."""
        stored = all(isinstance(value.owner, FragOp) and frag(value).operand == "C" for value in self.into)
        check(self, stored, "writes into the storage of accumulators only: results of nv.frag")
        if self.first is None:
            return
        (rows, columns), first, each = ints(self.tile), self.first_column, like.layout.columns
        alone = bool(self.into) and not (self.fragments or self.ins or self.outs)
        check(self, alone, "has a 'column', but does not just write columns of accumulators: give it 'into' only")
        legal = rows == like.sizes[0] and 0 <= first <= like.sizes[1] - columns and not (first % each or columns % each)
        want = f"a range of the columns of {like} that starts and ends at multiples of {each}"
        check_value(self, legal, "column", f"{first}, of a tile of {shape_text((rows, columns))}", want)

    def _verify_realigned(self, like: FragType) -> None:
        memrefs, numbers = (*self.ins, *self.outs), self.realigned_memrefs
        known = list(numbers) == sorted({*numbers} & {*range(len(memrefs))})
        help = f"numbers of the {len(memrefs)} memrefs, in order"
        check_value(self, known, "realigned", shape_text(numbers), help)
        if not numbers:
            return
        sizes = [ints(self.widths)[k] * element_bytes(memref_of(memrefs[k]).element_type) for k in numbers]
        several = all(ints(self.widths)[k] > 1 for k in numbers)
        help = "realigned vectors have several elements and 4, 8 or 16 bytes"
        check_value(self, several and set(sizes) <= {4, 8, 16}, "widths", shape_text(ints(self.widths)), help)
        help = "to realign vectors, the vectors of a row follow each other lane by lane, and in each lane"
        check_type(self, lanes_of_runs(like.layout) is not None, "a fragment", like, help)

    def _verify_operands(self, like: FragType) -> None:
        """Checks a map of fragments of one operand. The body may load further elements; `ins` and `outs` must be empty."""
        check_count(
            self, len(self.addresses) == 0, "a map of an operand", "no memref outside of its body", len(self.addresses)
        )
        for t in map(frag, (*self.held, *self.fragments)):
            fits = (t.lanes, t.sizes) == (like.lanes, like.sizes)
            check_type(self, fits, "a fragment", t, f"expected the lanes and the shape of {like}")

    def _verify_accumulators(self, like: FragType) -> None:
        """Checks a map of accumulators, whose other fragments have an element for each row, or for each row and lane."""
        self.check_widths()
        help = "only fragments with a spelled layout"
        check_count(self, not self.realigned_memrefs, "realigned vectors", help, "an accumulator")
        parts = row_fragment(like), lane_fragment(like)
        for t in map(frag, (*self.held, *self.written)):
            fits = (t.lanes, t.sizes) == (like.lanes, like.sizes) or any(
                (t.lanes, t.sizes) == (part.lanes, part.sizes) for part in parts
            )
            help = f"expected the layout of {like}, or one element a row or a lane"
            check_type(self, fits, "a fragment", t, help)
        for t in map(frag, self.fragments):
            check_shape(self, t.sizes == ints(self.tile), "a result", t, "the tile's shape")


class ReduceOp(ScratchOp, abc.ABC):
    """Base of the reductions of a fragment: a body combines two elements, and warps exchange partial results at byte `scratch`."""

    body = region_def("single_block")
    assembly_format = "$input (`scratch` $scratch^)? attr-dict-with-keyword `:` type($input) `->` type($result) $body"

    def __init__(self, input: SSAValue, result: FragType, body: Region, scratch: int | None = None):
        super().__init__([input], [result], [body], scratch=scratch)

    def verify_body(self) -> None:
        """Checks that the body combines two elements of the fragment's type."""
        dtype, last = signless(frag(self.input).element_type), self.body.block.last_op
        takes = list(self.body.block.arg_types) == [dtype, dtype]
        check(self, takes, f"must have a body that takes ({dtype}, {dtype})")
        yields = isinstance(last, YieldOp) and [v.type for v in last.values] == [dtype]
        check(self, yields, f"must have a body that ends with nv.yield of {dtype}")


@irdl_op_definition
class RowReduceOp(ReduceOp):
    """
    Reduces each row of a fragment with the body, an associative function of two elements. The fragment has a spelled layout or is
    an accumulator. The layout determines the order: first the elements of a lane, then lanes by shuffles, then warps through shared
    memory at byte offset `scratch`, then the blocks of a cluster, each of which stores its result to the scratch of all (PTX ISA
    §9.7.9.23, `mapa`) before a barrier of the cluster. All lanes of a row get the same bits. If the result has an element for each
    lane, every lane reduces its own elements only.

    Blocks that share a row need an `nv.cluster.sync` before: shared memory of a block that has not begun is not to be written.
    Each reduction has its own scratch and every block reads its own, so that none is written after the last reduction's barrier,
    and blocks may end.

    ```mlir
    %s = nv.row_reduce %x scratch 0 : !nv.frag<1x512xf32, lane(32: 4j) warp(4: 128j) reg(4: j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      nv.yield %0 : f32
    }
    ```
    """

    name = "nv.row_reduce"
    traits = traits_def(SharedCollective())

    @property
    def is_partial(self) -> bool:
        """Whether each lane reduces its own elements."""
        t = frag(self.input)
        return frag(self.result) == lane_fragment(t) != row_fragment(t)

    @property
    def sharing(self) -> int:
        """The number of warps of a block that exchange partial results of a row."""
        return 1 if self.is_partial else columns_of(frag(self.input).layout.warps)

    @property
    def blocks(self) -> int:
        """The number of blocks of a cluster that exchange partial results of a row."""
        return 1 if self.is_partial else columns_of(frag(self.input).layout.blocks)

    @property
    def scratch_bytes(self) -> int:
        """Size of the shared memory through which warps exchange partial results, in bytes."""
        return scratch_bytes(frag(self.input))

    def verify_(self) -> None:
        t = frag(self.input)
        reducible = t.spelled or t.operand == "C"
        check_type(self, reducible, "the fragment", t, "the layout must be spelled, or that of operand C")
        along = not t.spelled or counts_columns_first(t.layout.elements)
        check_type(self, along, "the fragment", t, "the elements that a lane holds of a row must be consecutive")
        adjacent = all(counts_columns_first(modes) for modes in (t.layout.lanes, t.layout.warps, t.layout.blocks))
        help = "the lanes of a row must be consecutive, and so must its warps and its blocks"
        check_type(self, adjacent, "the fragment", t, help)
        check_block(self, t)
        whole, result = row_fragment(t), frag(self.result)
        check_type(
            self, result in (whole, lane_fragment(t)), "the result", result, f"expected {whole}, or one element a lane"
        )
        help = "it is required if several warps share a row, which exchange partial results there, and only then"
        self.verify_scratch(self.sharing * self.blocks > 1, help)
        if self.blocks > 1:
            self._verify_cluster(t)
        self.verify_body()

    def _verify_cluster(self, t: FragType) -> None:
        lanes = columns_of(t.layout.lanes)
        help = f"each of {self.blocks} blocks gets the result from a lane of its own, but {lanes} lanes hold a row"
        check_type(self, self.blocks <= lanes, "the fragment", t, help)
        whole = all(mode.columns for mode in t.layout.blocks)
        check_type(self, whole, "the fragment", t, "all blocks of a cluster hold parts of the same rows")
        on_top = isinstance(self.parent_op(), GpuFuncOp)
        check(self, on_top, "must be reached by all threads of a cluster: it belongs in the kernel's top-level block")
        before = self.prev_op
        while not (before is None or isinstance(before, ClusterSyncOp)):
            before = before.prev_op
        check(
            self,
            before is not None,
            "writes to the shared memory of other blocks: an nv.cluster.sync must come before it",
        )


def counts_columns_first(modes: Sequence[Mode]) -> bool:
    """Returns whether the digits that number columns come before those that number rows."""
    counts = [mode.columns > 0 for mode in modes]
    return counts == sorted(counts, reverse=True)


def holds_a_vector_of_rows(layout: Layout) -> bool:
    """Whether a lane holds one vector of contiguous elements of each of its rows."""
    return all(mode.rows for mode in layout.elements[layout.contiguous > 1 :])


def lanes_of_runs(layout: Layout) -> int | None:
    """
    Returns how many lanes of a warp hold a row, if the part of the row that they hold is contiguous, and its vectors are dealt to
    them in turn; None for any other layout.
    """
    vector, vectors = layout.contiguous, layout.vectors
    first = [mode for mode in layout.lanes[:1] if mode.columns]
    lanes = first[0].radix if first else 1
    in_turn = all(mode.columns == vector for mode in first) and all(mode.columns == vector * lanes for mode in vectors)
    rows = all(mode.rows for mode in layout.lanes[len(first) :])
    apart = all(mode.rows or mode.columns >= layout.count * lanes for mode in (*layout.warps, *layout.blocks))
    return lanes if in_turn and rows and apart and len(vectors) <= 1 else None


def columns_of(modes: Sequence[Mode]) -> int:
    """Returns the product of the radices of the digits that number columns: how many columns they distinguish."""
    count = 1
    for mode in modes:
        count *= mode.radix if mode.columns else 1
    return count


def scratch_bytes(t: FragType) -> int:
    """
    Returns the size of the shared memory that a reduction of a fragment's rows needs, in bytes: one element, or at least 8 bytes,
    for each row and each warp that shares it, and as much for each block that does; 0 if each row is held by one warp.
    """
    sharing = (columns_of(t.layout.warps), columns_of(t.layout.blocks))
    return max(8, element_bytes(t.element_type)) * t.layout.rows * sum(n for n in sharing if n > 1)


def replace_columns(layout: Layout) -> Layout:
    """Returns the layout of a tile of one column, in which all lanes that share a row of `layout` hold the row's element."""
    parts = (layout.lanes, layout.warps, layout.blocks)
    lanes, warps, blocks = ([replace(mode, columns=0) for mode in part] for part in parts)
    return layout_of(lanes, warps, [mode for mode in layout.elements if mode.rows], blocks)


def lane_layout(layout: Layout) -> Layout:
    """Returns the layout with one element for each lane that holds elements of a row in `layout`: lane by lane, warp by warp."""
    held = 1

    def one_each(modes: Sequence[Mode]) -> Iterator[Mode]:
        nonlocal held
        for mode in modes:
            yield replace(mode, columns=held if mode.columns else 0)
            held *= mode.radix if mode.columns else 1

    lanes, warps, blocks = (list(one_each(part)) for part in (layout.lanes, layout.warps, layout.blocks))
    return layout_of(lanes, warps, [mode for mode in layout.elements if mode.rows], blocks)


@cache
def lane_fragment(t: FragType) -> FragType:
    """Returns the fragment type with one element for each lane that holds elements of a row of `t`."""
    layout = lane_layout(t.whole_layout)
    return FragType((t.sizes[0], layout.columns), t.element_type, layout)


@cache
def row_fragment(t: FragType) -> FragType:
    """Returns the type of the result of reducing the rows of a fragment of type `t`: one element for each row."""
    return FragType((t.sizes[0], 1), t.element_type, replace_columns(t.whole_layout))


def replace_rows(layout: Layout) -> Layout:
    """Returns the layout of a tile of one row, in which all lanes that share a column of `layout` hold the column's element."""
    parts = (layout.lanes, layout.warps, layout.blocks)
    lanes, warps, blocks = ([replace(mode, rows=0) for mode in part] for part in parts)
    return layout_of(lanes, warps, [mode for mode in layout.elements if mode.columns], blocks)


@cache
def col_fragment(t: FragType) -> FragType:
    """Returns the type of the result of reducing the columns of a fragment of type `t`: one element for each column."""
    return FragType((1, t.sizes[1]), t.element_type, replace_rows(t.layout))
