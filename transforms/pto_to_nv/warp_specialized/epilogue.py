"""
The epilogue of a warp-specialized kernel: results are stored by TMA through shared memory, or directly from registers.

```
for each epilogue tile:
  nv.epilogue on its columns of the accumulator
  if no buffer is full:  one thread: wait until the previous TMA stores have read the buffers; barrier over the warpgroup
  stmatrix to a buffer
  if all are full, or this is the last tile:  fence; barrier; one thread: TMA stores      overlap with the next tile's multiplications
```

TMA can store the arrays that it can load (`tma.py`); their elements must be 16-bit floats, f32 or of the accumulator's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from .tma import TensorMap, TensorMaps


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
    group: SSAValue
    """The number of the executing consumer warpgroup."""

    def stage_stores(self, stores: Sequence[pto.StoreMapOp]) -> None:
        """Allocates, at the head of the kernel, buffers and tensor maps for the stores that TMA can execute."""
        self.stages, self.full_buffers = {}, []
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

    def stage(self, store: pto.StoreMapOp, several: bool) -> StagedStore | None:
        self.at = store
        dtype = signless(memref_of(store.memref).element_type)
        size = element_bytes(dtype)
        if not isinstance(dtype, BFloat16Type | Float16Type) and dtype not in (f32, self.mma.accum):
            return None
        rows, columns = ints(store.dims)
        (high, wide), layout = self.plan.oriented[1], "ND"
        array = self.strided_array(store, rows, columns)
        if array is None and size == 2:
            array, layout = self.strided_array(store, columns, rows), "DN"
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
        view = self.tensor_map(array, (shape[0], ring_type.panel // size), panel, f"map_{hint}")
        return StagedStore(view, ring, layout, part, buffers)

    def store_panels(self, store: pto.StoreMapOp, stage: StagedStore, result: SSAValue, first: int) -> None:
        """
        Writes a result whose first column is `first` to the buffers. Buffers are filled until one that is full is needed again; only
        then, and at the end (`flush_stores`), the warpgroup waits for all its threads, and one of them stores all full buffers.
        """
        first_buffer, zero = self.times(self.group, stage.buffers, "buffer"), self.index(0)
        for at in range(first, first + nv.frag(result).sizes[1], stage.columns):
            number = at // stage.columns % stage.buffers
            if any(full.stage is stage and full.number == number for full in self.full_buffers):
                self.flush_stores()
            if not self.full_buffers:
                with self.single("warpgroup"):
                    self.add(nv.BulkWaitReadOp(0))
                self.add(nv.BarrierOp(BARRIER, WARPGROUP))
            buffer = self.plus(first_buffer, self.index(number))
            self.add(nv.StoreMatrixOp(result, at - first, stage.layout, stage.ring, (buffer, zero, zero)))
            self.full_buffers.append(FullBuffer(store, stage, number, buffer, at))

    def flush_stores(self) -> None:
        """Writes the stores of all full buffers."""
        if not self.full_buffers:
            return
        self.add(nv.FenceAsyncOp())
        self.add(nv.BarrierOp(BARRIER, WARPGROUP))
        with self.single("warpgroup"):
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
        t, down = nv.smem(stage.ring), self.index(full.column) if stage.layout == "DN" else zero
        for panel in range(0, t.sizes[2], t.panel // element_bytes(t.element_type)):
            right = self.index(panel if stage.layout == "DN" else full.column + panel)
            box = self.box_coordinates(stage.tensor_map, offsets, down, right)
            self.add(nv.TmaStoreOp(stage.ring, (full.buffer, zero, self.index(panel)), stage.tensor_map.argument, box))

    def finish_stores(self) -> None:
        """Writes the wait for the last stores, at the end of a warpgroup's role."""
        if self.stages:
            with self.single("warpgroup"):
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
