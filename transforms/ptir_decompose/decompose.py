"""
`ptir-decompose{ops=layer_norm,clamp}`: rewrites ops as formulas of other ops.

```
%0 = ptir.clamp %x, %lo, %hi      →      %1 = ptir.maximum %x, %lo
                                         %0 = ptir.minimum %1, %hi
```

Without `ops`, all formulas in `SIMPLER` are used: they rewrite ops into ops that are closer to `tiny`. `INDEXING_FORMS` has
formulas for both directions (take to gather and back), so `ops` must name the ones to use. An op stays if a size is not known or
no formula is exact; `--debug` logs the reason.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ...analysis.program.statistics import count
from ...dialects import ptir
from ...errors import InvalidAttributeValue
from ..op_writer import Draft, rewrite
from . import elementwise, indexing, reductions

log = logging.getLogger(__name__)

Row = tuple[type[Operation], Callable[[Any, Draft], SSAValue]]
SIMPLER: Mapping[str, Row] = MappingProxyType(
    {
        "clamp": (ptir.ClampOp, elementwise.clamp),
        "stop_gradient": (ptir.StopGradientOp, elementwise.stop_gradient),
        "layer_norm": (ptir.LayerNormOp, reductions.layer_norm),
        "convolution": (ptir.ConvolutionOp, reductions.convolution),
        "reduce": (ptir.ReduceOp, reductions.logical_reduce),
        "and": (ptir.AndOp, elementwise.logical_and),
        "or": (ptir.OrOp, elementwise.logical_or),
        "xor": (ptir.XorOp, elementwise.logical_xor),
        "not": (ptir.NotOp, elementwise.bitwise_not),
        "is_finite": (ptir.IsFiniteOp, elementwise.is_finite),
        "sign": (ptir.SignOp, elementwise.sign),
        "remainder": (ptir.RemainderOp, elementwise.remainder),
        "floor": (ptir.FloorOp, elementwise.floor),
        "ceil": (ptir.CeilOp, elementwise.ceil),
        "round": (ptir.RoundOp, elementwise.round_half_even),
    }
)
INDEXING_FORMS: Mapping[str, Row] = MappingProxyType(
    {
        "take": (ptir.TakeOp, indexing.take),
        "gather": (ptir.GatherOp, indexing.gather),
        "dynamic_update_slice": (ptir.DynamicUpdateSliceOp, indexing.dynamic_update_slice),
        "scatter_reduce": (ptir.ScatterReduceOp, indexing.scatter_reduce),
        "scatter_add": (ptir.ScatterAddOp, indexing.scatter_add),
    }
)
ROWS = {**SIMPLER, **INDEXING_FORMS}


@dataclass(frozen=True)
class PtirDecompose(ModulePass):
    """Rewrites ops into simpler ones."""

    name = "ptir-decompose"
    ops: tuple[str, ...] | None = None
    """The ops to decompose: scatter_add, layer_norm, …; by default all except for indexing ops."""

    def __post_init__(self) -> None:
        for name in self.ops or ():
            if name not in ROWS:
                raise InvalidAttributeValue(
                    name="ops", problem=f"names the unknown op '{name}'", help=f"one of {', '.join(ROWS)}"
                )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = tuple(SIMPLER) if self.ops is None else self.ops
        table = dict(ROWS[name] for name in names)
        for old in list(op.walk()):
            if (row := table.get(type(old))) is None:
                continue
            if (reason := rewrite(Draft(old), row)) is None:
                count("operations decomposed")
            else:
                log.debug("'%s' is left as it is: %s", old.name, reason, extra={"op": old})
