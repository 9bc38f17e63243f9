"""
The `pto` dialect: the tile program of one kernel, target-neutral.

Tiles are SSA values. `pto.tiles` runs its body, a block of the grid, for each output tile. A `pto.process` (producer) fills a
`pto.channel` with tiles, which the rest of the body consumes. The two run concurrently; the depth of the channel limits how
far the producer runs ahead. The lowering to nv turns a channel into cp.async groups or an mbarrier ring.

The elements of a tile are points of an index space. The two axes `dims` of the space are the tile's rows and columns, and the
offsets are the point of its first element. A load has an access map and a guard: its element at point `p` is `memref[map(p)]`
if `p` lies in the box `bounds` and in the set `where`, and zero elsewhere.

```mlir
pto.kernel @k(%x: memref<70x40xbf16> align 16, %w: memref<40x20xbf16> align 16) -> (%y: memref<70x20xf32> align 16 gmem) plan … {
  pto.tiles (%m, %n) in [70, 20] step [64, 32] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>]>
    pto.process { scf.for %k = … { pto.channel.acquire %ring … pto.channel.commit %ring, %a, %b … } }
    …
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [70, 20] dims [0, 1] : …
  }
}
```

Spec: `pto-ir.md` §2-§6. `pto.tiles`, channels and access maps are extensions (DESIGN §4).
"""

# pyright: reportUnusedImport=false
from __future__ import annotations

from xdsl.ir import Dialect

from ..common.members import members
from .asynchronous import InstructionOp as InstructionOp
from .broadcasts import EXPANDED as EXPANDED
from .broadcasts import ExpandedBinaryOp as ExpandedBinaryOp
from .channels import AcquireOp, ChannelOp, CommitOp, ProcessOp, ReleaseOp, WaitOp
from .channels import ChannelUserOp as ChannelUserOp
from .columns import COL_REDUCTIONS as COL_REDUCTIONS
from .columns import ColExpandOp, ColMaxOp, ColMinOp, ColProdOp, ColSumOp
from .columns import ColReduceOp as ColReduceOp
from .events import RecordOp
from .fixpipe import MoveScaledOp, StoreScaledOp
from .kernel import COMBINES as COMBINES
from .kernel import SIGNED_I32 as SIGNED_I32
from .kernel import CombineOp, PtoKernelOp, TilesOp
from .matmul import MOVES as MOVES
from .matmul import MX_BLOCK as MX_BLOCK
from .matmul import (
    CopyOp,
    MatmulAccOp,
    MatmulBiasOp,
    MatmulMxOp,
    MatmulOp,
    MoveMatToVecOp,
    MoveToBiasOp,
    MoveToLeftOp,
    MoveToRightOp,
    MoveToScaleOp,
    MoveToVecOp,
    MoveVecToAccOp,
    MoveVecToLeftOp,
    MoveVecToRightOp,
)
from .matmul import MoveOp as MoveOp
from .matmul import multiplies as multiplies
from .memory import AccessOp as AccessOp
from .memory import IotaOp, LoadMapOp, MaskOp, ReportOp, ScatterMapOp, StoreMapOp
from .memory import PointsOp as PointsOp
from .memory import PositionedOp as PositionedOp
from .rearrangements import BLOCK_BYTES as BLOCK_BYTES
from .rearrangements import ExtractOp, GatherBytesOp, GatherOp, InsertOp, ReshapeOp, RowXorOp, ScatterOp, TransOp
from .rows import ROW_REDUCTIONS as ROW_REDUCTIONS
from .rows import RowExpandOp, RowMaxOp, RowMinOp, RowProdOp, RowSumOp
from .rows import RowReduceOp as RowReduceOp
from .scalars import AddIOp, ConstantOp, MulIOp, SubIOp
from .sequences import CiOp, MrgSortOp, Sort32Op
from .synchronization import AssignOp, SyncOp, SyncOpcodeOp
from .transfers import LoadOp, PrefetchOp, StoreOp, SubviewOp
from .transfers import memref_type as memref_type
from .types import ChannelType, EventType, MemRefType, TileInfoAttr, TileType
from .types import tile_type as tile_type
from .vector import BINARY as BINARY
from .vector import PARTIAL as PARTIAL
from .vector import SHIFT_RIGHT as SHIFT_RIGHT
from .vector import UNARY as UNARY
from .vector import BitcastOp, CmpOp, CvtOp, ExpandsOp, FmaOp, SelOp
from .vector import VectorBinaryOp as VectorBinaryOp
from .vector import VectorUnaryOp as VectorUnaryOp
from .with_scalars import SCALAR_BINARY as SCALAR_BINARY
from .with_scalars import CmpsOp, SelsOp
from .with_scalars import ScalarBinaryOp as ScalarBinaryOp
from .words import (
    CompareAttr,
    LayoutAttr,
    LocAttr,
    OpcodeAttr,
    RoundModeAttr,
    ScopeAttr,
    SpaceAttr,
    TargetAttr,
)

TABLES = (UNARY, BINARY, PARTIAL, SCALAR_BINARY, EXPANDED)
PTO = Dialect("pto", *members("pto", {**globals(), **{op.name: op for table in TABLES for op in table.values()}}))
