"""The ring, the loop over k and the fragments of one contraction."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xdsl.builder import Builder
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import Float32Type, FloatAttr, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...dialects import nv, pto
from ...dialects.syntax import ints
from ...errors import PlanMismatch, Unsupported
from ..tile_loops import check_loops, constant_value, only_one
from .copies import Copies, Copy

if TYPE_CHECKING:
    pass

log = logging.getLogger(__name__)
WARP = 32


class ContractionLowering(Copies):
    """Adds the contraction to a kernel."""

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
        warp_m = self.times(self.quotient(warp, warps_n), wm, "warp_m")
        warp_n = self.times(self.remainder(warp, warps_n), wn, "warp_n")
        self.warp = warp_m, warp_n
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
            (a, self.side(matmul.a, commit, copies), warp_m, "A"),
            (b, self.side(matmul.b, commit, copies), warp_n, "B"),
        ):
            dn = pto.tile_type(copy.load.result).layout.data == "DN"
            rows_are_k = dn if role == "A" else not dn
            row, column = (kk, warp_offset) if rows_are_k else (warp_offset, kk)
            self.add(nv.LdMatrixOp(copy.ring, slot, row, column, "DN" if dn else "ND", frag))
        self.add(nv.MmaSyncOp(acc, a, b))
        self.close(inside)
        self.close(outside)
        return acc

    def side(self, operand: SSAValue, commit: pto.CommitOp, copies: Sequence[Copy]) -> Copy:
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
