"""
Statements of the `nv` dialect that say who does what: warpgroups with roles, one thread of them, clusters of blocks.

```mlir
nv.role producer threads 0 to 128 {
  nv.setmaxnreg 40
  nv.single role { … }                    // one thread: bulk copies, arrivals on their mbarriers
}
nv.role consumer threads 128 to 384 {
  nv.setmaxnreg 232
  %g = nv.warpgroup                    // 0 or 1, of this role
  nv.barrier 1 threads 128             // the threads of one warpgroup wait for each other; the other has number 2
}
nv.cluster.sync
```

Inside a role statements are collective over its threads, outside of them over the block; `analysis/nv/checks.py` has the rules
that take a whole kernel to see. Spec: `tensor-compiler.ja §1.8`; DESIGN §5. PTX ISA §9.7.13.1 (`bar`), §9.7.13.4
(`barrier.cluster`), §9.7.20.5 (`setmaxnreg`).
"""

from __future__ import annotations

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

from ...errors import InvalidAttributeValue, VerifyError
from ..common.syntax import Keyword

T = TypeVar("T", bound=Operation)

WARP = 32
WARPGROUP = 128
REGISTERS = 65536
"""Of a multiprocessor, all of which one block may take."""
MOST_BLOCKS = 8
"""Of a cluster, on every machine that has clusters (CUDA C++ Programming Guide, thread block clusters)."""

KERNEL_CHECKS = "ptir.analysis.nv.checks:check_kernel"
"""`module:function` with the rules that take a whole kernel to see; the verifier of its last role calls it."""

# --- who comes to a statement -------------------------------------------------------------------------


class Scope(IntEnum):
    """The threads that do a statement together, or that agree on a value."""

    THREAD = 0
    WARP = 1
    WARPGROUP = 2
    ROLE = 3

    @property
    def words(self) -> str:
        return ("one thread", "a warp", "a warpgroup", "its role")[self]


@dataclass(frozen=True)
class Collective(OpTrait):
    """All threads of a scope do the statement together; what has no role, the block's do."""

    scope: Scope

    def scope_of(self, op: Operation) -> Scope:
        return self.scope

    def verify(self, op: Operation) -> None:
        if (single := within(op, SingleOp)) is not None:
            raise VerifyError(
                op,
                message=f"is for all threads of {self.scope_of(op).words}",
                notes=[(single, "only one thread comes here")],
            )


@dataclass(frozen=True)
class OfWarpgroup(Collective):
    """A statement of whole warpgroups, which have roles."""

    scope: Scope = Scope.WARPGROUP

    def verify(self, op: Operation) -> None:
        super().verify(op)
        if within(op, RoleOp) is None:
            raise VerifyError(op, message="is for a warpgroup: it stands inside of nv.role")


class OfSingle(OpTrait):
    """One thread does the statement for all."""

    def verify(self, op: Operation) -> None:
        if within(op, SingleOp) is None:
            raise VerifyError(op, message="is for one thread: it stands inside of nv.single")


def within(op: Operation, kind: type[T]) -> T | None:
    """The nearest op of this kind that an op is part of."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, kind):
        parent = parent.parent_op()
    return parent


# --- roles --------------------------------------------------------------------------------------------


@irdl_op_definition
class RoleOp(IRDLOperation):
    """
    What the threads from `first` up to `end` do, whole warpgroups; the other threads pass it by. It stands in the
    kernel's own block, and roles have no threads in common.

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
        super().__init__(
            properties={
                "label": StringAttr(label),
                "first": IntegerAttr(first, i64),
                "end": IntegerAttr(end, i64),
            },
            regions=[body],
        )

    @property
    def threads(self) -> int:
        return self.end.value.data - self.first.value.data

    def verify_(self) -> None:
        if not re.fullmatch(r"[A-Za-z_]\w*", self.label.data, re.ASCII):
            raise InvalidAttributeValue(self, name="label", problem=f"is '{self.label.data}'", help="give it a name")
        first, end = self.first.value.data, self.end.value.data
        if first < 0 or end <= first or first % WARPGROUP or end % WARPGROUP:
            raise InvalidAttributeValue(
                self, name="threads", problem=f"is {first} to {end}", help=f"whole warpgroups of {WARPGROUP}"
            )
        if not isinstance(self.parent_op(), GpuFuncOp):
            raise VerifyError(self, message="a role stands in the kernel's own block, where all threads pass")
        size = block_sizes(self)
        if size is not None and (end > size[0] or size[1:] != (1, 1)):
            raise InvalidAttributeValue(
                self,
                name="threads",
                problem=f"is {first} to {end}",
                help=f"the block has {' x '.join(map(str, size))} threads, and roles count along x",
            )
        if self.parent is not None and not any(isinstance(op, RoleOp) for op in after(self)):
            resolve_name(KERNEL_CHECKS)(self.parent)


def after(op: Operation) -> Iterator[Operation]:
    """The ops that follow in the same block."""
    while (following := op.next_op) is not None:
        op = following
        yield op


def block_sizes(op: Operation) -> tuple[int, ...] | None:
    """The threads of the block along x, y and z, if the kernel says how many it has."""
    kernel = within(op, GpuFuncOp)
    sizes = kernel.attributes.get("gpu.known_block_size") if kernel is not None else None
    if not isinstance(sizes, DenseArrayBase):
        return None
    values = tuple(int(v) for v in sizes.get_values())
    return values if len(values) == 3 and min(values) > 0 else None


def role_of(op: Operation) -> RoleOp | None:
    """The role that an op is part of."""
    return within(op, RoleOp)


def threads_of(op: Operation) -> int | None:
    """The threads that are collective where an op stands: its role's, or the block's if the kernel says how many."""
    if (role := role_of(op)) is not None:
        return role.threads
    sizes = block_sizes(op)
    return None if sizes is None else prod(sizes)


@irdl_op_definition
class SingleOp(IRDLOperation):
    """
    What one thread does: the first of the role, the first of each of its warpgroups, or, outside of roles, the first
    of the block.

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
        super().__init__(properties={"who": StringAttr(who)}, regions=[body])

    def verify_(self) -> None:
        if self.who.data not in ("role", "warpgroup", "block"):
            raise InvalidAttributeValue(
                self,
                name="who",
                problem=f"is '{self.who.data}'",
                help="one thread of the role, of each warpgroup, or of the block",
            )
        if (outer := within(self, SingleOp)) is not None:
            raise VerifyError(self, message="names one thread of one", notes=[(outer, "only one thread comes here")])
        if (self.who.data == "block") == (role_of(self) is not None):
            where = "outside" if self.who.data == "block" else "inside"
            raise VerifyError(self, message=f"one thread of the {self.who.data} is named {where} of roles")


@irdl_op_definition
class SetMaxRegistersOp(IRDLOperation):
    """
    From here on each thread of the role has so many registers: fewer than at launch, or more that others gave up. A
    multiple of 8 from 24 to 256; the first statement of its role. PTX ISA §9.7.20.5.

    ```mlir
    nv.setmaxnreg 232
    ```
    """

    name = "nv.setmaxnreg"
    registers = prop_def(IntegerAttr.constr(i64))
    assembly_format = "$registers attr-dict"

    def __init__(self, registers: int):
        super().__init__(properties={"registers": IntegerAttr(registers, i64)})

    def verify_(self) -> None:
        count = self.registers.value.data
        if not 24 <= count <= 256 or count % 8:
            raise InvalidAttributeValue(
                self, name="setmaxnreg", problem=f"is {count}", help="a multiple of 8 from 24 to 256"
            )
        if not isinstance(self.parent_op(), RoleOp):
            raise VerifyError(
                self, message="all warps of a role change their registers together: not under a condition"
            )
        if block_sizes(self) is None:
            raise VerifyError(self, message="the kernel must say how many threads share the registers at launch")

    def increases(self) -> bool:
        """Whether it is more than at launch, where the block's threads share all registers."""
        threads = (block_sizes(self) or (WARPGROUP,))[0]
        return self.registers.value.data > min(255, REGISTERS // threads)


@irdl_op_definition
class WarpgroupOp(IRDLOperation):
    """
    The number of this thread's warpgroup within its role.

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
        if role_of(self) is None:
            raise VerifyError(self, message="numbers the warpgroups of a role: it stands inside of one")


@dataclass(frozen=True)
class AtBarrier(OfWarpgroup):
    """A barrier is for a warpgroup, or for the role."""

    def scope_of(self, op: Operation) -> Scope:
        if not isinstance(op, BarrierOp) or op.threads.value.data == WARPGROUP:
            return Scope.WARPGROUP
        return Scope.ROLE


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """
    The threads of a warpgroup, or of the role, wait for each other at hardware barrier `id`; with `threads 128` each
    warpgroup of the role has its own, `id` plus its number. 0 is the block's; 1 to 15 are one role's each. PTX ISA
    §9.7.13.1.

    ```mlir
    nv.barrier 1 threads 128
    ```
    """

    name = "nv.barrier"
    id = prop_def(IntegerAttr.constr(i64))
    threads = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(AtBarrier())
    assembly_format = "$id `threads` $threads attr-dict"

    def __init__(self, id: int, threads: int):
        super().__init__(properties={"id": IntegerAttr(id, i64), "threads": IntegerAttr(threads, i64)})

    @property
    def numbers(self) -> range:
        """The hardware barriers that it takes."""
        role, threads = role_of(self), self.threads.value.data
        return range(self.id.value.data, self.id.value.data + (role.threads // threads if role is not None else 1))

    def verify_(self) -> None:
        role = role_of(self)
        threads = self.threads.value.data
        if role is None or threads not in (WARPGROUP, role.threads):
            size = role.threads if role is not None else "own"
            raise InvalidAttributeValue(
                self, name="threads", problem=f"is {threads}", help=f"{WARPGROUP} or the role's {size}"
            )
        if self.id.value.data < 1 or self.numbers[-1] > 15:
            raise InvalidAttributeValue(
                self, name="barrier", problem=f"is {self.id.value.data}", help="1 to 15, for each warpgroup its own"
            )


# --- clusters -----------------------------------------------------------------------------------------


@irdl_op_definition
class ClusterRankOp(IRDLOperation):
    """
    The number of this block in its cluster: x, then y, then z. PTX ISA §10.16 (`%cluster_ctarank`).

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
    All threads of all blocks of the cluster wait for each other; what they stored before is visible after. A kernel
    with a cluster ends with it: peers may write into a block as long as it lives. PTX ISA §9.7.13.4.

    ```mlir
    nv.cluster.sync
    ```
    """

    name = "nv.cluster.sync"
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()

    def verify_(self) -> None:
        if not isinstance(self.parent_op(), GpuFuncOp):
            raise VerifyError(self, message="all threads must come here: it stands in the kernel's own block")


def cluster_of(kernel: Operation) -> tuple[int, ...]:
    """Blocks of a cluster along x, y and z: the kernel's `nv.cluster`."""
    sizes = kernel.attributes.get("nv.cluster")
    if sizes is None:
        return (1, 1, 1)
    values = tuple(int(v) for v in sizes.get_values()) if isinstance(sizes, DenseArrayBase) else ()
    if len(values) != 3 or min(values) < 1 or prod(values) > MOST_BLOCKS:
        raise InvalidAttributeValue(
            kernel,
            name="nv.cluster",
            problem=f"is {sizes}",
            help=f"array<i64: x, y, z>, {MOST_BLOCKS} blocks at most",
        )
    return values


def blocks_of(op: Operation) -> int | None:
    """How many blocks the cluster of an op's kernel has; None outside of kernels."""
    kernel = within(op, GpuFuncOp)
    return None if kernel is None else prod(cluster_of(kernel))
