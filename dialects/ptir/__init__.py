"""
The `ptir` dialect, the first level: a portable tensor program (PTIR v0.4).

A program is pure SSA on builtin tensors, row-major, with explicit broadcasts and no implicit promotion. The backend contract
defines the meaning of each op; `semantics/ptir/` has the interpreter.

```mlir
func.func @linear(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  %1 = ptir.broadcast_to %b : tensor<2xf32> -> tensor<4x2xf32>
  %2 = ptir.add %0, %1 : tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}
```

Spec: `ptir-backend-contract.md`. The docstring of each op names the section of the contract that defines it.
"""

# pyright: reportUnusedImport=false
from __future__ import annotations

from xdsl.ir import Dialect

from ..common.members import members
from . import functions
from .base import MovementOp, TensorOp, default_accum
from .calls import CustomCallOp, require_target
from .composite import CompositeOp
from .constants import ConstantOp, LiteralOp
from .contraction import DotGeneralOp
from .control import CondOp, ScanOp, WhileOp, YieldOp
from .convolution import ConvolutionOp
from .dims import DimsAttr
from .elementwise import (
    COMPARISONS,
    AbsOp,
    AddOp,
    BinaryOp,
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
    StopGradientOp,
    SubOp,
    TanhOp,
    UnaryOp,
)
from .functions import (
    AndOp,
    BitcastOp,
    CeilOp,
    CosOp,
    ErfcOp,
    Exp2Op,
    Expm1Op,
    FloorOp,
    IsFiniteOp,
    Log1pOp,
    LogisticOp,
    NotOp,
    OrOp,
    PowOp,
    RemainderOp,
    RoundOp,
    ShiftLeftOp,
    ShiftRightArithmeticOp,
    ShiftRightLogicalOp,
    SignOp,
    SinOp,
    SqrtOp,
    XorOp,
)
from .indexing import DynamicSliceOp, DynamicUpdateSliceOp, GatherOp, TakeOp
from .module import SPEC_VERSION
from .movement import BroadcastToOp, ConcatOp, DimCastOp, IotaOp, PadOp, ReshapeOp, SliceOp, TileOp, TransposeOp
from .normalization import LayerNormOp
from .quantization import DequantizeOp, QuantizeOp, RequantizeOp
from .random import RngNormalOp, RngOp, RngUniformOp
from .reductions import EXTENSION_REDUCTIONS, REDUCTIONS, ArgMaxOp, ReduceOp, TopKOp
from .scalars import ScalarAttr
from .scatter import ScatterAddOp, ScatterReduceOp, SegmentReduceOp
from .tuples import TupleElementOp, TupleOp
from .windows import ExtractPatchesOp, ReduceWindowOp, Window, WindowOp

PTIR = Dialect("ptir", *members("ptir", {**globals(), **vars(functions)}))
