"""
The warp-specialized template: lowers a `pto.kernel` to a `gpu.func` with a producer warpgroup and consumer warpgroups.

```
head:      rings, mbarriers; one thread initializes them; cluster sync
producer:  for each tile: fill the ring                      ring.py
consumers: for each tile: multiply, epilogue                 contraction.py, epilogue.py
end:       cluster sync, as other blocks may still write to this block's shared memory
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import gpu
from xdsl.ir import Operation, SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from ....planning.warp_specialized.resources import consumer_registers, divides_registers
from ....targets.architectures import WARPGROUP
from .alternating import AlternatingTiles
from .contraction import Position
from .tma import TensorMap


class WarpSpecializedKernel(AlternatingTiles):
    """Lowers one kernel; afterwards `grid`, `cluster`, `shared` and `passed` say how to launch it."""

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        self.tensor_maps: list[TensorMap] = []
        self.passed: list[int | TensorMap | Operation] = []
        """The arguments to launch the kernel with (`TensorMaps.collect_arguments`)."""

    def build(self) -> gpu.FuncOp:
        ops = list(self.tiles.body.block.ops)
        self.find_combine(ops)
        process = next((o for o in ops if isinstance(o, pto.ProcessOp)), None)
        if process is None:
            raise Unsupported(
                self.kernel,
                what="a plan with roles for a program without a contraction",
                need="use a plan without roles",
            )
        self.prepare(process, ops)
        if not self.loops.count:
            raise Unsupported(
                self.loops.consumer, what="a plan with roles for a loop without steps", need="use a plan without roles"
            )
        self.stage_stores([o for o in self.tiles.walk() if isinstance(o, pto.StoreMapOp)])
        plan = self.plan
        self.schedule_stream_k()
        self.barriers(self.loops.stages, 1 if self.pingpong else plan.consumers)
        self.order_barriers()
        self.at = self.kernel
        with self.single("block"):
            for barriers, arrivals in self.barrier_arrivals:
                self.add(nv.MbarrierInitOp(barriers, arrivals))
            self.add(nv.MbarrierInitFenceOp())
            for view in self.tensor_maps:
                self.add(nv.PrefetchMapOp(view.argument))
        self.add(nv.ClusterSyncOp() if self.size > 1 else gpu.BarrierOp())
        self.locate_block()
        with self.role("producer", 0, WARPGROUP):
            self.registers("producer")
            self.at = self.loops.producer
            self.produce()
        with self.role("consumer", WARPGROUP, plan.threads):
            self.registers("consumer")
            self.at = self.loops.consumer
            self.consume(ops)
        self.at = self.kernel
        if self.size > 1:
            self.add(nv.ClusterSyncOp())
        self.passed = self.collect_arguments(self.scratch)
        return self.function()

    def registers(self, role: str) -> None:
        """
        Writes the setmaxnreg that moves registers from the producer, which needs few if it only starts TMA loads, to the
        consumers.
        """
        consumers, (rows, columns) = self.plan.consumers, self.plan.oriented[1]
        accumulator = rows * columns // WARPGROUP * (2 if self.promotes else self.plan.accumulators)
        if not divides_registers(consumers, accumulator, self.threads_copy):
            return
        producer, consumer = consumer_registers(consumers, self.threads_copy)
        self.add(nv.SetMaxRegistersOp(producer if role == "producer" else consumer))

    def consume(self, ops: Sequence[Operation]) -> None:
        """Writes the consumer warpgroups."""
        self.group = self.add(nv.WarpgroupOp(), "group") if self.plan.consumers > 1 else self.index(0)
        self.warp = self.warpgroup_origin(self.group)
        if self.pingpong:
            with self.each_tile([("round", 0)], 2, self.group) as tile:
                self.bind_tile_offsets()
                at = self.wait_for_order(self.group, tile.carried[0])
                acc, _ = self.accumulate(at)
                self.arrive_order(self.group)
                self.finish_block(ops, acc)
                tile.next = [self.plus(tile.carried[0], self.index(1))]
        elif self.plan.accumulators > 1:
            self.alternate(ops)
        else:
            with self.each_tile([("slot", 0), ("phase", 0)]) as tile:
                self.bind_tile_offsets()
                acc, at = self.accumulate(Position(*tile.carried))
                self.finish_block(ops, acc)
                tile.next = [at.slot, at.phase]
        self.finish_stores()

    def bind_tile_offsets(self) -> None:
        """Computes the offsets of the current tile on which a computed operand depends."""
        if self.computes:
            self.bind_offsets(self.tiles.body.block.ops)

    def finish_block(self, ops: Sequence[Operation], acc: SSAValue) -> None:
        """Writes the code after a block's loop over k: reductions with other blocks, and the epilogue."""
        self.bind_offsets(ops)
        if self.step_range is not None:
            self.reduce_partial(ops, acc, *self.step_range)
        else:
            self.combine_or_finish(ops, acc)
