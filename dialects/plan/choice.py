"""
The algorithm that a program asks for: the attribute `plan.algo_choice` of a convolution or of the sum that it is lowered to.

```mlir
%y = ptir.convolution %x, %w accum f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}} : …
```

A kernel uses the algorithm or there is an error; without the attribute, the planner chooses one that computes what the program says.
`tolerance` allows an algorithm a larger error than the program's (`analysis/regions/winograd.py`). Spec: `tensor-compiler.ja §1.7`.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Operation

from ...errors import InvalidAttributeValue
from .schedule import CONV

CHOICE = "plan.algo_choice"


class Choice(NamedTuple):
    """An algorithm of `CONV`, and the largest error that it may have, relative to max |x| · ‖w‖₂; None: the program's."""

    conv: str
    tolerance: float | None = None

    @property
    def attribute(self) -> DictionaryAttr:
        tolerance = {} if self.tolerance is None else {"tolerance": FloatAttr(self.tolerance, 64)}
        return DictionaryAttr({"conv": StringAttr(self.conv), **tolerance})


def choice_of(op: Operation) -> Choice | None:
    """Returns the choice that `op` carries, or None. Raises `InvalidAttributeValue`."""
    match op.attributes.get(CHOICE):
        case None:
            return None
        case DictionaryAttr(data=fields) if fields.keys() <= {"conv", "tolerance"}:
            match fields.get("conv"), fields.get("tolerance"):
                case StringAttr(data=conv), None if conv in CONV:
                    return Choice(conv)
                case StringAttr(data=conv), FloatAttr() | IntegerAttr() as tolerance if (
                    conv in CONV and tolerance.value.data >= 0
                ):
                    return Choice(conv, float(tolerance.value.data))
                case _:
                    pass
        case _:
            pass
    problem = f"is {op.attributes[CHOICE]}"
    want = f"{{conv = …}}, one of {', '.join(CONV)}; tolerance = 0.1 allows an error"
    raise InvalidAttributeValue(op, name=CHOICE, problem=problem, help=want)
