"""The types of the `pto` dialect: tiles, and channels of tiles."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
    StringAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    VarConstraint,
    base,
    irdl_attr_definition,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ...errors import UnsupportedType
from ..common.checks import check_attribute, check_value
from ..common.shapes import shape_text
from ..common.tiles import ShapedType, sizes_attr, string_attr

LOCATIONS = ("Vec", "Mat", "Left", "Right", "Acc")
LAYOUTS = ("ND", "DN")


@irdl_attr_definition
class TileType(ShapedType):
    """
    A rectangular tile, such as `!pto.tile<64x32xbf16, Mat, DN>`. The default location is Vec. The layout is ND (row-major, the
    default) or DN (column-major); it is the order in storage and does not change the meaning of an index (i, j).
    """

    name = "pto.tile"
    loc: StringAttr
    layout: StringAttr

    def __init__(
        self,
        shape: Sequence[int] | ArrayAttr[IntAttr],
        element_type: Attribute,
        loc: str | StringAttr = "Vec",
        layout: str | StringAttr = "ND",
    ):
        super().__init__(sizes_attr(shape), element_type, string_attr(loc), string_attr(layout))

    @property
    def layout_text(self) -> str:
        loc, layout = self.loc.data, self.layout.data
        return f"{loc}, {layout}" if layout != "ND" else loc if loc != "Vec" else ""

    def at(self, loc: str) -> TileType:
        """Returns the row-major tile type of equal shape and element type in location `loc`."""
        return TileType(self.shape, self.element_type, loc)

    @classmethod
    def parse_layout(cls, parser: AttrParser) -> Sequence[StringAttr]:
        loc = parser.parse_identifier() if parser.parse_optional_punctuation(",") else "Vec"
        layout = parser.parse_identifier() if parser.parse_optional_punctuation(",") else "ND"
        return StringAttr(loc), StringAttr(layout)

    def verify(self) -> None:
        for word, words in ((self.loc.data, LOCATIONS), (self.layout.data, LAYOUTS)):
            check_attribute(None, word in words, "tile", f"has '{word}'", f"one of {', '.join(words)}")
        sized = bool(self.sizes) and min(self.sizes) >= 1
        check_attribute(None, sized, "tile", f"has shape {shape_text(self.sizes)}", "sizes are at least 1")


@irdl_attr_definition
class ChannelType(ParametrizedAttribute, TypeAttribute):
    """A bounded queue of `depth` slots with a list of tiles each: `!pto.channel<3, [!pto.tile<…>, !pto.tile<…>]>`."""

    name = "pto.channel"
    depth: IntAttr
    tiles: ArrayAttr[TileType]

    def __init__(self, depth: int | IntAttr, tiles: Sequence[TileType] | ArrayAttr[TileType]):
        super().__init__(
            depth if isinstance(depth, IntAttr) else IntAttr(depth),
            tiles if isinstance(tiles, ArrayAttr) else ArrayAttr(list(tiles)),
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
