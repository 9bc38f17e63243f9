"""The writer that rules use: it collects the ops that replace an op, including literals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import known_sizes, sizes
from ...semantics.arrays.scalars import Array
from ...semantics.sizes import MAX_RANK
from ..op_writer import Declined, PtirWriter
from .constants import Constants, dense, literal_bytes

Result = SSAValue | str
"""The value that replaces an op's result, or the reason why a rule does not fire."""

Inner = TypeVar("Inner", bound=Operation)


@dataclass
class Writer(PtirWriter):
    """Writes the ops of a replacement. `constants` finds the program's constants."""

    constants: Constants

    def array(self, value: Array, dtype: Attribute) -> SSAValue:
        return self.add(ptir.ConstantOp(dense(TensorType(dtype, value.shape), literal_bytes(value))))

    def splat(self, scalar: Array, type: Attribute) -> SSAValue:
        """
        Returns a tensor of `type` whose elements are all `scalar`: a literal if it is small, otherwise a broadcast. Raises
        `Declined` if neither is possible.
        """
        of = sizes(type)
        if None in of:
            raise Declined(f"{type} has a size without a name")
        if len(of) > MAX_RANK:
            raise Declined(f"{type} has too many axes for a literal")
        if (known := known_sizes(of)) is not None and self.constants.is_small(known):
            return self.array(np.full(known, scalar, scalar.dtype), element(type))
        return self.add(ptir.BroadcastToOp(self.array(scalar, element(type)), of))

    def typed(self, op: Operation, type: Attribute) -> SSAValue:
        """Adds `op` with the result type `type`, which must be at least as precise as the inferred type."""
        op.results[0]._type = type  # pyright: ignore[reportPrivateUsage]
        return self.add(op)

    def take(self, block: Block, args: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Moves the ops of a region's block here, with `args` for its parameters, and returns the operands of its terminator."""
        for parameter, value in zip(block.args, args, strict=True):
            parameter.replace_all_uses_with(value)
        *inner, end = block.ops
        for op in inner:
            op.detach()
        self.ops += inner
        return end.operands


def operand_is(
    kind: type[Inner],
) -> Callable[[Callable[[Any, Inner, Writer], Result]], Callable[[Any, Writer], Result]]:
    """Decorates a rule on an op whose operand must be the result of a `kind` op; the rule takes that op as `inner`."""

    def decorate(rule: Callable[[Any, Inner, Writer], Result]) -> Callable[[Any, Writer], Result]:
        @wraps(rule)
        def apply(op: Any, write: Writer) -> Result:
            inner = op.input.owner
            if not isinstance(inner, kind):
                return f"its operand is not the result of {kind.name.removeprefix('ptir.')}"
            return rule(op, inner, write)

        return apply

    return decorate
