"""Prints fragments: register arrays, their loads from shared memory, and the multiplication."""

from __future__ import annotations

from ...dialects import nv
from .copy_printer import CopyPrinter
from .scalars import sum_of


class FragmentPrinter(CopyPrinter):
    """Adds fragments to the text of a kernel."""

    def fragment(self, op: nv.FragOp) -> None:
        t = nv.frag(op.result)
        rows, columns = t.sizes
        name = self.name(op.result)
        if t.role.data == "C":
            self.line(f"float {name}[{rows // 16}][{columns // 8}][4] = {{}};  // {rows} x {columns} a warp")
        else:
            count = (rows if t.role.data == "A" else columns) // 16
            self.line(f"u32 {name}[{count}][4];  // operand {t.role.data}, {rows} x {columns}")

    def load_fragment(self, op: nv.LdMatrixOp) -> None:
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

    def multiply(self, op: nv.MmaSyncOp) -> None:
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
