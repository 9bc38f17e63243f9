"""Decomposes reductions, normalization and convolution."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import sizes
from ..op_writer import Declined, Draft

BYTE = IntegerType(8, Signedness.UNSIGNED)


def logical_reduce(op: ptir.ReduceOp, draft: Draft) -> SSAValue:
    """Writes `any` as a maximum of unsigned bytes and `all` as a minimum, whose neutral elements 0 and 255 mean false and true."""
    kind = {"any": "max", "all": "min"}.get(op.kind.data)
    if kind is None:
        raise Declined(f"{op.kind.data} has no other form")
    numbers = draft.cast(op.input, BYTE)
    reduced = draft.add(ptir.ReduceOp(kind, numbers, op.axes(), keepdims=op.keepdims is not None, accum=BYTE, out=BYTE))
    return draft.cast(draft.compare("ne", reduced, draft.splat(0, reduced)), element(op.result))


def layer_norm(op: ptir.LayerNormOp, draft: Draft) -> SSAValue:
    """Writes the formula in the docstring of `ptir.layer_norm`."""
    x, accum, axis, of = op.input, op.accum, op.axis(), sizes(op.input)
    if not isinstance(of[axis], int):
        raise Declined("the number of features is not known")

    def mean(v: SSAValue) -> SSAValue:
        total = draft.add(ptir.ReduceOp("sum", v, [axis], keepdims=True, accum=accum, out=accum))
        return draft.add(ptir.DivOp(total, draft.splat(float(of[axis] or 0), total)))

    def along(v: SSAValue) -> SSAValue:
        placed = draft.reshape(draft.cast(v, accum), [s if a == axis else 1 for a, s in enumerate(of)])
        return draft.broadcast(placed, of)

    v = draft.cast(x, accum)
    d = draft.add(ptir.SubOp(v, draft.broadcast(mean(v), of)))
    variance = mean(draft.add(ptir.MulOp(d, d)))
    root = draft.add(ptir.RsqrtOp(draft.add(ptir.AddOp(variance, draft.splat(op.epsilon.value.data, variance)))))
    y = draft.add(ptir.MulOp(d, draft.broadcast(root, of)))
    scaled = draft.add(ptir.MulOp(y, along(op.gamma)))
    return draft.cast(draft.add(ptir.AddOp(scaled, along(op.beta))), element(x))


def convolution(op: ptir.ConvolutionOp, draft: Draft) -> SSAValue:
    """
    Writes a contraction of patches with the filter (contract, *Patch extraction*).

    ```
    %p = extract_patches %x          [N, positions…, W * C]        W is the number of elements of a window
    %f = reshape %w                  [W * C, F]
    %y = dot_general %p, %f          [N, positions…, F]
    ```

    With groups, channels and features are each split into groups, which become a batch axis of the contraction.
    """
    windows = op.windows()
    channels, features, groups = sizes(op.input)[-1], sizes(op.filter)[-1], op.group_count
    if not isinstance(channels, int) or not isinstance(features, int):
        raise Declined("the number of channels or features is not known")
    count = prod(op.window_sizes)
    patches = draft.add(
        ptir.ExtractPatchesOp(
            op.input,
            op.window_sizes,
            strides=[w.stride for w in windows],
            padding=[(w.low, w.high) for w in windows],
            dilation=[w.dilation for w in windows],
        )
    )
    accum, out, precision = op.accum_dtype, op.out_dtype, None if op.precision is None else op.precision.data
    positions = sizes(patches)[:-1]
    at = len(positions)
    if groups == 1:
        filters = draft.reshape(op.filter, [count * channels, features])
        dot = ptir.DotGeneralOp(
            patches, filters, ([at], [0]), accum=accum, out=out, result_type=op.result.type, precision=precision
        )
        return draft.add(dot)
    filters = draft.reshape(op.filter, [count, channels // groups, groups, features // groups])
    runs = draft.reshape(patches, [*positions, count, groups, channels // groups])
    dot = ptir.DotGeneralOp(
        runs, filters, ([at, at + 2], [0, 1]), ([at + 1], [2]), accum=accum, out=out, precision=precision
    )
    together = draft.transpose(draft.add(dot), [*range(1, at + 1), 0, at + 1])
    return draft.reshape(together, sizes(op.result))
