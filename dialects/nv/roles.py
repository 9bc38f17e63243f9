"""
Warp-specialization ops: roles, single-thread regions, named barriers, clusters.

```mlir
nv.role producer threads 0 to 128 {
  nv.setmaxnreg 40
  nv.single role { … }                 // one thread: bulk copies, arrivals on their mbarriers
}
nv.role consumer threads 128 to 384 {
  nv.setmaxnreg 232
  %g = nv.warpgroup                    // 0 or 1, of this role
  nv.barrier 1 threads 128             // synchronizes one warpgroup; the other uses hardware barrier 2
  nv.warp_sync                         // synchronizes one warp
}
nv.cluster.sync
```

Ops inside a role are collective over the role's threads, other ops over the block. `analysis/nv/checks.py` verifies the kernel
as a whole. Spec: `tensor-compiler.ja §1.8`; DESIGN §5. PTX ISA §9.7.13.1 (`bar`), §9.7.13.3 (`barrier.cluster`), §9.7.19.5
(`setmaxnreg`).
"""

from __future__ import annotations

import abc
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from math import prod
from pkgutil import resolve_name
from typing import TypeVar

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, StringAttr, i64
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Operation, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, region_def, result_def, traits_def
from xdsl.traits import NoTerminator, OpTrait

from ...errors import VerifyError
from ...targets.architectures import MAX_CLUSTER_BLOCKS, REGISTERS, WARP, WARPGROUP
from ..common.checks import check, check_value
from ..common.ops import DialectOp
from ..common.syntax import Keyword

T = TypeVar("T", bound=Operation)

KERNEL_CHECKS = "ptir.analysis.nv.checks:check_kernel"
"""The function that verifies a whole kernel, as `module:function`. The verifier of the kernel's last role calls it."""

# --- scopes -------------------------------------------------------------------------------------------


class Scope(IntEnum):
    """The granularity at which an op is collective, or a value is uniform."""

    THREAD = 0
    WARP = 1
    WARPGROUP = 2
    ROLE = 3

    @property
    def noun(self) -> str:
        return ("one thread", "a warp", "a warpgroup", "its role")[self]


class PerElement(DialectOp, abc.ABC):
    """Base of ops that run their body once for each element of a tile, in the lane that holds it."""


@dataclass(frozen=True)
class Collective(OpTrait):
    """The op is collective over `scope`; outside any role, over the thread block."""

    scope: Scope

    def scope_of(self, op: Operation) -> Scope:
        return self.scope

    def verify(self, op: Operation) -> None:
        if (single := enclosing(op, SingleOp)) is not None:
            raise VerifyError(
                op,
                problem=f"must be reached by all threads of {self.scope_of(op).noun}",
                notes=[(single, "this region is executed by a single thread")],
            )
        check(
            op,
            enclosing(op, PerElement) is None,
            "is collective: it does not belong in a body that is run for each element",
        )


@dataclass(frozen=True)
class WarpgroupCollective(Collective):
    """The op is collective over a warpgroup, and must be inside a role."""

    scope: Scope = Scope.WARPGROUP

    def verify(self, op: Operation) -> None:
        super().verify(op)
        check(op, role_of(op) is not None, "is collective over a warpgroup: it belongs inside nv.role")


class SingleThread(OpTrait):
    """A single thread executes the op."""

    def verify(self, op: Operation) -> None:
        check(op, enclosing(op, SingleOp) is not None, "is executed by one thread: it belongs inside nv.single")


def enclosing(op: Operation, kind: type[T]) -> T | None:
    """Returns the innermost op of type `kind` around `op`, or None."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, kind):
        parent = parent.parent_op()
    return parent


# --- roles --------------------------------------------------------------------------------------------


@irdl_op_definition
class RoleOp(DialectOp):
    """
    A warp-specialized region, executed by the warpgroups of threads `first` up to, not including, `end`. It must be in the
    kernel's top-level block. Roles share no threads.

    ```mlir
    nv.role producer threads 0 to 128 {
      nv.setmaxnreg 40
    }
    ```
    """

    name = "nv.role"
    label = prop_def(StringAttr)
    first = prop_def(IntegerAttr.constr(i64))
    end = prop_def(IntegerAttr.constr(i64))
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($label) `threads` $first `to` $end attr-dict-with-keyword $body"

    def __init__(self, label: str, first: int, end: int, body: Region):
        super().__init__(regions=[body], label=label, first=first, end=end)

    @property
    def threads(self) -> int:
        return self.end.value.data - self.first.value.data

    def verify_(self) -> None:
        named = re.fullmatch(r"[A-Za-z_]\w*", self.label.data, re.ASCII) is not None
        check_value(self, named, "label", f"'{self.label.data}'", "a name of letters, digits and '_'")
        first, end = self.first.value.data, self.end.value.data
        whole = 0 <= first < end and not first % WARPGROUP and not end % WARPGROUP
        check_value(self, whole, "threads", f"{first} to {end}", f"whole warpgroups of {WARPGROUP}")
        on_top = isinstance(self.parent_op(), GpuFuncOp)
        check(self, on_top, "belongs in the kernel's top-level block, which all threads execute")
        if (size := block_sizes(self)) is not None:
            help = f"the block has {' x '.join(map(str, size))} threads, and roles are ranges along x"
            check_value(self, end <= size[0] and size[1:] == (1, 1), "threads", f"{first} to {end}", help)
        if self.parent is not None and not any(isinstance(op, RoleOp) for op in ops_after(self)):
            resolve_name(KERNEL_CHECKS)(self.parent)


def ops_after(op: Operation) -> Iterator[Operation]:
    """Yields the ops after `op` in the same block."""
    while (following := op.next_op) is not None:
        op = following
        yield op


def block_sizes(op: Operation) -> tuple[int, ...] | None:
    """Returns the number of threads of the block along x, y and z, or None if the kernel does not declare it."""
    kernel = enclosing(op, GpuFuncOp)
    sizes = kernel.attributes.get("gpu.known_block_size") if kernel is not None else None
    if not isinstance(sizes, DenseArrayBase):
        return None
    values = tuple(int(v) for v in sizes.get_values())
    return values if len(values) == 3 and min(values) > 0 else None


def role_of(op: Operation) -> RoleOp | None:
    """Returns the role that contains `op`, or None."""
    return enclosing(op, RoleOp)


def threads_of(op: Operation) -> int | None:
    """Returns the number of threads of the role or, outside roles, of the block of `op`; None if no block size is declared."""
    if (role := role_of(op)) is not None:
        return role.threads
    sizes = block_sizes(op)
    return None if sizes is None else prod(sizes)


@irdl_op_definition
class SingleOp(DialectOp):
    """
    A region executed by a single thread: the first thread of the role (`role`), of each warpgroup of the role (`warpgroup`), of
    each warp of the role (`warp`), or, outside roles, of the block (`block`).

    ```mlir
    nv.single warpgroup {
      nv.mbarrier.arrive %empty[%slot] : !nv.mbarrier<4>
    }
    ```
    """

    name = "nv.single"
    who = prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($who) attr-dict-with-keyword $body"

    def __init__(self, who: str, body: Region):
        super().__init__(regions=[body], who=who)

    def verify_(self) -> None:
        who, help = self.who.data, "one thread of the role, of each warpgroup, of each warp, or of the block"
        check_value(self, who in ("role", "warpgroup", "warp", "block"), "who", f"'{who}'", help)
        if (outer := enclosing(self, SingleOp)) is not None:
            notes = [(outer, "this region is executed by a single thread")]
            raise VerifyError(self, problem="is nested in another nv.single", notes=notes)
        where = "outside roles" if who == "block" else "inside a role"
        check(self, (who == "block") == (role_of(self) is None), f"selects one thread of the {who} {where} only")

    def threads_of(self, role: RoleOp) -> int:
        """Returns the number of threads of `role` that execute the region."""
        return {"warpgroup": role.threads // WARPGROUP, "warp": role.threads // WARP}.get(self.who.data, 1)


@irdl_op_definition
class SetMaxRegistersOp(DialectOp):
    """
    Sets the number of registers per thread of the role. It may be larger than at launch if other roles release registers. The
    number is a multiple of 8 from 24 to 256. This is the first op of its role. PTX ISA §9.7.19.5.

    ```mlir
    nv.setmaxnreg 232
    ```
    """

    name = "nv.setmaxnreg"
    registers = prop_def(IntegerAttr.constr(i64))
    assembly_format = "$registers attr-dict"

    def __init__(self, registers: int):
        super().__init__(registers=registers)

    def verify_(self) -> None:
        count = self.registers.value.data
        check_value(self, 24 <= count <= 256 and count % 8 == 0, "setmaxnreg", count, "a multiple of 8 from 24 to 256")
        in_role, sized = isinstance(self.parent_op(), RoleOp), block_sizes(self) is not None
        check(self, in_role, "must be reached by all warps of a role: it belongs directly in nv.role")
        check(self, sized, "needs gpu.known_block_size: it determines the registers of a thread at launch")

    def increases(self) -> bool:
        """Whether the number is larger than the number of registers that a thread has at launch."""
        threads = (block_sizes(self) or (WARPGROUP,))[0]
        return self.registers.value.data > min(255, REGISTERS // threads)


@irdl_op_definition
class WarpgroupOp(IRDLOperation):
    """
    Returns the number of this thread's warpgroup within its role.

    ```mlir
    %g = nv.warpgroup
    ```
    """

    name = "nv.warpgroup"
    result = result_def(IndexType)
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])

    def verify_(self) -> None:
        check(self, role_of(self) is not None, "numbers the warpgroups of a role: it belongs inside nv.role")


@irdl_op_definition
class WarpOp(IRDLOperation):
    """
    Returns the number of this thread's warp within its warpgroup, 0 to 3.

    ```mlir
    %w = nv.warp
    ```
    """

    name = "nv.warp"
    result = result_def(IndexType)
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])

    def verify_(self) -> None:
        check(self, role_of(self) is not None, "numbers the warps of a warpgroup: it belongs inside nv.role")


@irdl_op_definition
class WarpSyncOp(IRDLOperation):
    """
    Synchronizes the threads of each warp, and orders their accesses to memory. PTX ISA §9.7.13.2 (`bar.warp.sync`).

    ```mlir
    nv.warp_sync
    ```
    """

    name = "nv.warp_sync"
    traits = traits_def(Collective(Scope.WARP))
    assembly_format = "attr-dict"


@dataclass(frozen=True)
class BarrierCollective(WarpgroupCollective):
    """The op is a barrier. Its number of threads says whether it is collective over a warpgroup or over the role."""

    def scope_of(self, op: Operation) -> Scope:
        if not isinstance(op, BarrierOp) or op.threads.value.data == WARPGROUP:
            return Scope.WARPGROUP
        return Scope.ROLE


@irdl_op_definition
class BarrierOp(DialectOp):
    """
    Synchronizes the role at hardware barrier `id` or, with `threads 128`, each warpgroup of the role at a barrier of its own,
    whose number is `id` plus the warpgroup's number. Barrier 0 is for the whole block; roles must not share barriers 1 to 15.
    PTX ISA §9.7.13.1.

    ```mlir
    nv.barrier 1 threads 128
    ```
    """

    name = "nv.barrier"
    id = prop_def(IntegerAttr.constr(i64))
    threads = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(BarrierCollective())
    assembly_format = "$id `threads` $threads attr-dict"

    def __init__(self, id: int, threads: int):
        super().__init__(id=id, threads=threads)

    @property
    def hardware_barriers(self) -> range:
        role, threads = role_of(self), self.threads.value.data
        return range(self.id.value.data, self.id.value.data + (role.threads // threads if role is not None else 1))

    @property
    def participants(self) -> tuple[str, int]:
        """Who takes part in a hardware barrier, which must be the same wherever it is used."""
        return self.name, self.threads.value.data

    def verify_(self) -> None:
        role = role_of(self)
        threads = self.threads.value.data
        size = role.threads if role is not None else "own"
        legal = role is not None and threads in (WARPGROUP, role.threads)
        check_value(self, legal, "threads", threads, f"{WARPGROUP} or the role's {size}")
        legal = self.id.value.data >= 1 and self.hardware_barriers[-1] <= 15
        check_value(self, legal, "barrier", self.id.value.data, "1 to 15, a different one for each warpgroup")


class OrderOp(DialectOp, abc.ABC):
    """
    Base of ops that let the warpgroups of a role take turns. Warpgroup g has hardware barrier `id` + g, at which it waits, and at
    which the warpgroup before it arrives; the first one follows the last. PTX ISA §9.7.13.1 (`bar.sync`, `bar.arrive`).
    """

    id = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(WarpgroupCollective())
    assembly_format = "$id attr-dict"

    def __init__(self, id: int):
        super().__init__(id=id)

    @property
    def hardware_barriers(self) -> range:
        role, first = role_of(self), self.id.value.data
        return range(first, first + (role.threads // WARPGROUP if role is not None else 1))

    @property
    def participants(self) -> tuple[str, int]:
        """Who takes part in a hardware barrier: the warpgroup that waits and the one that arrives."""
        return "nv.order", 2 * WARPGROUP

    def verify_(self) -> None:
        barriers = self.hardware_barriers
        help = "1 to 15, a different one for each warpgroup"
        check_value(self, barriers[0] >= 1 and barriers[-1] <= 15, "barrier", barriers[0], help)
        check(self, len(barriers) > 1, "orders the warpgroups of a role, but the role has only one")


@irdl_op_definition
class OrderWaitOp(OrderOp):
    """
    Waits until the warpgroup before this one has arrived, once for each of its arrivals.

    ```mlir
    nv.order.wait 2
    ```
    """

    name = "nv.order.wait"


@irdl_op_definition
class OrderArriveOp(OrderOp):
    """
    Lets the warpgroup after this one go on, and does not wait.

    ```mlir
    nv.order.arrive 2
    ```
    """

    name = "nv.order.arrive"


# --- clusters -----------------------------------------------------------------------------------------


@irdl_op_definition
class ClusterRankOp(IRDLOperation):
    """
    Returns the rank of this block in its cluster; x varies fastest. PTX ISA §10.16 (`%cluster_ctarank`).

    ```mlir
    %rank = nv.cluster.rank
    ```
    """

    name = "nv.cluster.rank"
    result = result_def(IndexType)
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])


@irdl_op_definition
class ClusterSyncOp(IRDLOperation):
    """
    Synchronizes all threads of the cluster, and makes their earlier stores visible. A kernel with a cluster must end with this
    op, because other blocks may still access this block's shared memory. PTX ISA §9.7.13.3.

    ```mlir
    nv.cluster.sync
    ```
    """

    name = "nv.cluster.sync"
    assembly_format = "attr-dict"

    def verify_(self) -> None:
        on_top = isinstance(self.parent_op(), GpuFuncOp)
        check(self, on_top, "must be reached by all threads: it belongs in the kernel's top-level block")


def cluster_of(kernel: Operation) -> tuple[int, ...]:
    """Returns the number of blocks of a cluster along x, y and z: the attribute `nv.cluster` of the kernel, or ones."""
    sizes = kernel.attributes.get("nv.cluster")
    if sizes is None:
        return (1, 1, 1)
    values = tuple(int(v) for v in sizes.get_values()) if isinstance(sizes, DenseArrayBase) else ()
    legal = len(values) == 3 and min(values) >= 1 and prod(values) <= MAX_CLUSTER_BLOCKS
    check_value(kernel, legal, "nv.cluster", f"{sizes}", f"array<i64: x, y, z>, {MAX_CLUSTER_BLOCKS} blocks at most")
    return values


def blocks_of(op: Operation) -> int | None:
    """Returns the number of blocks in a cluster of the kernel around `op`; None outside kernels."""
    kernel = enclosing(op, GpuFuncOp)
    return None if kernel is None else prod(cluster_of(kernel))
