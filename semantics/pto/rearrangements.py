"""The meaning of ops that move elements by their places: parts, gathers, scatters and sorts, on arrays and on causes of poison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialects import pto
from ...dialects.pto.sequences import SORTED_BLOCK
from ..arrays.scalars import Array
from ..errors import IndexOutOfRange, WindowOutside
from .partial import Call, Sizes, box, least


def zeros(causes: Array | None, sizes: Sizes) -> Array:
    return np.zeros(sizes, np.int32) if causes is None else causes


# --- parts --------------------------------------------------------------------------------------------


def offsets(call: Call, part: Sizes, whole: Sizes) -> list[int]:
    """Returns the offsets of a part of a tile. Raises `WindowOutside` unless it lies in the tile."""
    op = call.op
    assert isinstance(op, pto.ExtractOp | pto.InsertOp)
    found = call.functions.indices(call.values, op.static_offsets, op.offsets)
    for axis, (offset, count, size) in enumerate(zip(found, part, whole, strict=True)):
        if not 0 <= offset <= size - count:
            raise WindowOutside(op, size=count, start=offset, axis=axis, extent=size)
    return found


def extracted(call: Call) -> Sizes:
    """Returns the valid region of the result: the part of the operand's that it contains."""
    whole = pto.tile_type(call.op.operands[0]).sizes
    at = offsets(call, call.sizes, whole)
    return tuple(min(n, max(v - o, 0)) for n, v, o in zip(call.sizes, call.valids[0], at, strict=True))


def extract(call: Call, whole: Array) -> Array:
    return whole[box(call.region, offsets(call, call.sizes, whole.shape))]


def insert(call: Call, part: Array, into: Array) -> Array:
    at = offsets(call, pto.tile_type(call.op.operands[0]).sizes, into.shape)
    out = into.copy()
    out[box(part.shape, at)] = part
    return out


def inserted(call: Call) -> Array:
    part, into = call.causes
    return insert(call, zeros(part, call.valids[0]), zeros(into, call.sizes))


def either(call: Call, *parts: Any) -> Array:
    """Returns the causes of a function of those of two operands that are valid: poison where none is."""
    valid: list[Array] = []
    for sizes in call.valids:
        valid.append(np.zeros(call.sizes, np.bool_))
        valid[-1][box(sizes)] = True
    a, b = (zeros(c, call.sizes) for c in call.causes)
    only = np.where(valid[0], a, np.where(valid[1], b, call.cause))
    return np.where(valid[0] & valid[1], np.maximum(a, b), only)[box(call.region)]


def partial(fn: str) -> Callable[..., Array]:
    """Applies `fn` where both operands are valid, and returns the operand that is valid elsewhere."""

    def compute(call: Call, a: Array, b: Array) -> Array:
        both = box(least(*call.valids))
        out = b.copy()
        out[box(call.valids[0])] = a[box(call.valids[0])]
        out[both] = call.functions.apply(call.op, fn, a[both], b[both])
        return out

    return compute


# --- gathers and scatters ------------------------------------------------------------------------------


def places(call: Call, indices: Array, count: int) -> Array:
    """Returns the place of each element in the operand. Raises `IndexOutOfRange` for a specified index that is out of range."""
    op, at = call.op, indices.astype(np.int64)
    block, scale, bound = 1, 1, f": the tile has {count} elements"
    if isinstance(op, pto.GatherBytesOp):
        block, scale = op.block, pto.BLOCK_BYTES // op.block
        bound = f": a block of {pto.BLOCK_BYTES} bytes begins at a multiple of {scale} in the {count * scale} bytes of the tile"
    wrong = ((at < 0) | (at // scale > count - block) | (at % scale != 0)) & call.specified(1)
    if np.any(wrong):
        raise IndexOutOfRange(op, index=f"index {at[wrong][0]}", bound=bound)
    first = np.clip(at // scale, 0, count - block)
    return (first[..., None] + np.arange(block)).reshape(*first.shape[:-1], -1)


def gather(call: Call, tile: Array, indices: Array) -> Array:
    return tile.reshape(-1)[places(call, indices, tile.size)][box(call.region)]


def gathered(call: Call) -> Array:
    (tile, at), (causes, indices) = call.parts, call.causes
    by_index = zeros(indices, at.shape)
    found = zeros(causes, tile.shape).reshape(-1)[places(call, at, tile.size)]
    return np.maximum(found, np.repeat(by_index, found.shape[-1] // by_index.shape[-1], -1))[box(call.region)]


def block_of(call: Call) -> int:
    assert isinstance(call.op, pto.GatherBytesOp)
    return call.op.block


def gathered_blocks(call: Call) -> Sizes:
    *rows, blocks = call.valids[1]
    return (*rows, blocks * block_of(call))


def reads_of_blocks(call: Call) -> Sequence[Sizes | None]:
    *rows, columns = call.region
    return [None, (*rows, -(-columns // block_of(call)))]


def scatter(call: Call, tile: Array, indices: Array) -> Array:
    """Moves elements to rows; sets `call.poison` where none or several are moved to."""
    rows, columns = call.sizes
    known, at = np.broadcast_to(call.specified(1), tile.shape), indices.astype(np.int64)
    wrong = ((at < 0) | (at >= rows)) & known
    if np.any(wrong):
        raise IndexOutOfRange(call.op, index=f"index {at[wrong][0]}", bound=f": the result has {rows} rows")
    flat = (at * columns + np.arange(int(tile.shape[1])))[known]
    counts = np.bincount(flat, minlength=rows * columns)
    out: Array = np.zeros(rows * columns, tile.dtype)
    out[flat] = tile[known]
    causes: Array = np.zeros(rows * columns, np.int32)
    causes[flat] = zeros(call.causes[0] if call.causes else None, tile.shape)[known]
    causes[counts != 1] = call.cause
    if not np.all(known):  # elements may have been moved anywhere
        causes[:] = zeros(call.causes[1], tile.shape)[~known][0]
    call.poison = causes.reshape(call.sizes)[box(call.region)]
    return out.reshape(call.sizes)[box(call.region)]


def scattered(call: Call) -> Array:
    return np.zeros(call.region, np.int32)


# --- sorts -----------------------------------------------------------------------------------------------


def whole_blocks(call: Call) -> Sizes:
    *rows, columns = call.valids[0]
    return (*rows, columns // SORTED_BLOCK * SORTED_BLOCK)


def blocks_of(array: Array) -> Array:
    """Returns the whole blocks of an array, one a row."""
    return array[..., : array.shape[-1] // SORTED_BLOCK * SORTED_BLOCK].reshape(-1, SORTED_BLOCK)


def sort(call: Call, tile: Array) -> tuple[Array, Array]:
    """Returns the sorted blocks and the columns in which their elements were; the last columns, if no block, are poison."""
    whole = (*tile.shape[:-1], tile.shape[-1] // SORTED_BLOCK * SORTED_BLOCK)
    blocks = blocks_of(tile)
    order = np.argsort(blocks, axis=-1, kind="stable")
    first = np.arange(0, int(whole[-1]), SORTED_BLOCK)
    starts = np.broadcast_to(first, (*whole[:-1], len(first))).reshape(-1, 1)
    values = np.take_along_axis(blocks, order, -1).reshape(whole)
    return values, (order + starts).reshape(whole).astype(np.uint32)


def sorted_causes(call: Call) -> Array:
    """Returns the causes of sorted blocks: a block with poison is poison."""
    (causes,) = call.causes
    assert causes is not None
    blocks = blocks_of(causes)
    whole = (*causes.shape[:-1], causes.shape[-1] // SORTED_BLOCK * SORTED_BLOCK)
    return np.broadcast_to(blocks.max(-1, keepdims=True, initial=0), blocks.shape).reshape(whole)


def merged(call: Call) -> Sizes:
    """Returns the valid region of merged lists."""
    op = call.op
    assert isinstance(op, pto.MrgSortOp)
    group = 1 if op.block is None else 4 * op.block.value.data
    return (1, sum(columns for _, columns in call.valids) // group * group)


def reads_of_lists(call: Call) -> Sequence[Sizes]:
    return [call.region] if len(call.valids) == 1 else list(call.valids)


def merge(call: Call, *lists: Array) -> Array:
    """Merges lists. Sets `call.poison` if one is not sorted."""
    op = call.op
    assert isinstance(op, pto.MrgSortOp)
    if op.block is None:
        parts, groups = list(lists), np.concatenate(lists, 1)
    else:
        block = op.block.value.data
        groups = lists[0][:, : lists[0].shape[1] // (4 * block) * 4 * block].reshape(-1, 4 * block)
        parts = [groups[:, k : k + block] for k in range(0, 4 * block, block)]
    out = np.sort(groups, axis=-1, kind="stable")
    disorder = np.zeros(len(groups), np.bool_)
    for part in parts:
        disorder |= np.any((np.sort(part, axis=-1) != part) & ~np.isnan(part), axis=-1)
    if np.any(disorder):
        causes = np.where(disorder[:, None], call.cause, np.zeros(out.shape, np.int32))
        call.poison = causes.reshape(1, -1)[box(call.region)]
    return out.reshape(1, -1)[box(call.region)]


def merged_causes(call: Call) -> Array:
    """Returns the causes of merged lists: they are poison if an element is."""
    return np.full(call.region, max(int(c.max()) for c in call.causes if c is not None and c.size), np.int32)
