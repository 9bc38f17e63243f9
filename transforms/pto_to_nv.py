"""
`pto-to-nv`: a tile program becomes a GPU kernel for the plan's architecture. SM80 here.

```
pto.tiles        →   one block a tile; offsets from the block's number, by the plan's bind
channel, process →   a ring in shared memory, cp.async groups:
                       for s < stages-1: copy slot s; commit              prologue
                       for each step: wait_group stages-2; barrier        the oldest slot has landed
                                      copy step+stages-1; commit          into the slot freed one step ago
                                      for kk < BK/16: ldmatrix; mma_sync
vector ops       →   one nv.epilogue on the fragments
```

One barrier a step is enough: it publishes the landed slot to all warps, and it follows every read of the
slot that is overwritten next. Spec: `tensor-compiler.ja §1.7` (plan to code), `§1.8`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import (
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    f32,
)
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.traits import SymbolTable

from ..analysis.arch import ARCHS, GRID_LIMIT
from ..analysis.statistics import count
from ..analysis.tile_access import contiguous, element_address
from ..dialects import nv, pto
from ..dialects.kernel import free_symbol
from ..dialects.region import LaunchOp
from ..dialects.shapes import EXACT_IN_F32, memref_of
from ..dialects.syntax import ints
from ..errors import PlanMismatch, PlanMissing, PtirError, Unsupported
from .tile_loops import check_loops, constant_value, only_one
from .tile_scalars import FLOATS, scalar, scalar_type

if TYPE_CHECKING:
    import islpy as isl

    from ..dialects.schedule import Schedule

log = logging.getLogger(__name__)

KERNELS = "kernels"
WARP = 32
INT_MAX = 2**31 - 1


@dataclass(frozen=True)
class PtoToNv(ModulePass):
    """All `pto.kernel`s move into one `gpu.module`; launches get their grid, block and shared memory."""

    name = "pto-to-nv"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [o for o in op.body.block.ops if isinstance(o, pto.PtoKernelOp)]
        if not kernels:
            return
        lowered: dict[Operation | None, _Kernel] = {k: _Kernel(k) for k in kernels}
        functions = [_built(kernel) for kernel in lowered.values()]
        name = free_symbol(op, KERNELS)
        module = gpu.ModuleOp.create(properties={"sym_name": StringAttr(name)}, regions=[Region(Block(functions))])
        module.location = kernels[0].location
        op.body.block.insert_op_before(module, kernels[0])
        for launch in [o for o in op.walk() if isinstance(o, LaunchOp)]:
            kernel = lowered.get(SymbolTable.lookup_symbol(launch, launch.kernel))
            if kernel is None:  # its kernel is on another level, or in another module
                continue
            new = nv.LaunchOp(
                SymbolRefAttr(name, [launch.kernel.string_value()]),
                kernel.grid,
                (kernel.plan.threads, 1, 1),
                kernel.shared,
                launch.operands,
            )
            new.location = launch.location
            block = cast(Block, launch.parent)
            block.insert_op_before(new, launch)
            launch.detach()
            launch.erase()
        for kernel in kernels:
            kernel.detach()
            kernel.erase(safe_erase=False)


def _built(kernel: _Kernel) -> gpu.FuncOp:
    """The kernel lowered; a type that refuses its parameters is at fault where it was to be used."""
    try:
        return kernel.build()
    except PtirError as error:
        error.op = error.op or kernel.at
        raise


@dataclass(frozen=True)
class _Copy:
    """How a tile gets from a memref into a slot: in memory order, with the widest legal copies."""

    load: pto.LoadOp
    ring: SSAValue
    address: str
    dims: tuple[int, int]
    guards: tuple[int, ...]
    bytes: int


class _Kernel:
    """Lowers one kernel; afterwards `grid` and `shared` say how to launch it."""

    def __init__(self, kernel: pto.PtoKernelOp):
        self.kernel = kernel
        if kernel.plan is None:
            raise PlanMissing(kernel, kernel=kernel.sym_name.data)
        self.plan: Schedule = kernel.plan.schedule()
        if self.plan.arch not in ARCHS:
            raise Unsupported(
                kernel,
                what=f"arch {self.plan.arch} in pto-to-nv",
                need=f"the SM80 template exists: plan for one of {', '.join(ARCHS)}",
            )
        self.tiles = cast(pto.TilesOp, kernel.body.block.first_op)
        self.shared = 0
        self.block = Block(arg_types=[a.type for a in kernel.body.block.args])
        self.map: dict[SSAValue, SSAValue] = dict(zip(kernel.body.block.args, self.block.args, strict=True))
        for new, old in zip(self.block.args, kernel.body.block.args, strict=True):
            new.name_hint = old.name_hint or None
        self.ranges: dict[SSAValue, tuple[int, int]] = {}  # an offset → its step and its largest value
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.at: Operation = kernel
        self.index_constants: dict[int, SSAValue] = {}
        self.grid = self.grid_sizes()

    # --- building blocks --------------------------------------------------------------------------

    def add(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Inserts an op with the location of the tile op that it comes from; gives its first result."""
        op.location = self.at.location
        self.builder.insert(op)
        for result in op.results:
            result.name_hint = hint
        return op.results[0] if op.results else cast(SSAValue, None)

    def index(self, value: int) -> SSAValue:
        """An index constant, made once at the head of the kernel."""
        if value not in self.index_constants:
            op = arith.ConstantOp(IntegerAttr(value, IndexType()))
            first = self.block.first_op
            if first is None:
                self.block.add_op(op)
            else:
                self.block.insert_op_before(op, first)
            op.result.name_hint = f"c{value}"
            self.index_constants[value] = op.result
        return self.index_constants[value]

    def times(self, value: SSAValue, factor: int, hint: str | None = None) -> SSAValue:
        return (
            value
            if factor == 1 or value is self.index_constants.get(0)
            else self.add(arith.MuliOp(value, self.index(factor)), hint)
        )

    def plus(self, left: SSAValue, right: SSAValue, hint: str) -> SSAValue:
        zero = self.index_constants.get(0)
        if zero in (left, right):
            return right if left is zero else left
        return self.add(arith.AddiOp(left, right), hint)

    def quotient(self, value: SSAValue, by: int, hint: str | None = None) -> SSAValue:
        return value if by == 1 else self.add(arith.DivUIOp(value, self.index(by)), hint)

    def remainder(self, value: SSAValue, by: int, hint: str | None = None) -> SSAValue:
        return self.index(0) if by == 1 else self.add(arith.RemUIOp(value, self.index(by)), hint)

    def loop(self, count: int, step: int, hint: str) -> tuple[Builder, SSAValue]:
        """Opens `for hint = 0 to count step step`; the caller restores the builder it gets."""
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = hint
        loop = scf.ForOp(self.index(0), self.index(count), self.index(step), [], Region(body))
        loop.location = self.at.location
        self.builder.insert(loop)
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(body))
        return outside, body.args[0]

    def close(self, outside: Builder) -> None:
        self.add(scf.YieldOp())
        self.builder = outside

    # --- the grid ---------------------------------------------------------------------------------

    def grid_sizes(self) -> tuple[int, int, int]:
        *outer, m, n = self.tiles.counts
        z = 1
        for tiles in outer:
            z *= tiles
        place = {self.plan.bind.get("m.o", "block.y"): m, self.plan.bind.get("n.o", "block.x"): n}
        if set(place) != {"block.x", "block.y"}:
            raise PlanMismatch(
                self.kernel,
                kernel=self.kernel.sym_name.data,
                problem=f"bind has m.o and n.o on {', '.join(sorted(place))}",
                help='bind one to "block.x" and the other to "block.y"',
            )
        for size, step in zip(ints(self.tiles.sizes), ints(self.tiles.steps), strict=True):
            if size + step > INT_MAX:
                raise Unsupported(
                    self.kernel, what=f"an axis of {size} elements", need="axes of less than 2^31: indices are 32-bit"
                )
        self.across = place["block.x"]
        self.folded = z > GRID_LIMIT[2]
        grid = (self.across * z, place["block.y"], 1) if self.folded else (self.across, place["block.y"], z)
        for axis, got, limit in zip("xyz", grid, GRID_LIMIT, strict=True):
            if got > limit:
                raise Unsupported(
                    self.kernel,
                    what=f"a grid of {got} blocks along {axis}",
                    need=f"at most {limit}: a larger tile, or a persistent kernel",
                )
        return grid

    def block_number(self, axis: str) -> SSAValue:
        return self.add(gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum(axis))))

    def bind_tiles(self) -> None:
        """
        Gives the arguments of `pto.tiles` their values from the block's number. The axes before m and n count
        along z or, where z cannot count them, along x as its slower part.
        """
        counts, steps = self.tiles.counts, ints(self.tiles.steps)
        args = self.tiles.body.block.args
        outer = len(args) - 2
        self.ranges |= {a: (step, (n - 1) * step) for a, n, step in zip(args, counts, steps, strict=True)}
        for k, key, default in ((outer, "m.o", "block.y"), (outer + 1, "n.o", "block.x")):
            if counts[k] == 1:
                self.map[args[k]] = self.index(0)
                continue
            axis = self.plan.bind.get(key, default)[-1]
            block = self.block_number(axis)
            if self.folded and axis == "x":
                block = self.remainder(block, self.across)
            self.map[args[k]] = self.times(block, steps[k], args[k].name_hint)
        rest: SSAValue | None = None
        for k in reversed(range(outer)):
            if counts[k] == 1:
                self.map[args[k]] = self.index(0)
                continue
            if rest is None:
                rest = self.quotient(self.block_number("x"), self.across) if self.folded else self.block_number("z")
            last = all(c == 1 for c in counts[:k])
            place = rest if last else self.remainder(rest, counts[k])
            rest = rest if last else self.quotient(rest, counts[k])
            self.map[args[k]] = self.times(place, steps[k], args[k].name_hint)

    # --- the kernel -------------------------------------------------------------------------------

    def build(self) -> gpu.FuncOp:
        self.bind_tiles()
        ops = list(self.tiles.body.block.ops)
        process = next((o for o in ops if isinstance(o, pto.ProcessOp)), None)
        acc: SSAValue | None = None
        if process is not None:
            acc = self.contraction(process, ops)
        self.epilogue(ops, acc)
        self.add(gpu.ReturnOp([]))
        function = gpu.FuncOp(
            self.kernel.sym_name.data,
            ([a.type for a in self.block.args], []),
            Region(self.block),
            kernel=True,
            known_block_size=(self.plan.threads, 1, 1),
        )
        function.location = self.kernel.location
        return function

    # --- the contraction --------------------------------------------------------------------------

    def contraction(self, process: pto.ProcessOp, ops: Sequence[Operation]) -> SSAValue:
        """Copies, ring, fragments and loop of the one contraction; gives the accumulator."""
        producer = only_one(process.body.block.ops, scf.ForOp, process, "a process is one loop")
        consumer = next((o for o in ops if isinstance(o, scf.ForOp)), None)
        if consumer is None:
            raise Unsupported(
                process, what="a channel without a consuming loop", need="a loop over wait, matmul.acc and release"
            )
        for left, right in zip(producer.operands[:3], consumer.operands[:3], strict=True):
            if left is not right:
                raise Unsupported(
                    consumer, what="a consumer with another range than its producer", need="loops with the same bounds"
                )
        start, stop, step = (constant_value(v, consumer) for v in producer.operands[:3])
        if step < 1 or start % step:
            raise Unsupported(producer, what=f"a loop from {start} in steps of {step}", need="whole steps, upwards")
        steps = max(0, -(-(stop - start) // step))
        self.ranges[producer.body.block.args[0]] = (step, start + max(0, steps - 1) * step)
        commit = only_one(producer.body.block.ops, pto.CommitOp, producer, "a producer commits once a step")
        matmul = only_one(consumer.body.block.ops, pto.MatmulAccOp, consumer, "a consumer has one matmul.acc")
        init = consumer.iter_args[0].owner if consumer.iter_args else None
        if not isinstance(init, pto.ExpandsOp) or cast("FloatAttr[Float32Type]", init.value).value.data != 0.0:
            raise Unsupported(
                consumer, what="an accumulator that does not start at zero", need="start it with pto.tile.expands 0.0"
            )
        check_loops(producer, consumer, commit, matmul, ops)
        channel = cast(pto.ChannelType, commit.channel.type)
        stages = channel.depth.data
        copies = [self.copy(tile, stages, name) for tile, name in zip(commit.tiles, "ABCDEFGH", strict=False)]

        self.at = matmul
        if len(self.plan.tile) != 3:
            raise PlanMismatch(
                self.kernel,
                kernel=self.kernel.sym_name.data,
                problem=f"tile is {list(self.plan.tile)}",
                help="this tile program contracts: it needs tile = [BM, BN, BK], stages and warp_tile",
            )
        wm, wn = self.plan.warp
        bm, bn = pto.tile_type(matmul.result).sizes
        dtype = pto.tile_type(matmul.a).element_type
        if (accum := pto.tile_type(matmul.result).element_type) != f32:
            raise Unsupported(matmul, what=f"an accumulator of {accum}", need="mma.sync sums in f32")
        warps_n = bn // wn
        if (bm % wm, bn % wn) != (0, 0) or bm // wm * warps_n * WARP != self.plan.threads:
            raise PlanMismatch(
                self.kernel,
                kernel=self.kernel.sym_name.data,
                problem=f"its tile {self.plan.tile[0]}x{self.plan.tile[1]} is not the program's {bm}x{bn}",
                help="keep tile and warp_tile in step with the pto.tiles that they describe",
            )
        thread = self.add(gpu.ThreadIdOp(gpu.DimensionAttr(gpu.DimensionEnum.X)), "thread")
        warp = self.quotient(thread, WARP, "warp")
        self.warp_m = self.times(self.quotient(warp, warps_n), wm, "warp_m")
        self.warp_n = self.times(self.remainder(warp, warps_n), wn, "warp_n")
        acc = self.add(nv.FragOp(nv.FragType((wm, wn), matmul.result.type.element_type, "C")), "acc")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        a = self.add(nv.FragOp(nv.FragType((wm, 16), dtype, "A")), "a")
        b = self.add(nv.FragOp(nv.FragType((16, wn), dtype, "B")), "b")

        def fill(step_number: SSAValue, slot: SSAValue) -> None:
            self.at = producer
            k = self.times(step_number, step)
            if start:
                k = self.add(arith.AddiOp(k, self.index(start)))
            self.map[producer.body.block.args[0]] = k
            k.name_hint = "k"
            for copy in copies:
                self.at = copy.load
                offsets = [self.map[o] for o in copy.load.offsets]
                source = self.map[copy.load.memref]
                self.add(
                    nv.CpAsyncOp(
                        source,
                        offsets,
                        copy.ring,
                        slot,
                        copy.address,
                        ints(copy.load.bounds),
                        copy.dims,
                        copy.guards,
                        copy.bytes,
                    )
                )

        ahead = stages - 1
        first = min(ahead, steps)
        outside, s = self.loop(first, 1, "s")
        fill(s, s)
        self.add(nv.CommitGroupOp())
        self.close(outside)
        for _ in range(ahead - first):
            self.add(nv.CommitGroupOp())

        outside, it = self.loop(steps, 1, "step")
        self.at = consumer
        self.add(nv.WaitGroupOp(stages - 2))
        self.add(gpu.BarrierOp())
        if steps > ahead:
            after = self.add(arith.AddiOp(it, self.index(ahead)), "next")
            more = self.add(arith.CmpiOp(after, self.index(steps), "ult"))
            then = Block()
            inside, self.builder = self.builder, Builder(InsertPoint.at_end(then))
            fill(after, self.add(arith.RemUIOp(after, self.index(stages)), "free"))
            self.close(inside)
            self.at = consumer
            self.add(scf.IfOp(more, [], Region(then)))
        self.add(nv.CommitGroupOp())
        slot = self.add(arith.RemUIOp(it, self.index(stages)), "slot")
        bk = pto.tile_type(matmul.a).sizes[1]
        inside, kk = self.loop(bk, 16, "kk")
        self.at = matmul
        for frag, copy, warp_offset, role in (
            (a, self.side(matmul.a, commit, copies), self.warp_m, "A"),
            (b, self.side(matmul.b, commit, copies), self.warp_n, "B"),
        ):
            dn = pto.tile_type(copy.load.result).layout.data == "DN"
            rows_are_k = dn if role == "A" else not dn
            row, column = (kk, warp_offset) if rows_are_k else (warp_offset, kk)
            self.add(nv.LdMatrixOp(copy.ring, slot, row, column, "DN" if dn else "ND", frag))
        self.add(nv.MmaSyncOp(acc, a, b))
        self.close(inside)
        self.close(outside)
        return acc

    def side(self, operand: SSAValue, commit: pto.CommitOp, copies: Sequence[_Copy]) -> _Copy:
        """Follows a matmul operand back through its move to the wait, and so to the copy that feeds it."""
        move = operand.owner
        if isinstance(move, pto.MoveOp) and isinstance(move.input.owner, pto.WaitOp):
            wait = move.input.owner
            if wait.channel is commit.channel:
                return copies[list(wait.tiles).index(move.input)]  # pyright: ignore[reportArgumentType]
        raise Unsupported(
            move if isinstance(move, Operation) else commit,
            what="a matmul operand that does not come from the channel",
            need="move a tile of pto.channel.wait",
        )

    def copy(self, tile: SSAValue, stages: int, name: str) -> _Copy:
        """Allocates the ring of one operand and chooses the width of its copies from the proven alignment."""
        load = cast(pto.LoadOp, tile.owner)
        self.at = load
        t = pto.tile_type(tile)
        if not isinstance(t.element_type, EXACT_IN_F32):
            raise Unsupported(load, what=f"a contraction of {t.element_type}", need="operands of f16 or bf16")
        dims = cast(tuple[int, int], ints(load.dims))
        rows, columns = t.sizes
        if t.layout.data == "DN":
            dims, rows, columns = (dims[1], dims[0]), columns, rows
        hint = self.plan.layout_hints.get(f"{name}_swizzle", True)
        ring_type = nv.SmemType((stages, rows, columns), t.element_type, "xor" if hint else "none")
        ring = self.add(nv.SmemOp(self.shared, ring_type), f"smem_{name.lower()}")
        self.shared += -(-ring_type.bytes // 128) * 128
        address = element_address(load)
        width = contiguous(ints(load.bounds), address, dims[1], self.alignment(load) // 2, (8, 4, 2, 1))
        guards = self.tails(load, dict(zip(dims, (rows, columns), strict=True)))
        log.debug("copies of %s move %d bytes each", name, 2 * width, extra={"op": load})
        count(f"operands copied {2 * width} bytes at a time")
        return _Copy(load, ring, str(_as_map(address)), dims, guards, 2 * width)

    def alignment(self, access: pto.LoadOp | pto.StoreOp) -> int:
        """Bytes to which the base of the memref is proven to be aligned."""
        return self.kernel.alignment(cast(BlockArgument, access.memref))

    def tails(self, access: pto.LoadOp | pto.StoreOp, tile: dict[int, int]) -> tuple[int, ...]:
        """The tiled axes whose last tile reaches past the box. Offsets are multiples of the tile, inside the box."""
        bounds = ints(access.bounds)
        for axis, offset in enumerate(access.offsets):
            if offset not in self.ranges:
                raise Unsupported(access, what="a computed offset", need="the arguments of pto.tiles and of the loop")
            (step, last), size = self.ranges[offset], tile.get(axis, 1)
            if (last and step % size) or last >= bounds[axis]:
                raise Unsupported(
                    access,
                    what=f"offsets up to {last} in steps of {step} for {size} of {bounds[axis]} along axis {axis}",
                    need="steps that are multiples of the tile, and no tile outside the box",
                )
        return tuple(axis for axis, size in tile.items() if bounds[axis] % size)

    # --- the epilogue -----------------------------------------------------------------------------

    def epilogue(self, ops: Sequence[Operation], acc: SSAValue | None) -> None:
        """All vector ops after the contraction, as scalars of one nv.epilogue."""
        stores = [o for o in ops if isinstance(o, pto.StoreOp)]
        loads = [o for o in ops if isinstance(o, pto.LoadOp)]
        if not stores:
            raise Unsupported(
                self.kernel, what="a tile program that stores nothing", need="at least one pto.tile.store"
            )
        self.at = stores[0]
        accesses = (*loads, *stores)
        first = stores[0]
        for access in accesses:
            if (
                ints(access.dims) != ints(first.dims)
                or ints(access.bounds) != ints(first.bounds)
                or list(access.offsets) != list(first.offsets)
            ):
                raise Unsupported(
                    access,
                    what="an epilogue over several index spaces",
                    need="loads and stores with the same offsets, bounds and dims",
                )
        dims, bounds = cast(tuple[int, int], ints(first.dims)), ints(first.bounds)
        addresses = [element_address(a) for a in accesses]
        widths = [self.vector_width(a, at, dims[1], acc is not None) for a, at in zip(accesses, addresses, strict=True)]
        guards = self.tails(first, dict(zip(dims, pto.tile_type(first.tile).sizes, strict=True)))
        offsets = [self.map[o] for o in first.offsets]
        tile: tuple[int, ...] = pto.tile_type(first.tile).sizes
        if acc is not None:
            tile = self.plan.warp
            offsets[dims[0]] = self.plus(offsets[dims[0]], self.warp_m, "row")
            offsets[dims[1]] = self.plus(offsets[dims[1]], self.warp_n, "column")
        types = [memref_of(a.memref).element_type for a in loads]
        if acc is not None:
            types.insert(0, nv.frag(acc).element_type)
        body = Block(arg_types=types)
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(body))
        scalars: dict[SSAValue, SSAValue] = {}
        for load, arg in zip(loads, body.args[len(types) - len(loads) :], strict=True):
            scalar_type(load, load.result)
            scalars[load.result] = arg
            arg.name_hint = self.map[load.memref].name_hint
        for op in ops:
            self.at = op
            if isinstance(op, pto.MoveToVecOp) and acc is not None:
                scalars[op.result] = body.args[0]
                body.args[0].name_hint = "acc"
            elif not isinstance(
                op, pto.LoadOp | pto.StoreOp | pto.ChannelOp | pto.ProcessOp | scf.ForOp | arith.ConstantOp
            ):
                if not op.results or not isinstance(t := op.results[0].type, pto.TileType):
                    raise Unsupported(op, what=f"'{op.name}' in a tile program", need="vector ops on Vec tiles")
                if t.loc.data == "Vec":
                    if missing := [o for o in op.operands if o not in scalars]:
                        what = f"'{op.name}' on {missing[0].type} where there is no such tile"
                        raise Unsupported(op, what=what, need="a process that fills the channel, and its loop")
                    scalars[op.results[0]] = scalar(op, [scalars[o] for o in op.operands], self.add)
                elif not isinstance(op, pto.ExpandsOp):
                    raise Unsupported(op, what=f"'{op.name}' in an epilogue", need="vector ops on Vec tiles")
        self.add(nv.YieldOp([scalars[s.tile] for s in stores]))
        self.builder = outside
        self.at = stores[0]
        self.add(
            nv.EpilogueOp(
                acc,
                offsets,
                [self.map[a.memref] for a in loads],
                [self.map[a.memref] for a in stores],
                bounds,
                dims,
                guards,
                tile,
                [str(_as_map(at)) for at in addresses],
                widths,
                Region(body),
            )
        )

    def vector_width(self, access: pto.LoadOp | pto.StoreOp, address: isl.Aff, column: int, fragment: bool) -> int:
        """
        Neighbours that one access moves: at most the plan's vectorize, and the rows of memory and of the tile,
        which need not be a power of two without a contraction, must divide into them.
        """
        t = memref_of(access.memref).element_type
        size = max(1, t.bitwidth // 8) if isinstance(t, FLOATS) else 1
        limit = min(self.plan.vectorize.width, 16 // size)
        if fragment and self.plan.warp[1] % 32:
            limit = min(limit, 2)
        if not isinstance(t, FLOATS):
            return 1
        rows = ints(access.bounds)[column], ints(self.tiles.steps)[column]
        widths = [w for w in (8, 4, 2, 1) if w <= limit and all(row % w == 0 for row in rows)]
        return contiguous(ints(access.bounds), address, column, self.alignment(access) // size, widths)


def _as_map(address: isl.Aff) -> isl.MultiAff:
    import islpy as isl

    return isl.MultiAff.from_aff(address)
