"""Prints an `nv.map` that computes an operand of mma.sync: unpacks a lane's elements from words, and packs the results."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import nv
from ...dialects.common.shapes import signless
from ...dialects.common.syntax import ints
from ...targets.mma import element_bytes
from .epilogue_printer import EpiloguePrinter
from .fragment_printer import lane_terms, register_count
from .kernel_text import prints
from .scalars import NARROW, sum_of

PACKED = ("bf16", "f16")
"""Types for which one instruction rounds two floats and packs them into a word."""


class OperandPrinter(EpiloguePrinter):
    """Prints maps of operands; those of rows are printed as epilogues."""

    @prints
    def map_elements(self, op: nv.MapOp) -> None:
        if (t := op.like) is None or t.spelled:
            self.epilogue(op)
            return
        is_a, count, block = t.operand.data == "A", t.layout.count, op.body.block
        for result in op.fragments:
            self.declare(result, "", f"operand {t.operand.data}")
        with self.unrolled(i=t.tiles[0 if is_a else 1]):
            last = cast(nv.YieldOp, block.last_op)
            self.stored = {v for v in last.values if len(list(v.uses)) == 1}
            elements = [self.fresh(f"{self.name(result)}_out") for result in op.fragments]
            for name, value in zip(elements, last.values, strict=True):
                self.line(f"{self.element_type(value.type, op)} {name}[{count}];")
            with self.unrolled(v=count):
                if self.uses_point(op):
                    self.set_operand_point(op, t)
                for fragment, arg in zip(op.held, block.args, strict=True):
                    self.unpack(fragment, arg, op)
                self.body(o for o in block.ops if o is not last)
                for name, value in zip(elements, last.values, strict=True):
                    packed = self.element_type(value.type, op) == "float"
                    form = self.name(value) if packed else self.memory_form(value, op)
                    self.line(
                        f"{name}[v] = {form}{'.bits' if self.word(value.type, op) in NARROW and not packed else ''};"
                    )
            for name, result in zip(elements, op.fragments, strict=True):
                self.pack(name, result, op)

    def set_operand_point(self, op: nv.MapOp, t: nv.FragType) -> None:
        """Declares the row and the column of element `v` in the space of the map."""
        is_a, layout = t.operand.data == "A", t.layout
        tile = f"i * {layout.rows if is_a else layout.columns}"
        lane, element = lane_terms(layout.lanes), lane_terms(layout.elements, "v")
        names: list[str] = []
        for k, (dim, text) in enumerate(zip(ints(op.dims), ("row", "column"), strict=True)):
            names.append(self.fresh(text))
            place = sum_of(self.name(op.offsets[dim]), tile if (k == 0) == is_a else "", lane[k], element[k])
            self.line(f"const int {names[k]} = {place};")
        self.point, self.vector = (names[0], names[1]), (names[1], 1)

    def element_type(self, dtype: Attribute, op: Operation) -> str:
        """Returns the C type of an element before it is packed into a word."""
        word = self.word(dtype, op)
        return "float" if word in PACKED else "u8" if word in NARROW else word

    def unpack(self, fragment: SSAValue, arg: SSAValue, op: Operation) -> None:
        """Names the expression of element `v` of a fragment."""
        t, name = nv.frag(fragment), self.name(fragment)
        word, bytes_ = self.word(arg.type, op), element_bytes(t.element_type)
        if bytes_ < 4:
            bits = f"(u{8 * bytes_})({name}[i][v / {4 // bytes_}] >> v % {4 // bytes_} * {8 * bytes_})"
            if word in NARROW:
                self.raw[arg] = f"{word}{{{bits}}}"
                return
            self.names[arg] = bits
        else:
            is_float = isinstance(t.element_type, Float32Type)
            self.names[arg] = f"__uint_as_float({name}[i][v])" if is_float else f"{name}[i][v]"

    def pack(self, elements: str, fragment: SSAValue, op: Operation) -> None:
        """Prints the words of a fragment from its elements."""
        t, name = nv.frag(fragment), self.name(fragment)
        dtype = signless(t.element_type)
        word, each = self.word(dtype, op), 4 // element_bytes(dtype)
        for w in range(register_count(t)):
            held = [f"{elements}[{e}]" for e in range(w * each, min((w + 1) * each, t.layout.count))] or [
                f"{elements}[{w}]"
            ]
            if word in PACKED:
                text = self.call(f"pack_{word}", *held)
            elif isinstance(dtype, Float32Type):
                text = f"__float_as_uint({held[0]})"
            elif isinstance(dtype, Float64Type):
                text = held[0]
            else:
                shifted = [f"(u32){part} << {k * 32 // each}" if k else part for k, part in enumerate(held)]
                text = " | ".join(shifted)
            self.line(f"{name}[i][{w}] = {text};")
