"""Prints shared memory and the copies into it: `nv.smem`, `nv.cp_async`, groups."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects import nv
from ...dialects.syntax import ints
from .kernel_text import KernelText, block_size
from .scalars import sum_of


class CopyPrinter(KernelText):
    """Adds rings and copies to the text of a kernel."""

    def ring(self, op: nv.SmemOp) -> None:
        stages, rows, columns = nv.smem(op.result).sizes
        self.line(
            f"const u32 {self.name(op.result)} = {self.call('shared_address', 'shared')} + {op.offset.value.data};"
            f"  // {stages} slots of {rows} x {columns}"
        )

    def slot(self, smem: SSAValue, slot: SSAValue, row: str, column: str) -> str:
        """The shared address of an element of a slot."""
        t = nv.smem(smem)
        _, rows, columns = t.sizes
        place = "swizzled" if t.swizzle.data == "xor" else "linear"
        return f"{self.name(smem)} + {self.name(slot)} * {rows * columns * 2} + {self.call(f'{place}<{columns}>', row, column)}"

    def copy(self, op: nv.CpAsyncOp) -> None:
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
