"""Types of the `nv` dialect. The types of shared memory and of fragments say where each element is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    bf16,
    f16,
    f32,
    i32,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from ...errors import UnsupportedType
from ...targets.architectures import REGISTERS_OF_THREAD, WARP, WARPGROUP
from ...targets.layouts import PARTS, Layout, Mode, layout_of, layout_text, parse_layout, reaches_each_once
from ...targets.mma import MMAS, OPERANDS, WGMMAS, Mma, element_bytes
from ...targets.shared_layouts import CHUNK, PANELS, SWIZZLES, XOR, SharedLayout, named, parse_shared_layout
from ..common.checks import check_attribute, check_type, check_value, check_word
from ..common.shapes import memref_of, shape_text, signless
from ..common.tiles import ShapedType, sizes_attr, string_attr

T = TypeVar("T", bound=Attribute)

INSTRUCTIONS = MMAS | WGMMAS
SPELLED_AT = "at"
"""The word with which the text of a spelled layout of shared memory begins."""
RESULTS = (bf16, f16, f32, i32)
"""Element types to which an epilogue can convert a warpgroup's accumulator before `nv.stmatrix`, in the same layout."""


def constant_of(value: SSAValue) -> int | None:
    """Returns the integer if `value` is an `arith.constant`, else None."""
    op = value.owner
    return op.value.value.data if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr) else None


def same_value(a: SSAValue, b: SSAValue) -> bool:
    """Whether `a` and `b` are the same SSA value or equal constants."""
    return a is b or ((known := constant_of(a)) is not None and known == constant_of(b))


def check_constant(op: Operation, name: str, value: SSAValue, legal: Collection[int], help: str) -> None:
    """Checks that `value` is in `legal` if it is a constant. Other values are not known statically and not checked."""
    known = constant_of(value)
    check_value(op, known is None or known in legal, name, known, help)


def check_slot(op: Operation, slot: SSAValue, count: int) -> None:
    """Checks that a constant slot number is one of the `count` slots of a ring."""
    check_constant(op, "slot", slot, range(count), f"the slots of the ring are 0 to {count - 1}")


def is_staged(dtype: Attribute) -> bool:
    """Whether shared memory holds elements of this type: some instruction multiplies or accumulates it."""
    return any(mma.multiplies(dtype) or mma.accum == dtype for mma in INSTRUCTIONS.values())


def require_staged(what: str, dtype: Attribute) -> None:
    """Checks that shared memory holds elements of type `dtype`."""
    want = "fp8, bf16, f16, f32, f64, 8-bit integers and i32 are staged in shared memory"
    check_type(None, is_staged(dtype), what, dtype, want)


@dataclass(frozen=True, init=False)
class SwizzledType(ShapedType):
    """Base of types of tiles in shared memory, with a swizzle."""

    swizzle: StringAttr

    def __init__(self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute, swizzle: str | StringAttr):
        super().__init__(sizes_attr(shape), element_type, string_attr(swizzle))

    @property
    def bytes(self) -> int:
        return prod(self.sizes) * element_bytes(self.element_type)

    @property
    def layout_text(self) -> str:
        return self.swizzle.data

    @classmethod
    def parse_layout(cls, parser: AttrParser) -> Sequence[StringAttr]:
        parser.parse_punctuation(",")
        name = parser.parse_identifier()
        return [StringAttr(f"{name}{_parse_digits(parser)}" if name == SPELLED_AT else name)]

    @property
    def panel(self) -> int:
        """Width of a panel in bytes, for a swizzle of TMA and wgmma; 0 for other swizzles, which have no panels."""
        return PANELS.get(self.swizzle.data, 0)


@irdl_attr_definition
class SmemType(SwizzledType):
    """
    A ring of tiles in shared memory: `!nv.smem<stages x rows x columns x type, layout>`. The layout says where the elements of a
    tile are (`targets/shared_layouts.py`). It keeps the 16-byte chunks of a row whole, and usually permutes them depending on
    the row's number, so that warps read without bank conflicts. It is spelled, as in `at(64: j, 8: i^8j, 16: 8i)`, or has a
    name:

    - `xor` is for ldmatrix, which reads one chunk of each of eight rows.
    - `xor_columns` is for loads of single elements, which read a few contiguous elements of each of four rows.
    - `none` is row-major.
    - `b128`, `b64` and `b32` are the swizzles of TMA and wgmma. The columns are cut into panels of 128, 64 or 32 bytes, which
      are stored one after the other. Within a panel, the chunk's number is XORed with three, two or one bits of its address,
      from bit 7 up. PTX ISA §5.5.6.

    ```mlir
    !nv.smem<4x128x64xbf16, b128>                        // four slots of 128 rows of one panel
    !nv.smem<4x128x64xbf16, at(64: j, 8: i^8j, 16: 8i)>  // the same places, for other instructions than TMA and wgmma
    ```
    """

    name = "nv.smem"

    def __init__(self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute, swizzle: str | StringAttr):
        super().__init__(shape, element_type, swizzle)

    @property
    def layout(self) -> SharedLayout:
        """Where the elements of a tile are."""
        if self.swizzle.data.startswith(SPELLED_AT):
            return parse_shared_layout(self.swizzle.data)
        _, rows, columns = self.sizes
        return named(self.swizzle.data, rows, columns, element_bytes(self.element_type))

    @property
    def alignment(self) -> int:
        """Required alignment of the base address in bytes, so that the swizzle's pattern starts there."""
        return 8 * self.panel or 128

    def verify(self) -> None:
        sized = len(self.sizes) == 3 and min(self.sizes) >= 1
        check_attribute(None, sized, "smem", f"has shape {shape_text(self.sizes)}", "give stages x rows x columns")
        require_staged("an element of nv.smem", self.element_type)
        if self.swizzle.data.startswith(SPELLED_AT):
            self._verify_spelled()
            return
        check_word(None, "swizzle", self.swizzle.data, SWIZZLES)
        row = self.sizes[2] * element_bytes(self.element_type)
        if self.panel:
            problem = f"has {self.sizes[1]} rows of {row} bytes"
            help = f"{self.swizzle.data} needs whole panels of {self.panel} bytes, and rows in multiples of 8"
            check_attribute(None, not row % self.panel and not self.sizes[1] % 8, "smem", problem, help)
        else:
            chunks = row >= CHUNK and not row % CHUNK and (self.swizzle.data == XOR or not row & (row - 1))
            help = f"{'a multiple of' if self.swizzle.data == XOR else 'a power of two from'} {CHUNK} bytes"
            check_attribute(None, chunks, "smem", f"has rows of {row} bytes", help)

    def _verify_spelled(self) -> None:
        text = self.swizzle.data
        try:
            layout = parse_shared_layout(text)
            sizes, contiguous = layout.sizes, layout.run * element_bytes(self.element_type)
        except ValueError as e:
            check_value(None, False, "layout", f"'{text}'", str(e))
            return
        problem, help = f"has tiles of {shape_text(self.sizes[1:])}", f"the digits of {text} reach {shape_text(sizes)}"
        check_attribute(None, sizes == self.sizes[1:], "smem", problem, help)
        help = f"the {CHUNK} bytes of a chunk of a row must be contiguous"
        check_value(None, contiguous >= CHUNK, "layout", f"'{text}'", help)


@irdl_attr_definition
class FragType(ShapedType):
    """
    A fragment: a tile in the registers of a warp or a warpgroup, with its lane layout. PTX ISA §9.7.14.5, §9.7.15.5.1.

    - `!nv.frag<64x16xbf16, A of m16n8k16>` is operand A of that instruction (`targets/mma.py` has the layout), in the registers that
      the instruction takes: a register holds several narrow elements. With an element type that the instruction does not
      multiply, such as si8, the layout is the same; `nv.map` converts the elements.
      `A of m64k16` is held by a warpgroup.
    - `!nv.frag<64x256xf32, C of m64k16>` is a warpgroup's accumulator, written by wgmma.
    - `!nv.frag<64x256xbf16, C of m64k16>` is such an accumulator after it has been converted to bf16; `C of m16n8k16` as well.
    - `!nv.frag<64x32xf32, lane(4: 8j, 8: i) reg(8: j, 8: 8i)>` spells its layout (`targets/layouts.py`): each lane holds eight
      contiguous elements of a row, in one register for each element. The element type can be any type.
    - `!nv.frag<4x1024xf32, lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)>` is held by a whole block.
    - `!nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)>` is held by a warpgroup: an element for each row of its accumulator.
    """

    name = "nv.frag"
    lanes: StringAttr

    def __init__(
        self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute, lanes: str | StringAttr | Layout
    ):
        text = layout_text(lanes) if isinstance(lanes, Layout) else lanes
        super().__init__(sizes_attr(shape), element_type, string_attr(text))

    @property
    def operand(self) -> str:
        """`A`, `B` or `C`, the operand of `mma` that this fragment is; empty for spelled layouts."""
        return OPERANDS[self.lanes.data][0] if self.lanes.data in OPERANDS else ""

    @property
    def mma(self) -> Mma | None:
        """The instruction whose operand this fragment is; None for spelled layouts."""
        return OPERANDS[self.lanes.data][1] if self.lanes.data in OPERANDS else None

    @property
    def layout(self) -> Layout:
        """The layout of one tile, which the fragment repeats."""
        return parse_layout(self.lanes.data) if self.mma is None else self.mma.operands[self.operand]

    @property
    def tile_digits(self) -> tuple[Mode, ...]:
        """The digits that number the tiles, along rows and along columns; an operand has one tile along k, which has no digit."""
        down, across = Mode(self.tiles[0], self.layout.rows, 0), Mode(self.tiles[1], 0, self.layout.columns)
        return {"A": (down,), "B": (across,), "C": (down, across)}.get(self.operand, ())

    @property
    def whole_layout(self) -> Layout:
        """The layout of the whole fragment, whose last registers count tiles along columns, then along rows."""
        t = self.layout
        return layout_of(t.lanes, t.warps, [*t.elements, *reversed(self.tile_digits)], t.blocks)

    @property
    def is_operand(self) -> bool:
        """Whether this is operand A or B of an instruction."""
        return self.operand in ("A", "B")

    @property
    def spelled(self) -> bool:
        """Whether the type spells its layout."""
        return self.mma is None

    @property
    def tiles(self) -> tuple[int, int]:
        """How often the layout's tile is repeated along rows and along columns."""
        return self.sizes[0] // self.layout.rows, self.sizes[1] // self.layout.columns

    @property
    def bytes(self) -> int:
        """Size of the part of the fragment that a lane holds, in bytes."""
        return prod(self.tiles) * self.layout.count * element_bytes(self.element_type)

    @property
    def layout_text(self) -> str:
        return self.lanes.data

    @classmethod
    def parse_layout(cls, parser: AttrParser) -> Sequence[StringAttr]:
        parser.parse_punctuation(",")
        first = parser.parse_identifier()
        if first in PARTS:
            return [StringAttr(_parse_parts(parser, first))]
        parser.parse_keyword("of")
        return [StringAttr(f"{first} of {parser.parse_identifier()}")]

    def verify(self) -> None:
        text, mma = self.layout_text, self.mma
        if text.partition("(")[0] in PARTS:
            self._verify_spelled()
            return
        help = f"A, B or C of {', '.join(MMAS)}, A or C of {', '.join(WGMMAS)}, or lane(…) reg(…)"
        check_value(None, mma is not None, "layout", f"'{text}'", help)
        if mma is None:
            return
        tile, problem = (self.layout.rows, self.layout.columns), f"has shape {shape_text(self.sizes)}"
        whole = len(self.sizes) == 2 and all(s >= 1 and s % step == 0 for s, step in zip(self.sizes, tile, strict=True))
        check_attribute(None, whole, "frag", problem, f"{text} repeats {shape_text(tile)}")
        if self.operand == "C":
            converted = self.element_type in RESULTS and (mma.name in WGMMAS or mma.multiplies(self.element_type))
            fits, want = converted or self.element_type == mma.accum, f"{mma.name} accumulates in {mma.accum}"
        else:
            k_axis, noun = (1, "columns") if self.operand == "A" else (0, "rows")
            help = f"an operand has the k of one instruction: {tile[k_axis]} {noun}"
            check_attribute(None, self.tiles[k_axis] == 1, "frag", problem, help)
            fits, want = is_staged(self.element_type), "shared memory does not hold this type"
        check_type(None, fits, f"an element of '{text}'", self.element_type, want)

    def _verify_spelled(self) -> None:
        try:
            layout = self.layout
        except ValueError as e:
            check_value(None, False, "layout", f"'{self.layout_text}'", str(e))
            return
        whole = layout.threads == WARP or (layout.threads == WARPGROUP and not (layout.warps or layout.blocks))
        help = f"lane(…) has the {WARP} lanes of a warp, or the {WARPGROUP} of a warpgroup alone"
        check_value(None, whole, "layout", f"'{self.layout_text}'", help)
        problem = f"has {layout.count} elements of {self.element_type} per lane"
        fits = layout.count * max(4, element_bytes(self.element_type)) <= 4 * REGISTERS_OF_THREAD
        check_attribute(None, fits, "frag", problem, f"a thread has {REGISTERS_OF_THREAD} registers of 32 bits")
        whole = self.sizes == (layout.rows, layout.columns) and reaches_each_once(layout)
        problem = f"has shape {shape_text(self.sizes)}"
        check_attribute(None, whole, "frag", problem, f"the digits of {self.layout_text} must reach each element once")


def _parse_parts(parser: AttrParser, first: str) -> str:
    """Parses a spelled layout after the name `first` of its first part, and returns its text."""
    parts: list[str] = []
    name: str | None = first
    while name is not None:
        parts.append(f"{name}{_parse_digits(parser)}")
        name = parser.parse_optional_identifier()
    return " ".join(parts)


def _parse_digits(parser: AttrParser) -> str:
    """Parses the digits of a layout in parentheses, `(8: j, 8: i^8j)`, and returns their text."""

    def stride() -> str:
        step = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
        return "0" if step == 0 else f"{'' if step is None else step}{parser.parse_identifier()}"

    def digit() -> str:
        text = f"{parser.parse_integer(allow_boolean=False, allow_negative=False)}: "
        parser.parse_punctuation(":")
        text += stride()
        while (caret := parser._parse_optional_token(MLIRTokenKind.CARET_IDENT)) is not None:  # pyright: ignore[reportPrivateUsage]
            text += caret.text + (parser.parse_identifier() if caret.text[1:].isdecimal() else "")
        return text

    return f"({', '.join(parser.parse_comma_separated_list(parser.Delimiter.PAREN, digit))})"


@irdl_attr_definition
class MbarrierType(ParametrizedAttribute, TypeAttribute):
    """A ring of mbarriers in shared memory, of 8 bytes each: `!nv.mbarrier<4>`. PTX ISA §9.7.13.15."""

    name = "nv.mbarrier"
    count: IntAttr

    def __init__(self, count: int | IntAttr):
        super().__init__(count if isinstance(count, IntAttr) else IntAttr(count))

    @property
    def bytes(self) -> int:
        return 8 * self.count.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.count.data)

    def verify(self) -> None:
        check_attribute(None, self.count.data >= 1, "mbarrier", f"has {self.count.data}", "one or more")


@irdl_attr_definition
class TensorMapType(SwizzledType):
    """
    A tensor map, the descriptor by which TMA copies a box of an array. The type has the sizes of the box, outermost axis first,
    and its swizzle in shared memory: `!nv.tensor_map<1x128x64xbf16, b128>`. A box has 1 to 5 axes of 1 to 256 elements. Its
    rows have a multiple of 16 bytes, and fit in one panel of the swizzle. `bytes` is the size of the box. PTX ISA §5.5.
    """

    name = "nv.tensor_map"

    def __init__(self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute, swizzle: str | StringAttr):
        super().__init__(shape, element_type, swizzle)

    def verify(self) -> None:
        sized, problem = 1 <= len(self.sizes) <= 5, f"has a box of {shape_text(self.sizes)}"
        sized = sized and all(1 <= s <= 256 for s in self.sizes)
        check_attribute(None, sized, "tensor_map", problem, "1 to 5 axes of 1 to 256 elements")
        require_staged("an element of nv.tensor_map", signless(self.element_type))
        check_word(None, "swizzle", self.swizzle.data, (*PANELS, "none"))
        row = self.sizes[-1] * element_bytes(self.element_type)
        fits = not row % CHUNK and (not self.panel or row <= self.panel)
        help = f"a multiple of {CHUNK}" + f", at most {self.panel}, the panel of {self.swizzle.data}" * bool(self.panel)
        check_attribute(None, fits, "tensor_map", f"has a box with rows of {row} bytes", help)


def _of_type(value: SSAValue, kind: type[T], noun: str) -> T:
    if not isinstance(value.type, kind):
        raise UnsupportedType(what="a value", got=value.type, want=f"expected {noun}")
    return value.type


def smem(value: SSAValue) -> SmemType:
    return _of_type(value, SmemType, "shared memory")


def frag(value: SSAValue) -> FragType:
    return _of_type(value, FragType, "a fragment")


def mbarrier(value: SSAValue) -> MbarrierType:
    return _of_type(value, MbarrierType, "mbarriers")


def tensor_map(value: SSAValue) -> TensorMapType:
    return _of_type(value, TensorMapType, "a tensor map")


def global_memref(op: Operation, value: SSAValue) -> MemRefType[Attribute]:
    """Returns the value's type. Checks that it is a row-major memref of static shape in global memory."""
    t = memref_of(value)
    in_global, row_major = isinstance(t.memory_space, NoneAttr), isinstance(t.layout, NoneAttr)
    check_type(op, in_global, "a memref", t, "kernels take memrefs in global memory: no memory space")
    static = row_major and t.has_static_shape()
    check_type(op, static, "a memref", t, "kernels take row-major memrefs of static shape")
    return t
