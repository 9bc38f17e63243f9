"""
`region-to-pto`: a region with its plan becomes a tile program.

```
region.kernel { load · mul · reduce · epilogue · yield }
        →
pto.kernel { pto.tiles (…, m, n) step (1…, BM, BN) {
               process { for k: acquire · load A · load B · commit }      the ring, `stages` deep
               for k: wait · mov.m2l · mov.m2r · matmul.acc · release     the consumer
               mov.a2v · vector ops of the epilogue · store } }
```

The ring and its loops are in `contraction.py`, the epilogue is here.

Every load and store carries the access map that the IndexBook gives it, composed down to the space of
tiles. Movements vanish into those maps. Spec: `pto-ir.md §4`, `§6`; `tensor-compiler.ja §1.7` (plan to code).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import SymbolTable

from ...dialects import pto, region, tiny
from ...dialects.common.kernel import SCRATCH
from ...dialects.common.shapes import element, memref_of
from ...dialects.common.syntax import ints
from ...dialects.pto.vector import COMPARES
from ...errors import Unsupported
from ..input_level import require_level
from .contraction import VECTOR, TileContraction

if TYPE_CHECKING:
    import islpy as isl


@dataclass(frozen=True)
class RegionToPto(ModulePass):
    """
    Every `region.kernel` becomes a `pto.kernel` of the same name and signature. Where k is split, a workspace and
    counters are added to it, and to each launch of it.
    """

    name = "region-to-pto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_level(op, "region.kernel", self.name)
        kernels = [o for o in op.body.block.ops if isinstance(o, region.RegionKernelOp)]
        launches: dict[Operation | None, list[region.LaunchOp]] = {k: [] for k in kernels}
        for launch in [o for o in op.walk() if isinstance(o, region.LaunchOp)]:
            launches.setdefault(SymbolTable.lookup_symbol(launch, launch.kernel), []).append(launch)
        for kernel in kernels:
            program = _TileProgram(kernel)
            op.body.block.insert_op_before(program.build(), kernel)
            if program.scratch:
                for launch in launches[kernel]:
                    _give_scratch(launch, [memref_of(arg) for arg in program.scratch])
            kernel.detach()
            kernel.erase(safe_erase=False)


def _give_scratch(launch: region.LaunchOp, types: Sequence[MemRefType[Attribute]]) -> None:
    """A new workspace, and counters at zero."""
    workspace, counters = types
    room = memref.AllocOp.get(workspace.element_type, shape=workspace.get_shape())
    zeros = region.ZerosOp(counters)
    outs = [*launch.outs, room.memref, zeros.result]
    new = region.LaunchOp(launch.kernel.string_value(), list(launch.ins), outs)
    block = cast(Block, launch.parent)
    for op in (room, zeros, new):
        op.location = launch.location
        block.insert_op_before(op, launch)
    launch.detach()
    launch.erase()


class _TileProgram(TileContraction):
    """Writes the tile program of one kernel."""

    def __init__(self, kernel: region.RegionKernelOp):
        super().__init__(kernel)
        self.tiles: dict[tuple[SSAValue, str], SSAValue] = {}

    def build(self) -> pto.PtoKernelOp:
        from ...analysis.index import affine
        from ...analysis.regions.kernel_space import yielded

        space = self.space
        if space.contraction is not None:
            self.tiles[space.start, affine.text(space.values)] = self.contract(space.contraction)
        for root, out in zip(yielded(self.kernel), self.kernel.outputs, strict=True):
            self.at = root.owner if isinstance(root.owner, Operation) else self.kernel
            at = self.root_map(root)
            tile, to = self.value(root, at), self.block.args[out.index]
            self.add(pto.StoreOp(tile, to, self.offsets, affine.text(at), space.points, self.dims))
        steps = [1] * space.outer + list(self.plan.tile[:2])
        split = self.plan.split if self.plan.split > 1 else None
        tiles = pto.TilesOp(space.points, steps, Region(self.tile), split)
        tiles.location = self.kernel.location
        self.block.add_op(tiles)
        k = self.kernel
        out = pto.PtoKernelOp(
            k.sym_name.data,
            len(k.inputs),
            [*ints(k.alignments), *(VECTOR for _ in self.scratch)],
            [*(m.data for m in k.materialize), *(SCRATCH if self.scratch else ())],
            Region(self.block),
            k.plan,
        )
        out.location = k.location
        return out

    def root_map(self, root: SSAValue) -> isl.MultiAff:
        """From the space of tiles to the axes of a stored value."""
        from ...analysis.regions.kernel_space import output_map

        if (at := output_map(self.space, root)) is not None:
            return at
        if self.space.contraction is None:
            what, need = "a second output of an elementwise region", "give it a region of its own"
        else:
            what = "an output that does not read the contraction one-to-one"
            need = "form-regions stores the contraction first: split the region"
        raise Unsupported(_op(root, self.kernel), what=what, need=need)

    # --- the epilogue -----------------------------------------------------------------------------

    def value(self, value: SSAValue, at: isl.MultiAff) -> SSAValue:
        """The tile of `value` where the space of tiles reads it through `at`; each made once, operands first."""
        from ...analysis.index import affine

        todo = [(value, at)]
        while todo:
            here, there = todo[-1]
            key = (here, affine.text(there))
            steps = [] if here is self.space.start and self.space.contraction else self.operands(here, there)
            missing = [s for s in steps if (s[0], affine.text(s[1])) not in self.tiles]
            if key in self.tiles or not missing:
                todo.pop()
                if key not in self.tiles:
                    self.tiles[key] = self.compute(here, there, [self.tiles[v, affine.text(m)] for v, m in steps])
            else:
                todo += reversed(missing)
        return self.tiles[value, affine.text(at)]

    def operands(self, value: SSAValue, at: isl.MultiAff) -> list[tuple[SSAValue, isl.MultiAff]]:
        """The operands of `value` and the maps through which they are read where `value` is read through `at`."""
        from ...analysis.index import affine

        space = self.space
        return [(s.value, affine.compose(s.map, at, space.points)) for s in space.book[value].accesses]

    def compute(self, value: SSAValue, at: isl.MultiAff, operands: Sequence[SSAValue]) -> SSAValue:
        from ...analysis.index import affine

        space, op = self.space, value.owner
        if value is space.start and space.contraction is not None:
            raise Unsupported(
                _op(value, self.kernel),
                what="an epilogue that reads the contraction at two indices",
                need="form-regions stores the contraction first: split the region",
            )
        tile = pto.TileType(self.sizes, element(value))
        if isinstance(op, tiny.ConstOp):
            number = next(op.value.iter_attrs())
            return self.emit(op, pto.ExpandsOp(number, tile))
        if isinstance(op, region.LoadOp):
            source = self.argument(value)
            load = pto.LoadOp(source, self.offsets, affine.text(at), space.points, self.dims, tile)
            return self.emit(op, load)
        match op:
            case tiny.MovementOp():
                return operands[0]
            case tiny.UnaryOp() if op.fn.data == "cast":
                return self.emit(op, pto.CvtOp(operands[0], element(value)))
            case tiny.UnaryOp() if op.fn.data in pto.UNARY:
                return self.emit(op, pto.UNARY[op.fn.data].create(operands=operands, result_types=[operands[0].type]))
            case tiny.BinaryOp() if op.fn.data == "where":
                return self.emit(op, pto.SelOp(operands[0], operands[1], operands[2]))
            case tiny.BinaryOp() if op.fn.data in COMPARES:
                return self.emit(op, pto.CmpOp(COMPARES[op.fn.data], operands[0], operands[1]))
            case tiny.BinaryOp() if op.fn.data in pto.BINARY:
                return self.emit(op, pto.BINARY[op.fn.data].create(operands=operands, result_types=[operands[0].type]))
            case _:
                raise Unsupported(
                    _op(value, self.kernel),
                    what=f"'{_op(value, self.kernel).name}' in a region",
                    need="a tile operation for it",
                )

    def emit(self, like: Operation, op: Operation) -> SSAValue:
        self.at = like
        return self.add(op)


def _op(value: SSAValue, default: Operation) -> Operation:
    return value.owner if isinstance(value.owner, Operation) else default
