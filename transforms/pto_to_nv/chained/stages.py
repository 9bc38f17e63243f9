"""
The vector stages of chained products, which do not depend on the instructions that multiply: what is between the products, the
conversions of the operands, the rescaling of the accumulators, and what is carried from one tile of keys to the next.

```
between   p = …(s, carried rows), the next rows          nv.map and nv.row_reduce on fragments; rows are assigned to storage
operand   convert(p)                                     a fragment of 16-bit elements, which a second product multiplies
rescale   acc · rows                                     in place of the accumulator
left      …(q)                                           before the loops, or as it is loaded, in the type of q
```
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import reduce

from xdsl.dialects import arith
from xdsl.ir import Attribute, Operation, SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from ....targets.mma import Mma
from ..kernel.access import IndexSpace, index_space
from ..kernel.prologue import OperandMaps
from ..kernel.rows import source
from ..tile_loops import prologue
from .bounds import Bounds
from .program import Chain, KeyLoop, Second, is_accumulator, is_vector
from .rows import ChainedRows, starts_at


class ChainedStages(Bounds, OperandMaps, ChainedRows):
    """Adds the stages of the loops over keys to a kernel, and its epilogue."""

    chain: Chain

    def find_instruction(self, instruction: Callable[[Attribute, Attribute, Attribute, str], Mma | None]) -> None:
        """Sets the instruction of all products, by their types and precision. Raises `Unsupported` if there is none."""
        found = list[Mma]()
        for product in self.chain.loops[0].products:
            left, right, accum, precision = self.multiplied_types(product)
            mma = instruction(left, right, accum, precision)
            if mma is None or mma.kind != "f16" or left != right:
                need = "multiply bf16 or f16, and accumulate in f32: cast other operands before they are stored, such as fp8, of which "
                need += "lanes hold other elements as the left operand than as the accumulator"
                raise Unsupported(product, what=f"a product of {left} and {right} into {accum}", need=need)
            found.append(mma)
        self.mma = found[0]

    # --- storage ----------------------------------------------------------------------------------

    def allocate_accumulators(self) -> list[SSAValue]:
        """Allocates the carried accumulators, at zero."""
        head = self.chain.loops[0]
        self.at = head.op
        if not all(starts_at(head.op.iter_args[second.accumulator], 0) for second in head.seconds):
            need = "start it with pto.tile.expands 0"
            raise Unsupported(head.op, what="an accumulator that does not start at zero", need=need)
        t = nv.FragType(self.plan.warp, self.mma.accum, self.accumulator_layout)
        return [self.add(nv.FragOp(t), "acc") for _ in head.seconds]

    def allocate_rows(self) -> dict[int, SSAValue]:
        """Allocates the carried rows, fills them with their initial values, and returns them by their index."""
        head = self.chain.loops[0]
        before = [op for op in self.chain.before if op.results and is_vector(op.results[0])]
        self.straight(before, self.space_of(before))
        self.at = head.op
        carried: dict[int, SSAValue] = {}
        for index in self.chain.rows:
            hint = head.carried[index].name_hint or "row"
            carried[index] = self.add(nv.FragOp(self.fragment(head.carried[index])), hint)
            self.add(nv.AssignOp(self.held[head.op.iter_args[index]], carried[index]))
        return carried

    def hold_results(self, last: KeyLoop, accumulators: Sequence[SSAValue], rows: Mapping[int, SSAValue]) -> None:
        """Sets the fragments of the results of the last loop."""
        for index, part in rows.items():
            result = last.op.results[index]
            self.held[result] = self.whole_sum(last, index, part) if last.carried[index] in self.parts else part
        for second, accumulator in zip(last.seconds, accumulators, strict=True):
            self.held[last.op.results[second.accumulator]] = accumulator

    # --- stages -----------------------------------------------------------------------------------

    def compute_between(
        self, loop: KeyLoop, scores: Sequence[SSAValue], counter: SSAValue, rows: Mapping[int, SSAValue]
    ) -> None:
        """
        Writes the vector ops between the products, and the next carried rows. `held` has the operands before their conversion, and the
        rows that rescale the accumulators.
        """
        self.at = loop.op
        self.map[loop.op.body.block.args[0]] = counter
        operands = (op for second in loop.seconds for op in second.operand)
        for value in (v for op in (*loop.between, *operands) for v in op.results):  # of the iteration before
            self.held.pop(value, None)
        for first, accumulator in zip(loop.firsts, scores, strict=True):
            moves = (use.operation for use in first.result.uses)
            self.held |= {move.result: accumulator for move in moves if isinstance(move, pto.MoveToVecOp)}
        self.held |= {loop.carried[index]: row for index, row in rows.items()}
        self.straight(loop.between, self.between_space(loop))
        self.at = loop.op
        for index, row in rows.items():
            if loop.next[index] is not loop.carried[index]:
                self.add(nv.AssignOp(self.held[loop.next[index]], row))

    def compute_operand(self, loop: KeyLoop, second: Second) -> SSAValue:
        """Writes the conversion of a second product's left operand, and returns it."""
        convert, _ = second.operand
        self.straight([convert], self.between_space(loop))
        self.at = convert
        return self.held[convert.results[0]]

    def rescale(self, second: Second, accumulator: SSAValue) -> None:
        """Writes the ops on a carried accumulator."""
        moves = [op for op in second.rescale if isinstance(op, pto.MoveToVecOp)]
        ops = [op for op in second.rescale if not isinstance(op, pto.MoveOp)]
        if not ops:
            return
        self.at, outside = ops[0], dict(self.held)
        self.held |= {move.result: accumulator for move in moves}
        (move,) = (op for op in second.rescale if isinstance(op, pto.MoveVecToAccOp))
        with self.into_storage(move.input, accumulator):
            self.straight(ops, self.space_of(ops))
        self.held = outside

    def compute_after(self, staged: Container[Operation] = ()) -> None:
        """Writes the ops after the loops, except for the stores that are `staged`."""
        moves = [op for op in self.chain.after if isinstance(op, pto.MoveToVecOp)]
        self.held |= {move.result: self.held[move.input] for move in moves}
        others = (op for op in self.chain.after if op not in moves and not isinstance(op, pto.ReleaseOp))
        vectors = [op for op in others if op not in staged]
        self.at = vectors[0] if vectors else self.kernel
        self.straight(vectors, self.box)

    # --- index spaces -----------------------------------------------------------------------------

    def space_of(self, ops: Sequence[Operation]) -> IndexSpace:
        """Returns the index space of ops outside of loops: that of their masks, positions and loads, if any, or of the kernel's stores."""
        return next((index_space(op) for op in ops if isinstance(op, pto.PointsOp)), self.box)

    def between_space(self, loop: KeyLoop) -> IndexSpace:
        """Returns the index space of the ops between the products: that of their masks, positions and loads, if there are any."""
        points = next((op for op in loop.between if isinstance(op, pto.PointsOp)), None)
        if points is not None:
            return index_space(points)
        axis, counter = self.box.dims[0], loop.op.body.block.args[0]
        bounds = self.box.bounds[axis], self.range_of(loop.op.ub)[1]
        return IndexSpace((0, 1), bounds, (self.box.offsets[axis], counter))

    # --- computed left operands --------------------------------------------------------------------

    def compute_left(self, first: pto.MatmulAccOp, load: pto.LoadMapOp, raw: SSAValue, kk: int) -> SSAValue:
        """
        Writes what a first product multiplies for its k-step at `kk`, if that is computed from the fragment `raw` of the tile of a load, and
        returns it.
        """
        if not (ops := prologue(first.a)):
            return raw
        start = self.tile_origin[0], self.index(kk)
        (computed,) = self.map_operand(ops, [raw], load, start, nv.frag(raw), ops[-1].results)
        return computed

    # --- which loops run --------------------------------------------------------------------------

    def may_run(self, loop: KeyLoop) -> bool:
        """Returns whether a loop has an iteration, for some tile."""
        return not self.runs(loop.op).is_empty()

    def has_keys(self) -> SSAValue | None:
        """Writes whether the tile has any keys, or returns None if all tiles have."""
        loops = [loop.op for loop in self.chain.loops if self.may_run(loop)]
        if self.never_empty(*loops):
            return None
        each = [self.add(arith.CmpiOp(self.offset(loop.lb), self.offset(loop.ub), "slt")) for loop in loops]
        return reduce(lambda one, other: self.add(arith.OrIOp(one, other), "has_keys"), each)

    def only_if(self, condition: SSAValue | None) -> AbstractContextManager[None]:
        """A context manager that writes an `scf.if`, unless the condition is None, which is always true."""
        return nullcontext() if condition is None else self.when(condition)

    def check_same_stages(self) -> None:
        """Raises `Unsupported` unless some tile has keys, and all loops rescale in the same way."""
        self.at = head = self.chain.loops[0].op
        if not any(map(self.may_run, self.chain.loops)):
            raise Unsupported(head, what="loops over keys without an iteration", need="store a tile without products")
        shapes = {
            tuple((tuple(op.name for op in second.rescale), len(scales_of(second))) for second in loop.seconds)
            for loop in self.chain.loops
        }
        if len(shapes) != 1:
            need = "rescale the accumulators by the same ops in all loops"
            raise Unsupported(head, what="loops with different accumulators", need=need)


def scales_of(second: Second) -> list[SSAValue]:
    """Returns the rows that the ops on a carried accumulator read."""
    read = dict.fromkeys(source(v) for op in second.rescale for v in op.operands)
    inside = set(second.rescale)
    return [
        v
        for v in read
        if isinstance(v.owner, Operation)
        and v.owner not in inside
        and not is_accumulator(v)
        and not isinstance(v.owner, pto.ExpandsOp)
    ]
