"""Prints fragments: register arrays, their loads from shared memory, mma, layout conversion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import gcd
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float64Type, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects import nv
from ...dialects.common.shapes import is_unsigned, signless
from ...dialects.common.syntax import ints
from ...dialects.nv.types import constant_of
from ...dialects.nv.wgmma import WgmmaOp
from ...targets.architectures import WARP
from ...targets.layouts import Layout, Mode
from ...targets.matrices import MatrixRows, vector_elements
from ...targets.mma import Mma, element_bytes
from ...targets.shared_places import varying_bits
from .copy_printer import CopyPrinter
from .kernel_text import prints
from .scalars import CTYPES, product, sum_of


def lane_terms(modes: tuple[Mode, ...], name: str = "lane") -> tuple[str, str]:
    """Returns the lane's contribution to the row and to the column, as expressions of the variable `name`."""
    rows: list[str] = []
    columns: list[str] = []
    below = 1
    for at, mode in enumerate(modes):
        digit = name if below == 1 else f"{name} / {below}"
        digit += "" if at == len(modes) - 1 else f" % {mode.radix}"
        for terms, stride in ((rows, mode.rows), (columns, mode.columns)):
            if stride:
                terms.append(digit if stride == 1 else f"{digit} * {stride}")
        below *= mode.radix
    return sum_of(*rows), sum_of(*columns)


def holders_of(layout: Layout) -> Sequence[tuple[str, tuple[Mode, ...]]]:
    """Returns the variables whose digits say which part of a tile a thread holds, fastest first, each with its digits."""
    return ("lane", layout.lanes), ("warp", layout.warps), ("rank", layout.blocks)


def first_of_copies(layout: Layout) -> list[str]:
    """Returns the conditions under which a lane is the first of those that hold the same elements."""
    found: list[str] = []
    for name, modes in holders_of(layout):
        copies = tuple(replace(m, rows=int(m.rows == m.columns == 0), columns=0) for m in modes)
        if (term := lane_terms(copies, name)[0]) != "0":
            found.append(f"{term} == 0" if " + " not in term else f"({term}) == 0")
    return found


def multiple_of(value: SSAValue) -> int:
    """Returns a divisor of all values that an index can have."""
    op = value.owner
    match op:
        case arith.ConstantOp():
            return abs(constant_of(value) or 0)
        case arith.AddiOp():
            return gcd(multiple_of(op.lhs), multiple_of(op.rhs))
        case arith.MuliOp():
            return multiple_of(op.lhs) * multiple_of(op.rhs)
        case _:
            return 1


def register_type(t: nv.FragType) -> str:
    """
    Returns the C type of a fragment's registers: the element type for f64 and 32-bit accumulators, else a 32-bit word that
    packs several elements; '' for a spelled layout, which has a variable of the element type for each element.
    """
    if t.spelled:
        return ""
    if isinstance(t.element_type, Float64Type):
        return "double"
    if t.is_operand or element_bytes(t.element_type) == 2:
        return "u32"
    return "int" if isa(t.element_type, IntegerType) else "float"


def is_spelled(t: Attribute) -> bool:
    """Returns whether a type is that of a fragment with a spelled layout."""
    return isinstance(t, nv.FragType) and t.spelled


def elements_of(t: Attribute) -> int:
    """Returns the number of elements that a lane holds of a fragment with a spelled layout; 1 for other types."""
    return t.layout.count if isinstance(t, nv.FragType) and t.spelled else 1


def register_count(t: nv.FragType) -> int:
    """Returns the number of registers that a lane has for one tile of the layout, the last one perhaps in part."""
    return -(-t.layout.count * element_bytes(t.element_type) // (8 if register_type(t) == "double" else 4))


def operand_types(kind: str, a: Attribute, b: Attribute) -> str:
    """Returns PTX's names of the types that an instruction multiplies, as they occur in the names of the prelude's functions."""
    match kind:
        case "f16":
            return CTYPES[type(a)]
        case "f8":
            return f"{CTYPES[type(a)]}_{CTYPES[type(b)]}"
        case "i8":
            return "_".join("u8" if is_unsigned(t) else "s8" for t in (a, b))
        case _:
            return kind


def initialized_by_wgmma(value: SSAValue) -> bool:
    """Returns whether the first use of an accumulator is a wgmma with scale-d, whose first execution overwrites it."""
    block = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    first = next((o for o in block.walk() if value in o.operands), None) if block is not None else None
    return isinstance(first, WgmmaOp) and first.acc is value and first.accumulate is not None


class FragmentPrinter(CopyPrinter):
    """Prints fragments of warps."""

    @prints
    def fragment(self, op: nv.FragOp) -> None:
        t = nv.frag(op.result)
        start = "" if t.is_operand or initialized_by_wgmma(op.result) else " = {}"
        what = f"operand {t.operand}" if t.is_operand else "elements" if t.spelled else "accumulator"
        self.declare(op.result, start, what)

    def declare(self, value: SSAValue, start: str, what: str) -> None:
        """Declares a fragment as `[tiles down][tiles across][registers]`; operands have no index of tiles along k."""
        t = nv.frag(value)
        if t.spelled:
            size = f"[{t.layout.count}]" if t.layout.count > 1 else ""
            dtype = self.variable_type(signless(t.element_type), cast(Operation, self.at))
            holder = (
                "block" if t.layout.warps or t.layout.blocks else "warp" if t.layout.threads == WARP else "warpgroup"
            )
            self.line(f"{dtype} {self.name(value)}{size};  // {what}, {' x '.join(map(str, t.sizes))} per {holder}")
            return
        tiles = "".join(f"[{digit.radix}]" for digit in t.tile_digits)
        comment = f"{what}, {' x '.join(map(str, t.sizes))} per {'warp' if t.layout.threads == WARP else 'warpgroup'}"
        self.line(f"{register_type(t)} {self.name(value)}{tiles}[{register_count(t)}]{start};  // {comment}")

    @prints
    def assign(self, op: nv.AssignOp) -> None:
        t, to, value = nv.frag(op.frag), self.name(op.frag), self.name(op.value)
        if t.spelled and t.layout.count == 1:
            self.line(f"{to} = {value};")
            return
        loops = {name: digit.radix for name, digit in zip("ij", t.tile_digits, strict=False)}
        loops["e"] = t.layout.count if t.spelled else register_count(t)
        place = "".join(f"[{name}]" for name in loops)
        if op.columns is not None:
            first, end = (column // t.layout.columns for column in ints(op.columns))
            loops["j"], place = end - first, place.replace("[j]", f"[{sum_of('j', str(first))}]")
        with self.unrolled(**loops):
            self.line(f"{to}{place} = {value}{place};")

    # --- loads ------------------------------------------------------------------------------------

    @prints
    def load_matrix(self, op: nv.LdMatrixOp | nv.StoreOperandOp) -> None:
        """
        Loads with ldmatrix.x4, or stores with stmatrix.x4, several tiles at a time if a tile has fewer than four words a lane; the last ones
        with x2 or x1.
        """
        t = nv.frag(op.frag)
        _, (tiles,) = nv.in_slot(t, op.layout.data)
        name, words, first = self.name(op.frag), register_count(t), 0
        while first < tiles.radix:
            together = max(1, min(4 // words, 1 << (tiles.radix - first).bit_length() - 1))
            rows = cast(MatrixRows, op.matrix_rows(together))
            count = (tiles.radix - first) // together
            i = "i" if count > 1 else "0"
            tile = sum_of(product(i, together), str(first))
            held = [f"{name}[{sum_of(tile, str(w // words))}][{w % words}]" for w in range(words * together)]
            begin = str(first * tiles.rows), str(first * tiles.columns)
            each = Mode(count, together * tiles.rows, together * tiles.columns)
            loop = lane_terms((each,), "i") if count > 1 else ("", "")
            address = self.matrix_address(op, rows, (first * tiles.rows, first * tiles.columns), each)
            address = address or self.slot_address(op, map(sum_of, loop, begin, lane_terms(rows.lanes)))
            with self.unrolled(**({"i": count} if count > 1 else {})):
                form, stores = f"x{words * together}{'_trans' * rows.is_transposed}", isinstance(op, nv.StoreOperandOp)
                self.print_call(
                    *((f"stmatrix_{form}", address, *held) if stores else (f"ldmatrix_{form}", *held, address))
                )
            first += count * together

    def matrix_address(
        self, op: nv.LdMatrixOp | nv.StoreOperandOp, rows: MatrixRows, begin: tuple[int, int], each: Mode
    ) -> str | None:
        """Returns the address of a lane's row of a matrix with constants apart from what depends on the lane, or None."""
        t = nv.frag(op.frag)
        sizes, spans = nv.smem(op.smem).sizes[1:], t.sizes if op.layout.data == "ND" else t.sizes[::-1]
        parts, constant, varying = list[str](), list[int](), list[int]()
        lanes, bits = lane_terms(rows.lanes), varying_bits(rows.lanes)
        for value, lane, reached, start, size, span in zip(
            (op.row, op.column), lanes, bits, begin, sizes, spans, strict=True
        ):
            known = constant_of(value)
            step = multiple_of(value)
            if known is None and (step & step - 1 or step < span):
                return None
            parts.append(lane if known is not None else sum_of(self.name(value), lane))
            constant.append(start + (known or 0))
            varying.append(reached | (0 if known is not None else (size - 1) & -step))
        return self.split_address(
            op.smem,
            op.slot,
            (parts[0], parts[1]),
            (varying[0], varying[1]),
            (constant[0], constant[1]),
            (each.rows, each.columns),
            each.radix,
        )

    @prints
    def load_elements(self, op: nv.LdSharedOp) -> None:
        """Loads lane by lane; elements that are contiguous in shared memory are one vector load."""
        t = nv.frag(op.frag)
        layout, tiles = nv.in_slot(t, op.layout.data)
        bytes_ = element_bytes(t.element_type)
        lane, tile, name = lane_terms(layout.lanes), lane_terms(tiles, "i"), self.name(op.frag)
        run = vector_elements(layout, nv.smem(op.smem).layout, bytes_)

        def place(element: int) -> str:
            return self.slot_address(op, map(sum_of, lane, map(str, layout.element(element)), tile))

        with self.unrolled(i=tiles[0].radix):
            if register_type(t) == "double":
                for e in range(layout.count):
                    self.print_call("ld_shared_f64", f"{name}[i][{e}]", place(e))
            elif run * bytes_ >= 4:
                for e in range(0, layout.count, run):
                    words = [f"{name}[i][{w}]" for w in range(e * bytes_ // 4, (e + run) * bytes_ // 4)]
                    self.print_call(f"ld_shared_{run * bytes_}", *words, place(e))
            else:
                each = 4 // bytes_
                for w in range(register_count(t)):
                    held = range(0, min(each, layout.count - w * each), run)
                    parts = [self.call(f"ld_shared_{run * bytes_}", place(w * each + e)) for e in held]
                    shifted = [
                        part + (f" << {8 * bytes_ * e}" if e else "") for e, part in zip(held, parts, strict=True)
                    ]
                    self.line(f"{name}[i][{w}] = {' | '.join(shifted)};")

    def slot_address(self, op: nv.LoadFragmentOp | nv.StoreMatrixOp, place: Iterable[str]) -> str:
        """Returns the shared address of an element of a fragment that begins at a row and column of a slot."""
        row, column = map(sum_of, (self.name(op.row), self.name(op.column)), place)
        return self.element_address(op.smem, op.slot, row, column)

    @prints
    def round_fragment(self, op: nv.ToTf32Op) -> None:
        t, word = nv.frag(op.frag), f"{self.name(op.frag)}[i][w]"
        with self.unrolled(i=t.tile_digits[0].radix, w=register_count(t)):
            self.line(f"{word} = {self.call('to_tf32', word)};")

    # --- accumulators -----------------------------------------------------------------------------

    @prints
    def mma(self, op: nv.MmaSyncOp | nv.FmaOp) -> None:
        t, a, b = (nv.frag(v) for v in (op.acc, op.a, op.b))
        mma = cast(Mma, t.mma)
        types = operand_types(mma.kind, a.element_type, b.element_type)
        function = "fma_m16n8k4" if isinstance(op, nv.FmaOp) else f"mma_{mma.name}_{types}"
        left = f"{self.name(op.a)}[i]"
        if op.first is not None:
            left = self.converted_operand(op.a, left, op.first.value.data)
        with self.unrolled(i=t.tiles[0], j=t.tiles[1]):
            self.print_call(function, f"{self.name(op.acc)}[i][j]", left, f"{self.name(op.b)}[j]")

    def converted_operand(self, a: SSAValue, block: str, first: int) -> str:
        """Returns operand A that is the columns from `first` on of a converted accumulator: two adjacent tiles of its rows `block`."""
        return self.call("adjacent_tiles", f"{block}[{first // nv.frag(a).layout.columns}]")
