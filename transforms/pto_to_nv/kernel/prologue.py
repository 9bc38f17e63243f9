"""
Operands that a kernel computes on their way to the multiplication, for the multistage and the warp-specialized template.

```
wait · mov.m2v %q · vector ops · mov.v2l      →    load a fragment of %q; nv.map(%q) { scalar ops } -> operand's fragment
```

The operands of several products, as those of the points of Winograd's algorithm, are computed by one map: they share fragments and scalar ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ....dialects import nv, pto
from ....dialects.common.shapes import signless
from ..tile_loops import channel_tile, prologue
from .access import index_space
from .contraction import Copy, LoopLowering
from .epilogue import EpilogueLowering


@dataclass(frozen=True, eq=False)
class Operand:
    """
    Operand A or B of a multiplication, or of all multiplications if it is computed: the type of its fragment, and the `origin` of the
    warp's or warpgroup's tile along m or n. `copies` are the copies of its sources to shared memory; `buffers` has the one or two fragments
    into which each source is loaded. `ops` compute the `results`, one for each multiplication, from its sources; there are none of both if
    the operand is itself copied.
    """

    type: nv.FragType
    origin: SSAValue
    copies: Sequence[Copy]
    buffers: Sequence[Sequence[SSAValue]]
    ops: Sequence[Operation]
    results: Sequence[SSAValue]

    @property
    def is_a(self) -> bool:
        return self.type.operand == "A"


class OperandMaps(LoopLowering, EpilogueLowering):
    """Adds maps that compute operands from loaded fragments to a kernel."""

    def map_operand(
        self,
        ops: Sequence[Operation],
        held: Sequence[SSAValue],
        load: pto.LoadMapOp,
        start: tuple[SSAValue, SSAValue],
        t: nv.FragType,
        results: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """
        Writes the map of the `ops` of a prologue, whose sources are the fragments `held` of the tile of a `load`, from the row and column
        `start` of the tile on, and returns the fragments of the operands, whose tiles are `results`.
        """
        self.at = ops[-1]
        space = index_space(next((op for op in ops if isinstance(op, pto.PointsOp)), load))
        offsets = [self.offset(o) for o in space.offsets]
        for axis, first in zip(space.dims, start, strict=True):
            offsets[axis] = self.plus(offsets[axis], first)
        moves = [op for op in ops if isinstance(op, pto.MoveMatToVecOp)]
        body = Block(arg_types=[signless(nv.frag(fragment).element_type) for fragment in held])
        with self.within(body):
            point = self.set_point(space, offsets)
            scalars: dict[SSAValue, SSAValue] = dict(zip((op.result for op in moves), body.args, strict=True))
            self.body([op for op in ops if op not in moves], scalars)
            self.add(nv.YieldOp([scalars[result] for result in results]))
        if not any(result.uses for result in point.results):
            Rewriter.erase_op(point)
        types = [t] * len(results)
        op = nv.MapOp(held, offsets, (), (), space.bounds, space.dims, (), t.sizes, (), (), (), Region(body), types)
        self.add(op)
        for fragment in op.fragments:
            fragment.name_hint = f"frag_{t.operand.lower()}"
        return op.fragments


class PrologueLowering(OperandMaps):
    """Adds operands in registers to a kernel: loaded from the ring, or computed from what is loaded."""

    operands: Sequence[Operand]
    """The operands in registers."""
    copies: Sequence[Copy]
    """How each tile of the channel is copied."""
    sources: tuple[tuple[int, ...], tuple[int, ...]]
    """The indices of the channel's tiles that operands A, and operands B, are computed from, or that they are themselves."""

    def find_sources(self) -> None:
        """Sets `sources`."""
        left, right = zip(*((op.a, op.b) for op in self.loops.matmuls), strict=True)
        self.sources = self.source_tiles(*left), self.source_tiles(*right)

    def source_tiles(self, *operands: SSAValue) -> tuple[int, ...]:
        """
        Returns the indices of the channel's tiles that matmul operands are computed from, or their own indices if they are such tiles.
        """
        ops = prologue(*operands)
        moves = [op.result for op in ops if isinstance(op, pto.MoveMatToVecOp)] if ops else operands
        return tuple(channel_tile(move, self.loops.commit) for move in moves)

    def copy_names(self) -> list[str]:
        """Returns the names of the channel's tiles: the plan's A and B, with a number after the first source of an operand."""
        left, right = self.sources
        count, names = len(self.loops.commit.tiles), dict[int, str]()
        for name, tiles in zip("AB", (left, right) if 0 in left else (right, left), strict=True):
            names |= {tile: name if number == 0 else f"{name}{number}" for number, tile in enumerate(tiles)}
        return [names.get(tile, f"C{tile}") for tile in range(count)]

    def operand(
        self, name: str, tiles: Sequence[SSAValue], sizes: tuple[int, int], origin: SSAValue, buffers: int
    ) -> Operand:
        """Creates the fragments of operand `name` of the instruction, which the matmuls take as `tiles`: one, or those of all if it is computed."""
        copies, lanes = [self.copies[k] for k in self.source_tiles(*tiles)], f"{name} of {self.mma.name}"
        ops = prologue(*tiles)
        loaded: list[list[SSAValue]] = []
        for copy in copies:
            t = nv.FragType(sizes, pto.tile_type(copy.load.result).element_type, lanes)
            hint = (copy.ring.name_hint or "").replace("smem", "raw") if ops else f"frag_{name.lower()}"
            hints = [hint] if buffers == 1 else [f"{hint}{k}" for k in range(buffers)]
            loaded.append([self.add(nv.FragOp(t), h) for h in hints])
        multiplied = nv.FragType(sizes, pto.tile_type(tiles[0]).element_type, lanes)
        results = [tile.owner.operands[0] for tile in tiles if ops and isinstance(tile.owner, Operation)]
        return Operand(multiplied, origin, copies, loaded, ops, results)

    def load_operand(self, operand: Operand, buffer: int, slot: SSAValue, kk: int) -> None:
        """Loads the fragments of an operand, or of its sources, for the instruction's k-step at `kk` of a slot."""
        for copy, buffers in zip(operand.copies, operand.buffers, strict=True):
            self.load_fragment(copy, slot, operand.origin, kk, buffers[buffer])
        if not operand.ops:
            self.round(operand.buffers[0][buffer])

    def bind_consumer_k(self, step: SSAValue) -> None:
        """Sets the value of k in the consumer's loop, if operands are computed, as they may depend on it."""
        if any(operand.ops for operand in self.operands):
            self.map[self.loops.consumer.body.block.args[0]] = self.k_of(step)

    def computed(self, operand: Operand, buffer: int, kk: int) -> Sequence[SSAValue]:
        """Writes the map that computes an operand for the instruction's k-step at `kk` of a slot, and returns the fragment of each product."""
        held = [buffers[buffer] for buffers in operand.buffers]
        self.map[self.loops.producer.body.block.args[0]] = self.map[self.loops.consumer.body.block.args[0]]
        load = (operand.copies or self.copies)[0].load
        start = (operand.origin, self.index(kk)) if operand.is_a else (self.index(kk), operand.origin)
        fragments = self.map_operand(operand.ops, held, load, start, operand.type, operand.results)
        for fragment in fragments:
            self.round(fragment)
        return fragments

    def round(self, fragment: SSAValue) -> None:
        if self.mma.kind == "tf32":
            self.add(nv.ToTf32Op(fragment))
