"""
The `intent` dialect: what a kernel means, apart from how it is scheduled (IntentIR v1.1).

Values are tensors whose sizes are expressions of symbols; a *binding* gives each symbol a number. Ops are pure and have one
result. `semantics/intent/` has their meaning, `ptir-verify` compares an implementation with it.

```mlir
intent.func @center(%x: !intent.tensor<[M, N], f32>) {
  %mean = intent.reduce sum %x axes [1] scale expr "1 / N" : !intent.tensor<[M, N], f32> -> !intent.tensor<[M], f32>
  %y = intent.binary sub %x, %mean : (!intent.tensor<[M, N], f32>, !intent.tensor<[M], f32>) -> !intent.tensor<[M, N], f32>
  intent.return %y : !intent.tensor<[M, N], f32>
}
```

Spec: `intentir-semantics.md`.
"""

# pyright: reportUnusedImport=false
from __future__ import annotations

from xdsl.ir import Dialect

from ..common.members import members
from .base import IntentOp
from .elementwise import BinaryOp, CastOp, ConstOp, GatherOp, IotaOp, UnaryOp, WhereOp
from .function import FuncOp, ReturnOp, function_of
from .images import Conv2dOp, CorrelationOp, MacroOp, ResizeOp, RopeOp, UpsampleBicubic2dAaOp, WarpOp
from .movement import BroadcastInDimOp, ReduceOp, ReshapeOp, TransposeOp
from .structured import DropoutOp, MatmulOp, SoftmaxOp, YieldOp
from .types import TensorType, type_of

Intent = Dialect("intent", *members("intent", globals()))
