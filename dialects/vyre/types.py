"""The data types, those that are planned, and the type of buffers. Spec: `vyre-ir-types`, DataType and BufferAccess."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from .errors import InvalidDeclaration, PlannedType, WrongDataType, require

WORD_BYTES = 4


class DataType(ParametrizedAttribute, TypeAttribute, abc.ABC):
    """Base of the stable data types. Their sizes and meanings are permanent."""

    BYTES: ClassVar[int] = WORD_BYTES
    """Size of an element in bytes; 0 if it varies."""
    WGSL: ClassVar[str]
    """The type in WGSL of an element of a buffer."""
    BITS: ClassVar[int] = 0
    """Width in bits of an integer, or 0."""

    @property
    def min_bytes(self) -> int:
        return self.BYTES

    @property
    def word(self) -> str:
        return self.name.partition(".")[2]

    @property
    def words(self) -> int:
        """Number of 32-bit words of an element; of a `Bytes` buffer, those of a unit of its length."""
        return max(self.BYTES // WORD_BYTES, 1)


@irdl_attr_definition
class U32(DataType):
    """An unsigned integer of 32 bits. Arithmetic wraps modulo 2³²."""

    name = "vyre.u32"
    WGSL = "u32"
    BITS = 32


@irdl_attr_definition
class I32(DataType):
    """A signed integer of 32 bits. Arithmetic wraps, in two's complement."""

    name = "vyre.i32"
    WGSL = "i32"
    BITS = 32


@irdl_attr_definition
class U64(DataType):
    """An unsigned integer of 64 bits, stored as two words, the low one first."""

    name = "vyre.u64"
    BYTES = 8
    WGSL = "vec2<u32>"
    BITS = 64


@irdl_attr_definition
class Vec2U32(DataType):
    """Two unsigned integers of 32 bits."""

    name = "vyre.vec2u32"
    BYTES = 8
    WGSL = "vec2<u32>"


@irdl_attr_definition
class Vec4U32(DataType):
    """Four unsigned integers of 32 bits."""

    name = "vyre.vec4u32"
    BYTES = 16
    WGSL = "vec4<u32>"


@irdl_attr_definition
class Bool(DataType):
    """A boolean, stored as a word: 0 is false, 1 is true. A word other than 0 is read as true."""

    name = "vyre.bool"
    WGSL = "u32"


@irdl_attr_definition
class Bytes(DataType):
    """
    Bytes, packed into little-endian words: byte `i` is in lane `i % 4` of word `i / 4`, lane 0 being the least significant. Only buffers
    have it.
    """

    name = "vyre.bytes"
    BYTES = 0
    WGSL = "u32"


u32, i32, u64, vec2u32, vec4u32, boolean, bytes_ = U32(), I32(), U64(), Vec2U32(), Vec4U32(), Bool(), Bytes()
DATA_TYPES: dict[str, DataType] = {t.word: t for t in (u32, i32, u64, vec2u32, vec4u32, boolean, bytes_)}
"""The stable types by the words that stand for them."""
INTEGERS = (u32, i32, u64)
VECTORS = (vec2u32, vec4u32)


# --- planned types ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """A planned type: its size in bytes, its mapping to WGSL, and the reason why it is not stable."""

    min_bytes: int
    wgsl: str
    reason: str


PLANNED = {
    "u128": Plan(
        16,
        "vec4<u32>",
        "it shares storage with Vec4U32 and needs distinct cast and arithmetic ops to distinguish intent",
    ),
    "f32": Plan(
        4,
        "f32",
        "it requires float BinOp/UnOp variants (FAdd, FMul, FSin, etc.), strict lowering constraints, and CR-Math "
        "conformance infrastructure",
    ),
    "f16": Plan(2, "f16", "it depends on F32 infrastructure plus half-precision lowering"),
    "bf16": Plan(
        2,
        "u16",
        "it is a non-standard format requiring explicit emulation on backends without native bfloat16",
    ),
    "tensor": Plan(
        0,
        "array<T>",
        "it requires shape/stride validation, dynamic dimension support, and tensor-specific lowering",
    ),
}
"""The planned types, in the order in which they are expected. Spec: `vyre-ir-types`, Planned types."""


class Unstable(ParametrizedAttribute, TypeAttribute, abc.ABC):
    """Base of the names of planned types, which are reserved: no such type can be constructed."""

    @classmethod
    def refuse(cls) -> None:
        word = cls.name.partition(".")[2]
        fix = f"write !vyre.preview<{word}>" if word != "tensor" else "write !vyre.preview_tensor<f32, [2, 3]>"
        raise PlannedType(problem=f"{word} is planned, not stable: {PLANNED[word].reason}", fix=fix)

    def verify(self) -> None:
        self.refuse()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        cls.refuse()
        return []


@irdl_attr_definition
class U128(Unstable):
    """Reserved for an unsigned integer of 128 bits."""

    name = "vyre.u128"


@irdl_attr_definition
class F32(Unstable):
    """Reserved for strict IEEE 754 binary32."""

    name = "vyre.f32"


@irdl_attr_definition
class F16(Unstable):
    """Reserved for strict IEEE 754 binary16."""

    name = "vyre.f16"


@irdl_attr_definition
class BF16(Unstable):
    """Reserved for strict bfloat16 (1-8-7)."""

    name = "vyre.bf16"


@irdl_attr_definition
class Tensor(Unstable):
    """Reserved for a multi-dimensional view of a buffer."""

    name = "vyre.tensor"


@irdl_attr_definition
class PreviewType(DataType):
    """
    A planned scalar type, marked as such until it is stable: `!vyre.preview<f32>`. Floats have the ops of `floats.py`; no op is defined on
    U128. Buffers have no elements of 16 bits: two invocations that store the halves of a word would race. `vyre.bitcast` takes a number from
    the low half of a U32.
    """

    name = "vyre.preview"
    WGSL = "u32"
    """The bits: a float of WGSL may lose the payload of a NaN, or be flushed."""
    kind: StringAttr

    def __init__(self, kind: str):
        super().__init__(StringAttr(kind))

    @property
    def min_bytes(self) -> int:
        return PLANNED[self.kind.data].min_bytes

    @property
    def word(self) -> str:
        return str(self)

    def verify(self) -> None:
        names = [word for word in PLANNED if word != "tensor"]
        require(
            None,
            self.kind.data in names,
            PlannedType,
            f"{self.kind.data} is not a planned type",
            f"write one of {', '.join(names)}",
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_identifier())]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.kind.data}>")


f32, f16, bf16 = PreviewType("f32"), PreviewType("f16"), PreviewType("bf16")
FLOATS = (f32, f16, bf16)


def is_value_type(t: Attribute) -> bool:
    """Returns whether values have this type."""
    return isinstance(t, DataType) and t != bytes_ and (t in FLOATS or not isinstance(t, PreviewType))


@irdl_attr_definition
class PreviewTensorType(ParametrizedAttribute, TypeAttribute):
    """
    A planned view of a buffer: `!vyre.preview_tensor<f32, [4, seq_len], [128, 1]>`. A dimension is a number, or a name that a uniform
    buffer gives a value at dispatch. Strides count elements; without them, the layout is row-major.
    """

    name = "vyre.preview_tensor"
    element: StringAttr
    shape: ArrayAttr[IntAttr | StringAttr]
    strides: ArrayAttr[IntAttr]

    def __init__(self, element: str, shape: Sequence[int | str], strides: Sequence[int] = ()):
        dims = [IntAttr(d) if isinstance(d, int) else StringAttr(d) for d in shape]
        super().__init__(StringAttr(element), ArrayAttr(dims), ArrayAttr([IntAttr(s) for s in strides]))

    def verify(self) -> None:
        names = [w for w in (*DATA_TYPES, *PLANNED) if w not in ("bytes", "tensor")]
        for holds, problem, fix in (
            (
                self.element.data in names,
                f"a tensor has elements of {self.element.data}",
                f"write one of {', '.join(names)}",
            ),
            (
                len(self.strides) in (0, len(self.shape)),
                f"a tensor has {len(self.shape)} dimensions and {len(self.strides)} strides",
                "give a stride for each dimension, or none",
            ),
            (
                all(0 <= s.data < 1 << 32 for s in (*self.strides, *self.shape) if isinstance(s, IntAttr)),
                "a dimension or a stride of a tensor does not fit in a U32",
                "write numbers from 0 to 4294967295",
            ),
        ):
            require(None, holds, PlannedType, problem, fix)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def dim() -> IntAttr | StringAttr:
            number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
            return StringAttr(parser.parse_identifier()) if number is None else IntAttr(number)

        def stride() -> IntAttr:
            return IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))

        with parser.in_angle_brackets():
            element = StringAttr(parser.parse_identifier())
            parser.parse_punctuation(",")
            shape = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, dim)
            strides: list[IntAttr] = []
            if parser.parse_optional_punctuation(","):
                strides = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, stride)
        return [element, ArrayAttr(shape), ArrayAttr(strides)]

    def print_parameters(self, printer: Printer) -> None:
        lists = [f"[{', '.join(str(d.data) for d in part)}]" for part in (self.shape, self.strides) if len(part)]
        printer.print_string(f"<{', '.join([self.element.data, *(lists or ['[]'])])}>")


# --- buffers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Access:
    """The access to a buffer that a program has."""

    readable: bool
    writable: bool
    atomic: bool


ACCESSES = {
    "read_only": Access(True, False, False),
    "read_write": Access(True, True, True),
    "uniform": Access(True, False, False),
    "workgroup": Access(True, True, False),
}
"""Spec: `vyre-ir-types`, BufferAccess."""
MAX_UNIFORM_BYTES = 64 * 1024


@irdl_attr_definition
class BufferType(ParametrizedAttribute, TypeAttribute):
    """A buffer of elements of a data type, and how it may be used: `!vyre.buffer<u32, read_only>`."""

    name = "vyre.buffer"
    element: Attribute
    kind: StringAttr

    def __init__(self, element: Attribute, kind: str):
        super().__init__(element, StringAttr(kind))

    @property
    def dtype(self) -> DataType:
        return cast(DataType, self.element)

    @property
    def access(self) -> Access:
        return ACCESSES[self.kind.data]

    @property
    def loaded(self) -> DataType:
        """The type of an element in an expression: a byte is a `U32`."""
        return u32 if self.element == bytes_ else self.dtype

    def verify(self) -> None:
        problem = f"a buffer of {self.element} has no lowering"
        fix = f"write one of {', '.join(DATA_TYPES)}, {f32}"
        if self.element in (f16, bf16):
            fix = f"keep each number in the low half of an element of a buffer of u32, and vyre.bitcast it to {self.element}"
        legal = isinstance(self.element, DataType) and (
            self.element == f32 or not isinstance(self.element, PreviewType)
        )
        require(None, legal, WrongDataType, problem, fix)
        require(
            None,
            self.kind.data in ACCESSES,
            InvalidDeclaration,
            f"{self.kind.data} is no access of a buffer",
            f"write one of {', '.join(ACCESSES)}",
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            element = parse_data_type(parser)
            parser.parse_punctuation(",")
            return [element, StringAttr(parser.parse_identifier())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_data_type(printer, self.element)
            printer.print_string(f", {self.kind.data}")


def parse_data_type(parser: AttrParser) -> Attribute:
    """Parses the word of a stable type, or any type."""
    start = parser.pos
    word = parser.parse_optional_identifier()
    if word is None:
        return parser.parse_type()
    if word in PLANNED:
        plan = PLANNED[word]
        raise PlannedType(problem=f"{word} is planned, not stable: {plan.reason}", fix="use a stable type")
    if word not in DATA_TYPES:
        parser.raise_error(f"unknown data type: expected one of {', '.join(DATA_TYPES)}", start, parser.pos)
    return DATA_TYPES[word]


def print_data_type(printer: Printer, dtype: Attribute) -> None:
    printer.print_string(cast(DataType, dtype).word)


def dtype_of(value: SSAValue) -> DataType:
    """Returns the data type of a value. The verifier has checked that it has one."""
    return cast(DataType, value.type)


def buffer_of(value: SSAValue) -> BufferType:
    """Returns the type of a buffer. The verifier has checked that it is one."""
    return cast(BufferType, value.type)
