"""The types of the `pto` dialect: tiles, memrefs, events, and channels of tiles. Spec: `pto-ir.md §2`, `§5.1`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, IntAttr, IntegerType, NoneAttr, StridedLayoutAttr
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import VarConstraint, base, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.hints import isa

from ...errors import UnsupportedType
from ..common.checks import check_attribute, check_count, check_type, check_value
from ..common.shapes import is_complex, shape_text
from ..common.tiles import sizes_attr
from .fields import parse_fields, parse_kind, parse_shape, print_fields, print_shape, word
from .words import LayoutAttr, LocAttr, OpcodeAttr, ScopeAttr, SpaceAttr

SIZES = "there is at least one size, sizes are at least 1, and the places of all elements fit in 64 bits"
WIDTHS = (1, 4, 8, 16, 32, 64)
ELEMENTS = "an element is an integer of 1, 4, 8, 16, 32 or 64 bits, a float of at most 64 bits, or a complex number of two such floats"


def check_array(what: str, sizes: Sequence[int], element_type: Attribute, last: int) -> None:
    """Checks the sizes and the element type of a tile or memref, of which `last` is the place of the last element as far as it is known."""
    sized = bool(sizes) and all(s == -1 or s >= 1 for s in sizes) and last < 2**63
    check_attribute(None, sized, what, f"has shape {shape_text(sizes)}", SIZES)
    part = element_type.element_type if is_complex(element_type) else element_type
    is_integer = isa(part, IntegerType) and part is element_type and part.width.data in WIDTHS
    is_float = isinstance(part, AnyFloat) and part.bitwidth <= 64
    check_type(None, is_integer or is_float, f"the element type of a {what}", element_type, ELEMENTS)


@irdl_attr_definition
class TileInfoAttr(ParametrizedAttribute):
    """Where a tile is and how it is stored: `#pto.tile_info<loc=Mat, layout=Nz>`. Both are optional."""

    name = "pto.tile_info"
    loc: LocAttr | NoneAttr
    layout: LayoutAttr | NoneAttr

    def __init__(self, loc: str | None = None, layout: str | None = None):
        super().__init__(
            NoneAttr() if loc is None else LocAttr.of(loc), NoneAttr() if layout is None else LayoutAttr.of(layout)
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return parse_fields(parser, {"loc": lambda: LocAttr.of(parser.parse_identifier()),
                                         "layout": lambda: LayoutAttr.of(parser.parse_identifier())})  # fmt: skip

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            words = {"loc": self.loc, "layout": self.layout}
            printer.print_string(", ".join(f"{k}={a.word}" for k, a in words.items() if not isinstance(a, NoneAttr)))


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute):
    """
    A tile, such as `tile<64x32xbf16, #pto.tile_info<loc=Mat, layout=Nz>>`; outside of ops of this dialect, `!pto.tile<…>`. A size that
    is not known statically is `?`.

    A tile without a location is a vector tile on a GPU; `pto-infer-tile-info` determines it for other targets. ND (row-major, the
    default) and DN (column-major) are orders in storage, which do not change the meaning of an index (i, j).
    """

    name = "pto.tile"
    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    info: TileInfoAttr | NoneAttr

    def __init__(
        self,
        shape: Sequence[int] | ArrayAttr[IntAttr],
        element_type: Attribute,
        loc: str | None = None,
        layout: str | None = None,
    ):
        info = NoneAttr() if loc is layout is None else TileInfoAttr(loc, layout)
        super().__init__(sizes_attr(shape), element_type, info)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes; -1 is one that is not known statically."""
        return tuple([s.data for s in self.shape.data])

    @property
    def loc(self) -> str:
        """The location, or "Vec" if none is written."""
        return "Vec" if isinstance(self.info, NoneAttr) or isinstance(self.info.loc, NoneAttr) else self.info.loc.word

    @property
    def layout(self) -> str:
        """The layout, or "ND" if none is written."""
        return (
            "ND" if isinstance(self.info, NoneAttr) or isinstance(self.info.layout, NoneAttr) else self.info.layout.word
        )

    @property
    def has_location(self) -> bool:
        """Whether a location is written."""
        return not isinstance(self.info, NoneAttr) and not isinstance(self.info.loc, NoneAttr)

    def like(self, sizes: Sequence[int] | None = None, element_type: Attribute | None = None) -> TileType:
        """Returns the type of a tile of other sizes or elements in the same place."""
        shape = self.shape if sizes is None else sizes_attr(sizes)
        return TileType.new([shape, element_type or self.element_type, self.info])

    def at(self, loc: str | None) -> TileType:
        """Returns the tile type of equal shape and element type in location `loc`, without a layout."""
        return TileType(self.shape, self.element_type, loc)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parse_shape(parser)
            if not parser.parse_optional_punctuation(","):
                return [sizes, dtype, NoneAttr()]
            return [sizes, dtype, parse_kind(parser, TileInfoAttr, "#pto.tile_info<loc=Vec, layout=ND>")]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_shape(printer, self.sizes, self.element_type)
            if not isinstance(self.info, NoneAttr):
                printer.print_string(", ")
                printer.print_attribute(self.info)

    def verify(self) -> None:
        check_array("tile", self.sizes, self.element_type, prod(map(abs, self.sizes)))


@irdl_attr_definition
class MemRefType(ParametrizedAttribute, TypeAttribute):
    """
    An array in a memory of the machine: `pto.memref<1024x1024xf32, {space = #pto.space<gm>, layout = #pto.layout<ND>}>`, or a view of
    one, `pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>`. Without a space it is in global memory.
    """

    name = "pto.memref"
    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    strided: StridedLayoutAttr | NoneAttr
    space: SpaceAttr | NoneAttr
    layout: LayoutAttr | NoneAttr

    def __init__(
        self,
        shape: Sequence[int] | ArrayAttr[IntAttr],
        element_type: Attribute,
        strided: StridedLayoutAttr | None = None,
        space: SpaceAttr | None = None,
        layout: LayoutAttr | None = None,
    ):
        super().__init__(
            sizes_attr(shape), element_type, *(NoneAttr() if a is None else a for a in (strided, space, layout))
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes; -1 is one that is not known statically."""
        return tuple(s.data for s in self.shape)

    @property
    def strides(self) -> tuple[int | None, ...]:
        """The distance of adjacent elements along each axis, in elements; None is one that is not known statically."""
        if not isinstance(self.strided, NoneAttr):
            return tuple(None if isinstance(s, NoneAttr) else s.data for s in self.strided.strides)
        order = range(len(self.sizes)) if self.column_major else reversed(range(len(self.sizes)))
        strides: list[int | None] = [None] * len(self.sizes)
        step: int | None = 1
        for axis in order:
            strides[axis] = step
            step = None if step is None or self.sizes[axis] == -1 else step * self.sizes[axis]
        return tuple(strides)

    @property
    def offset(self) -> int | None:
        """The distance of the first element from the start of the array, in elements; None if it is not known statically."""
        if isinstance(self.strided, NoneAttr):
            return 0
        return self.strided.offset.data if isinstance(self.strided.offset, IntAttr) else None

    @property
    def column_major(self) -> bool:
        return not isinstance(self.layout, NoneAttr) and self.layout.word == "DN"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        strided, space, layout = NoneAttr(), NoneAttr(), NoneAttr()
        with parser.in_angle_brackets():
            sizes, dtype = parse_shape(parser)
            more = parser.parse_optional_punctuation(",") is not None
            if more and parser.parse_optional_punctuation("{") is None:
                strided = parse_kind(parser, StridedLayoutAttr, "strided<[1024, 1], offset: ?>")
                more = parser.parse_optional_punctuation(",") is not None and bool(parser.parse_punctuation("{"))
            if more:
                space, layout = parse_fields(
                    parser, {"space": word(parser, SpaceAttr), "layout": word(parser, LayoutAttr)}
                )
                parser.parse_punctuation("}")
        return [sizes, dtype, strided, space, layout]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_shape(printer, self.sizes, self.element_type)
            if not isinstance(self.strided, NoneAttr):
                printer.print_string(", ")
                printer.print_attribute(self.strided)
            fields = {"space": self.space, "layout": self.layout}
            if any(not isinstance(a, NoneAttr) for a in fields.values()):
                printer.print_string(", {")
                print_fields(printer, fields)
                printer.print_string("}")

    def verify(self) -> None:
        if not isinstance(self.strided, NoneAttr):
            count, rank = len(self.strided.strides), len(self.sizes)
            check_count(None, count == rank, "'strided'", f"one stride for each axis ({rank})", count)
            clash = not isinstance(self.layout, NoneAttr)
            check_attribute(None, not clash, "layout", "is written beside strides", "strides determine the order")
        forward = all(t is None or t >= 0 for t in (self.offset, *self.strides))
        check_attribute(None, forward, "strided", f"is {self.strided}", "strides and the offset are at least 0")
        last = (self.offset or 0) + sum((abs(n) - 1) * (t or 0) for n, t in zip(self.sizes, self.strides, strict=True))
        check_array("memref", self.sizes, self.element_type, last)


@irdl_attr_definition
class EventType(ParametrizedAttribute, TypeAttribute):
    """
    The token of an instruction that runs asynchronously: `!pto.event<producer = #pto.op<TLOAD>>`, with `scope = #pto.scope<intra>` and
    the id `eid = 0` of the hardware's flag if they are assigned. The pipe that waits follows from the op that uses the token.
    """

    name = "pto.event"
    producer: OpcodeAttr
    scope: ScopeAttr | NoneAttr
    eid: IntAttr | NoneAttr

    def __init__(self, producer: str | OpcodeAttr, scope: str | None = None, eid: int | None = None):
        super().__init__(
            OpcodeAttr.of(producer) if isinstance(producer, str) else producer,
            NoneAttr() if scope is None else ScopeAttr.of(scope),
            NoneAttr() if eid is None else IntAttr(eid),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            fields = {
                "producer": word(parser, OpcodeAttr),
                "scope": word(parser, ScopeAttr),
                "eid": lambda: IntAttr(parser.parse_integer(allow_negative=False)),
            }
            producer, *others = parse_fields(parser, fields)
            if isinstance(producer, NoneAttr):
                parser.raise_error("an event has a producer, such as `producer = #pto.op<TLOAD>`", start, parser.pos)
            return [producer, *others]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_fields(printer, {"producer": self.producer, "scope": self.scope, "eid": self.eid})

    def verify(self) -> None:
        if not isinstance(self.eid, NoneAttr):
            check_value(None, 0 <= self.eid.data < EVENT_IDS, "eid", self.eid.data, f"an id is below {EVENT_IDS}")


EVENT_IDS = 8
"""Number of event ids of each pair of pipes."""


@irdl_attr_definition
class ChannelType(ParametrizedAttribute, TypeAttribute):
    """A bounded queue of `depth` slots with a list of tiles each: `!pto.channel<3, [!pto.tile<…>, !pto.tile<…>]>`."""

    name = "pto.channel"
    depth: IntAttr
    tiles: ArrayAttr[TileType]

    def __init__(self, depth: int | IntAttr, tiles: Sequence[TileType] | ArrayAttr[TileType]):
        super().__init__(
            depth if isinstance(depth, IntAttr) else IntAttr(depth),
            ArrayAttr(tiles),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            depth = parser.parse_integer(allow_negative=False)
            parser.parse_punctuation(",")
            tiles = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_type)
        return IntAttr(depth), ArrayAttr(tiles)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.depth.data}, ")
            with printer.in_square_brackets():
                printer.print_list(self.tiles, printer.print_attribute)

    def verify(self) -> None:
        check_value(None, self.depth.data >= 1, "depth", self.depth.data, "a channel has at least one slot")


AnyTile = base(TileType)
SameTile = VarConstraint("T", AnyTile)


def tile_type(value: SSAValue) -> TileType:
    if not isinstance(value.type, TileType):
        raise UnsupportedType(what="a value", got=value.type, want="expected a tile")
    return value.type
