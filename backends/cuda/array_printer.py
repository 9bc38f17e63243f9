"""Prints arrays in shared memory, and accesses of their elements and of those of arguments."""

from __future__ import annotations

from ...dialects import nv
from ...dialects.common.shapes import memref_of
from .kernel_text import prints
from .scalar_printer import ScalarPrinter
from .scalars import NARROW


class ArrayPrinter(ScalarPrinter):
    """Prints the ops of `dialects/nv/arrays.py`."""

    @prints
    def shared_array(self, op: nv.SharedArrayOp) -> None:
        dtype, offset = self.ctype(memref_of(op.result).element_type, op), op.offset.value.data
        self.line(f"{dtype}* const {self.name(op.result)} = ({dtype}*)(shared + {offset});")

    @prints
    def load_array_element(self, op: nv.LoadElementOp) -> None:
        element = f"{self.name(op.memref)}[{self.name(op.index)}]"
        if self.word(op.result.type, op) in NARROW:
            self.declare_raw(op.result, element, op)
        else:
            self.line(f"const {self.variable_type(op.result.type, op)} {self.name(op.result)} = {element};")

    @prints
    def store_array_element(self, op: nv.StoreElementOp) -> None:
        self.line(f"{self.name(op.memref)}[{self.name(op.index)}] = {self.memory_form(op.value, op)};")
