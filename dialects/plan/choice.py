"""
The algorithm that a program asks for: the attribute `plan.algo_choice` of a convolution or of the sum that it is lowered to.

```mlir
%y = ptir.convolution %x, %w accum f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}} : …
```

A kernel uses the algorithm or there is an error; without the attribute, the planner chooses one that computes what the program says.
`tolerance` allows an algorithm a larger error than the program's (`analysis/regions/bilinear.py`). With `fused = true`, the kernel that
multiplies the transformed operands of `winograd_3x3` transforms the image, too. Spec: `tensor-compiler.ja §1.7`.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from ...errors import InvalidAttributeValue
from .schedule import CONV

CHOICE = "plan.algo_choice"
COMPUTES = "plan.computes_lhs"
"""
The unit attribute of a sum of products whose kernel computes the left factors, or there is an error: otherwise the cost decides
(`analysis/regions/prologue.py`).
"""

ONE_KERNEL = ("implicit_gemm", "direct")
"""The algorithms of `CONV` that are one kernel anyway."""
WITHOUT_TRANSFORMS = "leave out fused: it puts the transform of winograd_3x3 into the kernel of its products"


class Choice(NamedTuple):
    """
    An algorithm of `CONV`, the largest error that it may have, relative to max |x| · ‖w‖₂ (None: the program's), and whether its kernel
    transforms the image.
    """

    conv: str
    tolerance: float | None = None
    fused: bool = False

    @property
    def problem(self) -> str | None:
        """What is wrong with `fused`, or None."""
        ignored = self.fused and self.conv in ONE_KERNEL
        return f"has no effect on {self.conv}, which transforms no image" if ignored else None

    @property
    def attribute(self) -> DictionaryAttr:
        tolerance = {} if self.tolerance is None else {"tolerance": FloatAttr(self.tolerance, 64)}
        fused = {"fused": IntegerAttr.from_bool(True)} if self.fused else {}
        return DictionaryAttr({"conv": StringAttr(self.conv), **tolerance, **fused})


def choice_of(op: Operation) -> Choice | None:
    """Returns the choice that `op` carries, or None. Raises `InvalidAttributeValue`."""
    match op.attributes.get(CHOICE):
        case None:
            return None
        case DictionaryAttr(data=fields) if fields.keys() <= {"conv", "tolerance", "fused"}:
            fused = fields.get("fused", IntegerAttr.from_bool(False))
            match fields.get("conv"), fields.get("tolerance"):
                case StringAttr(data=conv), (None | FloatAttr() | IntegerAttr()) as given if (
                    conv in CONV and (given is None or given.value.data >= 0) and isa(fused, BoolAttr)
                ):
                    tolerance = None if given is None else float(given.value.data)
                    choice = Choice(conv, tolerance, bool(fused.value.data))
                    if (problem := choice.problem) is not None:
                        problem = f"has fused, which {problem}"
                        raise InvalidAttributeValue(op, name=CHOICE, problem=problem, help=WITHOUT_TRANSFORMS)
                    return choice
                case _:
                    pass
        case _:
            pass
    problem = f"is {op.attributes[CHOICE]}"
    want = f"{{conv = …}}, one of {', '.join(CONV)}; tolerance = 0.1 allows an error, fused = true asks for one kernel"
    raise InvalidAttributeValue(op, name=CHOICE, problem=problem, help=want)
