"""
Matches the tile program of two chained products, such as attention, and divides its loop into stages.

```
for each tile of keys:
  first     s = zero + q · k                                       a product of tiles of channels
  between   p = …(s, carried rows); the next carried rows          ops that do not read the carried accumulator
  operand   p in the type that the second product multiplies       a conversion, and mov.v2l
  rescale   acc' = …(acc, rows)                                    ops on the carried accumulator
  second    acc' + p · v
```

There may be several such loops in a row, which carry the same values, for tiles of keys that a mask cuts and those that it leaves
whole. Their products are the same; what is between may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ....dialects import pto
from ....errors import Unsupported
from ..kernel.rows import source
from ..tile_loops import only_one
from .bounds import SCALARS


@dataclass(frozen=True)
class KeyLoop:
    """A loop over tiles of keys, and its stages; `waits` are the channels of its products' right operands."""

    op: scf.ForOp
    first: pto.MatmulAccOp
    between: Sequence[Operation]
    operand: Sequence[Operation]
    rescale: Sequence[Operation]
    second: pto.MatmulAccOp

    @property
    def accumulator(self) -> int:
        """The index of the accumulator among the carried values."""
        return next(k for k, arg in enumerate(self.carried) if is_accumulator(arg))

    @property
    def carried(self) -> Sequence[BlockArgument]:
        return self.op.body.block.args[1:]

    @property
    def next(self) -> Sequence[SSAValue]:
        """The carried values of the next iteration."""
        return tuple(cast(scf.YieldOp, self.op.body.block.last_op).operands)


@dataclass(frozen=True)
class Chain:
    """A tile program of two chained products: its process, its loops, and the ops before and after these."""

    process: pto.ProcessOp
    loops: Sequence[KeyLoop]
    before: Sequence[Operation]
    after: Sequence[Operation]

    @property
    def query(self) -> pto.WaitOp:
        """The wait for the left operand of the first product."""
        return tile_of(self.loops[0].first.a)

    @property
    def rows(self) -> Sequence[int]:
        """The indices of the carried values that are tiles of one column."""
        return [k for k, arg in enumerate(self.loops[0].carried) if not is_accumulator(arg)]


def is_accumulator(value: SSAValue) -> bool:
    return isinstance(value.type, pto.TileType) and value.type.loc.data == "Acc"


def is_vector(value: SSAValue) -> bool:
    return isinstance(value.type, pto.TileType) and value.type.loc.data == "Vec"


def tile_of(operand: SSAValue) -> pto.WaitOp:
    """Returns the wait for the tile of a channel that is moved to a matmul operand. Raises `Unsupported` if there is none."""
    move = operand.owner
    wait = move.input.owner if isinstance(move, pto.MoveToLeftOp | pto.MoveToRightOp) else None
    if isinstance(wait, pto.WaitOp) and len(wait.tiles) == 1:
        return wait
    need = "move the only tile of a pto.channel.wait"
    raise Unsupported(
        move if isinstance(move, Operation) else None,
        what="an operand of chained products that is in no channel",
        need=need,
    )


def match_chain(tiles: pto.TilesOp) -> Chain:
    """Returns the parts of a tile program. Raises `Unsupported` if it does not have this form."""
    ops = list(tiles.body.block.ops)
    process = only_one(ops, pto.ProcessOp, tiles, "chained products have one process")
    loops = [op for op in ops if isinstance(op, scf.ForOp)]
    if not loops:
        raise Unsupported(process, what="channels without a consuming loop", need="write a loop of two products")
    for before, op in pairwise(loops):
        if list(before.results) != list(op.iter_args):
            need = "start the values of a loop with the results of the loop before it"
            raise Unsupported(op, what="a loop over other values than the loop before it", need=need)
    chain = Chain(
        process,
        [_key_loop(op) for op in loops],
        [o for o in ops[: ops.index(loops[0])] if o is not process],
        ops[ops.index(loops[-1]) + 1 :],
    )
    head = chain.loops[0]
    for loop in chain.loops[1:]:
        same = [
            tile_of(a).channel is tile_of(b).channel
            for a, b in ((head.first.b, loop.first.b), (head.second.b, loop.second.b), (head.first.a, loop.first.a))
        ]
        if not all(same) or head.op.step is not loop.op.step:
            need = "take the same operands from the same channels, with the same step, in all loops"
            raise Unsupported(loop.op, what="loops over different products", need=need)
    if tile_of(head.first.a).parent is not tiles.body.block:
        raise Unsupported(
            head.first, what="a left operand that is loaded in the loop", need="wait for it before the loop"
        )
    return chain


def _key_loop(op: scf.ForOp) -> KeyLoop:
    block = op.body.block
    products = [o for o in block.ops if isinstance(o, pto.MatmulAccOp)]
    accumulators = [arg for arg in block.args[1:] if is_accumulator(arg)]
    if len(products) != 2 or len(accumulators) != 1:
        need = "a loop over keys has two of pto.tile.matmul.acc and carries one accumulator"
        raise Unsupported(
            op, what=f"{len(products)} products and {len(accumulators)} carried accumulators here", need=need
        )
    first, second = products
    operand = _operand(second)
    rescaled = _depending([accumulators[0]], block.ops)
    scores = _depending([first.result], block.ops)
    loop = KeyLoop(
        op,
        first,
        [o for o in block.ops if o not in rescaled and o not in operand and _is_between(o)],
        operand,
        [o for o in block.ops if o in rescaled and o is not second and not isinstance(o, scf.YieldOp)],
        second,
    )
    last = cast(scf.YieldOp, block.last_op)
    zero = first.acc.owner
    starts_at_zero = isinstance(zero, pto.ExpandsOp) and getattr(getattr(zero.value, "value", None), "data", None) == 0
    inputs = {
        v for o in loop.rescale for v in map(source, o.operands) if isinstance(v, BlockArgument) and v.block is block
    }
    moved = [o.result for o in loop.rescale if isinstance(o, pto.MoveVecToAccOp)] or accumulators
    readers = {use.operation for o in loop.rescale for r in o.results for use in r.uses}
    rows = [arg for arg in loop.carried if arg is not accumulators[0]]
    rules = (
        (
            first not in rescaled and second in rescaled,
            second,
            "the second product accumulates into the carried accumulator",
        ),
        (second in scores, second, "the second product multiplies what is computed from the first one"),
        (bool(loop.operand), second, "the second product's left operand is a mov.v2l of a conversion to 16 bits"),
        (starts_at_zero, first, "the first product starts at pto.tile.expands 0"),
        (last.operands[loop.accumulator] is second.result, last, "the loop carries the result of the second product"),
        (len(list(second.result.uses)) == 1, second, "only the loop reads the result of the second product"),
        (
            moved == [second.acc] and readers <= {*loop.rescale, second},
            second,
            "only the second product reads the rescaled accumulator",
        ),
        (inputs <= {accumulators[0]}, op, "the carried accumulator is rescaled by rows that this iteration computes"),
        (
            all(is_vector(arg) and pto.tile_type(arg).sizes[1] == 1 for arg in rows),
            op,
            "loops carry tiles of one column",
        ),
        (all(_is_known(o) for o in block.ops), op, "the loop has only steps of channels, two products and vector ops"),
    )
    for holds, where, rule in rules:
        if not holds:
            raise Unsupported(where, what="this data flow in a loop of two products", need=rule)
    return loop


def _operand(second: pto.MatmulAccOp) -> list[Operation]:
    """Returns the conversion and the move that make the left operand of the second product, or [] if there are none."""
    move = second.a.owner
    if not isinstance(move, pto.MoveVecToLeftOp) or not isinstance(convert := move.input.owner, pto.CvtOp):
        return []
    return [convert, move] if move.input.has_one_use() else []


def _is_between(op: Operation) -> bool:
    results = [r for r in op.results if is_vector(r)]
    return bool(results) and not isinstance(op, pto.MoveOp)


def _is_known(op: Operation) -> bool:
    kinds = (pto.WaitOp, pto.ReleaseOp, pto.MoveOp, pto.MatmulAccOp, scf.YieldOp, *SCALARS)
    vectors = bool(op.results) and all(isinstance(r.type, pto.TileType) for r in op.results)
    return not op.regions and (isinstance(op, kinds) or vectors)


def _depending(values: Iterable[SSAValue], ops: Iterable[Operation]) -> set[Operation]:
    """Returns the ops of a block that depend on one of these values."""
    known, found = set(values), set[Operation]()
    for op in ops:
        if not known.isdisjoint(op.operands):
            found.add(op)
            known |= set(op.results)
    return found
