"""Writing what stands for an op: new ops at its place and location, constants included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import Size, sizes
from ...semantics.arrays.scalars import Array
from ...semantics.sizes import MAX_RANK
from .constants import Constants, dense, literal_bytes


@dataclass
class Writer:
    """The ops that stand for `source`; `constants` knows the values of the program and learns the new ones."""

    source: Operation
    constants: Constants
    ops: list[Operation] = field(default_factory=list[Operation])

    def add(self, op: Operation) -> SSAValue:
        op.location = self.source.location
        self.ops.append(op)
        return op.results[0]

    def array(self, value: Array, dtype: Attribute) -> SSAValue:
        """A literal."""
        return self.add(ptir.ConstantOp(dense(TensorType(dtype, value.shape), literal_bytes(value))))

    def splat(self, scalar: Array, type: Attribute) -> SSAValue | str:
        """A tensor of `type` that holds `scalar` everywhere: a literal if it is small, else a broadcast one."""
        of = sizes(type)
        if None in of:
            return f"{type} has a size without a name"
        if len(of) > MAX_RANK:
            return f"{type} has too many axes for a literal"
        if (known := known_sizes(of)) is not None and self.constants.is_small(known):
            return self.array(self.constants.full(known, scalar), element(type))
        return self.add(ptir.BroadcastToOp(self.array(scalar, element(type)), of))

    def reshape(self, x: SSAValue, of: Sequence[Size]) -> SSAValue:
        return x if sizes(x) == tuple(of) else self.add(ptir.ReshapeOp(x, of))

    def transpose(self, x: SSAValue, perm: Sequence[int]) -> SSAValue:
        return x if list(perm) == list(range(len(perm))) else self.add(ptir.TransposeOp(x, perm))

    def cast(self, x: SSAValue, dtype: Attribute) -> SSAValue:
        return x if element(x) == dtype else self.add(ptir.CastOp(x, dtype))

    def typed(self, op: Operation, type: Attribute) -> SSAValue:
        """`op` with this result type, which says no less than the one that it inferred."""
        op.results[0]._type = type  # pyright: ignore[reportPrivateUsage]
        return self.add(op)

    def discard(self) -> None:
        """Nothing stands for the op after all."""
        for op in reversed(self.ops):
            op.erase()
        self.ops.clear()

    def take(self, block: Block, args: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """What the ops of a region give for `args`; they are moved out of it, its terminator is not."""
        for parameter, value in zip(block.args, args, strict=True):
            parameter.replace_all_uses_with(value)
        *inner, end = block.ops
        for op in inner:
            op.detach()
            self.ops.append(op)
        return end.operands


def known_sizes(of: Sequence[Size]) -> tuple[int, ...] | None:
    """The sizes, if all are numbers."""
    known = tuple(s for s in of if isinstance(s, int))
    return known if len(known) == len(of) else None
