"""Prints `nv.convert_layout`: exchanges of registers between lanes, or stores to shared memory and loads."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext

from xdsl.ir import SSAValue

from ...analysis.nv.fragment_accesses import exchange_layout
from ...dialects import nv
from ...dialects.common.shapes import signless
from ...targets.conversions import Conversion, Digit, digits, merged
from ...targets.layouts import Mode
from ...targets.matrices import vector_elements
from ...targets.shared_layouts import SharedLayout
from .fragment_printer import FragmentPrinter, first_of_copies, holders_of, lane_terms
from .kernel_text import prints
from .prelude.shared_layouts import function_of
from .scalars import product, sum_of


def register_of(t: nv.FragType, name: str, moves: Iterable[tuple[Digit, int]], number: str = "n") -> str:
    """Returns the register of fragment `name` whose number has the digits of `number` at other places."""
    if t.spelled and t.layout.count == 1:
        return name
    moves = list(moves)
    sizes = [t.layout.count, *(digit.radix for digit in reversed(t.tile_digits))]
    indices: list[str] = []
    below = 1
    for size in sizes:
        places = ((d.radix, place // below if below <= place < below * size else 0) for d, place in moves)
        indices.insert(0, lane_terms(tuple(merged(Mode(radix, 0, place) for radix, place in places)), number)[1])
        below *= size
    return name + "".join(f"[{index}]" for index in indices)


class ConversionPrinter(FragmentPrinter):
    """Prints conversions of layouts."""

    @prints
    def convert_layout(self, op: nv.ConvertLayoutOp) -> None:
        t = nv.frag(op.result)
        self.declare(op.result, "", f"{self.name(op.input)} with {t.layout.contiguous} contiguous columns per lane")
        if (steps := op.conversion) is not None:
            self.convert_by_shuffles(op, steps)
        else:
            self.convert_through_memory(op)

    def convert_by_shuffles(self, op: nv.ConvertLayoutOp, steps: Conversion) -> None:
        """Copies registers in the order of the result, exchanges them between lanes, and moves them between lanes."""
        name, count = self.name(op.result), nv.frag(op.result).layout.count
        each = f"{name}[n]" if count > 1 else name
        with self.unrolled(n=count):
            self.line(f"{each} = {register_of(nv.frag(op.input), self.name(op.input), steps.moves)};")
        for lane, place in steps.exchanges:
            with self.unrolled(n=count // 2):
                low = sum_of(
                    f"n % {place}" if place > 1 else "", f"n / {place} * {2 * place}" if place > 1 else "n * 2"
                )
                self.print_call("exchange", f"{name}[{low}]", f"{name}[{low} + {place}]", str(lane))
        if steps.lanes:
            bits = [f"(lane >> {own} & 1) << {k}" for k, own in enumerate(steps.lanes)]
            source = self.fresh("source")
            self.line(f"const int {source} = {' | '.join(bits)};")
            with self.unrolled(n=count):
                self.line(f"{each} = __shfl_sync(0xffffffff, {each}, {source});")

    def convert_through_memory(self, op: nv.ConvertLayoutOp) -> None:
        """Stores each element once, and loads it in all lanes that hold it in the result."""
        source, result = nv.frag(op.input), nv.frag(op.result)
        memory = exchange_layout(source.whole_layout, result.layout, op.register_bytes)
        once = first_of_copies(source.layout)
        with self.block(f"if ({' && '.join(once)})") if once else nullcontext():
            self.move_vectors(op, op.input, memory)
        self.line("__syncthreads();")
        self.move_vectors(op, op.result, memory)

    def move_vectors(self, op: nv.ConvertLayoutOp, value: SSAValue, memory: SharedLayout) -> None:
        """Prints the stores of the input to scratch, or the loads of the result from there."""
        t, size = nv.frag(value), op.register_bytes
        layout, scratch = t.whole_layout, 0 if op.scratch is None else op.scratch.value.data
        width = vector_elements(layout, memory, size)
        vector = self.vector_type(self.variable_type(signless(t.element_type), op), width)
        registers = list(digits(layout.elements))
        first = lane_terms(tuple(merged(Mode(d.radix, *d.stride) for d in registers if d.place >= width)), "n")
        row, column = map(sum_of, *(lane_terms(modes, name) for name, modes in reversed(holders_of(layout))), first)
        place = self.call(f"{function_of(memory)}<{size}>", row, column)
        memory_vector = f"*({vector}*)(shared + {sum_of(str(scratch), place)})"
        number = sum_of(product("n", width), "v")
        kept = ((digit, digit.place) for digit in registers)
        register = register_of(t, self.name(value), kept, number if t.spelled else f"({number})")
        with self.unrolled(n=layout.count // width):
            self.line(f"{vector} x;" if value is op.input else f"const {vector} x = {memory_vector};")
            with self.unrolled(v=width):
                self.line(f"x.at[v] = {register};" if value is op.input else f"{register} = x.at[v];")
            if value is op.input:
                self.line(f"{memory_vector} = x;")
