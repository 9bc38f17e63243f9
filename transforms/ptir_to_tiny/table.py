"""The table of lowerings: for each `ptir` op, the function that writes its tiny ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.ir import Operation, SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import sizes
from ..op_writer import Draft
from ..ptir_decompose import elementwise as simpler
from ..ptir_decompose import indexing
from ..ptir_decompose import reductions as formulas
from . import contractions, elementwise, movement, order, random, reductions, scatter
from .writer import Row, Writer


def lower_op(op: Operation, write: Writer) -> tuple[SSAValue, ...]:
    """Writes the tiny ops of an op with a row in the table, and returns its results."""
    results = LOWERINGS[type(op)](op, write)
    return (results,) if isinstance(results, SSAValue) else results


def by_formula(formula: Callable[[Any, Draft], SSAValue]) -> Row:
    """Returns the lowering of an op with a `formula` in `ptir-decompose`: it lowers each op of the formula."""

    def lower(op: Operation, write: Writer) -> SSAValue:
        draft = Draft(op)
        try:
            result = formula(op, draft)
            for step in draft.ops:
                for old, lowered in zip(step.results, lower_op(step, write), strict=True):
                    result = lowered if result is old else result
                    old.replace_all_uses_with(lowered)
            return result
        finally:
            draft.drop()

    return lower


LOWERINGS: Mapping[type[Operation], Row] = {
    **dict.fromkeys(elementwise.WORDS, elementwise.word),
    ptir.CompareOp: lambda op, write: write.binary(op.op.data, op.lhs, op.rhs),
    ptir.ClampOp: by_formula(simpler.clamp),
    ptir.CastOp: lambda op, write: write.cast(op.input, element(op.result)),
    ptir.BitcastOp: elementwise.bitcast,
    ptir.StopGradientOp: lambda op, write: op.input,
    ptir.QuantizeOp: elementwise.quantize,
    ptir.DequantizeOp: elementwise.dequantize,
    ptir.RequantizeOp: elementwise.requantize,
    ptir.ConstantOp: lambda op, write: write.add(tiny.ConstOp(op.value)),
    ptir.IotaOp: lambda op, write: write.add(tiny.IotaOp(element(op.result), sizes(op.result), op.axis())),
    ptir.ReshapeOp: movement.reshape,
    ptir.TransposeOp: lambda op, write: write.permute(op.input, op.permutation()),
    ptir.BroadcastToOp: movement.broadcast_to,
    ptir.DimCastOp: movement.dim_cast,
    ptir.SliceOp: lambda op, write: write.shrink(op.input, list(op.starts.get_values()), sizes(op.result)),
    ptir.PadOp: movement.pad,
    ptir.TileOp: movement.tile,
    ptir.ConcatOp: movement.concat,
    ptir.ReduceOp: reductions.reduce,
    ptir.ArgMaxOp: reductions.argmax,
    ptir.TopKOp: order.top_k,
    ptir.ReduceWindowOp: reductions.reduce_window,
    ptir.ExtractPatchesOp: reductions.extract_patches,
    ptir.DotGeneralOp: contractions.dot_general,
    ptir.ConvolutionOp: contractions.convolution,
    ptir.ScatterReduceOp: scatter.scatter_reduce,
    ptir.ScatterAddOp: scatter.scatter_add,
    ptir.SegmentReduceOp: scatter.segment_reduce,
    ptir.RngUniformOp: random.uniform,
    ptir.RngNormalOp: random.normal,
    ptir.TakeOp: by_formula(indexing.take),
    ptir.GatherOp: movement.gather,
    ptir.DynamicSliceOp: movement.dynamic_slice,
    ptir.DynamicUpdateSliceOp: by_formula(indexing.dynamic_update_slice),
    ptir.LayerNormOp: by_formula(formulas.layer_norm),
}
