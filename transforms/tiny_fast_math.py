"""
`tiny-fast-math`: computes exponentials and quotients with a GPU's fast instructions, which lose accuracy in the last bits.

```
tiny.unary exp %x                   exp2(x · log2 e)          3 instructions instead of 9
tiny.binary div %x, %s              x · (1 / s)               if `s` is broadcast: one division for each element of `s`
```

The pass changes results, as LLVM's `afn` and `arcp` do, and only runs on request: `ptir-to-tiny,tiny-fast-math,ptir-to-cuda`.
`--validate-passes` does not validate it; strict floats are refused. The error of an exponential is at most 2 + 1.3·|x| ulp of f32 instead
of 2 ulp, hence 116 ulp at the ends of its range; a subnormal result becomes 0. The error of a quotient is 2 ulp instead of half an ulp; a
subnormal `s` may make it infinite. Both are computed in f32; f64 and complex numbers are not changed. Spec: `tensor-compiler.ja §12.1`
leaves the accuracy of a function to its lowering.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import Float64Type, ModuleOp, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..dialects import tiny
from ..dialects.common.shapes import element, is_float
from ..dialects.common.strict import is_strict
from ..dialects.ptir.dims import sizes
from .errors import ChangesStrictFloats
from .op_writer import rewrite
from .ptir_to_tiny.writer import Writer


@dataclass(frozen=True)
class TinyFastMath(ModulePass):
    """Computes exponentials by `exp2`, and divides by a broadcast divisor by multiplying by its reciprocal."""

    name = "tiny-fast-math"
    preserves_meaning: ClassVar[bool] = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if is_strict(op):
            help = "leave out the pass, or the attribute ptir.strict_floats"
            raise ChangesStrictFloats(op, what=self.name, help=help)
        for function in [o for o in op.body.block.ops if isinstance(o, FuncOp) and len(o.body.blocks) == 1]:
            for o in list(function.body.block.ops):
                if not (isinstance(o, tiny.UnaryOp | tiny.BinaryOp) and is_narrow(o.result)):
                    continue
                if isinstance(o, tiny.UnaryOp) and o.fn.data == "exp":
                    rewrite(Writer(o), lambda o, write: exponential(write, o.input))
                    count("exponentials replaced")
                elif (
                    isinstance(o, tiny.BinaryOp) and o.fn.data == "div" and (divisor := before_broadcast(o)) is not None
                ):
                    rewrite(
                        Writer(o), lambda o, write, divisor=divisor: quotient(write, o.inputs[0], divisor, o.result)
                    )
                    count("quotients replaced")


def is_narrow(x: SSAValue) -> bool:
    """Returns whether the elements of `x` are floats of at most 32 bits."""
    return is_float(dtype := element(x)) and not isinstance(dtype, Float64Type)


def before_broadcast(op: tiny.BinaryOp) -> SSAValue | None:
    """Returns the divisor of `op` before it is broadcast, or None if it is not broadcast."""
    divisor = op.inputs[1]
    if isinstance(by := divisor.owner, tiny.MovementOp) and by.kind.data == "expand":
        return by.input
    return divisor if sizes(divisor) != sizes(op.result) else None


def exponential(write: Writer, x: SSAValue) -> SSAValue:
    """Writes `2**(x * log2(e))`, rounded to the type of `x`."""
    scaled = write.binary("mul", write.cast(x, f32), write.literal(math.log2(math.e), f32))
    return write.cast(write.unary("exp2", scaled), element(x))


def quotient(write: Writer, dividend: SSAValue, divisor: SSAValue, like: SSAValue) -> SSAValue:
    """Writes a quotient of the type of `like`, of which several elements have the same `divisor`."""
    reciprocal = write.expand(write.unary("recip", write.cast(divisor, f32)), sizes(like))
    return write.cast(write.binary("mul", write.cast(dividend, f32), reciprocal), element(like))
