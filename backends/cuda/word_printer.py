"""Prints accesses of single words: of global memory, and of arrays in shared memory."""

from __future__ import annotations

from ...dialects import nv
from ...dialects.common.shapes import memref_of
from ...dialects.nv.types import constant_of
from .kernel_text import KernelText, prints

FUNCTIONS = {kind: f"atomic{kind.capitalize()}" for kind in ("add", "min", "max", "and", "or", "xor")} | {
    "exchange": "atomicExch"
}
"""CUDA's functions of atomics, which return the element before."""


class WordPrinter(KernelText):
    """Prints the ops of `dialects/nv/words.py`."""

    @prints
    def shared_words(self, op: nv.SharedWordsOp) -> None:
        t = memref_of(op.result)
        self.line(f"__shared__ {self.ctype(t.element_type, op)} {self.name(op.result)}[{t.get_shape()[0]}];")

    @prints
    def load_word(self, op: nv.LoadWordOp) -> None:
        element = f"{self.name(op.memref)}[{self.name(op.index)}]"
        self.line(f"const u32 {self.name(op.result)} = {self.if_inside(op, element)};")

    @prints
    def store_word(self, op: nv.StoreWordOp) -> None:
        element = f"{self.name(op.memref)}[{self.name(op.index)}]"
        self.line(f"{self.guard_of(op)}{element} = {self.name(op.value)};")

    @prints
    def atomic_word(self, op: nv.AtomicWordOp) -> None:
        sign = "(int)" if op.signed is not None else ""
        self.atomic(op, FUNCTIONS[op.kind.data], f"{sign}{self.name(op.value)}", sign)

    @prints
    def compare_exchange_word(self, op: nv.CompareExchangeWordOp) -> None:
        self.atomic(op, "atomicCAS", f"{self.name(op.expected)}, {self.name(op.value)}")

    @prints
    def float_word(self, op: nv.FloatWordOp) -> None:
        call = self.call(f"crw_{op.fn.data}", *map(self.name, op.arguments))
        self.line(f"const u32 {self.name(op.result)} = {call};")

    def atomic(self, op: nv.AtomicWord, function: str, values: str, sign: str = "") -> None:
        """Prints a call of an atomic function, on signed integers if `sign` is a cast to them."""
        place = f"{self.name(op.memref)} + {self.name(op.index)}"
        if sign:
            place = f"(int*)({place})"
        call = f"{function}({place}, {values})"
        if op.result.uses:
            self.line(f"const u32 {self.name(op.result)} = {self.if_inside(op, call)};")
        else:
            self.line(f"{self.guard_of(op)}{call};")

    def if_inside(self, op: nv.WordOp, expression: str) -> str:
        """Returns the value of an access that is 0 if the predicate is false."""
        return expression if constant_of(op.inside) else f"{self.name(op.inside)} ? {expression} : 0"

    def guard_of(self, op: nv.WordOp) -> str:
        """Returns the beginning of a statement that is executed if the predicate is true."""
        return "" if constant_of(op.inside) else f"if ({self.name(op.inside)}) "
