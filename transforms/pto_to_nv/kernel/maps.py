"""
Maps and reductions of tiles that a kernel holds in registers: what the templates of rows and of columns have in common.

```
%y = pto.tile ops on %x, loads, stores     →    nv.map(%x) [offsets] ins(loads) outs(stores) { scalar ops } -> %y
%s = pto.tile.rowsum / colsum %y           →    nv.row_reduce / nv.col_reduce %y { scalar op } -> %s
```
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

import islpy as isl
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....dialects.common.shapes import memref_of, signless
from ....errors import Unsupported
from ..tile_scalars import combined, scalar_type
from .access import IndexSpace, index_space, is_affine_load, map_text
from .epilogue import EpilogueLowering, sets_of


@dataclass(frozen=True)
class Storage:
    """A fragment that keeps a tile or, of a tile's columns, those from the first number up to the second one."""

    frag: SSAValue
    columns: tuple[int, int] | None = None


class MapLowering(EpilogueLowering):
    """Adds maps and reductions of fragments to a kernel."""

    family: str
    """The name of the template in error messages."""
    held: dict[SSAValue, SSAValue]
    """The fragments, by their tiles."""
    storage: Mapping[SSAValue, Storage] = MappingProxyType({})
    """Where the maps that are being written put their results, by the tiles; other results are fragments of their own."""

    @abstractmethod
    def fragment(self, value: SSAValue) -> nv.FragType:
        """Returns the type of the fragment that holds a tile."""

    def write_map(
        self,
        ops: Sequence[Operation],
        stores: Sequence[pto.StoreMapOp],
        space: IndexSpace,
        tile: tuple[int, int],
        held: Sequence[SSAValue],
        results: Iterable[SSAValue],
    ) -> None:
        """
        Writes the map of `ops` and `stores` on tiles of one size. It reads the fragments of the tiles `held`, and its results
        are those of the tiles `results`. Without any fragment, the map is an `nv.epilogue`.
        """
        for store in stores:
            if index_space(store) != space:
                need = "give all stores the same offsets, bounds and dims"
                raise Unsupported(store, what=f"a kernel of {self.family} over several index spaces", need=need)
        loads, results = [o for o in ops if is_affine_load(o, space)], list(results)
        self.at = next(iter((*stores, *ops)), self.at)
        accesses = (*loads, *stores)
        stored = self.kept_in_storage(results, accesses)
        results = [*(v for v in results if v not in stored), *stored]
        addresses = [element_address(a) for a in accesses]
        widths = [
            self.vector_width(a, at, space.dims[1]) if tile[1] > 1 else 1
            for a, at in zip(accesses, addresses, strict=True)
        ]
        realigned: list[int] = []
        if held or results:
            wider = [self.realigned_width(a, at, tile) for a, at in zip(accesses, addresses, strict=True)]
            realigned = [k for k, width in enumerate(widths) if width < wider[k]]
            widths = list(map(max, widths, wider))
        guards = self.guarded_axes(space, self.block_tile(tile))
        offsets = [self.offset(o) for o in space.offsets]
        for axis, start in zip(space.dims, self.tile_origin, strict=True):
            offsets[axis] = self.plus(offsets[axis], start)
        types = [nv.frag(self.held[v]).element_type for v in held]
        types += [signless(memref_of(load.memref).element_type) for load in loads]
        like = next((t for v in (*held, *results) if (t := self.fragment(v)).sizes == tile), None)
        self.vector = max(widths, default=1) if like is None else like.layout.contiguous
        if like is not None and not like.spelled:
            widths = [min(width, self.vector) for width in widths]
        body = Block(arg_types=types)
        with self.within(body):
            point = self.set_point(space, offsets)
            scalars: dict[SSAValue, SSAValue] = dict(zip(held, body.args, strict=False))
            for load, arg in zip(loads, body.args[len(held) :], strict=True):
                scalar_type(load, load.result)
                scalars[load.result], arg.name_hint = arg, self.map[load.memref].name_hint
            for value, arg in zip(held, body.args, strict=False):
                arg.name_hint = value.name_hint
            self.body((o for o in ops if not isinstance(o, pto.StoreMapOp)), scalars)
            self.add(nv.YieldOp([scalars[v] for v in (*(s.tile for s in stores), *results)]))
        if not any(result.uses for result in point.results):
            Rewriter.erase_op(point)
        memrefs = [self.map[a.memref] for a in loads], [self.map[s.memref] for s in stores]
        first, end = next((columns for v in stored if (columns := self.storage[v].columns)), (None, tile[1]))
        tile = tile[0], end - (first or 0)
        box = (
            space.bounds,
            space.dims,
            guards,
            tile,
            [map_text(at) for at in addresses],
            widths,
            sets_of(loads, stores),
            Region(body),
        )
        if not held and not results:
            self.add(nv.EpilogueOp(None, offsets, *memrefs, *box))
            return
        fragments, into = [self.fragment(v) for v in results if v not in stored], [self.storage[v].frag for v in stored]
        op = nv.MapOp([self.held[v] for v in held], offsets, *memrefs, *box, fragments, realigned, into, first)
        self.add(op)
        self.held |= zip(stored, into, strict=True)
        for value, result in zip(results, op.fragments, strict=False):
            self.held[value] = result
            result.name_hint = value.name_hint

    def kept_in_storage(self, results: Sequence[SSAValue], accesses: Sequence[Operation]) -> list[SSAValue]:
        """Returns the results that a map puts in storage. One that puts a range of columns there does nothing else."""
        stored = [v for v in results if v in self.storage]
        whole = all(self.storage[v].columns is None for v in stored)
        return stored if whole or (len(results) == 1 and not accesses) else []

    @contextmanager
    def into_storage(self, value: SSAValue, frag: SSAValue, columns: tuple[int, int] | None = None) -> Generator[None]:
        """
        A context manager in which maps write the tile `value`, or a range of its columns, to storage. If it is no result of a map there, it
        is copied.
        """
        self.storage = {value: Storage(frag, columns)}
        yield
        self.storage = {}
        if self.held[value] is not frag:
            self.add(nv.AssignOp(self.held[value], frag, columns))

    def block_tile(self, tile: tuple[int, int]) -> tuple[int, int]:
        """Returns the rows and columns that a block covers by the maps of its warpgroups on tiles of this size."""
        return tile

    @property
    def tile_origin(self) -> tuple[SSAValue, SSAValue]:
        """The row and column of the block's tile at which the tile of a map begins."""
        return self.index(0), self.index(0)

    def realigned_width(self, access: pto.LoadMapOp | pto.StoreMapOp, address: isl.Aff, tile: tuple[int, int]) -> int:
        """Returns the number of contiguous elements that an access of a tile of this size moves if its vectors are realigned."""
        return 1

    def combiner(self, op: pto.RowReduceOp | pto.ColReduceOp) -> Region:
        """Returns the body of a reduction: the function of two elements that it applies."""
        dtype = nv.frag(self.held[op.input]).element_type
        body = Block(arg_types=[dtype, dtype])
        with self.within(body):
            self.add(nv.YieldOp([combined(op, body.args, self.add)]))
        return Region(body)

    def reduce_columns(self, op: pto.ColReduceOp) -> None:
        """Writes the reduction of a fragment's columns."""
        self.at = op
        fragment, body = self.held[op.input], self.combiner(op)
        t = nv.frag(fragment)
        scratch = self.allocate(size, 16) if (size := nv.col_scratch_bytes(t)) else None
        self.held[op.result] = self.add(
            nv.ColReduceOp(fragment, nv.col_fragment(t), body, scratch), op.result.name_hint
        )
