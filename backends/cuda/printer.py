"""
Prints `nv` kernels as CUDA C++ with inline PTX: one short method an op.

Index values are `int`, floats of every width are computed in `float` and rounded to their type after each
op (exact for + - * / and sqrt, because f32 has more than twice the digits of f16 and bf16), fragments are
register arrays under `#pragma unroll`. What a kernel calls is in `prelude.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatchmethod
from typing import cast

from xdsl.dialects import arith, gpu, math, scf
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import nv
from ...dialects.syntax import ints
from ...errors import Unsupported
from .epilogue_printer import EpiloguePrinter
from .kernel_text import block_size
from .scalars import COMPARES, FLOAT_BINARY, FLOAT_UNARY, INDEX_BINARY, UNSIGNED, float_literal, sum_of

UNROLL_LIMIT = 16
"""Loops over fragments are unrolled up to so many iterations."""


class CudaPrinter(EpiloguePrinter):
    """Prints one kernel."""

    def function(self, op: gpu.FuncOp, name: str, launches: Sequence[nv.LaunchOp]) -> str:
        self.at = op
        if len(op.body.blocks) != 1:
            raise Unsupported(op, what=f"a kernel of {len(op.body.blocks)} blocks", need="loops and ifs of scf")
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
        self.body(block.ops)
        self.close()
        return self.text.getvalue()

    def body(self, ops: Iterable[Operation]) -> None:
        self.each(ops, self.statement)

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

    @statement.register
    def _(self, op: arith.ConstantOp) -> None:
        value = op.value
        if isinstance(value, FloatAttr):
            self.names[op.result] = float_literal(value, op)
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
        total, threads = rows * columns // each, block_size(op)
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
        points[row_dim] = sum_of(variables[row_dim], "row")
        points[column_dim] = sum_of(variables[column_dim], "column")
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

    @statement.register
    def _(self, op: nv.CommitGroupOp) -> None:
        self.line(f"{self.call('commit_group')};")

    @statement.register
    def _(self, op: nv.WaitGroupOp) -> None:
        self.line(f"{self.call(f'wait_group<{op.pending.value.data}>')};")

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
        row = sum_of(row, near, "i * 16" if rows_repeat else "")
        column = sum_of(column, far, "" if rows_repeat else "i * 16")
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

    @statement.register
    def _(self, op: nv.EpilogueOp) -> None:
        self.epilogue(op)
