"""
The epilogue of a warp-specialized kernel: results are stored by TMA through shared memory, or directly from registers.

```
for each epilogue tile:
  nv.epilogue on its columns of the accumulator
  one thread: wait until the TMA stores of this buffer have read it; sync
  stmatrix to the buffer
  fence; sync; one thread: TMA stores               they overlap with the next epilogue tile, and the next tile's multiplications
```

Where shared memory has the result's rows, each warp stores the 16 rows of each 64 that it holds: the sync is of a warp, and no
warp waits for another. A transposed result has a warp's rows as columns, of which TMA cannot store 16: the sync is then a barrier
of the warpgroup. With a barrier, all buffers are filled before they are stored, which needs fewer barriers.

TMA can store the arrays that it can load (`tma.py`); their elements must be 16-bit floats, f32 or of the accumulator's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import lcm

from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32
from xdsl.ir import Operation, SSAValue

from ....dialects import nv, pto
from ....dialects.common.shapes import memref_of, signless
from ....dialects.common.syntax import ints
from ....planning.warp_specialized.resources import staged_columns
from ....targets.architectures import WARPGROUP
from ....targets.mma import Mma, element_bytes
from ....targets.shared_layouts import PANELS
from ..kernel.splitk import SplitK
from .contraction import ContractionLowering
from .ring import BARRIER
from .tma import Strided, TensorMap, TensorMaps

WGMMA_ROWS, WARP_ROWS = 64, 16
"""The rows of a wgmma's accumulator, and those of them that a warp holds. PTX ISA §9.7.15.5.1."""


@dataclass(frozen=True)
class StagedStore:
    """The shared memory of a TMA store: each warpgroup has `buffers` buffers, each for `columns` columns of the result."""

    tensor_map: TensorMap
    ring: SSAValue
    layout: str
    columns: int
    buffers: int


@dataclass(frozen=True)
class FullBuffer:
    """Columns of a result, from `column` on, in the warpgroup's buffer of this `number`, which is `buffer` of the ring."""

    store: pto.StoreMapOp
    stage: StagedStore
    number: int
    buffer: SSAValue
    column: int


class StagedStores(TensorMaps):
    """Adds stores of results through shared memory to a kernel."""

    mma: Mma
    stages: dict[pto.StoreMapOp, StagedStore]
    full_buffers: list[FullBuffer]
    """The buffers that the warpgroup has filled and not yet stored."""
    store_scope: str
    """The threads of which one issues the TMA stores: `warp` if each warp stores its rows, or `warpgroup`."""
    group: SSAValue
    """The number of the executing consumer warpgroup."""

    def stage_stores(self, stores: Sequence[pto.StoreMapOp]) -> None:
        """Allocates, at the head of the kernel, buffers and tensor maps for the stores that TMA can execute."""
        self.stages, self.full_buffers = {}, []
        self.store_scope = "warpgroup" if any(self.staged_array(o)[1] == "DN" for o in stores) else "warp"
        memrefs = [store.memref for store in stores]
        for store in stores:
            if memrefs.count(store.memref) > 1:  # the launch cannot prove that two maps of one buffer are disjoint
                continue
            stage = self.stage(store, len(stores) > 1)
            if stage is not None:
                self.stages[store] = stage
        if not self.stages and isinstance(self.plan.epilogue_tile, tuple):
            raise self.mismatch(
                "epilogue_tile asks to stage results that TMA cannot store",
                "remove epilogue_tile: TMA stores rows of 16 bytes, of 16-bit floats, f32 or the accumulator's type",
            )

    def staged_array(self, store: pto.StoreMapOp) -> tuple[Strided | None, str]:
        """Returns the array that TMA stores a result to, None if it cannot, and the layout of the result in shared memory."""
        rows, columns = ints(store.dims)
        array = self.strided_array(store, rows, columns)
        if array is not None or element_bytes(memref_of(store.memref).element_type) != 2:
            return array, "ND"
        return self.strided_array(store, columns, rows), "DN"

    def stage(self, store: pto.StoreMapOp, several: bool) -> StagedStore | None:
        self.at = store
        dtype = signless(memref_of(store.memref).element_type)
        size = element_bytes(dtype)
        if not isinstance(dtype, BFloat16Type | Float16Type) and dtype not in (f32, self.mma.accum):
            return None
        (high, wide), (array, layout) = self.plan.oriented[1], self.staged_array(store)
        chosen = self.plan.epilogue_tile
        part = chosen[1] if isinstance(chosen, tuple) else staged_columns(wide, size)
        if array is None or not part:
            return None
        shape = (part, high) if layout == "DN" else (high, part)
        panel = next((n for n, p in PANELS.items() if shape[1] * size % p == 0), None)
        if panel is None or shape[0] % 8:
            return None
        buffers = 2 if not several and wide // part % 2 == 0 else 1
        ring_type = nv.SmemType((buffers * self.plan.consumers, *shape), dtype, panel)
        at = self.allocate(ring_type.bytes, ring_type.alignment)
        hint = self.map[store.memref].name_hint or "out"
        ring = self.add(nv.SmemOp(at, ring_type), f"smem_{hint}")
        tall = WARP_ROWS if self.store_scope == "warp" else shape[0]
        view = self.tensor_map(array, (tall, ring_type.panel // size), panel, f"map_{hint}")
        return StagedStore(view, ring, layout, part, buffers)

    def store_panels(self, store: pto.StoreMapOp, stage: StagedStore, result: SSAValue, first: int) -> None:
        """
        Writes a result whose first column is `first` to the buffers. A warp with fewer buffers than the result needs stores each
        at once, and waits only for the store that read its next buffer. Others fill buffers until one that is full is needed again;
        only then, and at the end (`flush_stores`), they synchronize, and one thread stores all full buffers.
        """
        first_buffer, zero = self.times(self.group, stage.buffers, "buffer"), self.index(0)
        enough = pto.tile_type(store.tile).sizes[1] <= stage.columns * stage.buffers
        at_once = self.store_scope == "warp" and len(self.stages) == 1 and not enough
        for at in range(first, first + nv.frag(result).sizes[1], stage.columns):
            number = at // stage.columns % stage.buffers
            if any(full.stage is stage and full.number == number for full in self.full_buffers):
                self.flush_stores()
            if not self.full_buffers:
                with self.single(self.store_scope):
                    self.add(nv.BulkWaitReadOp(stage.buffers - 1 if at_once else 0))
                self.synchronize()
            buffer = self.plus(first_buffer, self.index(number))
            self.add(nv.StoreMatrixOp(result, at - first, stage.layout, stage.ring, (buffer, zero, zero)))
            self.full_buffers.append(FullBuffer(store, stage, number, buffer, at))
            if at_once:
                self.flush_stores()

    def synchronize(self) -> None:
        """Writes the synchronization of the threads that fill what one of them stores."""
        self.add(nv.WarpSyncOp() if self.store_scope == "warp" else nv.BarrierOp(BARRIER, WARPGROUP))

    def flush_stores(self) -> None:
        """Writes the stores of all full buffers."""
        if not self.full_buffers:
            return
        self.add(nv.FenceAsyncOp())
        self.synchronize()
        with self.single(self.store_scope):
            for full in self.full_buffers:
                self.store_buffer(full)
            self.add(nv.BulkCommitOp())
        self.full_buffers = []

    def store_buffer(self, full: FullBuffer) -> None:
        """Writes the TMA stores of one buffer."""
        self.at, stage, zero = full.store, full.stage, self.index(0)
        (rows, columns), offsets = ints(full.store.dims), [self.offset(o) for o in full.store.offsets]
        row, column = self.warp if self.warp is not None else (zero, zero)
        offsets[rows] = self.plus(offsets[rows], row, "row")
        offsets[columns] = self.plus(offsets[columns], column, "column")
        t, transposed = nv.smem(stage.ring), stage.layout == "DN"
        first = self.times(self.add(nv.WarpOp(), "warp"), WARP_ROWS, "warp_row") if self.store_scope == "warp" else zero
        parts = range(0, t.sizes[1], WGMMA_ROWS if self.store_scope == "warp" else t.sizes[1])
        for part, panel in product(parts, range(0, t.sizes[2], t.panel // element_bytes(t.element_type))):
            row = self.plus(first, self.index(part))
            down, right = (self.index(full.column), panel) if transposed else (row, full.column + panel)
            box = self.box_coordinates(stage.tensor_map, offsets, down, self.index(right))
            self.add(nv.TmaStoreOp(stage.ring, (full.buffer, row, self.index(panel)), stage.tensor_map.argument, box))

    def finish_stores(self) -> None:
        """Writes the wait for the last stores, at the end of a warpgroup's role."""
        if self.stages:
            with self.single(self.store_scope):
                self.add(nv.BulkWaitReadOp(0))


class StagedEpilogue(StagedStores, ContractionLowering, SplitK):
    """Adds the epilogue to a kernel."""

    def staged(self, stores: Sequence[pto.StoreMapOp]) -> Sequence[pto.StoreMapOp]:
        return [s for s in stores if s in self.stages]

    def finish(self, ops: Sequence[Operation], acc: SSAValue | None) -> None:
        """Writes the epilogue of the current tile; if results are staged, one epilogue tile at a time."""
        stores = self.staged([o for o in ops if isinstance(o, pto.StoreMapOp)])
        if not stores:
            self.epilogue(ops, acc)
            return
        columns = self.plan.oriented[1][1]
        width = lcm(*(self.stages[store].columns for store in stores))
        width = width if columns % width == 0 else columns
        for first in range(0, columns, width):
            op = self.epilogue(ops, acc, range(first, first + width))
            for store, result in zip(stores, op.fragments, strict=True):
                result.name_hint = f"{self.map[store.memref].name_hint or 'out'}_tile"
                self.at = store
                self.store_panels(store, self.stages[store], result, first)
        self.flush_stores()
