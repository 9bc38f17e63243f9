"""
Prints `nv` kernels as CUDA C++ with inline PTX: one short method an op.

Index values are `int`, floats of every width are computed in `float` and rounded to their type after each
op (exact for + - * / and sqrt, because f32 has more than twice the digits of f16 and bf16), fragments are
register arrays under `#pragma unroll`. What a kernel calls is in `prelude.py`.

`ptir-opt -t cuda` runs `CudaTarget`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatchmethod
from math import inf, isinf, isnan
from typing import IO, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, gpu, math, scf
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.base_printer import BasePrinter
from xdsl.utils.target import Target

from ...dialects import nv
from ...dialects.shapes import is_predicate
from ...dialects.syntax import ints
from ...errors import Unsupported, WrongLevel
from .address import c_expression
from .prelude import PIECES, source

UNROLL_LIMIT = 16
"""Loops over fragments are unrolled up to so many iterations."""

CTYPES: dict[type[Attribute], str] = {Float32Type: "float", BFloat16Type: "bf16", Float16Type: "f16"}
COMPARES = {
    "oeq": "{0} == {1}",
    "une": "{0} != {1}",
    "olt": "{0} < {1}",
    "ole": "{0} <= {1}",
    "ogt": "{0} > {1}",
    "oge": "{0} >= {1}",
}
UNSIGNED = {
    "eq": "==",
    "ne": "!=",
    "ult": "<",
    "ule": "<=",
    "ugt": ">",
    "uge": ">=",
    "slt": "<",
    "sle": "<=",
    "sgt": ">",
    "sge": ">=",
}
FLOAT_BINARY: dict[type[Operation], str] = {
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "{0} / {1}",
    arith.MaximumfOp: "max_nan({0}, {1})",
    arith.MinimumfOp: "min_nan({0}, {1})",
}
FLOAT_UNARY: dict[type[Operation], str] = {
    arith.NegfOp: "-{0}",
    math.AbsFOp: "fabsf({0})",
    math.ExpOp: "expf({0})",
    math.LogOp: "logf({0})",
    math.SqrtOp: "sqrtf({0})",
    math.RsqrtOp: "1.0f / sqrtf({0})",
    math.TanhOp: "tanhf({0})",
    math.ErfOp: "erff({0})",
    arith.ExtFOp: "{0}",
    arith.TruncFOp: "{0}",
    arith.UIToFPOp: "(float){0}",
}
INDEX_BINARY: dict[type[Operation], str] = {
    arith.AddiOp: "+",
    arith.SubiOp: "-",
    arith.MuliOp: "*",
    arith.DivUIOp: "/",
    arith.RemUIOp: "%",
}


LOCALS = (
    "i",
    "j",
    "h",
    "v",
    "e",
    "row",
    "column",
    "chunk",
    "size",
    "lane",
    "words",
    "place",
    "tile_row",
    "tile_column",
    "part",
    "p",
    "s",
)
"""Names that printed blocks declare."""
KEYWORDS = [
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "NULL",
    "u8",
    "u16",
    "u32",
    "DEV",
    "shared",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
]
RESERVED = {
    *LOCALS,
    *KEYWORDS,
    *PIECES,
    *(c.split("(")[0] for c in FLOAT_UNARY.values()),
    "to_float",
    "to_bf16",
    "to_f16",
}


@dataclass(frozen=True)
class CudaTarget(Target):
    """`-t cuda`: the kernels of a module as one translation unit."""

    name = "cuda"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_cuda(module))


def print_cuda(module: ModuleOp) -> str:
    """The CUDA C++ of all `gpu.func`s. Raises `WrongLevel` for ops that are not lowered."""
    functions = [o for o in module.walk() if isinstance(o, gpu.FuncOp)]
    names = kernel_names(module)
    for op in module.walk():
        if op.name.split(".")[0] in ("ptir", "tiny", "poly", "region", "pto"):
            need = "lower to nv first: the pipeline ptir-to-cuda{arch=sm80} goes the whole way"
            raise WrongLevel(op, name=op.name, stage="the CUDA printer", need=need)
    texts: list[str] = []
    used: set[str] = set()
    for function in functions:
        symbol: str = function.sym_name.data  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
        launches = [
            o
            for o in module.walk()
            if isinstance(o, nv.LaunchOp) and o.kernel.nested_references.data[-1].data == symbol
        ]
        printer = CudaPrinter()
        texts.append(printer.function(function, names[symbol], launches))
        used |= printer.used
    return source(used) + "".join(texts)


def kernel_names(module: ModuleOp) -> dict[str, str]:
    """
    Symbol → name in CUDA of each kernel. A symbol may be any string: one that is no C identifier, or that CUDA
    or the prelude use, gets a like name that no other kernel has.
    """
    symbols: list[str] = [o.sym_name.data for o in module.walk() if isinstance(o, gpu.FuncOp)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    taken = {s for s in symbols if s == _identifier(s) and s not in RESERVED}
    names: dict[str, str] = {s: s for s in taken}
    for symbol in symbols:
        if symbol not in names:
            base, number = f"k_{_identifier(symbol)}", 0
            name = base
            while name in taken:
                number += 1
                name = f"{base}_{number}"
            taken.add(name)
            names[symbol] = name
    return names


class CudaPrinter(BasePrinter):
    """Prints one kernel; `used` collects the device functions that it calls."""

    def __init__(self) -> None:
        from io import StringIO

        self.text = StringIO()
        super().__init__(stream=self.text)
        self.depth = 0
        self.used: set[str] = set()
        self.names: dict[SSAValue, str] = {}
        self.taken = set(RESERVED)

    # --- text -------------------------------------------------------------------------------------

    def line(self, text: str = "") -> None:
        self.print_string("  " * self.depth + text + "\n" if text else "\n")

    def open(self, head: str = "") -> None:
        self.line(f"{head} {{".lstrip())
        self.depth += 1

    def close(self, tail: str = "") -> None:
        self.depth -= 1
        self.line("}" + tail)

    def unrolled(self, name: str, count: int) -> None:
        self.line("#pragma unroll")
        self.open(f"for (int {name} = 0; {name} < {count}; ++{name})")

    def call(self, function: str, *args: str) -> str:
        """A call of a prelude function."""
        self.used.add(function.split("<")[0])
        return f"{function}({', '.join(args)})"

    def fresh(self, hint: str) -> str:
        """A C identifier that nothing else in the kernel has."""
        name, number = hint, 0
        while name in self.taken:
            number += 1
            name = f"{hint}{number}"
        self.taken.add(name)
        return name

    def name(self, value: SSAValue) -> str:
        """The identifier of a value, or its text if it is a constant."""
        if value not in self.names:
            self.names[value] = self.fresh(_identifier(value.name_hint or "t"))
        return self.names[value]

    def ctype(self, dtype: Attribute, at: Operation) -> str:
        """How memory holds an element."""
        if is_predicate(dtype):
            return "u8"
        if type(dtype) not in CTYPES:
            raise Unsupported(at, what=f"{dtype} in a kernel", need="f32, f16, bf16 and i1 have a C type here")
        text = CTYPES[type(dtype)]
        if text != "float":
            self.used.add(text)
        return text

    def vector_type(self, dtype: str, width: int) -> str:
        self.used.add("vec")
        return f"vec<{dtype}, {width}>"

    # --- the kernel -------------------------------------------------------------------------------

    def function(self, op: gpu.FuncOp, name: str, launches: Sequence[nv.LaunchOp]) -> str:
        block = op.body.block
        written = {v for o in block.walk() if isinstance(o, nv.EpilogueOp) for v in o.outs}
        params: list[str] = []
        for arg in block.args:
            if not isinstance(arg.type, MemRefType):
                raise Unsupported(op, what=f"a kernel argument of type {arg.type}", need="memrefs")
            const = "" if arg in written else "const "
            dtype = cast("MemRefType[Attribute]", arg.type).element_type
            params.append(f"{const}{self.ctype(dtype, op)}* __restrict__ {self.name(arg)}")
        size = op.known_block_size
        bounds = f"__launch_bounds__({ints(size)[0]}) " if size is not None else ""  # pyright: ignore[reportArgumentType]
        self.line()
        for launch in launches:
            grid, threads = (" x ".join(map(str, ints(v))) for v in (launch.grid, launch.block))
            self.line(
                f"// launched on {grid} blocks of {threads} threads, {launch.shared.value.data} bytes of shared memory"
            )
        self.open(f'extern "C" __global__ void {bounds}{name}({", ".join(params)})')
        if any(isinstance(o, nv.SmemOp) for o in block.ops):
            self.line("extern __shared__ __align__(128) u8 shared[];")
        for inner in block.ops:
            self.statement(inner)
        self.close()
        return self.text.getvalue()

    def body(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            self.statement(op)

    @singledispatchmethod
    def statement(self, op: Operation) -> None:
        kind = type(op)
        if kind in INDEX_BINARY and isinstance(op.results[0].type, IndexType):
            left, right = (self.name(o) for o in op.operands)
            self.line(f"const int {self.name(op.results[0])} = {left} {INDEX_BINARY[kind]} {right};")
        elif kind in FLOAT_BINARY or kind in FLOAT_UNARY:
            form = FLOAT_BINARY.get(kind) or FLOAT_UNARY[kind]
            if "_nan" in form:
                self.used.add(form.split("(")[0])
            self.scalar(op, form.format(*(self.name(o) for o in op.operands)))
        else:
            raise Unsupported(op, what=f"printing '{op.name}' as CUDA", need="a method of CudaPrinter for it")

    def scalar(self, op: Operation, expression: str) -> None:
        """Declares the result of a scalar op, rounded to its type."""
        result = op.results[0]
        if isinstance(result.type, IntegerType):
            self.line(f"const bool {self.name(result)} = {expression};")
            return
        dtype = self.ctype(result.type, op)
        exact = dtype == "float" or isinstance(
            op, arith.NegfOp | math.AbsFOp | arith.SelectOp | arith.MaximumfOp | arith.MinimumfOp
        )
        self.line(f"const float {self.name(result)} = {expression if exact else f'round_{dtype}({expression})'};")

    # --- arith, gpu, scf --------------------------------------------------------------------------

    @statement.register
    def _(self, op: arith.ConstantOp) -> None:
        value = op.value
        if isinstance(value, FloatAttr):
            self.names[op.result] = _float_literal(value, op)
        elif isinstance(value, IntegerAttr):
            boolean = isinstance(value.type, IntegerType) and value.type.width.data == 1
            self.names[op.result] = ("true" if value.value.data else "false") if boolean else str(value.value.data)
        else:
            raise Unsupported(op, what=f"the constant {value}", need="scalar constants")

    @statement.register
    def _(self, op: arith.CmpfOp) -> None:
        predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
        if predicate not in COMPARES:
            raise Unsupported(op, what=f"the comparison {predicate}", need=f"one of {', '.join(COMPARES)}")
        self.scalar(op, COMPARES[predicate].format(self.name(op.lhs), self.name(op.rhs)))

    @statement.register
    def _(self, op: arith.CmpiOp) -> None:
        sign = UNSIGNED[arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]]
        self.line(f"const bool {self.name(op.result)} = {self.name(op.lhs)} {sign} {self.name(op.rhs)};")

    @statement.register
    def _(self, op: arith.SelectOp) -> None:
        cond, left, right = (self.name(o) for o in op.operands)
        self.scalar(op, f"{cond} ? {left} : {right}")

    @statement.register
    def _(self, op: gpu.BlockIdOp | gpu.ThreadIdOp) -> None:
        which = "blockIdx" if isinstance(op, gpu.BlockIdOp) else "threadIdx"
        self.names[op.result] = f"(int){which}.{op.dimension.data.value}"

    @statement.register
    def _(self, op: gpu.BarrierOp) -> None:
        self.line("__syncthreads();")

    @statement.register
    def _(self, op: gpu.ReturnOp | scf.YieldOp) -> None:
        pass

    @statement.register
    def _(self, op: scf.ForOp) -> None:
        if op.iter_args:
            raise Unsupported(
                op, what="a loop-carried value in a kernel", need="fragments are storage: nothing is carried"
            )
        low, high, step = (self.name(v) for v in (op.lb, op.ub, op.step))
        name = self.name(op.body.block.args[0])
        fragments = any(isinstance(o, nv.LdMatrixOp | nv.MmaSyncOp) for o in op.body.block.ops)
        if fragments and high.isdigit() and step.isdigit() and int(high) // int(step) <= UNROLL_LIMIT:
            self.line("#pragma unroll")
        advance = f"++{name}" if step == "1" else f"{name} += {step}"
        self.open(f"for (int {name} = {low}; {name} < {high}; {advance})")
        self.body(op.body.block.ops)
        self.close()

    @statement.register
    def _(self, op: scf.IfOp) -> None:
        self.open(f"if ({self.name(op.cond)})")
        self.body(op.true_region.block.ops)
        self.close()
        if op.false_region.blocks:
            self.open("else")
            self.body(op.false_region.block.ops)
            self.close()

    # --- storage and copies -----------------------------------------------------------------------

    @statement.register
    def _(self, op: nv.SmemOp) -> None:
        stages, rows, columns = nv.smem(op.result).sizes
        self.line(
            f"const u32 {self.name(op.result)} = {self.call('shared_address', 'shared')} + {op.offset.value.data};"
            f"  // {stages} slots of {rows} x {columns}"
        )

    @statement.register
    def _(self, op: nv.FragOp) -> None:
        t = nv.frag(op.result)
        rows, columns = t.sizes
        name = self.name(op.result)
        if t.role.data == "C":
            self.line(f"float {name}[{rows // 16}][{columns // 8}][4] = {{}};  // {rows} x {columns} a warp")
        else:
            count = (rows if t.role.data == "A" else columns) // 16
            self.line(f"u32 {name}[{count}][4];  // operand {t.role.data}, {rows} x {columns}")

    def slot(self, smem: SSAValue, slot: SSAValue, row: str, column: str) -> str:
        """The shared address of an element of a slot."""
        t = nv.smem(smem)
        _, rows, columns = t.sizes
        place = "swizzled" if t.swizzle.data == "xor" else "linear"
        return f"{self.name(smem)} + {self.name(slot)} * {rows * columns * 2} + {self.call(f'{place}<{columns}>', row, column)}"

    @statement.register
    def _(self, op: nv.CpAsyncOp) -> None:
        _, rows, columns = nv.smem(op.smem).sizes
        size = op.bytes.value.data
        each = 8 if size == 2 else size // 2
        total, threads = rows * columns // each, _threads(op)
        self.line(f"// {rows} x {columns} of {self.name(op.memref)}, {size} bytes at a time")
        count = -(-total // threads)
        self.unrolled("i", count)
        self.line(f"const int chunk = i * {threads} + (int)threadIdx.x;")
        if total % threads:
            self.open(f"if (chunk < {total})")
        per_row = columns // each
        self.line(f"const int row = chunk / {per_row}, column = chunk % {per_row} * {each};")
        row_dim, column_dim = ints(op.dims)
        bounds, guards = ints(op.bounds), ints(op.guards)
        variables = [self.name(o) for o in op.offsets]
        points = dict(enumerate(variables))
        points[row_dim] = _sum(variables[row_dim], "row")
        points[column_dim] = _sum(variables[column_dim], "column")
        inside = f"{points[row_dim]} < {bounds[row_dim]}" if row_dim in guards else ""
        to = self.slot(op.smem, op.slot, "row", "column")
        (self.through_registers if size == 2 else self.asynchronous)(op, points, inside, to, each)
        if total % threads:
            self.close()
        self.close()

    def asynchronous(self, op: nv.CpAsyncOp, points: dict[int, str], inside: str, to: str, each: int) -> None:
        """cp.async reads as many bytes as lie in the box and fills the rest with zeros."""
        column = ints(op.dims)[1]
        bounds = ints(op.bounds)
        size = 2 * each
        bytes_ = str(size)
        if column in ints(op.guards):
            bytes_ = self.call("clamp", f"{bounds[column]} - ({points[column]})", "0", str(each)) + " * 2"
        if inside:
            bytes_ = f"{inside} ? {bytes_} : 0"
        address = self.pointer(op.memref, op.address.source.data, points, bounds)
        if bytes_ != str(size):
            self.line(f"const int size = {bytes_};")
            address, bytes_ = f"size ? {address} : {self.name(op.memref)}", "size"
        self.line(f"{self.call(f'cp_async_{size}', to, address, bytes_)};")

    def through_registers(self, op: nv.CpAsyncOp, points: dict[int, str], inside: str, to: str, each: int) -> None:
        """Eight elements, each guarded and addressed alone, packed into one 16-byte store."""
        column = ints(op.dims)[1]
        bounds = ints(op.bounds)
        here = {**points, column: f"{points[column]} + e"}
        guards = [g for g in (inside, f"{here[column]} < {bounds[column]}" if column in ints(op.guards) else "") if g]
        element = f"(u32)({self.pointer(op.memref, op.address.source.data, here, bounds)})->bits"
        self.line("u32 words[4] = {};")
        self.unrolled("e", each)
        word = f"{' && '.join(guards)} ? {element} : 0" if guards else element
        self.line(f"words[e / 2] |= ({word}) << e % 2 * 16;")
        self.close()
        self.line(f"{self.call('store_shared_16', to, 'words')};")

    def pointer(self, memref: SSAValue, address: str, points: dict[int, str], bounds: Sequence[int]) -> str:
        """The address of a point; 64-bit arithmetic where the memref has 2^31 elements or more."""
        wide = cast("MemRefType[Attribute]", memref.type).element_count() >= 2**31
        cast_to = "(long long)" if wide else ""
        variables = [
            f"{cast_to}({points[k]})" if not points[k].isidentifier() or wide else points[k] for k in range(len(bounds))
        ]
        return f"{self.name(memref)} + ({c_expression(address, variables, bounds)})"

    @statement.register
    def _(self, op: nv.CommitGroupOp) -> None:
        self.line(f"{self.call('commit_group')};")

    @statement.register
    def _(self, op: nv.WaitGroupOp) -> None:
        self.line(f"{self.call(f'wait_group<{op.pending.value.data}>')};")

    # --- tensor cores -----------------------------------------------------------------------------

    @statement.register
    def _(self, op: nv.LdMatrixOp) -> None:
        t = nv.frag(op.frag)
        dn = op.layout.data == "DN"
        count = (t.sizes[0] if t.role.data == "A" else t.sizes[1]) // 16
        rows_repeat = (t.role.data == "A") != dn
        near, far = "lane % 8 + lane / 8 % 2 * 8", "lane / 16 * 8"
        if dn:
            near, far = "lane % 8 + lane / 16 * 8", "lane / 8 % 2 * 8"
        row, column = self.name(op.row), self.name(op.column)
        row = _sum(row, near, "i * 16" if rows_repeat else "")
        column = _sum(column, far, "" if rows_repeat else "i * 16")
        self.open()
        self.line("const int lane = threadIdx.x % 32;")
        self.unrolled("i", count)
        transposed = dn if t.role.data == "A" else not dn
        function = "ldmatrix_trans" if transposed else "ldmatrix"
        self.line(f"{self.call(function, f'{self.name(op.frag)}[i]', self.slot(op.smem, op.slot, row, column))};")
        self.close()
        self.close()

    @statement.register
    def _(self, op: nv.MmaSyncOp) -> None:
        rows, columns = nv.frag(op.acc).sizes
        a, b, acc = (self.name(v) for v in (op.a, op.b, op.acc))
        dtype = self.ctype(nv.frag(op.a).element_type, op)
        self.unrolled("i", rows // 16)
        self.unrolled("j", columns // 8)
        self.line(
            f"{self.call(f'mma_m16n8k16_{dtype}', f'{acc}[i][j]', f'{a}[i]', f'{b}[j / 2][j % 2 * 2]', f'{b}[j / 2][j % 2 * 2 + 1]')};"
        )
        self.close()
        self.close()

    # --- the epilogue -----------------------------------------------------------------------------

    @statement.register
    def _(self, op: nv.EpilogueOp) -> None:
        row_dim, column_dim = ints(op.dims)
        points = {k: self.name(o) for k, o in enumerate(op.offsets)}
        opened = self.fragment_points(op) if op.acc is not None else self.thread_points(op)
        for dim, text in ((row_dim, "row"), (column_dim, "column")):
            inner = self.fresh(text)
            self.line(f"const int {inner} = {_sum(points[dim], f'tile_{text}')};")
            points[dim] = inner
        guards = [f"{points[d]} < {ints(op.bounds)[d]}" for d in (row_dim, column_dim) if d in ints(op.guards)]
        if guards:
            self.open(f"if ({' && '.join(guards)})")
        self.elements(op, points)
        for _ in range(opened + bool(guards)):
            self.close()

    def fragment_points(self, op: nv.EpilogueOp) -> int:
        """
        Loops over the neighbours that a lane holds (PTX ISA §9.7.14.5.8, matrix C): pairs, or, after the four
        lanes of a row have exchanged their pairs of four 8-column tiles, all eight columns of one tile.
        """
        rows, columns = ints(op.tile)
        acc = self.name(cast(SSAValue, op.acc))
        wide = op.vector == 8
        self.line(f"// epilogue: each lane computes {op.vector} neighbours at a time of {rows} x {columns}")
        self.unrolled("i", rows // 16)
        self.unrolled("j", columns // (32 if wide else 8))
        self.unrolled("h", 2)
        self.line("const int lane = threadIdx.x % 32;")
        if wide:
            self.line("float part[2][4];")
            self.unrolled("p", 2)
            self.unrolled("s", 4)
            self.line(f"part[p][s] = {acc}[i][j * 4 + s][h * 2 + p];")
            self.close()
            self.line(f"{self.call('quad_transpose', 'part[p]')};")
            self.close()
        step, pair = ("32", "8") if wide else ("8", "2")
        self.line(f"const int tile_row = i * 16 + h * 8 + lane / 4, tile_column = j * {step} + lane % 4 * {pair};")
        return 3

    def thread_points(self, op: nv.EpilogueOp) -> int:
        """Spreads a block's tile over its threads, neighbours to neighbours."""
        rows, columns = ints(op.tile)
        threads, vector = _threads(op), op.vector
        if columns % vector:
            raise Unsupported(
                op, what=f"a tile of {columns} columns, {vector} at a time", need="widths that divide the tile's rows"
            )
        total = rows * columns // vector
        self.line(f"// {rows} x {columns}, {vector} neighbours a thread")
        self.unrolled("i", -(-total // threads))
        self.line(f"const int place = i * {threads} + (int)threadIdx.x;")
        guarded = total % threads != 0
        if guarded:
            self.open(f"if (place < {total})")
        self.line(
            f"const int tile_row = place / {columns // vector}, tile_column = place % {columns // vector} * {vector};"
        )
        return 1 + guarded

    def elements(self, op: nv.EpilogueOp, points: dict[int, str]) -> None:
        """Loads the neighbours of each input, runs the body for each, stores the neighbours of each output."""
        vector, block = op.vector, op.body.block
        column = ints(op.dims)[1]
        bounds, widths = ints(op.bounds), ints(op.widths)
        at_v = {**points, column: f"{points[column]} + v"}
        tail = column in ints(op.guards) and bounds[column] % vector != 0
        guard = f"if ({at_v[column]} < {bounds[column]}) " if tail else ""

        def inside(part: int) -> str:
            return f"if ({points[column]} + {part} < {bounds[column]}) " if tail and part else ""

        args = list(block.args)
        if op.acc is not None:
            accumulator = args.pop(0)
            wide = "part[v % 2][v / 2]"
            self.names[accumulator] = wide if vector == 8 else f"{self.name(op.acc)}[i][j][h * 2 + v]"
        buffers: list[str] = []
        for k, (memref, arg) in enumerate(zip(op.ins, args, strict=True)):
            dtype = self.ctype(arg.type, op)
            buffer = self.fresh(f"{self.name(memref)}_in")
            buffers.append(buffer)
            address = op.addresses.data[k].source.data
            self.line(f"__align__(16) {dtype} {buffer}[{vector}]{' = {}' if tail else ''};")
            if widths[k] > 1:
                for part in range(0, vector, widths[k]):
                    here = {**points, column: _sum(points[column], str(part) if part else "")}
                    kind = self.vector_type(dtype, widths[k])
                    self.line(
                        f"{inside(part)}*({kind}*)({buffer} + {part}) = *(const {kind}*)({self.pointer(memref, address, here, bounds)});"
                    )
            else:
                self.unrolled("v", vector)
                self.line(f"{guard}{buffer}[v] = *({self.pointer(memref, address, at_v, bounds)});")
                self.close()
            self.names[arg] = f"{buffer}[v]" if dtype in ("float", "u8") else f"to_float({buffer}[v])"
        results = [self.fresh(f"{self.name(m)}_out") for m in op.outs]
        last = cast(nv.YieldOp, block.last_op)
        types = [self.ctype(v.type, op) for v in last.values]
        for name, dtype in zip(results, types, strict=True):
            self.line(f"__align__(16) {dtype} {name}[{vector}];")
        self.unrolled("v", vector)
        for inner in block.ops:
            if inner is not last:
                self.statement(inner)
        for name, dtype, value in zip(results, types, last.values, strict=True):
            text = self.name(value)
            self.line(f"{name}[v] = {text if dtype in ('float', 'u8') else f'to_{dtype}({text})'};")
        self.close()
        for k, (memref, name, dtype) in enumerate(zip(op.outs, results, types, strict=True), start=len(op.ins)):
            address = op.addresses.data[k].source.data
            if widths[k] > 1:
                for part in range(0, vector, widths[k]):
                    here = {**points, column: _sum(points[column], str(part) if part else "")}
                    kind = self.vector_type(dtype, widths[k])
                    self.line(
                        f"{inside(part)}*({kind}*)({self.pointer(memref, address, here, bounds)}) = *({kind}*)({name} + {part});"
                    )
            else:
                self.unrolled("v", vector)
                self.line(f"{guard}*({self.pointer(memref, address, at_v, bounds)}) = {name}[v];")
                self.close()


def _sum(*terms: str) -> str:
    """`a + b`, without zeros."""
    return " + ".join(t for t in terms if t and t != "0") or "0"


def _identifier(hint: str) -> str:
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in hint) or "t"
    return text if text[0].isalpha() else f"t{text}"


def _threads(op: Operation) -> int:
    """The block size of the kernel around an op."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, gpu.FuncOp):
        parent = parent.parent_op()
    if parent is None or parent.known_block_size is None:
        raise Unsupported(op, what="a kernel of unknown block size", need="gpu.known_block_size on its gpu.func")
    return ints(parent.known_block_size)[0]  # pyright: ignore[reportArgumentType]


def _float_literal(value: FloatAttr, op: Operation) -> str:
    """A float whose bits survive: hexadecimal for the ordinary, functions for the special."""
    number = value.value.data
    if isnan(number):
        return "__int_as_float(0x7fffffff)"
    if isinf(number):
        return "__int_as_float(0x7f800000)" if number == inf else "__int_as_float(0xff800000)"
    exact = float(np.float32(number))
    short = f"{exact:.9g}"
    text = f"{short}f" if "." in short or "e" in short else f"{short}.0f"
    return f"({text})" if text.startswith("-") else text
