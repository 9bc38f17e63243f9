"""
One `pto.kernel` as a `gpu.func` for SM90: a producer warpgroup and consumers, which go over the same tiles.

```
head:      rings, mbarriers; one thread initialises them; the blocks of the cluster wait for each other
producer:  for each tile: fill the ring                      ring.py
consumers: for each tile: multiply, epilogue                 contraction.py, epilogue.py
end:       a cluster's blocks wait for each other: their shared memory is written by the others
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import gpu
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ....dialects import nv, pto
from ....dialects.common.syntax import axes_attr
from ....errors import Unsupported
from ....planning.warp_specialized.resources import consumer_registers
from .contraction import Position
from .ring import WARPGROUP
from .stream import StreamK
from .tma import View

REGISTERS = 65536
CODE_OF_EPILOGUE = 88
"""Registers that a consumer needs beside its sums."""


Scratch = tuple[str, Attribute]
"""What for, and its type."""


class Kernel(StreamK):
    """Lowers one kernel; afterwards `grid`, `cluster`, `shared` and `views` say how to launch it."""

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        self.views: list[View] = []
        self.passed: list[int | View | Scratch] = []
        """What a launch passes: its operands of these numbers, views of others, and buffers for its blocks to share."""

    def build(self) -> gpu.FuncOp:
        ops = list(self.tiles.body.block.ops)
        self.combining = self.find_combine(ops)
        process = next((o for o in ops if isinstance(o, pto.ProcessOp)), None)
        if process is None:
            raise Unsupported(
                self.kernel, what="roles for a program without a contraction", need="a plan without roles"
            )
        self.prepare(process, ops)
        if not self.loops.count:
            raise Unsupported(self.loops.consumer, what="roles for a loop without steps", need="a plan without roles")
        self.stage_stores([o for o in self.tiles.walk() if isinstance(o, pto.StoreOp)])
        plan = self.plan
        if self.combining is not None and self.pingpong:
            raise self.mismatch(
                "roles is pingpong, whose warpgroups cannot wait for other blocks in turn", "cooperative, or no split"
            )
        self.deal()
        self.barriers(self.loops.stages, 1 if self.pingpong else plan.consumers)
        self.turns()
        self.at = self.kernel
        with self.single("block"):
            for barriers, arrivals in self.initial:
                self.add(nv.MbarrierInitOp(barriers, arrivals))
            self.add(nv.MbarrierInitFenceOp())
        self.add(nv.ClusterSyncOp() if self.size > 1 else gpu.BarrierOp())
        self.locate()
        with self.role("producer", 0, WARPGROUP):
            self.registers("producer")
            self.at = self.loops.producer
            self.produce(self.loops)
        with self.role("consumer", WARPGROUP, plan.threads):
            self.registers("consumer")
            self.at = self.loops.consumer
            self.consume(ops)
        self.at = self.kernel
        if self.size > 1:
            self.add(nv.ClusterSyncOp())
        self.add(gpu.ReturnOp([]))
        return self.function()

    def registers(self, role: str) -> None:
        """A producer that only starts bulk copies needs few; the consumers get what it leaves, in eights."""
        consumers, (rows, columns) = self.plan.consumers, self.plan.oriented[1]
        if consumers == 1:  # 256 threads have as many as a thread can use
            return
        sums = rows * columns // WARPGROUP * (1 + self.promotes)
        if self.threads_copy and sums + CODE_OF_EPILOGUE <= REGISTERS // self.plan.threads // 8 * 8:
            return
        producer, consumer = consumer_registers(consumers, self.threads_copy)
        self.add(nv.SetMaxRegistersOp(producer if role == "producer" else consumer))

    def consume(self, ops: Sequence[Operation]) -> None:
        """What the consumer warpgroups do for all tiles."""
        self.group = self.add(nv.WarpgroupOp(), "group") if self.plan.consumers > 1 else self.index(0)
        self.warp = self.rows_of_warpgroup(self.group)
        if self.pingpong:
            with self.each_tile([("round", 0)], 2, self.group) as tile:
                at = self.start_of_turn(self.group, tile.carried[0])
                acc, _ = self.sum(at)
                self.end_of_turn(self.group)
                self.after_tile(ops, acc)
                tile.next = [self.plus(tile.carried[0], self.index(1))]
        else:
            with self.each_tile([("slot", 0), ("phase", 0)]) as tile:
                acc, at = self.sum(Position(*tile.carried))
                self.after_tile(ops, acc)
                tile.next = [at.slot, at.phase]
        if self.stages:
            with self.single("warpgroup"):
                self.add(nv.BulkWaitReadOp(0))

    def after_tile(self, ops: Sequence[Operation], acc: SSAValue) -> None:
        """What is done with a block's sum of a tile."""
        self.bind_offsets(ops)
        if self.steps is not None:
            self.join(ops, acc, *self.steps)
        elif self.combining is None:
            self.finish(ops, acc)
        else:
            self.combine(self.combining, [o for o in ops if o is not self.combining], acc)

    def function(self) -> gpu.FuncOp:
        """The kernel; memrefs that only TMA reaches are no arguments of it."""
        made = {view.argument: view for view in self.views} | {
            arg: (kind, arg.type) for arg, kind in self.scratch.items()
        }
        self.passed = [made.get(arg, arg.index) for arg in self.block.args if arg.uses]
        for arg in [a for a in self.block.args if not a.uses]:
            self.block.erase_arg(arg)
        function = gpu.FuncOp(
            self.kernel.sym_name.data,
            ([a.type for a in self.block.args], []),
            Region(self.block),
            kernel=True,
            known_block_size=(self.plan.threads, 1, 1),
        )
        function.location = self.kernel.location
        if self.kernel.plan is not None:
            function.attributes["nv.plan"] = self.kernel.plan
        if self.size > 1:
            function.attributes["nv.cluster"] = axes_attr(self.cluster)
        return function
