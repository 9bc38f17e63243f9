"""The types of the `nv` dialect: shared memory and fragments, whose type says where each element is."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    Float32Type,
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

from ...errors import InvalidAttributeValue, UnsupportedType, VerifyError
from ...targets.mma import MMAS, ROLES, ROWS, WGMMAS, Layout, Mma, element_bytes
from ..common.shapes import memref_of, signless, spell

INSTRUCTIONS = MMAS | WGMMAS
PANELS = {"b128": 128, "b64": 64, "b32": 32}
"""The swizzles of TMA and wgmma, by the bytes of a row that they permute."""
SWIZZLES = ("xor", "xor_columns", "none", *PANELS)
"""
How the 16-byte chunks of a row are permuted by the row number, so that warps read without bank conflicts: eight
rows a chunk each by ldmatrix, four rows a few neighbours each element by element, or not. `b128`, `b64` and `b32` are
those of TMA and wgmma: a tile is cut into panels of so many bytes of each row, one panel after the other, and a chunk's
number in its row of the panel is XORed with bits 7 to 9 of its address (PTX ISA §5.5.6).
"""
RESULTS = (bf16, f16, f32, i32)
"""What an epilogue makes of a warpgroup's sums, in the same lanes, on the way to `nv.stmatrix`."""
CHUNK = 16
"""Bytes that a swizzle moves as one, and that one row of ldmatrix has."""


def constant_of(value: SSAValue) -> int | None:
    """The integer that a value is, if it is a constant."""
    op = value.owner
    return op.value.value.data if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr) else None


def same_value(a: SSAValue, b: SSAValue) -> bool:
    """Whether two values are one, or constants that are equal."""
    return a is b or ((known := constant_of(a)) is not None and known == constant_of(b))


def require_staged(what: str, dtype: Attribute) -> None:
    """Refuses elements that no instruction multiplies or sums: they have no place in shared memory."""
    if not any(mma.takes(dtype) or mma.accum == dtype for mma in INSTRUCTIONS.values()):
        raise UnsupportedType(
            what=what,
            got=dtype,
            want="fp8, bf16, f16, f32, f64, 8-bit integers and i32 are staged in shared memory",
        )


def sizes_attr(sizes: Sequence[int] | ArrayAttr[IntAttr]) -> ArrayAttr[IntAttr]:
    return sizes if isinstance(sizes, ArrayAttr) else ArrayAttr([IntAttr(s) for s in sizes])


def string_attr(text: str | StringAttr) -> StringAttr:
    return StringAttr(text) if isinstance(text, str) else text


@irdl_attr_definition
class SmemType(ParametrizedAttribute, TypeAttribute):
    """
    A ring of row-major tiles in shared memory: `!nv.smem<stages x rows x columns x type, swizzle>`.

    A swizzle permutes the 16-byte chunks of a row by the row's number, so that warps read without bank conflicts:
    `xor` for eight rows a chunk each by ldmatrix, `xor_columns` for four rows a few neighbours each element by element,
    `none` not. `b128`, `b64` and `b32` are those of TMA and wgmma: a tile is cut into panels of 128, 64 or 32 bytes of
    each row, one panel after the other, each of all rows; within a panel the chunk's number is XORed with bits 7 to
    9 of its address, as many as the panel has. PTX ISA §5.5.6.

    ```mlir
    !nv.smem<4x128x64xbf16, b128>        // four slots of 128 rows of one panel
    ```
    """

    name = "nv.smem"
    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    swizzle: StringAttr

    def __init__(
        self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute, swizzle: str | StringAttr = "xor"
    ):
        super().__init__(sizes_attr(shape), element_type, string_attr(swizzle))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Stages, rows, columns."""
        return tuple(s.data for s in self.shape)

    @property
    def bytes(self) -> int:
        return prod(self.sizes) * element_bytes(self.element_type)

    @property
    def panel(self) -> int:
        """Bytes of a row in one panel of a swizzle of TMA and wgmma; 0 where there is none."""
        return PANELS.get(self.swizzle.data, 0)

    @property
    def alignment(self) -> int:
        """Bytes to which its place must be aligned, so that the swizzle begins at its beginning."""
        return 8 * self.panel or 128

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parser.parse_ranked_shape()
            parser.parse_punctuation(",")
            return sizes_attr(sizes), dtype, StringAttr(parser.parse_identifier())

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(map(str, self.sizes)) + "x")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.swizzle.data}")

    def verify(self) -> None:
        if len(self.sizes) != 3 or min(self.sizes) < 1:
            raise InvalidAttributeValue(
                name="smem", problem=f"has shape {spell(self.sizes)}", help="give stages x rows x columns"
            )
        require_staged("an element of nv.smem", self.element_type)
        if self.swizzle.data not in SWIZZLES:
            raise InvalidAttributeValue(
                name="swizzle", problem=f"is '{self.swizzle.data}'", help=f"one of {', '.join(SWIZZLES)}"
            )
        row = self.sizes[2] * element_bytes(self.element_type)
        if self.panel:
            if row % self.panel or self.sizes[1] % 8:
                raise InvalidAttributeValue(
                    name="smem",
                    problem=f"has {self.sizes[1]} rows of {row} bytes",
                    help=f"{self.swizzle.data} needs whole panels of {self.panel} bytes, and eight rows or a multiple",
                )
        elif row < CHUNK or row & (row - 1):
            raise InvalidAttributeValue(
                name="smem",
                problem=f"has rows of {row} bytes",
                help=f"a power of two from {CHUNK} bytes up",
            )


@irdl_attr_definition
class FragType(ParametrizedAttribute, TypeAttribute):
    """
    A warp's share of a matrix in registers, with its lane layout: `!nv.frag<64x16xbf16, A of m16n8k16>` is an
    operand of that instruction (`targets/mma.py` has the lanes), `!nv.frag<64x32xf32, rows of 8>` are sums of
    which each lane holds eight neighbours of a row. `!nv.frag<64x256xf32, C of m64k16>` is a warpgroup's, which
    wgmma sums, and `!nv.frag<64x256xbf16, C of m64k16>` what an epilogue made of it. PTX ISA §9.7.14.5, §9.7.15.5.1.
    """

    name = "nv.frag"
    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    operand: StringAttr
    of: StringAttr

    def __init__(
        self,
        shape: Sequence[int] | ArrayAttr[IntAttr],
        element_type: Attribute,
        operand: str | StringAttr,
        of: str | StringAttr,
    ):
        super().__init__(sizes_attr(shape), element_type, string_attr(operand), string_attr(of))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(s.data for s in self.shape)

    @property
    def mma(self) -> Mma | None:
        """The instruction that this is an operand of."""
        return INSTRUCTIONS.get(self.of.data)

    @property
    def layout(self) -> Layout:
        """The lanes of one tile."""
        return self.mma.layout(self.operand.data) if self.mma else ROWS[int(self.of.data)]

    @property
    def tiles(self) -> tuple[int, int]:
        """How often the layout's tile repeats along rows and columns."""
        return self.sizes[0] // self.layout.rows, self.sizes[1] // self.layout.columns

    @property
    def bytes(self) -> int:
        """Bytes that a lane holds."""
        down, across = self.tiles
        return down * across * self.layout.count * element_bytes(self.element_type)

    @property
    def spelling(self) -> str:
        return f"{self.operand.data} of {self.of.data}"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parser.parse_ranked_shape()
            parser.parse_punctuation(",")
            operand = parser.parse_identifier()
            parser.parse_keyword("of")
            number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
            of = parser.parse_identifier() if number is None else str(number)
            return sizes_attr(sizes), dtype, StringAttr(operand), StringAttr(of)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(map(str, self.sizes)) + "x")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.spelling}")

    def verify(self) -> None:
        operand, of = self.operand.data, self.of.data
        of_mma = operand in ROLES and of in INSTRUCTIONS and not (operand == "B" and of in WGMMAS)
        if not of_mma and not (operand == "rows" and of in map(str, ROWS)):
            raise InvalidAttributeValue(
                name="layout",
                problem=f"is '{self.spelling}'",
                help=f"A, B or C of {', '.join(MMAS)}, A or C of {', '.join(WGMMAS)}, "
                f"or rows of {' or '.join(map(str, ROWS))}",
            )
        layout = self.layout
        if len(self.sizes) != 2 or any(
            s < 1 or s % step for s, step in zip(self.sizes, (layout.rows, layout.columns), strict=True)
        ):
            raise InvalidAttributeValue(
                name="frag",
                problem=f"has shape {spell(self.sizes)}",
                help=f"{self.spelling} repeats {spell((layout.rows, layout.columns))}",
            )
        if operand in ("A", "B") and self.tiles[1 if operand == "A" else 0] != 1:
            raise InvalidAttributeValue(
                name="frag",
                problem=f"has shape {spell(self.sizes)}",
                help=f"an operand is one step along k: {layout.columns if operand == 'A' else layout.rows} {'columns' if operand == 'A' else 'rows'}",
            )
        if self.mma is None:
            fits = isinstance(self.element_type, Float32Type) or self.element_type == MMAS["m16n8k32"].accum
            want = "an exchange moves f32 and i32"
        elif operand == "C":
            fits, want = self.element_type == self.mma.accum, f"{of} sums in {self.mma.accum}"
            if of in WGMMAS and self.element_type in RESULTS:
                fits = True
        else:
            fits, want = self.mma.takes(self.element_type), f"{of} does not multiply this type"
        if not fits:
            raise UnsupportedType(what=f"an element of '{self.spelling}'", got=self.element_type, want=want)


def frag(value: SSAValue) -> FragType:
    if not isinstance(value.type, FragType):
        raise VerifyError(message=f"expected a fragment, got {value.type}")
    return value.type


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
        if self.count.data < 1:
            raise InvalidAttributeValue(name="mbarrier", problem=f"has {self.count.data}", help="one or more")


@irdl_attr_definition
class TensorMapType(ParametrizedAttribute, TypeAttribute):
    """
    How TMA sees an array: the box of elements that one copy moves, outermost axis first, and the swizzle of its place
    in shared memory: `!nv.tensor_map<1x128x64xbf16, b128>`. A box has 1 to 5 axes of 1 to 256 elements; its rows
    have a multiple of 16 bytes, at most those that the swizzle permutes. PTX ISA §5.5.
    """

    name = "nv.tensor_map"
    box: ArrayAttr[IntAttr]
    element_type: Attribute
    swizzle: StringAttr

    def __init__(
        self, box: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute, swizzle: str | StringAttr = "b128"
    ):
        super().__init__(sizes_attr(box), element_type, string_attr(swizzle))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(s.data for s in self.box)

    @property
    def bytes(self) -> int:
        """What one copy moves."""
        return prod(self.sizes) * element_bytes(self.element_type)

    @property
    def panel(self) -> int:
        """Bytes that its swizzle permutes; 0 where there is none."""
        return PANELS.get(self.swizzle.data, 0)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parser.parse_ranked_shape()
            parser.parse_punctuation(",")
            return sizes_attr(sizes), dtype, StringAttr(parser.parse_identifier())

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(map(str, self.sizes)) + "x")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.swizzle.data}")

    def verify(self) -> None:
        if not 1 <= len(self.sizes) <= 5 or not all(1 <= s <= 256 for s in self.sizes):
            raise InvalidAttributeValue(
                name="tensor_map", problem=f"has a box of {spell(self.sizes)}", help="1 to 5 axes of 1 to 256 elements"
            )
        require_staged("an element of nv.tensor_map", signless(self.element_type))
        if self.swizzle.data not in (*PANELS, "none"):
            raise InvalidAttributeValue(
                name="swizzle", problem=f"is '{self.swizzle.data}'", help=f"one of {', '.join(PANELS)}, none"
            )
        row = self.sizes[-1] * element_bytes(self.element_type)
        if row % CHUNK or (self.panel and row > self.panel):
            raise InvalidAttributeValue(
                name="tensor_map",
                problem=f"has a box with rows of {row} bytes",
                help=f"a multiple of {CHUNK}"
                + (f", at most the {self.panel} of {self.swizzle.data}" * bool(self.panel)),
            )


def smem(value: SSAValue) -> SmemType:
    if not isinstance(value.type, SmemType):
        raise VerifyError(message=f"expected shared memory, got {value.type}")
    return value.type


def global_memref(op: Operation, value: SSAValue) -> MemRefType[Attribute]:
    """The value's type, which must be a memref in global memory."""
    t = memref_of(value)
    if not isinstance(t.memory_space, NoneAttr):
        raise UnsupportedType(op, what="a memref", got=t, want="kernels take memrefs in global memory: no memory space")
    if not isinstance(t.layout, NoneAttr) or not t.has_static_shape():
        raise UnsupportedType(op, what="a memref", got=t, want="kernels take row-major memrefs of static shape")
    return t
