"""The blocks of a host function: buffers, launches, and the steps between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from xdsl.builder import Builder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ...analysis.regions.fusion import Fusion
from ...analysis.regions.kernel import Kernel
from ...analysis.regions.kernel_ops import is_atomic_scatter
from ...analysis.regions.places import is_computed
from ...analysis.regions.poolings import poolings
from ...dialects import ptir, region, tiny
from ...dialects.common.kernel import free_symbol
from ...dialects.common.shapes import memref_of
from ...errors import Unsupported
from ...planning.explain import NotFused, is_explaining, place_of, report
from .kernels import ARGUMENT_ALIGNMENT, Kernels, alignment, memref_type, owner

Op = TypeVar("Op", bound=Operation)
StepWriter = Callable[[Any, "BlockWriter"], Sequence[SSAValue]]
"""Writes a host op, and returns the memrefs of its results."""


def updated_by(value: SSAValue) -> ptir.ScatterReduceOp | None:
    """Returns the scatter that updates the memory of a value in place: the only reader of a value that a kernel computes."""
    use = value.get_user_of_unique_use()
    return use if use is not None and is_atomic_scatter(use) and use.x is value and is_computed(value) else None


@dataclass
class HostProgram:
    """The state that the blocks of a function share while they are written. `steps` has the writers of the host ops."""

    module: ModuleOp
    function: FuncOp
    kernels: Kernels
    steps: Mapping[type[Operation], StepWriter]
    fuse: Callable[[FuncOp | Block], Fusion]
    """Partitions a function, or a block inside of it, into kernels and host ops."""
    passed_on: Collection[SSAValue] = ()
    """The results of the function that only kernels read."""
    buffers: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The memref of each value that is in memory. None is written after the value has been computed."""


@dataclass
class BlockWriter:
    """Writes the steps of one block of a tensor program into a block of the host function."""

    program: HostProgram
    fusion: Fusion
    block: Block
    rows: Mapping[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The values that are computed in a row of an array, the memref of the array."""
    index: SSAValue | None = None
    """The number of the row."""

    def __post_init__(self) -> None:
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.buffers = self.program.buffers

    def add(self, op: Op, like: Operation) -> Op:
        op.location = like.location
        return self.builder.insert(op)

    def write(self) -> list[SSAValue]:
        """Writes the steps, and returns the memrefs of the results."""
        self.fusion.check_computed()
        for product in self.fusion.not_fused:
            report(NotFused(place_of(product.op), product.why, product.what))
        for topic in filter(is_explaining, ("plan", "fusion")):
            for op, why in poolings(self.fusion):
                report(NotFused(place_of(op), why, "this pooling and the convolution before it"), topic)
        outside = {
            *self.fusion.results,
            *self.fusion.stored_values,
            *(v for op in self.fusion.host_ops for v in op.operands),
        }.difference(self.program.passed_on)
        for step in self.fusion.steps:
            if isinstance(step, Kernel):
                self.launch(step, outside)
            else:
                for result, buffer in zip(step.results, self.program.steps[type(step)](step, self), strict=True):
                    buffer.name_hint = result.name_hint or buffer.name_hint
                    self.buffers[result] = buffer
        for value, row in self.fusion.rows_of_arrays.items():
            like = owner(value, self.program.function)
            self.buffers[value] = self.row(self.buffer(row.array), self.number(row.index, like), like)
        return [self.buffer(v) for v in self.fusion.results]

    def launch(self, kernel: Kernel, outside: set[SSAValue]) -> None:
        at = owner(kernel.roots[0], self.program.function)
        ins = [self.buffer(v) for v in kernel.leaves()]
        for root in kernel.roots:
            x = kernel.updated.get(root)
            self.buffers[root] = self.destination(root) if x is None or updated_by(x) is None else self.buffers[x]
            if x is not None and self.buffers[root] is not (initial := self.buffer(x)):
                self.add(memref.CopyOp(initial, self.buffers[root]), at)
        outs = [self.buffers[r] for r in kernel.roots]
        symbol = self.program.kernels.symbol(kernel, [*ins, *outs], outside)
        self.add(region.LaunchOp(symbol, ins, outs), at)

    def destination(self, root: SSAValue) -> SSAValue:
        """
        Returns the memory into which a kernel stores `root`: a row of an array, or a new buffer. If a scatter updates `root` in place, it
        is the memory of the scatter.
        """
        while (scatter := updated_by(root)) is not None:
            root = scatter.result
        if root in self.rows and self.index is not None:
            return self.row(self.rows[root], self.index, owner(root, self.program.function))
        return self.allocate(root)

    def allocate(self, value: SSAValue) -> SSAValue:
        t = memref_type(value)
        alloc = memref.AllocOp.get(t.element_type, shape=t.get_shape())
        return self.add(alloc, owner(value, self.program.function)).memref

    def row(self, array: SSAValue, index: SSAValue, like: Operation) -> SSAValue:
        return self.add(region.RowOp(array, index), like).result

    def number(self, value: int, like: Operation) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, IndexType())), like).result

    def buffer(self, value: SSAValue) -> SSAValue:
        """Returns the memref of a value. A dense literal becomes a global, which is made where it is first needed."""
        if value in self.buffers:
            return self.buffers[value]
        op, function = value.owner, self.program.function
        if not isinstance(op, tiny.ConstOp):
            raise Unsupported(function, what=f"reading {value}", need="report this program")
        name = free_symbol(self.program.module, f"{function.sym_name.data}_const{self.fusion.order[op]}")
        t = memref_type(value)
        stored = memref.GlobalOp.get(
            StringAttr(name), t, op.value, sym_visibility=StringAttr("private"), constant=UnitAttr()
        )
        stored.location = op.location
        self.program.module.body.block.insert_op_before(stored, function)
        self.buffers[value] = self.add(memref.GetGlobalOp(name, t), op).memref
        return self.buffers[value]

    def passed(self, buffer: SSAValue, like: Operation) -> SSAValue:
        """Returns a memref that may enter or leave a block: `buffer`, or an aligned copy of it."""
        if alignment(buffer) >= ARGUMENT_ALIGNMENT:
            return buffer
        t = memref_of(buffer)
        copy = self.add(memref.AllocOp.get(t.element_type, shape=t.get_shape()), like).memref
        self.add(memref.CopyOp(buffer, copy), like)
        return copy

    def all_passed(self, buffers: Sequence[SSAValue], like: Operation) -> list[SSAValue]:
        return [self.passed(b, like) for b in buffers]
