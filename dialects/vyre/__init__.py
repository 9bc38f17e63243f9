"""
The `vyre` dialect: compute programs on byte-exact buffers, with one result on every backend (vyre 0.4).

A program is executed for each invocation of a grid of workgroups. Its values are integers, vectors and booleans; every op is total. A
program without a race has one result: that of the interpreter (`semantics/vyre/`), of PTX and of WGSL.

```mlir
vyre.program @add workgroup [64, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %x = vyre.load %a[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %y = vyre.binop add %x, %i : !vyre.u32
  vyre.store %y, %out[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
}
```

Spec: `vyre-ir-types.md`.
"""

# pyright: reportUnusedImport=false
from __future__ import annotations

from xdsl.ir import Dialect

from ..common.members import members
from .arithmetic import BinOp, CastOp, CompareOp, ConstantOp, ExtractOp, SelectOp, UnOp, VectorOp
from .control import ForOp, IfOp, YieldOp
from .errors import PlannedType as PlannedType
from .floats import ApproximateOp, BitcastOp, DotOp, ReduceOp, StrictOp
from .memory import (
    AccessOp,
    AtomicCompareExchangeOp,
    AtomicOp,
    BarrierOp,
    BufLenOp,
    LoadOp,
    LoadWordOp,
    PositionOp,
    StoreOp,
    StoreWordOp,
)
from .program import BufferOp, CallOp, ConventionAttr, OpOp, ProgramOp, ReturnOp, SignatureAttr
from .types import (
    BF16,
    F16,
    F32,
    I32,
    U32,
    U64,
    U128,
    Bool,
    BufferType,
    Bytes,
    DataType,
    PreviewTensorType,
    PreviewType,
    Tensor,
    Vec2U32,
    Vec4U32,
)

Vyre = Dialect("vyre", *members("vyre", globals()))
