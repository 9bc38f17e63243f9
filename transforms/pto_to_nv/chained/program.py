"""
Matches the tile program of chained products, such as attention, and divides its loop into stages.

```
for each tile of keys:
  firsts    s = zero + q · k                                       products of tiles of channels, at least one
  between   p = …(s, carried rows); the next carried rows          ops that do not read the carried accumulators
  seconds   for each carried accumulator, if there are any:
    operand   p in the type that the product multiplies            a conversion, and mov.v2l
    rescale   acc' = …(acc, rows)                                  ops on the accumulator
    product   acc' + p · v
```

Attention has one product of each kind. Its backward pass has two first ones, the scores and the gradients of the weights, and one or two
second ones. There may be several such loops in a row, which carry the same values, for tiles of keys that a mask cuts and those that it
leaves whole. Their products are the same; what is between may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ....dialects import pto
from ....errors import Unsupported
from ..kernel.rows import source
from ..tile_loops import only_one, prologue
from .bounds import SCALARS


@dataclass(frozen=True)
class Second:
    """A product of what is computed from the first ones, and the index of its accumulator among the carried values."""

    product: pto.MatmulAccOp
    operand: Sequence[Operation]
    rescale: Sequence[Operation]
    accumulator: int


@dataclass(frozen=True)
class KeyLoop:
    """A loop over tiles of keys, and its stages."""

    op: scf.ForOp
    firsts: Sequence[pto.MatmulAccOp]
    between: Sequence[Operation]
    seconds: Sequence[Second]

    @property
    def products(self) -> Sequence[pto.MatmulAccOp]:
        return [*self.firsts, *(second.product for second in self.seconds)]

    @property
    def carried(self) -> Sequence[BlockArgument]:
        return self.op.body.block.args[1:]

    @property
    def next(self) -> Sequence[SSAValue]:
        """The carried values of the next iteration."""
        return tuple(cast(scf.YieldOp, self.op.body.block.last_op).operands)


@dataclass(frozen=True)
class Chain:
    """
    A tile program of chained products: its process, its loops, and the ops before, besides those that compute left operands, and after them.
    """

    process: pto.ProcessOp
    loops: Sequence[KeyLoop]
    before: Sequence[Operation]
    after: Sequence[Operation]

    @property
    def lefts(self) -> Sequence[pto.WaitOp]:
        """The waits for the left operands of the first products, each once."""
        return list(dict.fromkeys(tile_of(first.a) for first in self.loops[0].firsts))

    @property
    def rows(self) -> Sequence[int]:
        """The indices of the carried values that are tiles of one column."""
        return [k for k, arg in enumerate(self.loops[0].carried) if not is_accumulator(arg)]


def is_accumulator(value: SSAValue) -> bool:
    return isinstance(value.type, pto.TileType) and value.type.loc == "Acc"


def is_vector(value: SSAValue) -> bool:
    return isinstance(value.type, pto.TileType) and value.type.loc == "Vec"


def tile_of(operand: SSAValue) -> pto.WaitOp:
    """
    Returns the wait for the tile of a channel that is moved to a matmul operand, or that one is computed from. Raises `Unsupported` if there
    is none.
    """
    move = operand.owner
    moves = [op for op in prologue(operand) if isinstance(op, pto.MoveMatToVecOp)]
    move = moves[0] if len(moves) == 1 else move
    wait = move.input.owner if isinstance(move, pto.MoveToLeftOp | pto.MoveToRightOp | pto.MoveMatToVecOp) else None
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
    found = [_key_loop(op) for op in loops]
    computing = {op for first in found[0].firsts for op in prologue(first.a)}
    chain = Chain(
        process,
        found,
        [o for o in ops[: ops.index(loops[0])] if o is not process and o not in computing],
        ops[ops.index(loops[-1]) + 1 :],
    )
    head = chain.loops[0]
    for loop in chain.loops[1:]:
        same = [channels_of(a) == channels_of(b) for a, b in zip(head.products, loop.products, strict=False)]
        if not all(same) or len(head.products) != len(loop.products) or head.op.step is not loop.op.step:
            need = "take the same operands from the same channels, with the same step, in all loops"
            raise Unsupported(loop.op, what="loops over different products", need=need)
    for first in head.firsts:
        if tile_of(first.a).parent is not tiles.body.block:
            need = "wait for it before the loop"
            raise Unsupported(first, what="a left operand that is loaded in the loop", need=need)
    _check_lefts([first for loop in chain.loops for first in loop.firsts])
    return chain


def _check_lefts(firsts: Sequence[pto.MatmulAccOp]) -> None:
    """Raises `Unsupported` if first products multiply different operands that are computed from one tile, in whose place they are stored."""
    known: dict[pto.WaitOp, SSAValue] = {}
    for first in firsts:
        other = known.setdefault(tile_of(first.a), first.a)
        if other is not first.a and any(map(prologue, (other, first.a))):
            need = "compute one before the loops, and multiply it in all of them"
            raise Unsupported(first, what="another left operand that is computed from the same tile", need=need)


def channels_of(product: pto.MatmulAccOp) -> tuple[SSAValue | None, SSAValue]:
    """Returns the channels of a product's operands; None for a left operand that the loop computes."""
    left = None if isinstance(product.a.owner, pto.MoveVecToLeftOp) else tile_of(product.a).channel
    return left, tile_of(product.b).channel


def _key_loop(op: scf.ForOp) -> KeyLoop:
    block = op.body.block
    products = [o for o in block.ops if isinstance(o, pto.MatmulAccOp)]
    accumulators = [arg for arg in block.args[1:] if is_accumulator(arg)]
    updates = {product for arg in accumulators for product in products if product in _depending([arg], block.ops)}
    firsts = [product for product in products if product not in updates]
    if not firsts or len(updates) != len(accumulators):
        need = "a loop over keys has pto.tile.matmul.acc of tiles of channels, and one more for each accumulator that it carries"
        raise Unsupported(
            op, what=f"{len(products)} products and {len(accumulators)} carried accumulators here", need=need
        )
    seconds = [_second(block, arg, op) for arg in accumulators]
    of_seconds = {o for second in seconds for o in (*second.operand, *second.rescale)}
    loop = KeyLoop(op, firsts, [o for o in block.ops if o not in of_seconds and _is_between(o)], seconds)
    channels = [channels_of(product)[1] for product in loop.products]
    rows = [arg for arg in loop.carried if arg not in accumulators]
    scores = _depending([first.result for first in firsts], block.ops)
    rules = (
        *(
            (
                _starts_at_zero(first.acc),
                first,
                "the first products start at pto.tile.expands 0, and multiply tiles of channels",
            )
            for first in firsts
        ),
        *(
            (
                second.product in scores,
                second.product,
                "a second product multiplies what is computed from the first ones",
            )
            for second in seconds
        ),
        (len({*channels}) == len(channels), op, "each product has a channel of its own"),
        (
            all(is_vector(arg) and pto.tile_type(arg).sizes[1] == 1 for arg in rows),
            op,
            "loops carry accumulators, and tiles of one column",
        ),
        (all(_is_known(o) for o in block.ops), op, "the loop has only steps of channels, products and vector ops"),
    )
    _require(rules)
    return loop


def _second(block: Block, acc: BlockArgument, loop: scf.ForOp) -> Second:
    """Returns the product that accumulates into a carried accumulator."""
    ops = _depending([acc], block.ops)
    product = next(o for o in block.ops if o in ops and isinstance(o, pto.MatmulAccOp))
    last = cast(scf.YieldOp, block.last_op)
    second = Second(
        product,
        _operand(product),
        [o for o in block.ops if o in ops and o is not product and o is not last],
        acc.index - 1,
    )
    inputs = {
        v for o in second.rescale for v in map(source, o.operands) if isinstance(v, BlockArgument) and v.block is block
    }
    moved = [o.result for o in second.rescale if isinstance(o, pto.MoveVecToAccOp)] or [acc]
    readers = {use.operation for o in second.rescale for r in o.results for use in r.uses}
    rules = (
        (
            bool(second.operand),
            product,
            "the second product's left operand is a mov.v2l of a conversion to 16 bits",
        ),
        (
            last.operands[second.accumulator] is product.result,
            last,
            "the loop carries the result of the second product",
        ),
        (product.result.has_one_use(), product, "only the loop reads the result of the second product"),
        (
            moved == [product.acc] and readers <= {*second.rescale, product},
            product,
            "only the second product reads the rescaled accumulator",
        ),
        (inputs <= {acc}, loop, "the carried accumulator is rescaled by rows that this iteration computes"),
    )
    _require(rules)
    return second


def _require(rules: Iterable[tuple[bool, Operation, str]]) -> None:
    for holds, where, rule in rules:
        if not holds:
            raise Unsupported(where, what="this data flow in a loop of chained products", need=rule)


def _starts_at_zero(acc: SSAValue) -> bool:
    zero = acc.owner
    return isinstance(zero, pto.ExpandsOp) and getattr(getattr(zero.value, "value", None), "data", None) == 0


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
