"""The epilogue op: computes on the elements of the accumulator, and stores the results in vectors."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    i64,
)
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, MemoryWriteEffect

from ...targets.layouts import Mode
from ..common.checks import check, check_count, check_shape, check_type, check_value
from ..common.shapes import memref_of, shape_text, signless
from ..common.syntax import Axes, ints
from ..poly import MapAttr, SetAttr
from .box import check_box
from .fragments import FragmentCollective
from .roles import PerElement, Scope
from .types import FragType, frag, global_memref


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Terminates the body of an epilogue with one element to store for each output, then one for each result fragment."""

    name = "nv.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[list(values)])


class ElementsOp(PerElement, abc.ABC):
    """
    Base of ops that run their body once for each element of a tile. The block arguments are one element of each fragment in
    `held`, then one of each input. The body computes on scalars with `arith` and `math` ops; its integers are signless. The
    first yielded values are stored to the outputs; the others are elements of the result fragments, which are undefined
    outside `bounds`.

    Element (r, c) of the tile is the point `offsets`, plus r along axis `dims[0]`, plus c along axis `dims[1]`. Points
    outside the box `bounds` are skipped; only the axes in `guard` are checked. `widths` has a vector width for each memref:
    the number of contiguous columns that one load or store moves. `where` has the set of points at which each input is read, and
    perhaps that at which each output is stored.
    """

    offsets = var_operand_def(IndexType)
    ins = var_operand_def(base(MemRefType))
    outs = var_operand_def(base(MemRefType))
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))
    guards = prop_def(DenseArrayBase.constr(i64))
    tile = prop_def(DenseArrayBase.constr(i64))
    addresses = prop_def(ArrayAttr[MapAttr])
    widths = prop_def(DenseArrayBase.constr(i64))
    where = opt_prop_def(ArrayAttr[SetAttr])
    fragments = var_result_def(base(FragType))
    body = region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Axes,)

    @property
    @abc.abstractmethod
    def held(self) -> Sequence[SSAValue]:
        """The fragments whose elements are arguments of the body."""

    @property
    @abc.abstractmethod
    def like(self) -> FragType | None:
        """The type of the fragment whose lanes process the tile; None if the tile is shared by the threads of the block or role."""

    @property
    def written(self) -> Sequence[SSAValue]:
        """The fragments whose elements the body yields last."""
        return self.fragments

    @property
    def first_column(self) -> int:
        """The column of the held fragment at which the tile starts."""
        return 0

    @property
    def realigned_memrefs(self) -> Sequence[int]:
        """The numbers of the memrefs, inputs first, whose vectors need not be aligned (`nv.map`)."""
        return ()

    @property
    def lane_digits(self) -> tuple[tuple[Mode, ...], tuple[Mode, ...]]:
        """
        The digits that number the elements that a thread computes at a time, and those that number these parts of a lane's tile: the
        vectors of contiguous elements, or all elements of an operand, of which a register holds several.
        """
        if (like := self.like) is None:
            return (Mode(max(ints(self.widths), default=1), 0, 1),), ()
        elements, vectors = like.layout.elements, () if like.is_operand else like.layout.vectors
        return elements[: len(elements) - len(vectors)], vectors

    @property
    def vector(self) -> int:
        """Number of elements that a thread computes at a time."""
        return prod(mode.radix for mode in self.lane_digits[0])

    def verify_(self) -> None:
        memrefs = (*self.ins, *self.outs)
        for memref in memrefs:
            global_memref(self, memref)
        counts, want = (
            (len(self.addresses), len(self.widths)),
            f"an address and a width for each memref ({len(memrefs)})",
        )
        check_count(self, set(counts) == {len(memrefs)}, self.name, want, "{} and {}".format(*counts))
        check_box(self, len(self.offsets), ints(self.bounds), ints(self.dims), ints(self.guards))
        sized = len(self.tile) == 2 and min(ints(self.tile)) >= 1
        check_value(self, sized, "tile", shape_text(ints(self.tile)), "rows and columns of the tile")
        widths, text = ints(self.widths), shape_text(ints(self.widths))
        check_value(self, set(widths) <= {1, 2, 4, 8}, "widths", text, "1, 2, 4 or 8 contiguous elements")
        column = ints(self.dims)[1]
        limits = [ints(self.tile)[1], *([ints(self.bounds)[column]] if column in ints(self.guards) else [])]
        help = f"widths divide the columns of the tile and of the guarded box, {shape_text(limits)}"
        whole = [width for k, width in enumerate(widths) if k not in self.realigned_memrefs]
        check_value(self, not any(limit % width for limit in limits for width in whole), "widths", text, help)
        sets = len(self.ins) if self.where is None else len(self.where)
        want = f"a set for each input ({len(self.ins)}), or for each memref ({len(memrefs)})"
        check_count(self, sets in (len(self.ins), len(memrefs)), "'where'", want, sets)
        self.verify_fragments()
        held = [frag(value) for value in self.held]
        args = [signless(t.element_type) for t in (*held, *map(memref_of, self.ins))]
        check(
            self, list(self.body.block.arg_types) == args, f"must have a body that takes ({', '.join(map(str, args))})"
        )
        out = [signless(t.element_type) for t in (*map(memref_of, self.outs), *map(frag, self.written))]
        writes = bool(out) or any(o.has_trait(MemoryWriteEffect) for o in self.body.walk())
        check_count(self, writes, self.name, "an output, a result, or an update", "none")
        last = self.body.block.last_op
        yields = isinstance(last, YieldOp) and [v.type for v in last.values] == out
        check(self, yields, f"must have a body that ends with nv.yield of ({', '.join(map(str, out))})")

    @abc.abstractmethod
    def verify_fragments(self) -> None:
        """Checks the layouts of the fragments."""

    def check_widths(self) -> None:
        """Checks that no vector width exceeds the number of contiguous elements that a lane holds."""
        widths = ints(self.widths)
        help = f"a lane holds {self.vector} contiguous elements: nv.convert_layout can increase this number"
        check_value(self, max(widths, default=1) <= self.vector, "widths", shape_text(widths), help)


@irdl_op_definition
class EpilogueOp(ElementsOp):
    """
    Runs its body once for each element of a tile, and stores the results.

    With an accumulator, the tile is the accumulator: each lane processes the elements that it holds. Without one, the tile of
    sizes `tile` is distributed over the threads of the block or role. Result fragments have the accumulator's layout. With
    `column`, the tile is a range of columns of the accumulator that starts there. An accumulator can thus be processed panel
    by panel, with few registers for the results. The body gets the same element of further accumulators `with` which this one is
    combined, such as those of a batch of products. Spec: `Epilogue`, `StGlobalVec`.
    """

    name = "nv.epilogue"
    acc = opt_operand_def(base(FragType))
    others = var_operand_def(base(FragType))
    first = opt_prop_def(IntegerAttr.constr(i64))
    traits = traits_def(FragmentCollective(Scope.ROLE))
    assembly_format = (
        "($acc^ `:` type($acc))? (`with` $others^ `:` type($others))? (`column` $first^)? "
        "`[` $offsets `]` `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) "
        "`guard` custom<Axes>($guards) `tile` custom<Axes>($tile) "
        "(`ins` `(` $ins^ `:` type($ins) `)`)? (`outs` `(` $outs^ `:` type($outs) `)`)? "
        "`addresses` $addresses `widths` custom<Axes>($widths) (`where` $where^)? (`->` type($fragments)^)? attr-dict-with-keyword $body"
    )

    def __init__(
        self,
        acc: SSAValue | None,
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
        results: Sequence[FragType] = (),
        first: int = 0,
        others: Sequence[SSAValue] = (),
    ):
        super().__init__(
            [[acc] if acc is not None else [], others, offsets, ins, outs],
            [results],
            [body],
            bounds=bounds,
            dims=dims,
            guards=guards,
            tile=tile,
            addresses=ArrayAttr([MapAttr(a) for a in addresses]),
            widths=widths,
            where=ArrayAttr([SetAttr(s) for s in where]) if where else None,
            first=first if acc is not None and tuple(tile) != frag(acc).sizes else None,
        )

    @property
    def held(self) -> Sequence[SSAValue]:
        return [*([] if self.acc is None else [self.acc]), *self.others]

    @property
    def like(self) -> FragType | None:
        return None if self.acc is None else frag(self.acc)

    @property
    def first_column(self) -> int:
        return self.first.value.data if self.first is not None else 0

    def verify_fragments(self) -> None:
        if (acc := self.like) is not None:
            accumulates = not acc.is_operand
            check_type(self, accumulates, "the accumulator", acc.layout_text, "it must be C, or a spelled layout")
        for t in map(frag, self.others):
            check_type(self, t == acc, "a further accumulator", t, "expected the type of the first one")
        self.check_widths()
        self._check_columns()
        for t in map(frag, self.fragments):
            fits = acc is not None and (t.lanes, t.sizes) == (acc.lanes, ints(self.tile))
            check_type(self, fits, "a result", t, "expected the tile's shape and the accumulator's layout")

    def _check_columns(self) -> None:
        """Checks that the tile is the accumulator or a range of its columns, in multiples of its layout's columns."""
        first, (rows, columns) = self.first_column, ints(self.tile)
        if self.acc is None:
            check_value(self, self.first is None, "column", first, "there is no accumulator")
            return
        t = frag(self.acc)
        step = t.layout.columns
        whole = (rows, columns) == t.sizes or self.first is not None
        within = rows == t.sizes[0] and 0 <= first <= t.sizes[1] - columns
        got = f"{shape_text((rows, columns))} from column {first} on"
        want = f"the accumulator's {shape_text(t.sizes)}, or a range of its columns that starts and ends at multiples of {step}"
        check_shape(self, whole and within and not first % step and not columns % step, "tile", got, want)
