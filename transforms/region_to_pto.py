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

Every load and store carries the access map that the IndexBook gives it, composed down to the space of
tiles. Movements vanish into those maps. Spec: `pto-ir.md §4`, `§6`; `tensor-compiler.ja §1.7` (plan to code).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, ModuleOp, f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from ..dialects import pto, region, tiny
from ..dialects.shapes import EXACT_IN_F32, element, shape
from ..errors import PlanMismatch, PlanMissing, Unsupported
from .plan_regions import epilogue_labels

if TYPE_CHECKING:
    import islpy as isl

    from ..analysis.contraction import Contraction
    from ..analysis.kernel_space import KernelSpace
    from ..dialects.schedule import Schedule


@dataclass(frozen=True)
class RegionToPto(ModulePass):
    """Every `region.kernel` becomes a `pto.kernel` of the same name and signature."""

    name = "region-to-pto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [o for o in op.body.block.ops if isinstance(o, region.RegionKernelOp)]:
            op.body.block.insert_op_before(_TileProgram(kernel).build(), kernel)
            kernel.detach()
            kernel.erase(safe_erase=False)


class _TileProgram:
    """Writes the tile program of one kernel."""

    def __init__(self, kernel: region.RegionKernelOp):
        from ..analysis.kernel_space import kernel_space

        self.kernel = kernel
        name = kernel.sym_name.data
        if kernel.plan is None:
            raise PlanMissing(kernel, kernel=name)
        self.plan: Schedule = kernel.plan.schedule()
        self.space: KernelSpace = kernel_space(kernel)
        if (len(self.plan.tile) == 3) != (self.space.contraction is not None):
            want = "[BM, BN, BK]" if self.space.contraction else "[BM, BN]"
            raise PlanMismatch(
                kernel, kernel=name, problem=f"tile is {list(self.plan.tile)}", help=f"this region needs tile = {want}"
            )
        labels = epilogue_labels(kernel, self.space)
        if self.plan.epilogue != labels:
            raise PlanMismatch(
                kernel,
                kernel=name,
                problem=f"it labels the epilogue {list(self.plan.epilogue)}, the region computes {list(labels)}",
                help="the region decides: correct the plan's epilogue or run plan-regions on the region without a plan",
            )
        self.check_plan()
        self.block = Block(arg_types=[a.type for a in kernel.body.block.args])
        for new, old in zip(self.block.args, kernel.body.block.args, strict=True):
            new.name_hint = old.name_hint or None
        self.tile = Block(arg_types=[IndexType()] * len(self.space.points))
        outer = self.space.outer
        for k, arg in enumerate(self.tile.args):
            arg.name_hint = f"b{k}" if k < outer else "mn"[k - outer]
        self.builder = Builder(InsertPoint.at_end(self.tile))
        self.tiles: dict[tuple[SSAValue, str], SSAValue] = {}

    def check_plan(self) -> None:
        """What a plan may ask for and this lowering does not do is an error, never ignored."""
        from ..dialects.schedule import Cache, LocalEdge

        plan, contraction = self.plan, self.space.contraction is not None
        sizes = dict(zip(("m.i.i", "n.i.i", "k.i.i"), (self.space.m, self.space.n, self.space.k), strict=True))
        tails = {axis for (axis, size), step in zip(sizes.items(), plan.tile, strict=False) if size % step}
        edges = (LocalEdge(source="sum", target=plan.epilogue[0]),) if contraction and plan.epilogue else ()
        warps = {"m.i.o": "warp.y", "n.i.o": "warp.x"}
        rules = (
            (
                plan.algo_choice in ({}, {"matmul": "implicit_gemm"}),
                "algo_choice",
                'matmul = "implicit_gemm", or nothing',
            ),
            (
                set(plan.cache) == ({Cache(tensor="A"), Cache(tensor="B")} if contraction else set()),
                "cache",
                "A and B in smem at k.i with pingpong" if contraction else "empty, nothing is staged",
            ),
            (
                set(plan.predicate_tail) == tails,
                "predicate_tail",
                f"{sorted(tails)}, the axes that the tile does not divide",
            ),
            (
                plan.local_edges in ((), edges),
                "local_edges",
                f"{[(e.source, e.target, e.buffer) for e in edges]}, or nothing",
            ),
            (plan.vectorize.axis == "n.i.i", "vectorize", 'axis = "n.i.i"'),
            (
                set(plan.bind) <= {"m.o", "n.o", *warps} and all(plan.bind.get(k, v) == v for k, v in warps.items()),
                "bind",
                "m.o, n.o on blocks, m.i.o on warp.y and n.i.o on warp.x",
            ),
            (
                all(
                    type(v) is bool if k in ("A_swizzle", "B_swizzle") else (k, v) == ("C_stride", "row")
                    for k, v in plan.layout_hints.items()
                ),
                "layout_hints",
                'A_swizzle and B_swizzle true or false, C_stride = "row"',
            ),
        )
        for holds, field, want in rules:
            if not holds:
                raise PlanMismatch(
                    self.kernel,
                    kernel=self.kernel.sym_name.data,
                    problem=f"{field} asks for what this lowering does not do",
                    help=f"{field} must be: {want}",
                )

    @property
    def bm(self) -> int:
        return self.plan.tile[0]

    @property
    def bn(self) -> int:
        return self.plan.tile[1]

    def build(self) -> pto.PtoKernelOp:
        from ..analysis import affine
        from ..analysis.kernel_space import yielded

        space = self.space
        if space.contraction is not None:
            self.at = space.contraction.op
            self.tiles[space.start, affine.text(space.values)] = self.contract(space.contraction)
        for root, out in zip(yielded(self.kernel), self.kernel.outputs, strict=True):
            self.at = root.owner if isinstance(root.owner, Operation) else self.kernel
            at = self.root_map(root)
            tile = self.value(root, at)
            self.add(
                pto.StoreOp(
                    tile, self.block.args[out.index], self.offsets(), affine.text(at), space.points, self.dims()
                )
            )
        steps = [1] * space.outer + [self.bm, self.bn]
        tiles = pto.TilesOp(space.points, steps, Region(self.tile))
        tiles.location = self.kernel.location
        self.block.add_op(tiles)
        k = self.kernel
        out = pto.PtoKernelOp(
            k.sym_name.data,
            len(k.inputs),
            list(k.alignments.get_values()),
            [m.data for m in k.materialize],
            Region(self.block),
            k.plan,
        )
        out.location = k.location
        return out

    # --- helpers ----------------------------------------------------------------------------------

    def add(self, op: Operation) -> Operation:
        """Inserts an op with the location of the op that it comes from."""
        op.location = self.at.location
        return self.builder.insert(op)

    def offsets(self) -> list[SSAValue]:
        return list(self.tile.args)

    def dims(self) -> tuple[int, int]:
        return self.space.outer, self.space.outer + 1

    def argument(self, value: SSAValue) -> SSAValue:
        """The kernel argument that a loaded value comes from."""
        op = value.owner
        if isinstance(op, region.LoadOp) and isinstance(op.memref.owner, Block):
            return self.block.args[self.kernel.body.block.args.index(op.memref)]  # pyright: ignore[reportArgumentType]
        raise Unsupported(
            op if isinstance(op, Operation) else self.kernel,
            what="an operand of a contraction that is computed in the same region",
            need="form-regions stores it first: give it its own region",
        )

    def root_map(self, root: SSAValue) -> isl.MultiAff:
        """From the space of tiles to the axes of a stored value."""
        from ..analysis import affine
        from ..analysis.kernel_space import paths

        space = self.space
        if root is space.start:
            return space.values
        if space.contraction is None:
            raise Unsupported(
                _op(root, self.kernel),
                what="a second output of an elementwise region",
                need="give it a region of its own",
            )
        maps = [p.map for p in paths(root, space.book, space.start) if p.value is space.start]
        back = affine.inverse(maps[0], shape(root), shape(space.start)) if len(maps) == 1 else None
        if back is None:
            raise Unsupported(
                _op(root, self.kernel),
                what="an output that does not read the contraction one-to-one",
                need="form-regions stores the contraction first: split the region",
            )
        return affine.compose(back, space.values, space.points)

    # --- the contraction --------------------------------------------------------------------------

    def contract(self, c: Contraction) -> SSAValue:
        """The ring, the loop over k, and the finished tile as a vector tile."""
        left, right, accum = c.dtypes
        if left != right or not isinstance(left, EXACT_IN_F32) or accum != f32:
            raise Unsupported(
                c.op,
                what=f"a contraction of {left} and {right} into {accum}",
                need="mma.sync m16n8k16 multiplies f16 or bf16 operands into f32: cast the operands, or wait for the FMA template",
            )
        bk = self.plan.tile[2]
        a = self.operand_tile(c.lhs.value, c.lhs.map, (self.bm, bk), (self.space.outer, self.space.outer + 2), left)
        b = self.operand_tile(c.rhs.value, c.rhs.map, (bk, self.bn), (self.space.outer + 2, self.space.outer + 1), left)
        ring = cast(pto.ChannelOp, self.add(pto.ChannelOp(pto.ChannelType(cast(int, self.plan.stages), (a, b)))))
        ring.result.name_hint = "ring"
        bounds = [
            cast(arith.ConstantOp, self.add(arith.ConstantOp(IntegerAttr(v, IndexType())))).result
            for v in (0, self.space.k, bk)
        ]
        self.produce(c, ring.result, bounds, a, b)
        zero = self.add(pto.ExpandsOp(FloatAttr(0.0, f32), pto.TileType((self.bm, self.bn), f32, "Acc")))
        loop = Block(arg_types=[IndexType(), zero.results[0].type])
        loop.args[0].name_hint = "k"
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(loop))
        at, bt = self.add(pto.WaitOp(ring.result)).results
        al = self.add(pto.MoveToLeftOp(at)).results[0]
        br = self.add(pto.MoveToRightOp(bt)).results[0]
        acc = self.add(pto.MatmulAccOp(loop.args[1], al, br)).results[0]
        self.add(pto.ReleaseOp(ring.result))
        self.add(scf.YieldOp(acc))
        self.builder = outside
        done = self.add(scf.ForOp(bounds[0], bounds[1], bounds[2], [zero.results[0]], Region(loop)))
        return self.add(pto.MoveToVecOp(done.results[0])).results[0]

    def produce(
        self, c: Contraction, ring: SSAValue, bounds: Sequence[SSAValue], a: pto.TileType, b: pto.TileType
    ) -> None:
        from ..analysis import affine

        outer = self.space.outer
        loop = Block(arg_types=[IndexType()])
        loop.args[0].name_hint = "k"
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(loop))
        self.add(pto.AcquireOp(ring))
        tiles: list[SSAValue] = []
        for access, tile, dims in ((c.lhs, a, (outer, outer + 2)), (c.rhs, b, (outer + 2, outer + 1))):
            at = affine.compose(access.map, self.space.iteration, self.space.sizes)
            offsets = [*self.offsets(), loop.args[0]]
            load = pto.LoadOp(self.argument(access.value), offsets, affine.text(at), self.space.sizes, dims, tile)
            tiles.append(self.add(load).results[0])
        self.add(pto.CommitOp(ring, tiles))
        self.add(scf.YieldOp())
        process = Block()
        self.builder = Builder(InsertPoint.at_end(process))
        self.add(scf.ForOp(bounds[0], bounds[1], bounds[2], [], Region(loop)))
        self.builder = outside
        self.add(pto.ProcessOp(Region(process)))

    def operand_tile(
        self, value: SSAValue, access: isl.MultiAff, sizes: tuple[int, int], dims: tuple[int, int], dtype: Attribute
    ) -> pto.TileType:
        """Stored with the axis in contiguous rows along which memory is contiguous."""
        from ..analysis import affine
        from ..analysis.kernel_space import is_affine, linear_address, stride

        at = affine.compose(access, self.space.iteration, self.space.sizes)
        address = linear_address(shape(value), at, self.space.sizes)
        rows, columns = (stride(address, d) for d in dims) if is_affine(address) else (0, 1)
        layout = "DN" if rows == 1 and columns != 1 else "ND"
        return pto.TileType(sizes, dtype, "Mat", layout)

    # --- the epilogue -----------------------------------------------------------------------------

    def value(self, value: SSAValue, at: isl.MultiAff) -> SSAValue:
        """The tile of `value` where the space of tiles reads it through `at`; each made once, operands first."""
        from ..analysis import affine

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
        from ..analysis import affine

        space = self.space
        return [(s.value, affine.compose(s.map, at, space.points)) for s in space.book[value].accesses]

    def compute(self, value: SSAValue, at: isl.MultiAff, operands: Sequence[SSAValue]) -> SSAValue:
        from ..analysis import affine

        space, op = self.space, value.owner
        if value is space.start and space.contraction is not None:
            raise Unsupported(
                _op(value, self.kernel),
                what="an epilogue that reads the contraction at two indices",
                need="form-regions stores the contraction first: split the region",
            )
        tile = pto.TileType((self.bm, self.bn), element(value))
        if isinstance(op, tiny.ConstOp):
            number = next(op.value.iter_attrs())
            return self.emit(op, pto.ExpandsOp(number, tile))
        if isinstance(op, region.LoadOp):
            source = self.argument(value)
            load = pto.LoadOp(source, self.offsets(), affine.text(at), space.points, self.dims(), tile)
            return self.emit(op, load)
        match op:
            case tiny.MovementOp():
                return operands[0]
            case tiny.UnaryOp() if op.fn.data == "cast":
                return self.emit(op, pto.CvtOp(operands[0], element(value)))
            case tiny.UnaryOp():
                return self.emit(op, pto.UNARY[op.fn.data].create(operands=operands, result_types=[operands[0].type]))
            case tiny.BinaryOp() if op.fn.data == "where":
                return self.emit(op, pto.SelOp(operands[0], operands[1], operands[2]))
            case tiny.BinaryOp() if op.fn.data in pto.COMPARES:
                return self.emit(op, pto.CmpOp(pto.COMPARES[op.fn.data], operands[0], operands[1]))
            case tiny.BinaryOp():
                return self.emit(op, pto.BINARY[op.fn.data].create(operands=operands, result_types=[operands[0].type]))
            case _:
                raise Unsupported(
                    _op(value, self.kernel),
                    what=f"'{_op(value, self.kernel).name}' in a region",
                    need="a tile operation for it",
                )

    def emit(self, like: Operation, op: Operation) -> SSAValue:
        self.at = like
        return self.add(op).results[0]


def _op(value: SSAValue, default: Operation) -> Operation:
    return value.owner if isinstance(value.owner, Operation) else default
