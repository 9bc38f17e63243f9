"""The types of the `nv` dialect: shared memory and fragments, whose type says where each element is."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    ArrayAttr,
    Float32Type,
    IntAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ..errors import InvalidAttributeValue, UnsupportedType, VerifyError
from .mma import MMAS, ROLES, ROWS, Layout, Mma, element_bytes
from .shapes import memref_of, spell

SWIZZLES = ("xor", "xor_columns", "none")
"""How the 16-byte chunks of a row are permuted by the row number, so that warps read without bank conflicts: eight
rows a chunk each by ldmatrix, four rows a few neighbours each element by element, or not."""
CHUNK = 16
"""Bytes that a swizzle moves as one, and that one row of ldmatrix has."""


def sizes_attr(sizes: Sequence[int] | ArrayAttr[IntAttr]) -> ArrayAttr[IntAttr]:
    return sizes if isinstance(sizes, ArrayAttr) else ArrayAttr([IntAttr(s) for s in sizes])


def string_attr(text: str | StringAttr) -> StringAttr:
    return StringAttr(text) if isinstance(text, str) else text


@irdl_attr_definition
class SmemType(ParametrizedAttribute, TypeAttribute):
    """
    A ring of row-major tiles in shared memory: `!nv.smem<stages x rows x columns x type, swizzle>`; `SWIZZLES` says
    what a swizzle does.
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
        if not any(mma.takes(self.element_type) for mma in MMAS.values()):
            raise UnsupportedType(
                what="an element of nv.smem",
                got=self.element_type,
                want="bf16, f16, f32, f64 and 8-bit integers are staged in shared memory",
            )
        if self.swizzle.data not in SWIZZLES:
            raise InvalidAttributeValue(
                name="swizzle", problem=f"is '{self.swizzle.data}'", help=f"one of {', '.join(SWIZZLES)}"
            )
        row = self.sizes[2] * element_bytes(self.element_type)
        if row < CHUNK or row & (row - 1):
            raise InvalidAttributeValue(
                name="smem",
                problem=f"has rows of {row} bytes",
                help=f"a power of two from {CHUNK} bytes up",
            )


@irdl_attr_definition
class FragType(ParametrizedAttribute, TypeAttribute):
    """
    A warp's share of a matrix in registers, with its lane layout: `!nv.frag<64x16xbf16, A of m16n8k16>` is an
    operand of that instruction (`dialects/mma.py` has the lanes), `!nv.frag<64x32xf32, rows of 8>` are sums of
    which each lane holds eight neighbours of a row.
    """

    name = "nv.frag"
    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    role: StringAttr
    of: StringAttr

    def __init__(
        self,
        shape: Sequence[int] | ArrayAttr[IntAttr],
        element_type: Attribute,
        role: str | StringAttr,
        of: str | StringAttr,
    ):
        super().__init__(sizes_attr(shape), element_type, string_attr(role), string_attr(of))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(s.data for s in self.shape)

    @property
    def mma(self) -> Mma | None:
        """The instruction that this is an operand of."""
        return MMAS.get(self.of.data)

    @property
    def layout(self) -> Layout:
        """The lanes of one tile."""
        return self.mma.layout(self.role.data) if self.mma else ROWS[int(self.of.data)]

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
        return f"{self.role.data} of {self.of.data}"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parser.parse_ranked_shape()
            parser.parse_punctuation(",")
            role = parser.parse_identifier()
            parser.parse_keyword("of")
            number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
            of = parser.parse_identifier() if number is None else str(number)
            return sizes_attr(sizes), dtype, StringAttr(role), StringAttr(of)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(map(str, self.sizes)) + "x")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.spelling}")

    def verify(self) -> None:
        role, of = self.role.data, self.of.data
        if not (role in ROLES and of in MMAS) and not (role == "rows" and of in map(str, ROWS)):
            raise InvalidAttributeValue(
                name="layout",
                problem=f"is '{self.spelling}'",
                help=f"A, B or C of {', '.join(MMAS)}, or rows of {' or '.join(map(str, ROWS))}",
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
        if role in ("A", "B") and self.tiles[1 if role == "A" else 0] != 1:
            raise InvalidAttributeValue(
                name="frag",
                problem=f"has shape {spell(self.sizes)}",
                help=f"an operand is one step along k: {layout.columns if role == 'A' else layout.rows} {'columns' if role == 'A' else 'rows'}",
            )
        if self.mma is None:
            fits = isinstance(self.element_type, Float32Type) or self.element_type == MMAS["m16n8k32"].accum
            want = "an exchange moves f32 and i32"
        elif role == "C":
            fits, want = self.element_type == self.mma.accum, f"{of} sums in {self.mma.accum}"
        else:
            fits, want = self.mma.takes(self.element_type), f"{of} does not multiply this type"
        if not fits:
            raise UnsupportedType(what=f"an element of '{self.spelling}'", got=self.element_type, want=want)


def frag(value: SSAValue) -> FragType:
    if not isinstance(value.type, FragType):
        raise VerifyError(message=f"expected a fragment, got {value.type}")
    return value.type


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
