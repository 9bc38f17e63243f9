"""Prints what a warpgroup multiplies, and how its results get to shared memory."""

from __future__ import annotations

from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import nv
from ...dialects.nv.roles import role_of
from ...targets.mma import WGMMAS, element_bytes
from .fragment_printer import FragmentPrinter, mma_name, register_type, registers
from .scalars import CTYPES, sum_of


def sums_in_flight(wait: nv.WgmmaWaitOp) -> list[SSAValue]:
    """The sums that a wait may be for: those of the wgmmas of its kernel that it sees."""
    around: set[Block | None] = set()
    block = wait.parent
    while block is not None:
        around.add(block)
        parent = block.parent_op()
        block = parent.parent if parent is not None and not isinstance(parent, GpuFuncOp) else None
    kernel = wait.get_toplevel_object()
    role = role_of(wait) or kernel
    sums = dict.fromkeys(op.acc for op in role.walk() if isinstance(op, nv.WgmmaMmaOp | nv.WgmmaFragOp))
    return [acc for acc in sums if isinstance(acc.owner, Operation) and acc.owner.parent in around]


CHUNK = 16
"""Bytes that a descriptor counts in."""


TURNS = {
    128: ("j / 2 * 4 + j % 2", 2, "lane / 4 % 2"),
    64: ("j * 2", 1, "lane / 8 % 2"),
    32: ("j * 2", 1, "0"),
    0: ("j * 2", 1, "0"),
}
"""
Of two tiles of 8 columns of 32-bit elements: the number of the first, how far the second is, and in which rows it comes
first. The four rows of half a warp, 32 bytes each, are then in different banks, by the bytes that the swizzle permutes.
"""


class WgmmaPrinter(FragmentPrinter):
    """Adds the multiplications of a warpgroup to the text of a kernel."""

    def warpgroup_multiply(self, op: nv.WgmmaMmaOp | nv.WgmmaFragOp) -> None:
        t = nv.frag(op.acc)
        add = "1" if op.accumulate is None else self.name(op.accumulate)
        right = self.operand(op.b, (op.b_slot, op.b_row, op.b_column), op.b_layout.data == "DN", "")
        blocks = t.tiles[0]
        block = "i" if blocks > 1 else ""
        if isinstance(op, nv.WgmmaMmaOp):
            suffix, across = "", [str(int(op.a_layout.data == "DN"))]
            place = (op.a_slot, op.a_row, op.a_column)
            left = self.operand(op.a, place, op.a_layout.data == "ND", block)
            a = nv.smem(op.a).element_type
        else:
            suffix, across = "_frag", []
            left, a = f"{self.name(op.a)}[{block or 0}]", nv.frag(op.a).element_type
        across.append(str(int(op.b_layout.data == "ND")))
        mma = WGMMAS[t.of.data]
        match mma.name:
            case "m64k16":
                types, flags = CTYPES[type(a)], f"<{', '.join(across)}>"
            case "m64k8":
                types, flags = "tf32", ""
            case "m64k32_f8":
                types, flags = f"{CTYPES[type(a)]}_{CTYPES[type(nv.smem(op.b).element_type)]}", ""
            case _:
                types, flags = f"{mma_name(a)}_{mma_name(nv.smem(op.b).element_type)}", ""
        function = f"wgmma_m64n{t.sizes[1]}k{mma.k}_{types}{suffix}{flags}"
        if block:
            self.unrolled("i", blocks)
        self.line(f"{self.call(function, f'{self.name(op.acc)}[{block or 0}]', left, right, add)};")
        if block:
            self.close()

    def wait_sums(self, op: nv.WgmmaWaitOp) -> None:
        """Behind a wait for all groups the sums may be used; the compiler must not move that before it."""
        self.line(f"{self.call(f'wgmma_wait<{op.pending.value.data}>')};")
        if op.pending.value.data == 0:
            for acc in sums_in_flight(op):
                blocks = nv.frag(acc).tiles[0]
                for block in range(blocks):
                    self.line(
                        f"{self.call('wgmma_landed', f'{self.name(acc)}[{block}]', of=register_type(nv.frag(acc)))};"
                    )

    def operand(self, ring: SSAValue, place: tuple[SSAValue, SSAValue, SSAValue], along_k: bool, block: str) -> str:
        """The descriptor of an operand's tile, for A of its block of 64 rows with that number."""
        t = nv.smem(ring)
        rows, each = t.sizes[1], t.panel // element_bytes(t.element_type)
        further = 64 * t.panel if along_k else 64 // each * rows * t.panel
        chunk = sum_of(
            self.begin(ring, place, CHUNK, whole=not along_k), f"{block} * {further // CHUNK}" if block else ""
        )
        function = f"k_major<{t.panel}>" if along_k else f"mn_major<{t.panel}, {rows}>"
        return self.call(function, self.name(ring), chunk)

    def promote(self, op: nv.PromoteOp) -> None:
        t = nv.frag(op.acc)
        down, across = t.tiles
        self.unrolled("i", down)
        self.unrolled("j", across)
        self.unrolled("e", registers(t))
        part, acc = (f"{self.name(v)}[i][j][e]" for v in (op.part, op.acc))
        integers = register_type(t) == "int"
        self.line(f"{acc} = (int)((u32){acc} + (u32){part});" if integers else f"{acc} += {part};")
        for _ in range(3):
            self.close()

    def store_matrix(self, op: nv.StoreMatrixOp) -> None:
        """
        Two tiles of 8 columns side by side are four matrices of 8 rows, the lower rows of each its second. Lanes store
        32-bit elements themselves, two tiles by `TURNS`.
        """
        t, nd = nv.frag(op.frag), op.layout.data == "ND"
        first, name = op.first.value.data // 8, self.name(op.frag)
        words = element_bytes(t.element_type) == 2
        warp = "lane / 32 * 16"
        self.unrolled("i", t.tiles[0])
        self.unrolled("j", op.columns // 16)
        if words:
            here = [f"{name}[i][{sum_of('j * 2', str(first + k))}][{h}]" for k in (0, 1) for h in (0, 1)]
            down, along = (
                ("lane % 16", "lane / 16 % 2 * 8") if nd else ("lane / 8 % 2 * 8", "lane % 8 + lane / 16 % 2 * 8")
            )
            to = self.staged(op, sum_of("i * 64", warp, down), sum_of("j * 16", along))
            self.line(f"{self.call('stmatrix_x4' if nd else 'stmatrix_x4_trans', to, *here)};")
        else:
            tile, apart, other = TURNS[nv.smem(op.smem).panel]
            self.unrolled("h", 4)
            self.line(f"const bool second = h % 2 != {other};")
            here = [f"{name}[i][{sum_of(tile, str(k) if (k := first + n * apart) else '')}]" for n in (0, 1)]
            pair = [f"second ? {here[1]}[{at}] : {here[0]}[{at}]" for at in ("h / 2 * 2", "h / 2 * 2 + 1")]
            row = sum_of("i * 64", warp, "h / 2 * 8", "lane % 32 / 4")
            to = self.staged(op, row, f"({tile}) * 8 + second * {8 * apart} + lane % 4 * 2")
            self.line(f"{self.call('store_shared_8', to, *pair, of=register_type(t))};")
            self.close()
        self.close()
        self.close()

    def staged(self, op: nv.StoreMatrixOp, row: str, column: str) -> str:
        """The shared address of an element of the result."""
        down, across = (row, column) if op.layout.data == "ND" else (column, row)
        return self.slot(op.smem, op.slot, sum_of(self.name(op.row), down), sum_of(self.name(op.column), across))
