"""Kernel launches, and the arguments that a kernel writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    DenseArrayBase,
    IndexTypeConstr,
    IntegerAttr,
    MemRefType,
    SignlessIntegerConstraint,
    SymbolRefAttr,
    i64,
)
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import SymbolTable, SymbolUserOpInterface

from ...errors import VerifyError
from ...targets.architectures import BLOCK_LIMIT, GRID_LIMIT, MAX_CLUSTER_BLOCKS, MAX_THREADS
from ..common.checks import check, check_attribute, check_value
from ..common.kernel import STATUS, UPDATED, require_distinct
from ..common.ops import DialectOp
from ..common.shapes import memref_of, shape_text
from ..common.syntax import Axes, ints
from ..ptir.functions import bit_width
from .arrays import SharedArrayOp, StoreElementOp
from .copies import SmemOp
from .epilogue import ElementsOp
from .mbarrier import MbarrierOp
from .pick import picked
from .points import RedGlobalOp, ReportOp
from .roles import cluster_of
from .scratch import ScratchOp
from .splitk import CounterOp, FragStoreOp
from .tma import TensorMapOp, TmaStoreOp
from .types import TensorMapType
from .words import AtomicWord, StoreWordOp

SCALAR = IndexTypeConstr | SignlessIntegerConstraint | AnyFloatConstr
"""The types of arguments that are numbers."""


def outputs(kernel: Operation) -> dict[SSAValue, str]:
    """
    Returns the memrefs that a kernel writes and the tensor maps that it stores through, each with its purpose: `result`,
    `workspace`, `counters`, `updated` or `status` (`common/kernel.py`).
    """
    out: dict[SSAValue, str] = {}
    for op in kernel.walk():
        match op:
            case ElementsOp():
                found, purpose = op.outs, "result"
            case TmaStoreOp():
                found, purpose = (op.map,), "result"
            case FragStoreOp():
                found, purpose = (op.workspace,), "workspace"
            case CounterOp():
                found, purpose = (op.counters,), "counters"
            case RedGlobalOp():
                found, purpose = (op.memref,), UPDATED
            case StoreWordOp() | AtomicWord() | StoreElementOp():
                found, purpose = (op.memref,), UPDATED
            case ReportOp():
                found, purpose = (op.status,), STATUS
            case _:
                continue
        out |= {arg: purpose for value in found for arg in picked(value)}
    return out


def _buffer(value: SSAValue) -> SSAValue:
    """Returns the memref of a launch argument: the argument itself or, for a tensor map, the memref that it describes."""
    return value.owner.memref if isinstance(value.owner, TensorMapOp) else value


def _shared_memory(kernel: Operation) -> Iterator[tuple[int, int, Operation]]:
    """Yields the offset and the size, in bytes, of each part of shared memory, and the op that declares it."""
    for op in kernel.walk():
        match op:
            case SmemOp() | MbarrierOp():
                yield op.offset.value.data, op.result.type.bytes, op
            case SharedArrayOp():
                t = memref_of(op.result)
                yield op.offset.value.data, prod(t.get_shape()) * max(1, bit_width(t.element_type) // 8), op
            case ScratchOp(scratch=IntegerAttr() as start):
                yield start.value.data, op.scratch_bytes, op
            case _:
                pass


class LaunchSymbolUse(SymbolUserOpInterface):
    """Checks a launch against the `gpu.func` that it names: arguments, block and cluster sizes, shared memory."""

    def verify(self, op: Operation) -> None:
        if not isinstance(op, LaunchOp):
            return
        callee = SymbolTable.lookup_symbol(op, op.kernel)
        if not isinstance(callee, GpuFuncOp):
            raise VerifyError(op, problem=f"launches {op.kernel}, which is not a gpu.func of this module")
        if len(callee.body.blocks) != 1:
            raise VerifyError(
                op, problem=f"launches {op.kernel}, which has several blocks", notes=[(callee, "the kernel is here")]
            )
        written = outputs(callee)
        outs = [_buffer(v) for v, arg in zip(op.arguments, callee.body.block.args, strict=False) if arg in written]
        require_distinct(op, outs, [_buffer(v) for v in op.arguments])
        maps = [v.owner for v in op.arguments if isinstance(v.type, TensorMapType)]
        made = all(isinstance(owner, TensorMapOp) for owner in maps)
        check(op, made, "must take tensor maps from nv.tensor_map")
        got = [v.type for v in op.arguments]
        if got != list(callee.function_type.inputs):
            notes = [(callee, "the kernel is here")]
            raise VerifyError(op, problem=f"has operand types that do not match {op.kernel}", notes=notes)
        size = callee.known_block_size
        same = size is None or ints(size) == ints(op.block)  # pyright: ignore[reportArgumentType]
        check_value(op, same, "block", shape_text(ints(op.block)), "the kernel's gpu.known_block_size")
        same = cluster_of(callee) == op.cluster_sizes
        check_value(op, same, "cluster", shape_text(op.cluster_sizes), "the kernel's nv.cluster")
        end = 0
        for start, size, user in sorted(_shared_memory(callee), key=lambda part: part[0]):
            apart = start >= end or isinstance(user, SharedArrayOp)
            check(user, apart, "overlaps another ring or scratch in shared memory")
            end = max(end, start + size)
        shared = op.shared.value.data
        check_value(op, shared >= end, "shared", shared, f"the kernel's rings, scratch and arrays take {end} bytes")


@irdl_op_definition
class LaunchOp(DialectOp):
    """Launches a kernel on a grid of blocks, with `shared` bytes of dynamic shared memory. Arguments are arrays, tensor maps and numbers."""

    name = "nv.launch"
    kernel = prop_def(SymbolRefAttr)
    grid = prop_def(DenseArrayBase.constr(i64))
    block = prop_def(DenseArrayBase.constr(i64))
    shared = prop_def(IntegerAttr.constr(i64))
    cluster = opt_prop_def(DenseArrayBase.constr(i64))
    arguments = var_operand_def(base(MemRefType) | base(TensorMapType) | SCALAR)
    traits = traits_def(LaunchSymbolUse())
    custom_directives = (Axes,)
    assembly_format = (
        "$kernel `grid` custom<Axes>($grid) `block` custom<Axes>($block) (`cluster` custom<Axes>($cluster)^)? "
        "`shared` $shared `(` $arguments `:` type($arguments) `)` attr-dict"
    )

    def __init__(
        self,
        kernel: SymbolRefAttr,
        grid: Sequence[int],
        block: Sequence[int],
        shared: int,
        arguments: Sequence[SSAValue],
        cluster: Sequence[int] | None = None,
    ):
        super().__init__([arguments], kernel=kernel, grid=grid, block=block, cluster=cluster, shared=shared)

    @property
    def cluster_sizes(self) -> tuple[int, ...]:
        """Number of blocks of a cluster along x, y and z."""
        return ints(self.cluster) if self.cluster is not None else (1, 1, 1)

    def verify_(self) -> None:
        cluster, grid, block = self.cluster_sizes, ints(self.grid), ints(self.block)
        for name, got, limits in (("grid", grid, GRID_LIMIT), ("block", block, BLOCK_LIMIT)):
            legal = len(got) == 3 and all(1 <= g <= limit for g, limit in zip(got, limits, strict=True))
            check_value(self, legal, name, shape_text(got), f"three sizes from 1 to {shape_text(limits)}")
        legal = len(cluster) == 3 and min(cluster) >= 1 and prod(cluster) <= MAX_CLUSTER_BLOCKS
        legal = legal and not any(g % c for g, c in zip(grid, cluster, strict=True))
        help = f"three sizes that divide the grid's {shape_text(grid)}, {MAX_CLUSTER_BLOCKS} blocks at most"
        check_value(self, legal, "cluster", shape_text(cluster), help)
        threads = prod(block)
        check_attribute(self, threads <= MAX_THREADS, "block", f"has {threads} threads", f"at most {MAX_THREADS}")
