"""
Decomposes a convolution into patches and a contraction (contract, *Patch extraction*).

```
%p = extract_patches %x          [N, positions…, W * C]        W: the elements of a window
%f = reshape %w                  [W * C, F]
%y = dot_general %p, %f          [N, positions…, F]
```

With groups, the channels of a window and the features are split by group, which becomes the contraction's batch axis.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.ptir.dims import sizes
from .draft import Declined, Draft


def convolution(op: ptir.ConvolutionOp, draft: Draft) -> SSAValue:
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
    accum, out = op.accum_dtype, op.out_dtype
    positions = sizes(patches)[:-1]
    at = len(positions)
    if groups == 1:
        filters = draft.reshape(op.filter, [count * channels, features])
        dot = ptir.DotGeneralOp(patches, filters, ([at], [0]), accum=accum, out=out, result_type=op.result.type)
        return draft.add(dot)
    filters = draft.reshape(op.filter, [count, channels // groups, groups, features // groups])
    runs = draft.reshape(patches, [*positions, count, groups, channels // groups])
    dot = ptir.DotGeneralOp(runs, filters, ([at, at + 2], [0, 1]), ([at + 1], [2]), accum=accum, out=out)
    together = draft.transpose(draft.add(dot), [*range(1, at + 1), 0, at + 1])
    return draft.reshape(together, sizes(op.result))
