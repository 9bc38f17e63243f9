"""Prints wgmma, and the stores of its results to shared memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product, takewhile
from typing import Literal, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import nv
from ...dialects.nv.roles import role_of
from ...dialects.nv.wgmma import WgmmaOp
from ...targets.architectures import WARP
from ...targets.layouts import Layout
from ...targets.mma import element_bytes
from ...targets.shared_layouts import SharedLayout
from .fragment_printer import FragmentPrinter, lane_terms, operand_types, register_count, register_type
from .kernel_text import prints
from .prelude.wgmma import PREFIX
from .scalars import sum_of


def multiplied_registers(scope: Operation) -> list[SSAValue]:
    """Returns the accumulators of the wgmmas of a role or kernel, and the converted accumulators that they multiply."""
    found = [op for op in scope.walk() if isinstance(op, nv.WgmmaMmaOp | nv.WgmmaFragOp)]
    converted = (op.a for op in found if isinstance(op, nv.WgmmaFragOp) and op.first is not None)
    return list(dict.fromkeys([*(op.acc for op in found), *converted]))


def is_before(op: Operation, other: Operation) -> bool:
    """Returns whether `op` comes before `other`, which is in the same block or nested in an op of that block."""
    there = None if op.parent is None else op.parent.find_ancestor_op_in_block(other)
    return there is not None and op.is_before_in_block(there)


def writes(op: Operation, fragment: SSAValue) -> bool:
    """Returns whether an op other than a wgmma writes the elements of a fragment."""
    return fragment in op.into if isinstance(op, nv.MapOp) else isinstance(op, nv.AssignOp)


def has_landed(value: SSAValue, wait: nv.WgmmaWaitOp) -> bool:
    """Returns whether all wgmmas on an accumulator are followed by a wait for all groups before `wait`, in their own block."""
    users = [use.operation for use in value.uses if isinstance(use.operation, WgmmaOp)]

    def landed(op: Operation) -> bool:
        between = takewhile(lambda o: not o.is_ancestor(wait), following_ops(op))
        return any(isinstance(o, nv.WgmmaWaitOp) and o.pending.value.data == 0 for o in between)

    return all(is_before(op, wait) and landed(op) for op in users)


def completed_before(wait: nv.WgmmaWaitOp) -> list[SSAValue]:
    """Returns the accumulators of the groups before the last pending ones in the wait's block, unless these use them, too."""
    groups: list[list[SSAValue]] = []
    op = wait.prev_op
    while op is not None and not isinstance(op, nv.WgmmaWaitOp | scf.ForOp):
        if isinstance(op, nv.WgmmaCommitOp):
            groups.append([])
        elif isinstance(op, WgmmaOp) and groups:
            groups[-1].append(op.acc)
        op = op.prev_op
    pending = wait.pending.value.data
    busy = {acc for group in groups[:pending] for acc in group}
    return list(dict.fromkeys(acc for group in groups[pending:] for acc in group if acc not in busy))


def following_ops(op: Operation) -> Iterator[Operation]:
    """Yields the ops of a block after `op`."""
    while op.next_op is not None:
        op = op.next_op
        yield op


def without_constants(op: Operation | None, step: Literal["next_op", "prev_op"]) -> Operation | None:
    """Returns the first op from `op` on, forward or backward, that is no constant."""
    while isinstance(op, arith.ConstantOp):
        op = getattr(op, step)
    return op


def form(op: WgmmaOp) -> tuple[str, str]:
    """Returns what the name of the function that computes a wgmma ends with, and its template arguments."""
    across = [op.b_layout.data == "ND"]
    if isinstance(op, nv.WgmmaMmaOp):
        suffix, dtype = "", nv.smem(op.a).element_type
        across.insert(0, op.a_layout.data == "DN")
    else:
        suffix, dtype = "_frag", nv.frag(cast(nv.WgmmaFragOp, op).a).element_type
    flags = f"<{', '.join(str(int(a)) for a in across)}>" if op.mma.kind == "f16" else ""
    return operand_types(op.mma.kind, dtype, nv.smem(op.b).element_type) + suffix, flags


def continued(op: Operation) -> bool:
    """Returns whether the op is a wgmma on 64 rows that the next one adds to: one call computes both."""
    following = without_constants(op.next_op, "next_op")
    if not isinstance(op, nv.WgmmaMmaOp | nv.WgmmaFragOp) or not isinstance(following, type(op)):
        return False
    alike = op.acc is following.acc and form(op) == form(following)
    return alike and following.accumulate is None and nv.frag(op.acc).tiles[0] == 1


CHUNK = 16
"""The unit of offsets in a matrix descriptor, in bytes."""
BANKS = 32


@cache
def store_order(layout: SharedLayout, tile: Layout, columns: int) -> tuple[int, int]:
    """
    Returns the order in which lanes store pairs of tiles of 32-bit elements with the fewest bank conflicts: the distance of
    the two tiles, and the lanes that store the second one first, as a bit of their number, or 0 for none. All tiles together
    have `columns`.
    """

    def wavefronts(order: tuple[int, int]) -> int:
        apart, bit = order
        places = [
            (bool(lane & bit) * apart * tile.columns + k, *tile.lane(lane))
            for lane in range(WARP // 2)
            for k in range(2)
        ]
        words = [layout.offset(row, column + beyond) for beyond, row, column in places]
        return max(Counter(word % BANKS for word in words).values())

    return min(product((1, 2) if columns % (4 * tile.columns) == 0 else (1,), (0, 4, 8)), key=wavefronts)


class WgmmaPrinter(FragmentPrinter):
    """Prints wgmma ops and `nv.stmatrix`."""

    def __init__(self) -> None:
        super().__init__()
        self.multiplied_in: dict[Operation, list[SSAValue]] = {}
        """`multiplied_registers` of roles and kernels."""

    def visible_registers(self, op: nv.WgmmaWaitOp | nv.WgmmaFenceOp) -> list[SSAValue]:
        """Returns the `multiplied_registers` of the op's role or kernel that are visible at the op."""
        enclosing: set[Block | None] = set()
        block = op.parent
        while block is not None:
            enclosing.add(block)
            parent = block.parent_op()
            block = parent.parent if parent is not None and not isinstance(parent, GpuFuncOp) else None
        scope = role_of(op) or op.get_toplevel_object()
        if not isinstance(scope, Operation):
            return []
        if scope not in self.multiplied_in:
            self.multiplied_in[scope] = multiplied_registers(scope)
        return [
            acc
            for acc in self.multiplied_in[scope]
            if isinstance(o := acc.owner, Operation) and o.parent in enclosing and is_before(o, op)
        ]

    @prints
    def wgmma(self, op: nv.WgmmaMmaOp | nv.WgmmaFragOp) -> None:
        """Prints the last of a run of wgmmas as the call that computes all of them."""
        if continued(op):
            return
        run = [op]
        while (before := without_constants(run[0].prev_op, "prev_op")) is not None and continued(before):
            run.insert(0, cast(nv.WgmmaMmaOp | nv.WgmmaFragOp, before))
        t, first = nv.frag(op.acc), run[0]
        block = "i" if t.tiles[0] > 1 else ""
        add = "1" if first.accumulate is None else self.name(first.accumulate)
        types, flags = form(op)
        function = f"{PREFIX}{t.sizes[1]}k{op.mma.k * len(run)}_{types}{flags}"
        between = ",\n  " if len(run) > 1 else ", "
        operands = between.join([", ".join(self.multiplied(step, block)) for step in run] + [add])
        call = self.call(function, between.join((f"{self.name(op.acc)}[{block or 0}]", operands)))
        with self.unrolled(**({"i": t.tiles[0]} if block else {})):
            for line in f"{call};".split("\n"):
                self.line(line)

    def multiplied(self, op: nv.WgmmaMmaOp | nv.WgmmaFragOp, block: str) -> tuple[str, str]:
        """Returns the operands A and B of a wgmma; `block` is the index of A's block of 64 rows."""
        alone = isinstance(op, nv.WgmmaFragOp)
        right = self.descriptor(op.b, (op.b_slot, op.b_row, op.b_column), op.b_layout.data == "DN", "", alone)
        if isinstance(op, nv.WgmmaMmaOp):
            place = (op.a_slot, op.a_row, op.a_column)
            return self.descriptor(op.a, place, op.a_layout.data == "ND", block), right
        left = f"{self.name(op.a)}[{block or 0}]"
        return (left if op.first is None else self.converted_operand(op.a, left, op.first.value.data)), right

    @prints
    def wgmma_fence(self, op: nv.WgmmaFenceOp) -> None:
        """
        Prints a fence. `wgmma_placed` keeps the compiler from writing registers of an operand, such as those of constants, after it;
        `wgmma_landed` does so for storage of accumulators and operands that other ops assign, also for later groups: otherwise
        the vector ops before the fence would move behind it, and need more registers.
        """
        following = takewhile(lambda o: not isinstance(o, nv.WgmmaCommitOp), following_ops(op))
        for a in dict.fromkeys(o.a for o in following if isinstance(o, nv.WgmmaFragOp) and nv.frag(o.a).is_operand):
            for block in range(nv.frag(a).tiles[0]):
                self.print_call("wgmma_placed", f"{self.name(a)}[{block}]")
        for value in self.visible_registers(op):
            if any(writes(use.operation, value) for use in value.uses):
                self.landed(value)
        self.print_call("wgmma_fence")

    def landed(self, fragment: SSAValue) -> None:
        """Prints `wgmma_landed` for the registers of a fragment."""
        for block in range(nv.frag(fragment).tiles[0]):
            self.print_call("wgmma_landed", f"{self.name(fragment)}[{block}]", of=register_type(nv.frag(fragment)))

    @prints
    def wgmma_wait(self, op: nv.WgmmaWaitOp) -> None:
        """
        Prints a wait. After it the accumulators of complete groups may be read, and operands in registers be written:
        `wgmma_landed` keeps the compiler from moving such accesses before the wait.
        """
        self.print_call(f"wgmma_wait<{op.pending.value.data}>")
        found = self.visible_registers(op) if op.pending.value.data == 0 else completed_before(op)
        for value in (v for v in found if not has_landed(v, op)):
            self.landed(value)

    @prints
    def hold(self, op: nv.HoldOp) -> None:
        name, count = self.name(op.frag), nv.frag(op.frag).layout.count
        self.print_call("hold", " + ".join(f"{name}[{e}]" for e in range(count)) if count > 1 else name)

    def descriptor(
        self,
        ring: SSAValue,
        place: tuple[SSAValue, SSAValue, SSAValue],
        along_k: bool,
        block: str,
        alone: bool = False,
    ) -> str:
        """
        Returns the matrix descriptor of an operand's tile; `block` is the index of A's block of 64 rows. If it is `alone`, without a
        descriptor of the other operand beside it, ptxas adds a constant offset to all 64 bits with one instruction, not two.
        """
        t = nv.smem(ring)
        rows, each = t.sizes[1], t.panel // element_bytes(t.element_type)
        further = 64 * t.panel if along_k else 64 // each * rows * t.panel
        terms = [
            *self.box_terms(ring, place, CHUNK, whole_panels=not along_k),
            f"{block} * {further // CHUNK}" if block else "",
        ]
        constant = sum(int(term) for term in terms if alone and term.isdecimal())
        chunk = sum_of(*(term for term in terms if not (alone and term.isdecimal())))
        function = f"k_major<{t.panel}>" if along_k else f"mn_major<{t.panel}, {rows}>"
        return sum_of(self.call(function, self.name(ring), chunk), str(constant))

    @prints
    def promote(self, op: nv.PromoteOp) -> None:
        t = nv.frag(op.acc)
        part, acc = (f"{self.name(v)}[i][j][e]" for v in (op.part, op.acc))
        with self.unrolled(i=t.tiles[0], j=t.tiles[1], e=register_count(t)):
            self.line(f"{acc} += {part};")

    @prints
    def store_matrix(self, op: nv.StoreMatrixOp) -> None:
        """
        Stores pairs of tiles: 16-bit elements by one stmatrix.x4 of four 8 x 8 matrices, 32-bit elements lane by lane, two at a
        time, in the order of `store_order`.
        """
        t, name = nv.frag(op.frag), self.name(op.frag)
        tile, (down, across) = nv.in_slot(t, op.layout.data)
        count, each, first = register_count(t), t.layout.columns, op.first.value.data // t.layout.columns
        loops = {"i": down.radix, "j": op.columns // (2 * each)}
        block = lane_terms((down,), "i")
        if (matrix := op.matrix_rows) is not None:
            here = [f"{name}[i][{sum_of('j * 2', str(first + k))}][{r}]" for k in (0, 1) for r in range(count)]
            pair = lane_terms((replace(across, rows=2 * across.rows, columns=2 * across.columns),), "j")
            to = self.slot_address(op, map(sum_of, block, pair, lane_terms(matrix.lanes)))
            with self.unrolled(**loops):
                self.print_call(f"stmatrix_x4{'_trans' * matrix.is_transposed}", to, *here)
            return
        apart, bit = store_order(nv.smem(op.smem).layout, tile, op.columns)
        number, other = "j * 2" if apart == 1 else "j / 2 * 4 + j % 2", f"lane / {bit} % 2" if bit else "0"
        here = [f"{name}[i][{sum_of(number, str(first + n * apart))}]" for n in (0, 1)]
        values = [f"second ? {here[1]}[{at}] : {here[0]}[{at}]" for at in ("h / 2 * 2", "h / 2 * 2 + 1")]
        pair = "", f"({number}) * {each} + second * {each * apart}"
        to = self.slot_address(op, map(sum_of, block, pair, lane_terms(tile.lanes), lane_terms(tile.vectors, "h / 2")))
        with self.unrolled(**loops, h=count):
            self.line(f"const bool second = h % 2 != {other};")
            self.print_call("store_shared_8", to, *values, of=register_type(t))
