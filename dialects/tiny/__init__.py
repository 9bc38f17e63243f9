"""
The `tiny` dialect, the second level: a tensor program in four kinds of op and two leaves.

`movement` re-indexes, `unary` and `binary` are elementwise (`binary` with implicit right-aligned broadcast), `reduce` reduces
axes; `const` and `iota` are leaves. A contraction is not an op, but a movement, `mul` and `reduce`. Ops whose accesses are not
affine stay `ptir` ops between tiny ops. Sizes are numbers, names (`#ptir.dims`) or `?`, as in `ptir`. The ops are pure.

```mlir
%1 = tiny.movement reshape %x : tensor<4x8xf32> -> tensor<4x8x1xf32>
%2 = tiny.binary mul %1, %w : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
%3 = tiny.reduce sum %2 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
```

Spec: `tensor-compiler.ja §1.2, §1.3, §12.1`; syntax of `DESIGN §4`.
"""

# pyright: reportUnusedImport=false
from __future__ import annotations

from xdsl.ir import Dialect

from ..common.members import members
from .elementwise import BinaryOp, UnaryOp, is_product
from .leaves import ConstOp, IotaOp
from .movement import MOVEMENTS, MovementOp
from .reduction import ReduceOp
from .strict import adds_floats, is_exact_product, is_part_of_sum, keeps_order
from .vocabulary import (
    BINARIES,
    BINARY_OPS,
    CHECKS,
    COMPARISONS,
    FORMULAS,
    KERNEL_UNARY,
    REDUCTIONS,
    UNARIES,
    UNARY_OPS,
)

Tiny = Dialect("tiny", *members("tiny", globals()))
