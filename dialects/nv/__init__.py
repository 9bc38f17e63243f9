"""
The `nv` dialect: what one NVIDIA kernel does, statement by statement, inside `gpu.func`.

Statements are collective: copies by the whole block or, inside of `nv.role`, by the role, fragment ops by each warp, those
of wgmma by each warpgroup. A fragment is storage whose type says how the lanes hold it; the printer derives the indices
of each lane from that. `scf`, `arith`, `math` and `gpu` stand around them.

```mlir
%s = nv.smem at 0 : !nv.smem<3x128x64xbf16, xor>
nv.cp_async %x[%m, %k] to %s[%slot] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [1797, 64] dims [0, 1] guard [0] bytes 16 : …
nv.ldmatrix %s[%slot, %row, %kk] ND to %a : !nv.smem<3x128x64xbf16, xor>, !nv.frag<64x16xbf16, A of m16n8k16>
nv.mma_sync %acc, %a, %b : !nv.frag<64x32xf32, C of m16n8k16>, !nv.frag<64x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
```

A kernel with roles is verified as a whole (`analysis/nv/checks.py`):

- mbarriers are initialised once, before the roles, with a fence and a barrier behind; the arrivals and bytes of a phase
  are those that come, where they can be counted;
- statements for one thread stand in `nv.single`, others where all for whom they are come: not under a condition, or in
  a loop, on which these do not agree;
- nothing touches a sum, or an operand in registers, between its wgmma and an `nv.wgmma.wait` that covers it; a group of
  wgmmas begins with a fence and ends with a commit; over the back edge of a loop one sum is in flight at most;
- between `nv.stmatrix` and `nv.tma_store` come `nv.fence_async` and then `nv.barrier`, between the store and what
  overwrites its buffer `nv.bulk.wait_read` and then `nv.barrier`; stores are committed, and the role ends when they have
  read; between copies of threads and their arrival comes `nv.fence_async`;
- roles share no threads and no hardware barriers, and not more registers than there are;
- a kernel with a cluster ends with `nv.cluster.sync`; only there are other blocks to arrive at and to send to.

Spec: `tensor-compiler.ja §1.8`. Lane layouts: PTX ISA §9.7.14.5 (mma.m16n8k16, ldmatrix), §9.7.15.5.1 (wgmma).
"""

# pyright: reportUnusedImport=false
from __future__ import annotations

from xdsl.ir import Dialect

from ..common.members import members
from .copies import COPY_BYTES as COPY_BYTES
from .copies import CommitGroupOp, CpAsyncOp, SmemOp, WaitGroupOp
from .copies import groups_before as groups_before
from .epilogue import EpilogueOp, YieldOp
from .fragments import ConvertLayoutOp, FmaOp, FragOp, LdMatrixOp, LdSharedOp, MmaSyncOp, ToTf32Op
from .launch import LaunchOp
from .launch import LaunchSymbolUse as LaunchSymbolUse
from .launch import outputs as outputs
from .mbarrier import ArriveOp, ExpectTxOp, MbarrierInitFenceOp, MbarrierInitOp, MbarrierOp, WaitOp
from .roles import BarrierOp, ClusterRankOp, ClusterSyncOp, RoleOp, SetMaxRegistersOp, SingleOp, WarpgroupOp
from .roles import Collective as Collective
from .roles import Scope as Scope
from .roles import cluster_of as cluster_of
from .splitk import ArriveLastOp, FragAddOp, FragLoadOp, FragStoreOp, SemaphoreAcquireOp, SemaphoreReleaseOp
from .tma import BulkCommitOp, BulkWaitReadOp, FenceAsyncOp, TensorMapOp, TmaLoadOp, TmaStoreOp
from .types import FragType, MbarrierType, SmemType, TensorMapType
from .types import frag as frag
from .types import smem as smem
from .wgmma import PromoteOp, StoreMatrixOp, WgmmaCommitOp, WgmmaFenceOp, WgmmaFragOp, WgmmaMmaOp, WgmmaWaitOp

NV = Dialect("nv", *members("nv", globals()))
