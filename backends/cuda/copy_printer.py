"""Prints shared memory and copies into it: `nv.smem`, `nv.cp_async`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import cast

from xdsl.ir import SSAValue

from ...analysis.index import affine
from ...analysis.regions.addresses import is_affine, stride
from ...dialects import nv
from ...dialects.common.syntax import ints
from ...dialects.nv.roles import role_of
from ...targets.mma import element_bytes
from ...targets.shared_places import split_place
from .address import syntax_tree
from .kernel_text import KernelText, participants, prints
from .prelude.shared_layouts import function_of
from .scalars import product, sum_of

RINGS = {"smem_a": ("BM", "BK"), "smem_b": ("BK", "BN")}
"""Names of the plan constants that are printed for the rows and columns of each operand's ring, where their values are equal."""


LINE = 128
"""The bytes of a line of L2, which lanes that copy adjacent elements read together."""


@dataclass(frozen=True)
class Copies:
    """
    The copies of a tile: `total` of them, `per_row` in a row, of `each` elements, by `threads` threads, of which `thread` is the
    number of the current one. If a row is divided into several `parts`, these numbers are those of its first part, and a thread copies
    the same elements of each part.
    """

    total: int
    per_row: int
    each: int
    threads: int
    thread: str
    parts: int = 1

    @property
    def rounds(self) -> int:
        """The number of copies of a thread."""
        return -(-self.total // self.threads)


def bytes_apart(op: nv.CopyOffsetsOp, copies: Copies) -> int | None:
    """
    Returns the bytes from the first element of a thread's copy to that of its next one, if this is the same number for all threads: a
    thread copies the same columns of rows that are equally far apart. A thread then has one offset. Otherwise returns None.
    """
    address, (row, _) = affine.read_map(op.address.source.data).get_at(0), ints(op.dims)
    if copies.total % copies.threads or copies.threads % copies.per_row or not is_affine(address):
        return None
    size = op.bytes.value.data // copies.each
    apart = copies.threads // copies.per_row * stride(address, row) * size
    return apart if copies.rounds * abs(apart) < 2**31 else None


def is_wide(op: nv.CopyOffsetsOp) -> bool:
    """Whether an offset in bytes may need 64 bits, that of a point outside of the bounds of the array, too."""
    address, points = affine.read_map(op.address.source.data).get_at(0), affine.box(ints(op.bounds))
    size = element_bytes(nv.smem(op.smem).element_type)
    ends = points.min_val(address), points.max_val(address)
    return any(not end.is_int() or abs(int(end.to_python())) * size >= 2**31 for end in ends)


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

    def split_address(
        self,
        smem: SSAValue,
        slot: SSAValue,
        thread: tuple[str, str],
        varying: tuple[int, int],
        constant: tuple[int, int] = (0, 0),
        step: tuple[int, int] = (0, 0),
        count: int = 1,
    ) -> str | None:
        """
        Returns the shared address of the element at the row and column `thread` + `constant` + i · `step`, in which constants are
        apart from what depends on the thread (`targets/shared_places.py`); None if they cannot be.
        """
        t = nv.smem(smem)
        if (place := split_place(t.layout, varying, constant, step, count)) is None:
            return None
        size, (stages, *_) = element_bytes(t.element_type), t.sizes
        at = self.call(f"{function_of(t.layout)}<{size}>", *thread)
        moved = product("i", place.stride * size)
        crossed = [str(place.crossed * size)] * bool(place.crossed) + [moved] * bool(place.crosses and place.stride)
        at = f"({' ^ '.join([at, *crossed])})" if crossed else at
        added = "" if place.crosses or not place.stride else moved
        first = sum_of(self.name(smem), product(self.name(slot), t.bytes // stages), at)
        return sum_of(first, str(place.added * size) if place.added else "", added)

    def copies_of(self, op: nv.CopyOffsetsOp) -> Copies:
        """
        Returns the copies for which an op computes offsets. Lanes copy whole lines of L2: if rows are longer, a thread copies the same
        elements of each line of a row, whose addresses differ by so little that instructions hold the difference.
        """
        t, size = nv.smem(op.smem), op.bytes.value.data
        each = size // element_bytes(t.element_type)
        (_, rows, columns), (threads, thread) = t.sizes, participants(op)
        whole = Copies(rows * columns // each, columns // each, each, threads, thread)
        lines = columns // each * size // LINE
        parts = replace(whole, total=whole.total // max(1, lines), per_row=LINE // size, parts=lines)
        return parts if lines > 1 and not op.masks and bytes_apart(op, parts) is not None else whole

    def copied_address(self, smem: SSAValue, slot: SSAValue, copies: Copies, part: int = 0) -> str:
        """Returns the shared address to which a thread's copy `i` of a part of the rows goes."""
        thread, each, per_row = copies.thread, copies.each, copies.per_row
        rows = copies.threads // per_row
        if copies.threads % per_row or copies.total % copies.threads or rows & rows - 1 or per_row & per_row - 1:
            return self.element_address(smem, slot, "row", "column")
        parts = f"{thread} / {per_row}", product(f"{thread} % {per_row}", each)
        found = self.split_address(
            smem,
            slot,
            parts,
            (rows - 1, (per_row - 1) * each),
            (0, part * per_row * each),
            step=(rows, 0),
            count=copies.rounds,
        )
        return found or self.element_address(smem, slot, "row", sum_of("column", product(str(part), per_row * each)))

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
        if op.where is not None and not registers:
            inside = " && ".join(filter(None, (inside, self.condition(op.where.source.data, points, bounds, op))))
        copy = self.copy_through_registers if registers else self.copy_async
        # A producer has few registers: unrolling would spill.
        copies = Copies(total, per_row, each, threads, thread)
        with self.copies(copies, unroll=not registers or role_of(op) is None):
            if op.table is not None and op.index is not None:
                place, rank = self.fresh("place"), len(op.offsets)
                number = f"*({self.pointer(op.table, op.index.source.data, points, bounds[:rank])})"
                self.line(f"const int {place} = {f'{inside} ? {number} : 0' if inside else number};")
                points[rank] = place
            copy(op, points, inside, self.copied_address(op.smem, op.slot, copies), each)

    @prints
    def copy_offsets(self, op: nv.CopyOffsetsOp) -> None:
        name, (_, rows, columns), size = self.name(op.result), nv.smem(op.smem).sizes, op.bytes.value.data
        bounds, (row_dim, column_dim), guards = ints(op.bounds), ints(op.dims), ints(op.guards)
        each = size // element_bytes(nv.smem(op.smem).element_type)
        self.require_contiguous(op.address.source.data, bounds, column_dim, each)
        copies = self.copies_of(op)
        points = {k: self.name(o) for k, o in enumerate(op.offsets)}
        points[row_dim] = sum_of(points[row_dim], "row")
        points[column_dim] = sum_of(points[column_dim], "column")
        zero = (
            " = {}" if copies.total % copies.threads else ""
        )  # ptxas may read registers of copies that a thread lacks
        masks = ", ".join(f"{name}_{p}[{copies.rounds}]{zero}" for p in range(op.masks))
        tile, apart = f"{rows} x {columns} tile of {self.name(op.memref)}", bytes_apart(op, copies)
        one = apart is not None and not op.moves
        which = "the first" if one else "each"
        self.line(
            f"// of {which} {size}-byte copy of a {tile} by this thread: its first element, and where it is inside"
        )
        wide = is_wide(op)
        kind, many = "const char*" if op.moves else "long long" if wide else "int", f"[{copies.rounds}]{zero}"
        self.line(f"{kind} {name}{'' if one else many};")
        if masks:
            self.line(f"u32 {masks};")
        with self.copies(copies):
            place = self.expression(syntax_tree(op.address.source.data, bounds, op), [*points.values()], bounds)
            first = "if (i == 0) " if one and copies.rounds > 1 else ""
            value = f"{'(long long)' if wide else ''}({place}) * {size // each}"
            if op.moves:
                value = self.call("opaque_pointer", f"(const char*){self.name(op.memref)} + {value}")
            self.line(f"{first}{name}{'' if one else '[i]'} = {value};")
            inside = " && ".join(f"{points[a]} < {bounds[a]}" for a in guards)
            if not op.where and inside:
                self.line(f"{name}_0[i] = {inside};")
            for p, (unit, count, where) in enumerate(zip(ints(op.units), ints(op.counts), op.where, strict=True)):
                along = op.along.value.data
                moved = {**points, along: sum_of(points[along], f"t * {unit}")}
                found = " && ".join(filter(None, (inside, self.condition(where.source.data, moved, bounds, op))))
                self.line(f"{name}_{p}[i] = 0;")
                with self.unrolled(t=count):
                    self.line(f"{name}_{p}[i] |= u32({found}) << t;")

    @prints
    def copy_at(self, op: nv.CpAsyncAtOp) -> None:
        of = op.computed
        name, (_, rows, columns), size = self.name(op.offsets), nv.smem(op.smem).sizes, of.bytes.value.data
        copies = self.copies_of(of)
        bits = [self.name(bit) for bit in op.bits] or ["0"] * of.masks
        self.line(f"// {self.name(op.smem)}[{self.name(op.slot)}] = {rows} x {columns} tile of {self.name(of.memref)}")
        with self.block("") if not of.moves else nullcontext():
            source = self.fresh("source")
            apart = None if of.moves else bytes_apart(of, copies)
            if of.moves:
                source = self.name(op.delta)
            else:
                begin = sum_of(
                    f"(const char*){self.name(of.memref)}", name if apart is not None else "", self.name(op.delta)
                )
                self.line(f"const char* {source} = {begin};")
            with self.copies(copies):
                inside = " & ".join(
                    f"{name}_{p}[i] >> {bit}" if bit != "0" else f"{name}_{p}[i]" for p, bit in enumerate(bits)
                )
                inside = f"{inside} & 1" if inside else ""
                if op.predicate is not None:
                    inside = f"{self.name(op.predicate)} && ({inside})" if inside else self.name(op.predicate)
                bytes_ = f"{inside} ? {size} : 0" if inside else str(size)
                moved = f"{name}[i]" if apart is None else product("i", apart)
                for part in range(copies.parts):
                    to = self.copied_address(op.smem, op.slot, copies, part)
                    place = sum_of(source, moved, str(part * copies.per_row * size))
                    self.print_call(f"cp_async_{size}", to, place, bytes_)

    @prints
    def move_offsets(self, op: nv.MoveOffsetsOp) -> None:
        of = cast(nv.CopyOffsetsOp, op.offsets.owner)
        with self.unrolled(i=self.copies_of(of).rounds):
            self.line(f"{self.name(op.offsets)}[i] += {op.bytes.value.data};")

    @contextmanager
    def copies(self, copies: Copies, *, unroll: bool = True) -> Generator[None]:
        """Prints the loop over the copies of a thread, with `i`, `row` and `column` of a copy, around the `with` statement."""
        self.line("#pragma unroll" if unroll else "#pragma unroll 1")
        threads, thread, per_row, total = copies.threads, copies.thread, copies.per_row, copies.total
        with self.block(f"for (int i = 0; i < {copies.rounds}; ++i)"):
            chunk, row = thread, sum_of(f"i * {threads // per_row}", f"{thread} / {per_row}")
            if total % threads or threads % per_row:
                self.line(f"const int chunk = {sum_of(f'i * {threads}', thread)};")
                chunk, row = "chunk", f"chunk / {per_row}"
            with self.block(f"if (chunk < {total})") if total % threads else nullcontext():
                self.line(f"const int row = {row}, column = {chunk} % {per_row} * {copies.each};")
                yield

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
        tail = f"{here[column]} < {bounds[column]}" if column in ints(op.guards) else ""
        where = "" if op.where is None else self.condition(op.where.source.data, here, bounds, op)
        guards = [g for g in (inside, tail, where) if g]
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
