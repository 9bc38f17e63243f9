"""Which sizes are numbers. Below ptir every kernel is made for fixed sizes."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects.ptir.dims import sizes
from ...dialects.ptir.tuples import leaves
from ...errors import Unsupported


def require_numbers(root: Operation) -> None:
    """Raises `Unsupported` at the first operation under `root` that defines a tensor with a `?`, which it names."""
    for op in root.walk():
        for value in _defined_by(op):
            for t in leaves([value.type]):
                if isa(t, TensorType[Attribute]):
                    require_numbers_in(t, op)


def require_numbers_in(t: TensorType[Attribute], op: Operation) -> None:
    """The same for one type, that of a value which `op` defines."""
    for axis, size in enumerate(sizes(t)):
        if not isinstance(size, int):
            which, number = (f"dimension {axis}", "it") if size is None else (f"dimension {axis} ({size})", size)
            need = f"a static size is needed: write a number for {number}, kernels are compiled for fixed sizes"
            of = "" if isinstance(op, FuncOp) else f", which '{op.name}' gives,"
            raise Unsupported(op, what=f"the dynamic {which} of {t}{of}", need=need)


def _defined_by(op: Operation) -> Iterator[SSAValue]:
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args
