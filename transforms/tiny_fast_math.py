"""
`tiny-fast-math`: computes exponentials and quotients with a GPU's fast instructions, which lose accuracy in the last bits.

```
tiny.unary exp %x                   exp2(x · log2 e)          3 instructions instead of 9
tiny.binary div %x, %s              x · (1 / s)               if `s` is broadcast: one division for each element of `s`
```

The pass changes results, as LLVM's `afn` and `arcp` do, and only runs on request: `ptir-to-tiny,tiny-fast-math,ptir-to-cuda`.
The error of an exponential is at most 2 + 1.3·|x| ulp of f32 instead of 2 ulp, hence 116 ulp at the ends of its range; a subnormal
result becomes 0. The error of a quotient is 2 ulp instead of half an ulp; a subnormal `s` may make it infinite. Both are computed
in f32; f64 and complex numbers are not changed. Spec: `tensor-compiler.ja §12.1` leaves the accuracy of a function to its lowering.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import Float64Type, ModuleOp, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..dialects import tiny
from ..dialects.common.shapes import element, is_float
from ..dialects.ptir.dims import sizes
from .op_writer import rewrite
from .ptir_to_tiny.writer import Writer


@dataclass(frozen=True)
class TinyFastMath(ModulePass):
    """Computes exponentials by `exp2`, and divides by a broadcast divisor by multiplying by its reciprocal."""

    name = "tiny-fast-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [o for o in op.body.block.ops if isinstance(o, FuncOp) and len(o.body.blocks) == 1]:
            for o in list(function.body.block.ops):
                match o:
                    case tiny.UnaryOp() if o.fn.data == "exp" and is_narrow(o.result):
                        rewrite(Writer(o), lambda o, write: exponential(write, o.input))
                        count("exponentials replaced")
                    case tiny.BinaryOp() if (
                        o.fn.data == "div" and is_narrow(o.result) and before_broadcast(o) is not None
                    ):
                        rewrite(Writer(o), lambda o, write: quotient(write, o))
                        count("quotients replaced")
                    case _:
                        pass


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
    scaled = write.binary("mul", write.cast(x, f32), write.literal(math.log2(math.e), f32))
    return write.cast(write.unary("exp2", scaled), element(x))


def quotient(write: Writer, op: tiny.BinaryOp) -> SSAValue:
    dividend, divisor = op.inputs[0], before_broadcast(op)
    assert divisor is not None
    reciprocal = write.unary("recip", write.cast(divisor, f32))
    return write.cast(
        write.binary("mul", write.cast(dividend, f32), write.expand(reciprocal, sizes(op.result))), element(op.result)
    )
