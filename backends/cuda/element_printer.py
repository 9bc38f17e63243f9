"""Prints reads and writes of the elements of fragments, of which a word of an operand's registers holds several."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import nv
from ...dialects.common.shapes import signless
from ...dialects.nv.rows import columns_of
from ...targets.mma import element_bytes
from .fragment_printer import register_type
from .point_printer import PointPrinter
from .realignment_printer import RealignmentPrinter
from .scalars import NARROW, product, sum_of

PACKED = ("bf16", "f16")
"""Types for which one instruction rounds two floats and packs them into a word."""


def in_words(t: nv.FragType) -> bool:
    """Returns whether the registers of a fragment are words that hold the bits of its elements."""
    return register_type(t) == "u32"


class ElementPrinter(RealignmentPrinter, PointPrinter):
    """Prints elements of fragments. The indices of a lane's tile are `i` and `j`, of its vector in the tile `h`, of the element in that `v`."""

    def held_register(self, op: nv.ElementsOp, fragment: SSAValue, place: str) -> str:
        """Returns register number `place` of a lane's tile as a C expression."""
        t, like, name = nv.frag(fragment), op.like, self.name(fragment)
        if (
            t.spelled and like is not None and not like.spelled
        ):  # one for each row of an accumulator, or each row and lane
            (down, _), vectors = like.tiles, like.layout.count // op.vector
            number = sum_of(product("i", vectors) if down > 1 else "", "h" if vectors > 1 else "")
            return f"{name}[{number or 0}]" if t.layout.count > 1 else name
        if (
            t.spelled and like is not None and t.layout.count not in (1, like.layout.count)
        ):  # one for each row or column
            if t.sizes[0] < like.sizes[0]:
                return f"{name}[v]"
            vectors = columns_of(like.layout.elements) // op.vector
            return f"{name}[{f'h / {vectors}' if vectors > 1 else 'h'}]"
        if t.spelled and t.layout.count == 1:
            return name
        first = op.first_column // t.layout.columns if fragment not in op.results else 0
        tile = ["i", sum_of(str(first), "j")][: len(t.tile_digits)]
        return name + "".join(f"[{index}]" for index in (*tile, place))

    def read_element(self, op: nv.ElementsOp, fragment: SSAValue, arg: SSAValue, place: str) -> None:
        """Names the expression of element `place` of a lane's tile."""
        t, word = nv.frag(fragment), self.word(arg.type, op)
        size = element_bytes(t.element_type)
        if not in_words(t):  # accumulators are signed, bodies compute with unsigned words
            cast = f"({word})" if register_type(t) == "int" else ""
            self.names[arg] = cast + self.held_register(op, fragment, place)
            return
        if size == 4:
            bits = self.held_register(op, fragment, place)
            self.names[arg] = f"__uint_as_float({bits})" if isinstance(t.element_type, Float32Type) else bits
            return
        each, place = 4 // size, place if place.isidentifier() else f"({place})"
        bits = (
            f"(u{8 * size})({self.held_register(op, fragment, f'{place} / {each}')} >> {place} % {each} * {8 * size})"
        )
        (self.raw if word in NARROW else self.names)[arg] = f"{word}{{{bits}}}" if word in NARROW else bits

    def unpacked_type(self, dtype: Attribute, op: Operation) -> str:
        """Returns the C type of an element before it is packed into a word."""
        word = self.word(dtype, op)
        return "float" if word in PACKED else "u8" if word in NARROW else word

    def unpacked(self, value: SSAValue, op: Operation) -> str:
        """Returns an element before it is packed into a word."""
        word = self.word(value.type, op)
        return self.name(value) if word in PACKED else self.memory_form(value, op) + ".bits" * (word in NARROW)

    def pack(self, op: nv.ElementsOp, fragment: SSAValue, elements: str) -> None:
        """Prints the words of a fragment that hold the `op.vector` elements of the array `elements`."""
        t = nv.frag(fragment)
        dtype = signless(t.element_type)
        word, each = self.word(dtype, op), 4 // element_bytes(dtype)
        words = -(-op.vector // each)
        for w in range(words):
            held = [f"{elements}[{e}]" for e in range(w * each, min((w + 1) * each, op.vector))]
            if word in PACKED:
                text = self.call(f"pack_{word}", *held)
            elif isinstance(dtype, Float32Type):
                text = f"__float_as_uint({held[0]})"
            else:
                text = " | ".join(f"(u32){part} << {k * 32 // each}" if k else part for k, part in enumerate(held))
            place = sum_of(product("h", words) if t.layout.count > op.vector else "", str(w))
            self.line(f"{self.held_register(op, fragment, place)} = {text};")
