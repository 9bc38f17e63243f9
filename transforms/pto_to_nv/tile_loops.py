"""Matches the loops that `pto-to-nv` lowers: one producer, one consumer, one ring, and an accumulator for each matmul."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...errors import Unsupported

T = TypeVar("T", bound=Operation)


@dataclass(frozen=True)
class Loops:
    """
    The producer loop with its commit, and the consumer loop with its matmuls, one for each accumulator. Both run `count` steps of size
    `step` from `start`.
    """

    producer: scf.ForOp
    consumer: scf.ForOp
    commit: pto.CommitOp
    matmuls: Sequence[pto.MatmulAccOp]
    start: int
    step: int
    count: int

    @property
    def matmul(self) -> pto.MatmulAccOp:
        """The first matmul; all have the same types."""
        return self.matmuls[0]

    @property
    def stages(self) -> int:
        """Number of slots of the ring."""
        return cast(pto.ChannelType, self.commit.channel.type).depth.data

    @property
    def tile_k(self) -> int:
        """Size of a tile along k; steps may be longer."""
        return pto.tile_type(self.matmul.a).sizes[1]


def match_loops(process: pto.ProcessOp, ops: Sequence[Operation]) -> Loops:
    """Returns the loops of a tile program. Raises `Unsupported` if it does not have this form."""
    producer = only_one(process.body.block.ops, scf.ForOp, process, "a process is one loop")
    consumer = next((o for o in ops if isinstance(o, scf.ForOp)), None)
    if consumer is None:
        raise Unsupported(
            process, what="a channel without a consuming loop", need="write a loop over wait, matmul.acc and release"
        )
    for left, right in zip(producer.operands[:3], consumer.operands[:3], strict=True):
        if left is not right:
            raise Unsupported(
                consumer,
                what="a consumer whose range differs from its producer's",
                need="give both loops the same bounds",
            )
    start, stop, step = (constant_value(v, consumer) for v in producer.operands[:3])
    if step < 1 or start % step:
        raise Unsupported(
            producer, what=f"a loop from {start} in steps of {step}", need="count upwards, from a multiple of the step"
        )
    commit = only_one(producer.body.block.ops, pto.CommitOp, producer, "a producer commits once a step")
    matmuls = [op for op in consumer.body.block.ops if isinstance(op, pto.MatmulAccOp)]
    if not matmuls or len({tuple(v.type for v in (op.a, op.b, op.result)) for op in matmuls}) != 1:
        raise Unsupported(
            consumer,
            what=f"{len(matmuls)} of {pto.MatmulAccOp.name} here",
            need="a consumer has one for each accumulator, all of the same types",
        )
    if not all(map(_is_zero, consumer.iter_args)):
        raise Unsupported(
            consumer, what="an accumulator that does not start at zero", need="start it with pto.tile.expands 0"
        )
    loops = Loops(producer, consumer, commit, matmuls, start, step, max(0, -(-(stop - start) // step)))
    check_loops(loops, ops)
    return loops


def _is_zero(tile: SSAValue) -> bool:
    number = tile.owner.value if isinstance(tile.owner, pto.ExpandsOp) else None
    return isinstance(number, FloatAttr | IntegerAttr) and number.value.data == 0


def check_loops(loops: Loops, ops: Sequence[Operation]) -> None:
    """Raises `Unsupported` if the ops or the data flow of the two loops cannot be lowered, as in a program edited by hand."""
    producer, consumer, commit, matmuls = loops.producer, loops.consumer, loops.commit, loops.matmuls
    allowed = {
        producer: (
            pto.AcquireOp,
            pto.LoadMapOp,
            pto.CommitOp,
            scf.YieldOp,
            arith.AddiOp,
            arith.MuliOp,
            arith.ConstantOp,
        ),
        consumer: (pto.WaitOp, pto.MoveOp, pto.MatmulAccOp, pto.ReleaseOp, scf.YieldOp, arith.AddiOp, arith.ConstantOp),
    }
    for loop, kinds in allowed.items():
        for op in loop.body.block.ops:
            if not isinstance(op, kinds) and (loop is producer or not computes_vector(op)):
                raise Unsupported(
                    op,
                    what=f"'{op.name}' in a loop over tiles",
                    need="the loop may have only the steps of the ring and a matmul.acc for each accumulator",
                )
            if loop is producer and isinstance(op, pto.LoadMapOp) and op.positions:
                raise Unsupported(op, what="a load at positions into a channel", need="store the rows first")
    acquire = only_one(producer.body.block.ops, pto.AcquireOp, producer, "a producer acquires once a step")
    wait = only_one(consumer.body.block.ops, pto.WaitOp, consumer, "a consumer waits once a step")
    release = only_one(consumer.body.block.ops, pto.ReleaseOp, consumer, "a consumer releases once a step")
    after = [o for o in ops if isinstance(o, pto.MoveToVecOp | pto.CombineOp)]
    carried, last = consumer.body.block.args[1:], consumer.body.block.last_op
    rules = (
        (acquire.channel is commit.channel, acquire, "the acquire must be of the channel that is committed"),
        (wait.channel is commit.channel, wait, "the wait must be of the channel that is committed"),
        (release.channel is commit.channel, release, "the release must be of the channel that is waited for"),
        (acquire.is_before_in_block(commit), acquire, "the acquire comes before the commit"),
        (matmuls[-1].is_before_in_block(release), release, "the release comes after the matmul"),
        (
            list(carried) == [op.acc for op in matmuls],
            matmuls[0],
            "the matmul accumulates into the value that the loop carries",
        ),
        (
            last is not None and list(last.operands) == [op.result for op in matmuls],
            last,
            "the loop must carry the matmul's result",
        ),
        (
            [a.operands[0] for a in after] == list(consumer.results),
            after[0] if after else consumer,
            "mov.a2v, or pto.combine, reads the loop's result",
        ),
    )
    for holds, where, rule in rules:
        if not holds:
            raise Unsupported(where or consumer, what="this data flow in a tile program", need=rule)


def computes_vector(op: Operation) -> bool:
    """Returns whether an op has no regions and its results are vector tiles."""
    types = [r.type for r in op.results]
    return bool(types) and not op.regions and all(isinstance(t, pto.TileType) and t.loc == "Vec" for t in types)


def prologue(*operands: SSAValue) -> list[Operation]:
    """
    Returns the ops of their block that compute matmul operands from tiles of channels, after the waits; none if the operands are such tiles.
    """
    moves = [v.owner for v in operands if isinstance(v.owner, pto.MoveVecToLeftOp | pto.MoveVecToRightOp)]
    block = moves[0].parent if moves else None
    if block is None:
        return []
    needed, todo = set[Operation](), [move.input.owner for move in moves]
    while todo:
        op = todo.pop()
        if isinstance(op, Operation) and not (isinstance(op, pto.WaitOp) or op in needed) and op.parent is block:
            needed.add(op)
            todo += [o.owner for o in op.operands]
    return [op for op in block.ops if op in needed]


def channel_tile(operand: SSAValue, commit: pto.CommitOp) -> int:
    """Returns the index in the channel of the tile that is moved to a matmul operand. Raises `Unsupported` if there is none."""
    move = operand.owner
    if isinstance(move, pto.MoveOp) and isinstance(move.input.owner, pto.WaitOp):
        wait = move.input.owner
        if wait.channel is commit.channel:
            return list(wait.tiles).index(move.input)  # pyright: ignore[reportArgumentType]
    raise Unsupported(
        move if isinstance(move, Operation) else commit,
        what="a matmul operand that does not come from the channel",
        need="move a tile of pto.channel.wait",
    )


def only_one(ops: Iterable[Operation], kind: type[T], where: Operation, rule: str) -> T:
    found = [o for o in ops if isinstance(o, kind)]
    if len(found) != 1:
        raise Unsupported(where, what=f"{len(found)} of {kind.name} here", need=rule)
    return found[0]


def constant_value(value: SSAValue, where: Operation) -> int:
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    raise Unsupported(where, what="a loop with a computed bound", need="take the bounds from arith.constant")
