"""Kernels as ops of their own: the ops of a kernel, between loads of what it reads and a yield of what it stores."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import gcd, prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseArrayBase, MemRefType, ModuleOp, SymbolRefAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...analysis.program.statistics import count
from ...analysis.program.structural_hash import structural_hash
from ...analysis.regions.kernel import Kernel
from ...analysis.regions.kernel_ops import is_atomic_scatter
from ...dialects import region
from ...dialects.common.kernel import UPDATED, free_symbol
from ...dialects.common.shapes import memref_of, tensor
from ...targets.mma import element_bytes

ARGUMENT_ALIGNMENT = 16
"""
Alignment, in bytes, that the runtime requires of every array that a caller passes. Memrefs that enter or leave a block or a
function have it, too.
"""
BUFFER_ALIGNMENT = 256
"""Alignment, in bytes, that every device guarantees for its allocations (`cuMemAlloc`; the emulator's is larger)."""


def memref_type(value: SSAValue) -> MemRefType[Attribute]:
    t = tensor(value)
    return _memref_type(t.element_type, t.get_shape())


@lru_cache(maxsize=1024)
def _memref_type(dtype: Attribute, sizes: tuple[int, ...]) -> MemRefType[Attribute]:
    return MemRefType(dtype, sizes)


def memref_block(values: Sequence[SSAValue], *first: Attribute) -> Block:
    """Returns a block with arguments of the types `first`, then a memref for each tensor in `values`, with the tensor's name."""
    block = Block(arg_types=[*first, *(memref_type(v) for v in values)])
    for arg, value in zip(block.args[len(first) :], values, strict=True):
        arg.name_hint = value.name_hint or None
    return block


def alignment(buffer: SSAValue) -> int:
    """Returns the proven alignment, in bytes, of a memref of a host function."""
    match buffer.owner:
        case memref.AllocOp() | memref.GetGlobalOp():
            return BUFFER_ALIGNMENT
        case region.RowOp() as row:
            t = memref_of(row.result)
            return gcd(alignment(row.memref), prod(t.get_shape()) * element_bytes(t.element_type))
        case _:
            return ARGUMENT_ALIGNMENT


def owner(value: SSAValue, function: FuncOp) -> Operation:
    """Returns the op that defines `value` or, for an argument of a block, the op around the block."""
    op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    return function if op is None else op


@dataclass
class Kernels:
    """The kernels of a function. `formed` has the symbols of the kernels of all functions by their structural hashes."""

    module: ModuleOp
    function: FuncOp
    formed: dict[str, str]
    made: int = 0
    """The number of kernels formed of this function."""
    _known: dict[Hashable, str] = field(default_factory=dict[Hashable, str])
    """The symbols of the kernels of this function by what `_key` says of them: equal layers are cloned and hashed once."""

    def symbol(self, kernel: Kernel, buffers: Sequence[SSAValue], results: Collection[SSAValue]) -> str:
        """
        Clones the kernel's ops between loads and a yield. Returns the symbol of the kernel, or of an equal one that was formed
        before. The order of the ops does not depend on the rest of the program, so that kernels of equal layers are equal.
        `buffers` are the memrefs of its leaves and roots; the values in `results` are read by others than kernels.
        """
        leaves, ops = kernel.leaves(), _definitions_before_uses(kernel.roots, kernel.leaves())
        alignments = [alignment(b) for b in buffers]
        states = [UPDATED if r in kernel.updated else "gmem" if r in results else "deferred" for r in kernel.roots]
        key = _key(kernel.roots, leaves, ops, (*alignments, *states))
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._formed(kernel, leaves, ops, alignments, states)
        else:
            count("launches of a kernel that is formed already")
        return known

    def _formed(
        self,
        kernel: Kernel,
        leaves: Sequence[SSAValue],
        ops: Sequence[Operation],
        alignments: Sequence[int],
        states: Sequence[str],
    ) -> str:
        """Returns the symbol of a new kernel, or of an equal one of any function."""
        block = memref_block((*leaves, *kernel.roots))
        mapping: dict[SSAValue, SSAValue] = {}
        for arg, value in zip(block.args, leaves, strict=False):
            load = region.LoadOp(arg)
            load.result.name_hint = value.name_hint or None
            load.location = owner(value, self.function).location
            block.add_op(load)
            mapping[value] = load.result
        outputs = dict(zip(kernel.roots, block.args[len(leaves) :], strict=True))
        for op in ops:
            clone = op.clone(mapping)
            clone.location = op.location
            if is_atomic_scatter(op):
                load = region.LoadOp(outputs[op.result])
                load.location = op.location
                block.add_op(load)
                clone.operands[0] = load.result
            block.add_op(clone)
        done = region.YieldOp([mapping[r] for r in kernel.roots])
        done.location = owner(kernel.roots[-1], self.function).location
        block.add_op(done)
        op = region.RegionKernelOp(
            free_symbol(self.module, f"{self.function.sym_name.data}_{self.made}"),
            len(leaves),
            alignments,
            states,
            Region(block),
        )
        op.location = owner(kernel.roots[0], self.function).location
        if (known := self.formed.get(digest := structural_hash(op))) is not None:
            op.erase()
            count("launches of a kernel that is formed already")
            return known
        self.formed[digest] = name = op.sym_name.data
        self.made += 1
        count("kernels formed")
        count("operations in kernels", len(list(block.ops)))
        count("buffers between kernels", states.count("deferred"))
        self.module.body.block.insert_op_before(op, self.function)
        return name


def share_kernels(module: ModuleOp, formed: Mapping[str, str]) -> None:
    """
    Gives the arrays of each kernel the alignment that they have in all launches, and keeps one kernel of those that are equal then.
    `formed` has the symbols of the kernels by their structural hashes.
    """
    digests, kept = {name: digest for digest, name in formed.items()}, dict[str, str]()
    launches: dict[str, list[region.LaunchOp]] = {}
    for op in module.walk():
        if isinstance(op, region.LaunchOp):
            launches.setdefault(op.kernel.string_value(), []).append(op)
    for op in list(module.body.block.ops):
        if isinstance(op, region.RegionKernelOp) and (of := launches.get(op.sym_name.data)):
            aligned = [min(map(alignment, buffers)) for buffers in zip(*(o.operands for o in of), strict=True)]
            digest = digests.get(own := op.sym_name.data)
            if digest is None or list(op.alignments.get_values()) != aligned:
                op.alignments = DenseArrayBase.from_list(i64, aligned)
                digest = structural_hash(op)
            if (name := kept.setdefault(digest, own)) != own:
                for launch in of:
                    launch.kernel = SymbolRefAttr(name)
                op.detach()
                op.erase()


def _key(roots: Sequence[SSAValue], leaves: Sequence[SSAValue], ops: Sequence[Operation], more: Hashable) -> Hashable:
    """Returns a key that only kernels of the same ops, types and attributes have: values are their numbers."""
    number = {value: k for k, value in enumerate(leaves)}
    lines = list[Hashable]()
    for op in ops:
        read = tuple(number.get(v, -1) for v in op.operands)
        attributes = (tuple(sorted(of.items())) for of in (op.properties, op.attributes))
        lines.append((op.name, read, op.result_types, *attributes, *map(id, op.regions)))
        for result in op.results:
            number[result] = len(number)
    return tuple(lines), tuple(v.type for v in leaves), tuple(number[r] for r in roots), more


def _definitions_before_uses(roots: Sequence[SSAValue], leaves: Collection[SSAValue]) -> list[Operation]:
    """Returns the ops that compute `roots` from `leaves`, in depth-first order of the operands."""
    found: dict[Operation, None] = {}
    todo = [(root, False) for root in reversed(roots)]
    while todo:
        value, visited = todo.pop()
        op = value.owner
        if not isinstance(op, Operation) or value in leaves or op in found:
            continue
        if visited:
            found[op] = None
        else:
            read = op.operands[is_atomic_scatter(op) :]  # a scatter updates the elements of its first operand in memory
            todo += [(value, True), *((operand, False) for operand in reversed(read))]
    return list(found)
