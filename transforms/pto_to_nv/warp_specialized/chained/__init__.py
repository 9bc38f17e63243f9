"""
Chained products, such as attention: lowers a `pto.kernel` to a `gpu.func` with a producer warpgroup, and consumer warpgroups that
keep the results of the first products in registers, as operands of the second ones.

```
head:      rings, mbarriers; one thread initializes them
producer:  for each tile: the ops of the process                      channels.py
consumers: for each tile: loops over keys, pipelined; epilogue        pipeline.py, rows.py
```
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, gpu
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from .....dialects import nv, pto
from .....planning.warp_specialized.resources import consumer_registers
from .....targets.architectures import ARCHS, WARPGROUP
from .....targets.mma import wgmma_for
from ...chained.program import match_chain
from ..epilogue import StagedStores
from ..tma import TensorMap
from .pipeline import ORDER, Pipeline


class ChainedKernel(StagedStores, Pipeline):
    """Lowers one kernel; afterwards `grid`, `shared` and `passed` say how to launch it."""

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        self.tensor_maps: list[TensorMap] = []
        self.passed: list[int | TensorMap | Operation] = []
        """The arguments to launch the kernel with (`TensorMaps.collect_arguments`)."""

    def build(self) -> gpu.FuncOp:
        self.chain = chain = match_chain(self.tiles)
        self.at = product = chain.loops[0].firsts[0]
        self.find_instruction(wgmma_for)
        self.set_ranges()
        self.begin_rows(self.mma.c, {})
        self.find_deferred_sums(chain)
        self.allocate_channels(chain.process)
        for loop in chain.loops:
            self.bind_counter(loop.op)
        self.stage_stores_that_fit()
        self.at = self.kernel
        with self.single("block"):
            for channel in self.channels.values():
                self.add(nv.MbarrierInitOp(channel.full, 1))
                self.add(nv.MbarrierInitOp(channel.empty, self.plan.consumers))
            self.add(nv.MbarrierInitFenceOp())
            for view in self.tensor_maps:
                self.add(nv.PrefetchMapOp(view.argument))
        self.add(gpu.BarrierOp())
        self.locate_block()
        producer, consumer = consumer_registers(self.plan.consumers, False)
        with self.role("producer", 0, WARPGROUP):
            if self.plan.consumers > 1:
                self.add(nv.SetMaxRegistersOp(producer))
            self.begin_places()
            with self.single("role"), self.each_tile(self.carried_places(self.channels)) as tile:
                self.take_places(self.channels, tile.carried)
                self.bind_bounds()
                self.produce(chain.process.body.block)
                tile.next = self.next_places(self.channels)
        self.at = product
        with self.role("consumer", WARPGROUP, self.plan.threads):
            if self.plan.consumers > 1:
                self.add(nv.SetMaxRegistersOp(consumer))
            self.consume()
        self.passed = self.collect_arguments({})
        return self.function()

    def consume(self) -> None:
        """Writes the consumer warpgroups."""
        consumers = self.plan.consumers
        self.group = self.add(nv.WarpgroupOp(), "group") if consumers > 1 else self.index(0)
        self.warp = self.times(self.group, self.plan.warp[0], "warp_m", "WARP_M"), self.index(0)
        if consumers > 1:  # the first turn of warpgroup 0 does not wait; at the end, it takes the last arrival
            with self.when(self.add(arith.CmpiOp(self.group, self.index(consumers - 1), "eq"), "is_last")):
                self.add(nv.OrderArriveOp(ORDER))
        self.begin_places()
        with self.each_tile(self.carried_places(self.channels)) as tile:
            self.take_places(self.channels, tile.carried)
            self.bind_bounds()
            self.multiply_keys()
            self.finish()
            tile.next = self.next_places(self.channels)
        if consumers > 1:
            with self.when(self.is_zero(self.group)):
                self.add(nv.OrderWaitOp(ORDER))
        self.finish_stores()

    def finish(self) -> None:
        """Writes the epilogue of the current tile."""
        self.compute_after(self.stages)
        for store, stage in self.stages.items():
            self.at = store
            self.store_panels(store, stage, self.held[store.tile], 0)
        self.flush_stores()

    def stage_stores_that_fit(self) -> None:
        """Allocates staging for the results, if shared memory has room for it."""
        shared, maps, arguments = self.shared, len(self.tensor_maps), len(self.block.args)
        stores = [op for op in self.chain.after if isinstance(op, pto.StoreMapOp)]
        self.stage_stores([op for op in stores if self.size_of(op.tile)[1] > 1])
        if self.shared <= ARCHS[self.plan.arch].shared_per_block:
            return
        for stage in self.stages.values():
            Rewriter.erase_op(cast(Operation, stage.ring.owner))
        self.stages, self.shared = {}, shared
        del self.tensor_maps[maps:]
        for argument in reversed(self.block.args[arguments:]):
            self.block.erase_arg(argument)
