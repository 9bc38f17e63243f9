"""
The `ptir` dialect: the portable tensor program (PTIR v0.4), level one.

Pure SSA over builtin tensors, row-major, with explicit broadcasting and no implicit promotion. The
meaning of each op is the backend contract's; its interpreter is `semantics/ptir.py`.

```mlir
func.func @linear(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  %1 = ptir.broadcast_to %b : tensor<2xf32> -> tensor<4x2xf32>
  %2 = ptir.add %0, %1 : tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}
```

Spec: `ptir-backend-contract.md`. Each op's docstring names its section.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from .base import MovementOp as MovementOp
from .base import TensorOp as TensorOp
from .base import default_accum as default_accum
from .constants import ConstantOp
from .constants import LiteralOp as LiteralOp
from .contraction import DotGeneralOp
from .dims import DimsAttr
from .elementwise import (
    COMPARISONS as COMPARISONS,
)
from .elementwise import (
    AbsOp,
    AddOp,
    CastOp,
    ClampOp,
    CompareOp,
    DivOp,
    ErfOp,
    ExpOp,
    LogOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    NegOp,
    ReciprocalOp,
    RsqrtOp,
    SelectOp,
    SubOp,
    TanhOp,
)
from .elementwise import (
    BinaryOp as BinaryOp,
)
from .elementwise import (
    UnaryOp as UnaryOp,
)
from .movement import BroadcastToOp, ReshapeOp, TransposeOp
from .reductions import REDUCTIONS as REDUCTIONS
from .reductions import ReduceOp

SPEC_VERSION = "ptir.v0.4"

PTIR = Dialect(
    "ptir",
    [
        ConstantOp,
        NegOp,
        AbsOp,
        ExpOp,
        LogOp,
        TanhOp,
        ErfOp,
        RsqrtOp,
        ReciprocalOp,
        AddOp,
        SubOp,
        MulOp,
        DivOp,
        MaximumOp,
        MinimumOp,
        CompareOp,
        SelectOp,
        ClampOp,
        CastOp,
        DotGeneralOp,
        ReduceOp,
        ReshapeOp,
        TransposeOp,
        BroadcastToOp,
    ],
    [DimsAttr],
)
