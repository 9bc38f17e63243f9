"""
The `nv` dialect: what one NVIDIA kernel does, statement by statement, inside `gpu.func`.

Statements are collective: copies by the whole block, fragment ops by each warp. A fragment is storage whose
type says how the lanes hold it; the printer derives the indices of each lane from that. `scf`, `arith`,
`math` and `gpu` stand around them.

```mlir
%s = nv.smem at 0 : !nv.smem<3x128x64xbf16, xor>
nv.cp_async %x[%m, %k] to %s[%slot] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [1797, 64] dims [0, 1] guard [0] bytes 16 : …
nv.ldmatrix %s[%slot, %row, %kk] ND to %a : !nv.smem<3x128x64xbf16, xor>, !nv.frag<64x16xbf16, A>
nv.mma_sync %acc, %a, %b : !nv.frag<64x32xf32, C>, !nv.frag<64x16xbf16, A>, !nv.frag<16x32xbf16, B>
```

Spec: `tensor-compiler.ja §1.8`. Lane layouts: PTX ISA §9.7.14.5 (mma.m16n8k16, ldmatrix).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    f32,
    i64,
)
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, SymbolTable, SymbolUserOpInterface

from ..errors import (
    InvalidAttributeValue,
    OperandCountMismatch,
    ShapeMismatch,
    UnsupportedType,
    VerifyError,
)
from .kernel import require_distinct
from .poly import MapAttr
from .shapes import EXACT_IN_F32, memref_of, spell
from .syntax import Axes, Keyword, axes_attr, ints

ROLES = ("A", "B", "C")
LAYOUTS = ("ND", "DN")
SWIZZLES = ("xor", "none")
COPY_BYTES = (16, 8, 4, 2)
"""Bytes that one copy moves: 16, 8 and 4 by cp.async (PTX ISA §9.7.9.25), 2 through registers."""


@irdl_attr_definition
class SmemType(ParametrizedAttribute, TypeAttribute):
    """
    A ring of row-major tiles in shared memory: `!nv.smem<stages x rows x columns x type, swizzle>`. With
    `xor`, the 16-byte chunks of a row are permuted by the row number so that ldmatrix has no bank conflicts.
    """

    name = "nv.smem"
    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    swizzle: StringAttr

    def __init__(
        self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute, swizzle: str | StringAttr = "xor"
    ):
        super().__init__(
            shape if isinstance(shape, ArrayAttr) else ArrayAttr([IntAttr(s) for s in shape]),
            element_type,
            StringAttr(swizzle) if isinstance(swizzle, str) else swizzle,
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Stages, rows, columns."""
        return tuple(s.data for s in self.shape)

    @property
    def bytes(self) -> int:
        return prod(self.sizes) * 2

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parser.parse_ranked_shape()
            parser.parse_punctuation(",")
            return ArrayAttr([IntAttr(s) for s in sizes]), dtype, StringAttr(parser.parse_identifier())

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
        if not isinstance(self.element_type, EXACT_IN_F32):
            raise UnsupportedType(
                what="an element of nv.smem", got=self.element_type, want="f16 and bf16 are staged in shared memory"
            )
        if self.swizzle.data not in SWIZZLES:
            raise InvalidAttributeValue(
                name="swizzle", problem=f"is '{self.swizzle.data}'", help=f"one of {', '.join(SWIZZLES)}"
            )
        if (columns := self.sizes[2]) % 8 or columns & (columns - 1):
            raise InvalidAttributeValue(name="smem", problem=f"has {columns} columns", help="a power of two from 8 up")


@irdl_attr_definition
class FragType(ParametrizedAttribute, TypeAttribute):
    """
    A warp's share of an mma operand in registers: `!nv.frag<64x16xbf16, A>`. The role fixes the lane layout
    of `mma.m16n8k16` (PTX ISA §9.7.14.5.8): lane `4g + t` of C holds rows g and g+8, columns 2t and 2t+1.
    """

    name = "nv.frag"
    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    role: StringAttr

    def __init__(self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute, role: str | StringAttr):
        super().__init__(
            shape if isinstance(shape, ArrayAttr) else ArrayAttr([IntAttr(s) for s in shape]),
            element_type,
            StringAttr(role) if isinstance(role, str) else role,
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(s.data for s in self.shape)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parser.parse_ranked_shape()
            parser.parse_punctuation(",")
            return ArrayAttr([IntAttr(s) for s in sizes]), dtype, StringAttr(parser.parse_identifier())

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(map(str, self.sizes)) + "x")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.role.data}")

    def verify(self) -> None:
        if self.role.data not in ROLES:
            raise InvalidAttributeValue(
                name="role", problem=f"is '{self.role.data}'", help=f"one of {', '.join(ROLES)}"
            )
        if len(self.sizes) != 2 or any(s < 1 or s % 16 for s in self.sizes):
            raise InvalidAttributeValue(
                name="frag", problem=f"has shape {spell(self.sizes)}", help="both sizes are multiples of 16"
            )
        want = (type(f32),) if self.role.data == "C" else EXACT_IN_F32
        if not isinstance(self.element_type, want):
            raise UnsupportedType(
                what=f"an element of fragment {self.role.data}",
                got=self.element_type,
                want="mma.m16n8k16 takes f16 or bf16 for A and B and f32 for C",
            )


def frag(value: SSAValue) -> FragType:
    if not isinstance(value.type, FragType):
        raise VerifyError(message=f"expected a fragment, got {value.type}")
    return value.type


def smem(value: SSAValue) -> SmemType:
    if not isinstance(value.type, SmemType):
        raise VerifyError(message=f"expected shared memory, got {value.type}")
    return value.type


def _check_guards(op: Operation, guards: Sequence[int], dims: Sequence[int]) -> None:
    if not set(guards) <= set(dims):
        raise InvalidAttributeValue(
            op,
            name="guard",
            problem=f"is {spell(guards)}",
            help=f"guards are among the axes of the tile, {spell(dims)}",
        )


# --- storage ------------------------------------------------------------------------------------------


@irdl_op_definition
class SmemOp(IRDLOperation):
    """A ring at a byte offset of the block's dynamic shared memory."""

    name = "nv.smem"
    offset = prop_def(IntegerAttr.constr(i64))
    result = result_def(base(SmemType))
    assembly_format = "`at` $offset attr-dict `:` type($result)"

    def __init__(self, offset: int, type: SmemType):
        super().__init__(properties={"offset": IntegerAttr(offset, i64)}, result_types=[type])

    def verify_(self) -> None:
        if self.offset.value.data < 0 or self.offset.value.data % 128:
            raise InvalidAttributeValue(
                self,
                name="at",
                problem=f"is {self.offset.value.data}",
                help="a multiple of 128 bytes keeps the swizzle whole",
            )


@irdl_op_definition
class FragOp(IRDLOperation):
    """Registers for a fragment; C starts as zeros, A and B as nothing."""

    name = "nv.frag"
    result = result_def(base(FragType))
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: FragType):
        super().__init__(result_types=[type])


# --- copies -------------------------------------------------------------------------------------------


@irdl_op_definition
class CpAsyncOp(IRDLOperation):
    """
    The block copies one tile into a slot of a ring. Row r, column c of the tile is the point
    `offsets + r·dims[0] + c·dims[1]` of an index space; inside the box `bounds` it is the element at `address` of
    the memref, outside it is zero; only the axes in `guard` are compared with the box. Each copy moves `bytes`; 2 means that memory is too
    unaligned for cp.async and the elements pass through registers. Spec: `CpAsync`.
    """

    name = "nv.cp_async"
    memref = operand_def(base(MemRefType))
    offsets = var_operand_def(IndexType)
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    address = prop_def(MapAttr)
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))
    guards = prop_def(DenseArrayBase.constr(i64))
    bytes = prop_def(IntegerAttr.constr(i64))
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `[` $offsets `]` `to` $smem `[` $slot `]` `address` $address `in` custom<Axes>($bounds) "
        "`dims` custom<Axes>($dims) `guard` custom<Axes>($guards) `bytes` $bytes attr-dict `:` type($memref) `,` type($smem)"
    )

    def __init__(
        self,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        smem: SSAValue,
        slot: SSAValue,
        address: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        guards: Sequence[int],
        bytes: int,
    ):
        super().__init__(
            operands=[memref, list(offsets), smem, slot],
            properties={
                "address": MapAttr(address),
                "bounds": axes_attr(bounds),
                "dims": axes_attr(dims),
                "guards": axes_attr(guards),
                "bytes": IntegerAttr(bytes, i64),
            },
        )

    def verify_(self) -> None:
        rank = len(self.offsets)
        if len(self.bounds) != rank:
            raise OperandCountMismatch(self, what="'in'", want=f"{rank} sizes, one an offset,", got=len(self.bounds))
        if len(self.dims) != 2 or not all(0 <= d < rank for d in ints(self.dims)):
            raise InvalidAttributeValue(
                self, name="dims", problem=f"is {list(ints(self.dims))}", help="name the axes of rows and columns"
            )
        _check_guards(self, ints(self.guards), ints(self.dims))
        if self.bytes.value.data not in COPY_BYTES:
            raise InvalidAttributeValue(
                self,
                name="bytes",
                problem=f"is {self.bytes.value.data}",
                help=f"one of {', '.join(map(str, COPY_BYTES))}",
            )
        t = memref_of(self.memref)
        if t.element_type != smem(self.smem).element_type:
            raise UnsupportedType(
                self,
                what="the memref's element type",
                got=t.element_type,
                want=f"the ring holds {smem(self.smem).element_type}",
            )


@irdl_op_definition
class CommitGroupOp(IRDLOperation):
    """Closes this thread's group of asynchronous copies; an empty group is complete. Spec: `CommitGroup`."""

    name = "nv.commit_group"
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class WaitGroupOp(IRDLOperation):
    """Waits until at most `pending` of this thread's groups are under way. Spec: `WaitGroup`."""

    name = "nv.wait_group"
    pending = prop_def(IntegerAttr.constr(i64))
    assembly_format = "$pending attr-dict"

    def __init__(self, pending: int):
        super().__init__(properties={"pending": IntegerAttr(pending, i64)})

    def verify_(self) -> None:
        if not 0 <= self.pending.value.data <= 7:
            raise InvalidAttributeValue(
                self, name="pending", problem=f"is {self.pending.value.data}", help="0 to 7 groups"
            )


# --- tensor cores -------------------------------------------------------------------------------------


@irdl_op_definition
class LdMatrixOp(IRDLOperation):
    """
    Each warp loads an A or B fragment from row `row`, column `column` of a slot on. `ND` says that the tile's
    rows are the operand's rows, `DN` that they are its columns; the lane addresses and `.trans` follow from
    that and the role. Spec: `LdMatrix`; PTX ISA §9.7.14.5.15.
    """

    name = "nv.ldmatrix"
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    row = operand_def(IndexType)
    column = operand_def(IndexType)
    layout = prop_def(StringAttr)
    frag = operand_def(base(FragType))
    custom_directives = (Keyword,)
    assembly_format = "$smem `[` $slot `,` $row `,` $column `]` custom<Keyword>($layout) `to` $frag attr-dict `:` type($smem) `,` type($frag)"

    def __init__(self, smem: SSAValue, slot: SSAValue, row: SSAValue, column: SSAValue, layout: str, frag: SSAValue):
        super().__init__(operands=[smem, slot, row, column, frag], properties={"layout": StringAttr(layout)})

    def verify_(self) -> None:
        if self.layout.data not in LAYOUTS:
            raise InvalidAttributeValue(
                self, name="layout", problem=f"is '{self.layout.data}'", help=f"one of {', '.join(LAYOUTS)}"
            )
        fragment, ring = frag(self.frag), smem(self.smem)
        if fragment.role.data == "C":
            raise VerifyError(self, message="loads operands A and B, not an accumulator")
        if fragment.element_type != ring.element_type:
            raise UnsupportedType(
                self,
                what="the fragment's element type",
                got=fragment.element_type,
                want=f"the ring holds {ring.element_type}",
            )
        if fragment.sizes[1 if fragment.role.data == "A" else 0] != 16:
            raise ShapeMismatch(self, what="the fragment", got=spell(fragment.sizes), want="16 along k, one mma step")


@irdl_op_definition
class MmaSyncOp(IRDLOperation):
    """`acc += a · b` on each warp's fragments with mma.m16n8k16, f32 accumulation. Spec: `MmaSync`."""

    name = "nv.mma_sync"
    acc = operand_def(base(FragType))
    a = operand_def(base(FragType))
    b = operand_def(base(FragType))
    assembly_format = "$acc `,` $a `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)"

    def __init__(self, acc: SSAValue, a: SSAValue, b: SSAValue):
        super().__init__(operands=[acc, a, b])

    def verify_(self) -> None:
        acc, a, b = frag(self.acc), frag(self.a), frag(self.b)
        roles = [t.role.data for t in (acc, a, b)]
        if roles != ["C", "A", "B"]:
            raise VerifyError(self, message=f"takes fragments C, A and B, got {', '.join(roles)}")
        if a.element_type != b.element_type:
            raise UnsupportedType(self, what="b's element type", got=b.element_type, want=f"a holds {a.element_type}")
        if (a.sizes[0], a.sizes[1], b.sizes[1]) != (acc.sizes[0], b.sizes[0], acc.sizes[1]):
            raise ShapeMismatch(
                self, what="acc", got=spell(acc.sizes), want=f"the product of {spell(a.sizes)} and {spell(b.sizes)}"
            )


# --- the epilogue -------------------------------------------------------------------------------------


@irdl_op_definition
class EpilogueOp(IRDLOperation):
    """
    Runs its body once for each element of a tile: the arguments are the accumulator (where there is one) and
    an element of each input; the yielded values go to the outputs. Scalars only, `arith` and `math`.

    With an accumulator the tile is the warp's fragment, two or eight neighbours a lane; without one it is
    the block's `tile`, spread over its threads. Row r, column c is the point `offsets + r·dims[0] +
    c·dims[1]`; points outside of `bounds` are skipped, where only the axes in `guard` can be. A width is how many neighbours along the columns one
    load or store moves. Spec: `Epilogue`, `StGlobalVec`.
    """

    name = "nv.epilogue"
    acc = opt_operand_def(base(FragType))
    offsets = var_operand_def(IndexType)
    ins = var_operand_def(base(MemRefType))
    outs = var_operand_def(base(MemRefType))
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))
    guards = prop_def(DenseArrayBase.constr(i64))
    tile = prop_def(DenseArrayBase.constr(i64))
    addresses = prop_def(ArrayAttr[MapAttr])
    widths = prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Axes,)
    assembly_format = (
        "($acc^ `:` type($acc))? `[` $offsets `]` `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) "
        "`guard` custom<Axes>($guards) `tile` custom<Axes>($tile) "
        "(`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $outs `:` type($outs) `)` "
        "`addresses` $addresses `widths` custom<Axes>($widths) attr-dict-with-keyword $body"
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
        body: Region,
    ):
        super().__init__(
            operands=[[acc] if acc is not None else [], list(offsets), list(ins), list(outs)],
            properties={
                "bounds": axes_attr(bounds),
                "dims": axes_attr(dims),
                "guards": axes_attr(guards),
                "tile": axes_attr(tile),
                "addresses": ArrayAttr([MapAttr(a) for a in addresses]),
                "widths": axes_attr(widths),
            },
            regions=[body],
        )

    @property
    def vector(self) -> int:
        """Neighbours along the columns that a lane computes together: the 2 that mma gives it, or 8 after a shuffle."""
        widest = max(ints(self.widths))
        return widest if self.acc is None else 2 if widest <= 2 else 8

    def verify_(self) -> None:
        memrefs = (*self.ins, *self.outs)
        if len(self.addresses) != len(memrefs) or len(self.widths) != len(memrefs):
            raise OperandCountMismatch(
                self,
                what="nv.epilogue",
                want=f"{len(memrefs)} addresses and widths, one a memref,",
                got=f"{len(self.addresses)} and {len(self.widths)}",
            )
        rank = len(self.offsets)
        if len(self.bounds) != rank or len(self.dims) != 2 or not all(0 <= d < rank for d in ints(self.dims)):
            raise InvalidAttributeValue(
                self,
                name="dims",
                problem=f"is {list(ints(self.dims))}",
                help="bounds and dims name the axes of the offsets",
            )
        _check_guards(self, ints(self.guards), ints(self.dims))
        if len(self.tile) != 2:
            raise InvalidAttributeValue(
                self, name="tile", problem=f"is {spell(ints(self.tile))}", help="rows and columns of the tile"
            )
        if any(width not in (1, 2, 4, 8) for width in ints(self.widths)):
            raise InvalidAttributeValue(
                self, name="widths", problem=f"is {spell(ints(self.widths))}", help="1, 2, 4 or 8 neighbours"
            )
        if self.acc is not None and self.vector == 8 and frag(self.acc).sizes[1] % 32:
            raise InvalidAttributeValue(
                self,
                name="widths",
                problem=f"is {spell(ints(self.widths))}",
                help="above 2, a warp tile is a multiple of 32 columns",
            )
        if self.acc is not None and tuple(ints(self.tile)) != frag(self.acc).sizes:
            raise ShapeMismatch(
                self, what="tile", got=spell(ints(self.tile)), want=f"the accumulator's {spell(frag(self.acc).sizes)}"
            )
        want: list[Attribute] = [memref_of(m).element_type for m in self.ins]
        if self.acc is not None:
            want = [f32, *want]
        if list(self.body.block.arg_types) != want:
            raise VerifyError(self, message=f"the body takes ({', '.join(map(str, want))})")
        last = self.body.block.last_op
        out = [memref_of(m).element_type for m in self.outs]
        if not isinstance(last, YieldOp) or [v.type for v in last.values] != out:
            raise VerifyError(self, message=f"the body ends with nv.yield of ({', '.join(map(str, out))})")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The elements that an epilogue stores, one an output."""

    name = "nv.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[list(values)])


# --- the host -----------------------------------------------------------------------------------------


class LaunchSymbolUse(SymbolUserOpInterface):
    """A launch names a gpu.func that takes its operands."""

    def verify(self, op: Operation) -> None:
        if not isinstance(op, LaunchOp):
            return
        callee = SymbolTable.lookup_symbol(op, op.kernel)
        if not isinstance(callee, GpuFuncOp):
            raise VerifyError(op, message=f"no gpu.func {op.kernel} in this module")
        if len(callee.body.blocks) != 1:
            raise VerifyError(op, message=f"{op.kernel} is not one block", notes=[(callee, "the kernel is here")])
        written = {v for o in callee.walk() if isinstance(o, EpilogueOp) for v in o.outs}
        outs = [v for v, arg in zip(op.arguments, callee.body.block.args, strict=False) if arg in written]
        require_distinct(op, outs, op.arguments)
        got = [v.type for v in op.arguments]
        if got != list(callee.function_type.inputs):
            raise VerifyError(
                op, message=f"the operands do not fit {op.kernel}", notes=[(callee, "the kernel is here")]
            )


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Runs a kernel on a grid of blocks with so many bytes of dynamic shared memory."""

    name = "nv.launch"
    kernel = prop_def(SymbolRefAttr)
    grid = prop_def(DenseArrayBase.constr(i64))
    block = prop_def(DenseArrayBase.constr(i64))
    shared = prop_def(IntegerAttr.constr(i64))
    arguments = var_operand_def(base(MemRefType))
    traits = traits_def(LaunchSymbolUse())
    custom_directives = (Axes,)
    assembly_format = (
        "$kernel `grid` custom<Axes>($grid) `block` custom<Axes>($block) `shared` $shared "
        "`(` $arguments `:` type($arguments) `)` attr-dict"
    )

    LIMITS: ClassVar = ((2**31 - 1, 65535, 65535), (1024, 1024, 64))

    def __init__(
        self,
        kernel: SymbolRefAttr,
        grid: Sequence[int],
        block: Sequence[int],
        shared: int,
        arguments: Sequence[SSAValue],
    ):
        super().__init__(
            operands=[list(arguments)],
            properties={
                "kernel": kernel,
                "grid": axes_attr(grid),
                "block": axes_attr(block),
                "shared": IntegerAttr(shared, i64),
            },
        )

    def verify_(self) -> None:
        for name, got, limits in zip(("grid", "block"), (ints(self.grid), ints(self.block)), self.LIMITS, strict=True):
            if len(got) != 3 or not all(1 <= g <= limit for g, limit in zip(got, limits, strict=True)):
                raise InvalidAttributeValue(
                    self, name=name, problem=f"is {spell(got)}", help=f"three sizes from 1 to {spell(limits)}"
                )
        if prod(ints(self.block)) > 1024:
            raise InvalidAttributeValue(
                self, name="block", problem=f"has {prod(ints(self.block))} threads", help="at most 1024"
            )


NV = Dialect(
    "nv",
    [
        SmemOp,
        FragOp,
        CpAsyncOp,
        CommitGroupOp,
        WaitGroupOp,
        LdMatrixOp,
        MmaSyncOp,
        EpilogueOp,
        YieldOp,
        LaunchOp,
    ],
    [SmemType, FragType],
)
