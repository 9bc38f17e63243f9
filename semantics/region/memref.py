"""
Memrefs of the host function, buffers and globals, as NumPy arrays.

All bits of a new buffer are ones, which is NaN in every float type, so that reads of unwritten elements show in the results.
(xDSL's own interpreter functions represent memrefs differently.)
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Attribute
from xdsl.traits import SymbolTable

from ...errors import Unsupported
from ..arrays.poison import poison
from ..arrays.scalars import dense_array
from ..values import ArrayFunctions, Value


@register_impls
class MemRefFunctions(ArrayFunctions):
    """`memref.alloc`, `dealloc`, `copy` and `get_global` of a host function."""

    def uninitialized(self, sizes: tuple[int, ...], dtype: Attribute) -> Value:
        return poison(sizes, dtype)

    @impl(memref.AllocOp)
    def run_alloc(self, interpreter: Interpreter, op: memref.AllocOp, args: PythonValues) -> PythonValues:
        t = op.memref.type
        return (self.uninitialized(t.get_shape(), t.element_type),)

    @impl(memref.DeallocOp)
    def run_dealloc(self, interpreter: Interpreter, op: memref.DeallocOp, args: PythonValues) -> PythonValues:
        return ()

    @impl(memref.CopyOp)
    def run_copy(self, interpreter: Interpreter, op: memref.CopyOp, args: PythonValues) -> PythonValues:
        source, destination = args
        self.store(destination, source)
        return ()

    @impl(memref.GetGlobalOp)
    def run_get_global(self, interpreter: Interpreter, op: memref.GetGlobalOp, args: PythonValues) -> PythonValues:
        found = SymbolTable.lookup_symbol(op, op.name_)
        if not isinstance(found, memref.GlobalOp) or not isinstance(found.initial_value, DenseIntOrFPElementsAttr):
            raise Unsupported(op, what=f"{op.name_}", need="a memref.global with a dense initial value")
        return (self.literal(dense_array(found.initial_value)),)
