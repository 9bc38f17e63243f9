"""Prints shared memory and copies into it: `nv.smem`, `nv.cp_async`."""

from __future__ import annotations

from contextlib import nullcontext

from xdsl.ir import SSAValue

from ...dialects import nv
from ...dialects.common.syntax import ints
from ...dialects.nv.roles import role_of
from ...targets.mma import element_bytes
from .kernel_text import KernelText, participants, prints
from .prelude.shared_layouts import function_of
from .scalars import product, sum_of

RINGS = {"smem_a": ("BM", "BK"), "smem_b": ("BK", "BN")}
"""Names of the plan constants that are printed for the rows and columns of each operand's ring, where their values are equal."""


class CopyPrinter(KernelText):
    """Prints shared-memory rings and cp.async copies."""

    @prints
    def ring(self, op: nv.SmemOp) -> None:
        stages, rows, columns = nv.smem(op.result).sizes
        names = RINGS.get(op.result.name_hint or "", ())
        sizes = " x ".join((self.number(rows, *names), self.number(columns, *names)))
        count = f"{self.number(stages, 'STAGES')} stages" if names else f"{stages} slot{'s' if stages > 1 else ''}"
        address = sum_of(self.call("shared_address", "shared"), str(op.offset.value.data))
        self.line(
            f"const u32 {self.name(op.result)} = {address};  // {count} of {sizes} {nv.smem(op.result).element_type}"
        )

    def element_address(self, smem: SSAValue, slot: SSAValue, row: str, column: str) -> str:
        """Returns the shared address of an element of a slot."""
        t = nv.smem(smem)
        place = self.call(f"{function_of(t.layout)}<{element_bytes(t.element_type)}>", row, column)
        return sum_of(self.name(smem), product(self.name(slot), t.bytes // t.sizes[0]), place)

    def box_offset(
        self, smem: SSAValue, place: tuple[SSAValue, SSAValue, SSAValue], unit: int = 1, whole_panels: bool = False
    ) -> str:
        """
        Returns the unswizzled offset of a box from the start of the ring, in units of `unit` bytes. A box of whole
        panels begins at a panel; any other box lies within one panel.
        """
        return sum_of(*self.box_terms(smem, place, unit, whole_panels))

    def box_terms(
        self, smem: SSAValue, place: tuple[SSAValue, SSAValue, SSAValue], unit: int = 1, whole_panels: bool = False
    ) -> tuple[str, str, str]:
        """Returns the terms of a box's offset that depend on its slot, its row and its column."""
        t = nv.smem(smem)
        stages, rows, columns = t.sizes
        size = element_bytes(t.element_type)
        panel = t.panel or columns * size
        slot, row, column = (self.name(v) for v in place)
        each = panel // size
        inside = f"{column} % {each} * {size}" if columns > each else f"{column} * {size}"
        inside += f" / {unit}" if unit > 1 else ""
        if column.isdecimal():
            number = int(column)
            across = str((number // each * rows * panel + number % each * size) // unit)
        elif whole_panels:
            across = product(column, rows * size // unit)
        else:
            across = sum_of(f"{column} / {each} * {rows * panel // unit}" if columns > each else "", inside)
        return product(slot, t.bytes // stages // unit), product(row, panel // unit), across

    @prints
    def copy(self, op: nv.CpAsyncOp) -> None:
        t = nv.smem(op.smem)
        _, rows, columns = t.sizes
        size, element = op.bytes.value.data, element_bytes(t.element_type)
        registers = op.through_registers
        each = (16 if registers else size) // element
        per_row, (threads, thread) = columns // each, participants(op)
        total = rows * per_row
        if not registers:
            self.require_contiguous(op.address.source.data, ints(op.bounds), ints(op.dims)[1], each)
        how = f"through registers, {size}-byte loads" if registers else f"{size}-byte cp.async"
        tile = f"{rows} x {columns} tile of {self.name(op.memref)}"
        self.line(f"// {self.name(op.smem)}[{self.name(op.slot)}] = {tile}, {how}")
        row_dim, column_dim = ints(op.dims)
        bounds, guards = ints(op.bounds), ints(op.guards)
        variables = [self.name(o) for o in op.offsets]
        points = dict(enumerate(variables))
        points[row_dim] = sum_of(variables[row_dim], "row")
        points[column_dim] = sum_of(variables[column_dim], "column")
        inside = f"{points[row_dim]} < {bounds[row_dim]}" if row_dim in guards else ""
        copy = self.copy_through_registers if registers else self.copy_async
        # A producer has few registers: unrolling would spill.
        self.line("#pragma unroll 1" if registers and role_of(op) is not None else "#pragma unroll")
        with self.block(f"for (int i = 0; i < {-(-total // threads)}; ++i)"):
            chunk, row = thread, sum_of(f"i * {threads // per_row}", f"{thread} / {per_row}")
            if total % threads or threads % per_row:
                self.line(f"const int chunk = {sum_of(f'i * {threads}', thread)};")
                chunk, row = "chunk", f"chunk / {per_row}"
            with self.block(f"if (chunk < {total})") if total % threads else nullcontext():
                self.line(f"const int row = {row}, column = {chunk} % {per_row} * {each};")
                copy(op, points, inside, self.element_address(op.smem, op.slot, "row", "column"), each)

    def copy_async(self, op: nv.CpAsyncOp, points: dict[int, str], inside: str, to: str, each: int) -> None:
        """Prints a cp.async that reads the bytes inside the bounds and fills the rest with zeros."""
        column = ints(op.dims)[1]
        bounds = ints(op.bounds)
        size, element = op.bytes.value.data, element_bytes(nv.smem(op.smem).element_type)
        bytes_ = str(size)
        if column in ints(op.guards):
            bytes_ = self.call("clamp", f"{bounds[column]} - ({points[column]})", "0", str(each)) + f" * {element}"
        if inside:
            bytes_ = f"{inside} ? {bytes_} : 0"
        address = self.pointer(op.memref, op.address.source.data, points, bounds)
        if bytes_ != str(size):
            self.line(f"const int size = {bytes_};")
            address, bytes_ = f"size ? {address} : {self.name(op.memref)}", "size"
        self.print_call(f"cp_async_{size}", to, address, bytes_)

    def copy_through_registers(self, op: nv.CpAsyncOp, points: dict[int, str], inside: str, to: str, each: int) -> None:
        """Prints guarded loads of single elements, packed into one 16-byte store."""
        column = ints(op.dims)[1]
        bounds = ints(op.bounds)
        here = {**points, column: f"{points[column]} + e"}
        guards = [g for g in (inside, f"{here[column]} < {bounds[column]}" if column in ints(op.guards) else "") if g]
        bits = 128 // each
        memory = self.pointer(op.memref, op.address.source.data, here, bounds)
        element = f"(u32)*(const u{bits}*)({memory})"
        if op.tf32 is not None:
            element = self.call("to_tf32", element)
        self.line("u32 words[4] = {};")
        word = f"{' && '.join(guards)} ? {element} : 0" if guards else element
        with self.unrolled(e=each):
            if bits == 32:
                self.line(f"words[e] = {word};")
            else:
                self.line(f"words[e / {each // 4}] |= ({word}) << e % {each // 4} * {bits};")
        self.print_call("store_shared_16", to, "words")
