"""
The `nv` dialect: the instructions of one NVIDIA kernel. They are mixed with `scf`, `arith`, `math` and `gpu` ops in a `gpu.func`.

Ops are collective. Copies are collective over the block or, inside `nv.role`, over the role; fragment ops over a warp; wgmma
ops over a warpgroup. A fragment is storage in registers. Its type has the lane layout, from which the printer derives each
lane's indices.

```mlir
%s = nv.smem at 0 : !nv.smem<3x128x64xbf16, xor>
nv.cp_async %x[%m, %k] to %s[%slot] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [1797, 64] dims [0, 1] guard [0] bytes 16 : …
nv.ldmatrix %s[%slot, %row, %kk] ND to %a : !nv.smem<3x128x64xbf16, xor>, !nv.frag<64x16xbf16, A of m16n8k16>
nv.mma_sync %acc, %a, %b : !nv.frag<64x32xf32, C of m16n8k16>, !nv.frag<64x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
```

A kernel with roles is verified as a whole (`analysis/nv/checks.py`):

- mbarriers are initialized once, before the roles, followed by a fence and a barrier; the arrivals and bytes of a phase are
  those that it waits for, as far as they are known statically;
- single-thread ops are inside `nv.single`; collective ops are reached by all their threads, never under divergent control
  flow;
- no op accesses an accumulator, or an operand in registers, between its wgmma and an `nv.wgmma.wait` that covers it; a
  group of wgmmas begins with a fence and ends with a commit; at most one accumulator is in flight over a back edge;
- between an `nv.stmatrix` and the `nv.tma_store` of its data are an `nv.fence_async` and then an `nv.barrier`;
- between an `nv.tma_store` and the next write to its buffer are an `nv.bulk.wait_read` and then an `nv.barrier`;
- bulk stores are committed, and a role does not end before they have read shared memory;
- between copies by threads (`nv.cp_async`) and the arrival after which wgmma reads them is an `nv.fence_async`;
- roles share no threads and no hardware barriers, and their registers fit the register file;
- a kernel with a cluster ends with `nv.cluster.sync`; only such a kernel arrives at, or multicasts to, other blocks.

Spec: `tensor-compiler.ja §1.8`. Lane layouts: PTX ISA §9.7.14.5 (mma.m16n8k16, ldmatrix), §9.7.15.5.1 (wgmma).
"""

# pyright: reportUnusedImport=false
from __future__ import annotations

from xdsl.ir import Dialect

from ..common.members import members
from .any_differs import AnyDiffersOp
from .arrays import LoadElementOp, SharedArrayOp, StoreElementOp
from .columns import ColReduceOp
from .columns import col_scratch_bytes as col_scratch_bytes
from .columns import halvings as halvings
from .convert_layout import ConvertLayoutOp
from .convert_layout import spelled_rows as spelled_rows
from .copies import COPY_BYTES as COPY_BYTES
from .copies import CommitGroupOp, CpAsyncOp, SmemOp, WaitGroupOp
from .copies import groups_before as groups_before
from .copy_offsets import CopyOffsetsOp, CopyOffsetsType, CpAsyncAtOp, MoveOffsetsOp
from .epilogue import ElementsOp as ElementsOp
from .epilogue import EpilogueOp, YieldOp
from .fragments import AssignOp, FmaOp, FragOp, LdMatrixOp, LdSharedOp, MmaSyncOp, StoreOperandOp, ToTf32Op
from .fragments import LoadFragmentOp as LoadFragmentOp
from .fragments import in_slot as in_slot
from .fragments import matrix_rows_of as matrix_rows_of
from .launch import LaunchOp
from .launch import LaunchSymbolUse as LaunchSymbolUse
from .launch import outputs as outputs
from .mbarrier import ArriveOp, ExpectTxOp, MbarrierInitFenceOp, MbarrierInitOp, MbarrierOp, WaitOp
from .pick import PickOp
from .pick import picked as picked
from .points import AffineOp, ExchangeRowsOp, InsideOp, LdGlobalOp, PointOp, RedGlobalOp, ReportOp
from .roles import (
    BarrierOp,
    ClusterRankOp,
    ClusterSyncOp,
    OrderArriveOp,
    OrderWaitOp,
    RoleOp,
    SetMaxRegistersOp,
    SingleOp,
    WarpgroupOp,
    WarpOp,
    WarpSyncOp,
)
from .roles import Collective as Collective
from .roles import Scope as Scope
from .roles import cluster_of as cluster_of
from .row_divide import RowDivideOp
from .rows import MapOp, RowReduceOp
from .rows import col_fragment as col_fragment
from .rows import lane_fragment as lane_fragment
from .rows import row_fragment as row_fragment
from .rows import scratch_bytes as scratch_bytes
from .scalars import DivSIOp, DivUIOp, ErfcOp, FmodOp, PowSIOp, PowUIOp, RemSIOp, RemUIOp
from .scratch import ScratchOp as ScratchOp
from .splitk import ArriveLastOp, FragAddOp, FragLoadOp, FragStoreOp, SemaphoreAcquireOp, SemaphoreReleaseOp
from .tma import BulkCommitOp, BulkWaitReadOp, FenceAsyncOp, PrefetchMapOp, TensorMapOp, TmaLoadOp, TmaStoreOp
from .types import FragType, MbarrierType, SmemType, TensorMapType
from .types import frag as frag
from .types import smem as smem
from .wgmma import HoldOp, PromoteOp, StoreMatrixOp, WgmmaCommitOp, WgmmaFenceOp, WgmmaFragOp, WgmmaMmaOp, WgmmaWaitOp
from .words import AtomicWord as AtomicWord
from .words import AtomicWordOp, CompareExchangeWordOp, FloatWordOp, LoadWordOp, SharedWordsOp, StoreWordOp
from .words import WordOp as WordOp

NV = Dialect("nv", *members("nv", globals()))
