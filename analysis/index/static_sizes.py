"""Checks that sizes are static: below the level ptir, kernels are compiled for fixed sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import is_tensor, shape, tensor
from ...dialects.ptir.dims import sizes
from ...dialects.ptir.tuples import leaves
from ...errors import Unsupported

MAX_ELEMENTS = 2**59 - 1
"""Maximum number of elements of a tensor: with up to 16 bytes each, their byte offsets fit in signed 64 bits."""


def require_static_types(root: Operation) -> None:
    """Raises `Unsupported` at the first op under `root` that defines a tensor with a dynamic dimension."""
    for op, t in _tensors(root):
        require_static_type(t, op)


def is_dynamic(root: Operation) -> bool:
    """Returns whether an op under `root` defines a tensor with a dynamic dimension."""
    return any(DYNAMIC_INDEX in t.get_shape() for _, t in _tensors(root))


def _tensors(root: Operation) -> Iterator[tuple[Operation, TensorType[Attribute]]]:
    """Yields the types of the tensors that ops under `root` define, each with its op."""
    for op in root.walk():
        arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
        for t in leaves(value.type for value in (*op.results, *arguments)):
            if is_tensor(t):
                yield op, t


def require_static_type(t: TensorType[Attribute], op: Operation) -> None:
    """Raises `Unsupported` for a dynamic dimension in the type of a value that `op` defines."""
    for axis, size in enumerate(sizes(t)):
        if not isinstance(size, int):
            which = f"dimension {axis}" if size is None else f"dimension {axis} ({size})"
            need = (
                f'a static size is needed: specialize-sizes{{sizes="{size or "argument[axis]"}=8"}} gives {size or "it"} a number, '
                "ptir.compile and ptir-run take it from the arrays"
            )
            of = "" if isinstance(op, FuncOp) else f", a result of '{op.name}',"
            raise Unsupported(op, what=f"the dynamic {which} of {t}{of}", need=need)


def require_static(function: FuncOp) -> None:
    """
    Raises `Unsupported` for branches between blocks, for the first value with an unknown size, and for the first tiny op that
    reads or computes a tensor without elements. Other values may be empty.
    """
    if len(function.body.blocks) != 1:
        need = "write it as one block of ptir ops, with ptir.cond, ptir.while and ptir.scan"
        raise Unsupported(function, what="control flow between blocks", need=need)
    for block in blocks_of(function):
        require_sizes((*block.args, *results_of(block.ops)), function)
        for op in block.ops:
            if isinstance(op, tiny.MovementOp | tiny.UnaryOp | tiny.BinaryOp | tiny.ReduceOp | tiny.IotaOp):
                require_elements((*op.operands, *op.results), op)


def require_sizes(values: Iterable[SSAValue], where: Operation) -> None:
    """
    Raises `Unsupported` for the first tensor with a size that is unknown, or with more elements than memory can address, not counting
    axes of size 0; `where` is the enclosing op.
    """
    for value in values:
        op = value.owner if isinstance(value.owner, Operation) else where
        require_static_type(t := tensor(value, where), op)
        if prod(filter(None, t.get_shape())) > MAX_ELEMENTS:
            raise Unsupported(op, what=f"the shape of {t}", need="give it fewer than 2^59 elements")


def require_elements(values: Iterable[SSAValue], op: Operation) -> None:
    """Raises `Unsupported` for the first tensor without elements among `values`, which `op` reads or computes."""
    if empty := next((v for v in values if 0 in shape(v)), None):
        need = "kernels compute at least one element: run tiny-fold-empty first"
        raise Unsupported(op, what=f"the shape of {empty.type}", need=need)


def blocks_of(root: Operation) -> Iterator[Block]:
    """Yields the blocks of `root` and those nested in them, outer blocks first."""
    return (block for op in root.walk() for region in op.regions for block in region.blocks)


def results_of(ops: Iterable[Operation]) -> Iterator[SSAValue]:
    """Yields the results of all ops in order."""
    return (result for op in ops for result in op.results)
