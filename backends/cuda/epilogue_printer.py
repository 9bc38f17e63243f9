"""Prints `nv.epilogue`: the elements that each lane computes, and their vector loads and stores."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import cast

from xdsl.ir import SSAValue

from ...analysis.regions.tile_access import vector_points
from ...dialects import nv
from ...dialects.common.shapes import signless
from ...dialects.common.syntax import ints
from ...errors import Unsupported
from .element_printer import ElementPrinter, in_words
from .fragment_printer import first_of_copies, holders_of, lane_terms
from .kernel_text import participants, prints
from .scalars import NARROW, sum_of


class EpiloguePrinter(ElementPrinter):
    """Prints epilogues."""

    @prints
    def epilogue(self, op: nv.ElementsOp) -> None:
        row_dim, column_dim = ints(op.dims)
        points = {k: self.name(o) for k, o in enumerate(op.offsets)}
        for result in op.fragments:
            operand = nv.frag(result).operand
            what = (
                f"operand {operand}" if nv.frag(result).is_operand else "epilogue's result" if operand else "elements"
            )
            self.declare(result, "", what)
        self.load_realigned(op)
        with self.thread_points(op) if (like := op.like) is None else self.fragment_points(op, like):
            for dim, text in ((row_dim, "row"), (column_dim, "column")) if self.uses_point(op) else ():
                inner = self.fresh(text)
                self.line(f"const int {inner} = {sum_of(points[dim], f'tile_{text}')};")
                points[dim] = inner
            guards = [f"{points[d]} < {ints(op.bounds)[d]}" for d in (row_dim, column_dim) if d in ints(op.guards)]
            once = [] if op.like is None else first_of_copies(op.like.layout)
            exchanges = any(isinstance(o, nv.ExchangeRowsOp) for o in op.body.walk())
            if (conditions := [*guards, *once]) and not (op.written or self.realigned or exchanges):
                with self.block(f"if ({' && '.join(conditions)})"):
                    self.elements(op, points, [], [])
            else:
                self.elements(op, points, guards, once)
        self.store_realigned(op)

    @contextmanager
    def fragment_points(self, op: nv.ElementsOp, t: nv.FragType) -> Generator[None]:
        """Prints loops over the tiles of a fragment, and over a lane's vectors in a tile."""
        layout, vector, (_, vectors) = t.layout, op.vector, op.lane_digits
        first, (rows, columns) = op.first_column, ints(op.tile)
        part = f"columns {first} to {first + columns - 1}" if columns < t.sizes[1] else f"{rows} x {columns} tile"
        of = f"epilogue of {self.name(op.held[0])}, " if isinstance(op, nv.EpilogueOp) else ""
        if not t.is_operand:
            self.line(f"// {of}{part}: {vector} contiguous columns per lane")
        groups = layout.count // vector
        tiles = [replace(digit, radix=columns // digit.columns) if digit.columns else digit for digit in t.tile_digits]
        loops = {name: digit.radix for name, digit in zip("ij", tiles, strict=False)}
        loops |= {"h": groups} if groups > 1 else {}
        steps = lane_terms(vectors, "h")
        holders = zip(*(lane_terms(modes, name) for name, modes in reversed(holders_of(layout))), strict=True)
        row, column = (sum_of(step, *terms) for step, terms in zip(steps, holders, strict=True))
        for name, digit in zip("ij", tiles, strict=False):
            row, column = map(sum_of, lane_terms((digit,), name), (row, column))
        column = sum_of(str(first), column)
        with self.unrolled(**loops) if loops else self.block(""):
            if self.uses_point(op):
                self.line(f"const int tile_row = {row}, tile_column = {column};")
            yield

    @contextmanager
    def thread_points(self, op: nv.ElementsOp) -> Generator[None]:
        """Prints a loop that distributes a block's tile over its threads, vector by vector."""
        rows, columns = ints(op.tile)
        (threads, thread), vector = participants(op), op.vector
        if columns % vector:
            raise Unsupported(
                op,
                what=f"a tile of {columns} columns, {vector} at a time",
                need="vector widths that divide the tile's columns",
            )
        total, per_row = rows * columns // vector, columns // vector
        self.line(f"// {rows} x {columns} tile: {vector} contiguous columns per thread")
        with self.unrolled(i=-(-total // threads)):
            self.line(f"const int place = {sum_of(f'i * {threads}', thread)};")
            with self.block(f"if (place < {total})") if total % threads else nullcontext():
                self.line(f"const int tile_row = place / {per_row}, tile_column = place % {per_row} * {vector};")
                yield

    def elements(self, op: nv.ElementsOp, points: dict[int, str], guards: Sequence[str], once: Sequence[str]) -> None:
        """
        Loads a vector of each input, runs the body per element, stores a vector of each output. The guards protect
        loads and stores only: where there are results, or lanes exchange elements, the body runs everywhere.
        """
        vector, block = op.vector, op.body.block
        row, column = ints(op.dims)
        bounds, widths = ints(op.bounds), ints(op.widths)
        for k, (address, width) in enumerate(zip(op.addresses, widths, strict=True)):
            if k not in self.realigned:
                self.require_contiguous(address.source.data, bounds, column, width)
        down, along = lane_terms(op.lane_digits[0], "v")
        self.point = sum_of(points[row], down), sum_of(points[column], along)
        self.vector = (points[column], vector) if along == "v" else (self.point[1], 1)
        tail = column in ints(op.guards) and bounds[column] % vector != 0

        def when(*conditions: str) -> str:
            found = [*guards, *(c for c in conditions if c)]
            return f"if ({' && '.join(found)}) " if found else ""

        def print_access(k: int, memref: SSAValue, buffer: str, dtype: str, load: bool) -> None:
            """Prints the load, into a new buffer, or the store of a vector of memref `k`, in parts of its width."""
            address, width = op.addresses.data[k].source.data, widths[k]
            where = self.guarded(op, k)

            def declare(*, partly: bool) -> None:
                """Declares the buffer of a load. If some elements may not be loaded, `partly`, they are zero."""
                zero = " = {}" if partly and (tail or guards or where is not None) else ""
                if load:
                    self.line(f"__align__(16) {dtype} {buffer}[{vector}]{zero};")

            if (r := self.realigned.get(k)) is not None:
                declare(partly=False)
                round = "h" if r.rounds > 1 else "0"
                for part, (index, _) in enumerate(r.places(round)):
                    element = f"*({r.kind}*)({sum_of(buffer, str(part * width))})"
                    self.line(f"{element} = {r.vector(round, part)};" if load else f"{r.held}[{index}] = {element};")
                return

            def each(first: int, count: int) -> None:
                with self.unrolled(v=count):
                    v = sum_of(str(first), "v")
                    at = {**points, column: sum_of(points[column], v)}
                    inside = f"{at[column]} < {bounds[column]}" if tail else ""
                    guard = when(inside, "" if where is None else self.condition(where, at, bounds, op))
                    place, element = f"*({self.pointer(memref, address, at, bounds)})", f"{buffer}[{v}]"
                    self.line(f"{guard}{element} = {place};" if load else f"{guard}{place} = {element};")

            if width == 1:
                declare(partly=True)
                each(0, vector)
                return
            kind = self.vector_type(dtype, width)
            whole, uniform = (None, True) if where is None else vector_points(op, where, bounds, column, width)
            declare(partly=not uniform)
            for part in range(0, vector, width):
                there = {**points, column: sum_of(points[column], str(part))}
                inside = f"{points[column]} + {part} < {bounds[column]}" if tail and part else ""
                condition = "" if whole is None else self.condition(str(whole), there, bounds, op)
                place, elements = self.pointer(memref, address, there, bounds), f"*({kind}*)({buffer} + {part})"
                found = " && ".join([*guards, *filter(None, (inside, condition))])
                if not load:
                    self.line(f"{when(inside, condition)}*({kind}*)({place}) = {elements};")
                elif (
                    found and uniform
                ):  # a vector as a whole: an array that was zero would be merged element by element
                    self.line(f"{elements} = {found} ? *(const {kind}*)({place}) : {kind}{{}};")
                else:
                    self.line(f"{when(inside, condition)}{elements} = *(const {kind}*)({place});")
                if not uniform:
                    with self.block("else"):
                        each(part, width)

        held, args = block.args[: len(op.held)], block.args[len(op.held) :]
        place = "v" if op.like is None or op.like.layout.count == vector else f"h * {vector} + v"
        for fragment, arg in zip(op.held, held, strict=True):
            self.read_element(op, fragment, arg, place)
        for k, (memref, arg) in enumerate(zip(op.ins, args, strict=True)):
            dtype = self.word(arg.type, op)
            buffer = self.fresh(f"{self.name(memref)}_in")
            print_access(k, memref, buffer, dtype, load=True)
            (self.raw if dtype in NARROW else self.names)[arg] = f"{buffer}[v]"
        last = cast(nv.YieldOp, block.last_op)
        stored, kept = last.values[: len(op.outs)], last.values[len(op.outs) :]
        exact = {v for v, result in zip(kept, op.written, strict=True) if nv.frag(result).spelled}
        self.stored = {v for v in last.values if len(list(v.uses)) == 1} - exact
        results = [self.fresh(f"{self.name(m)}_out") for m in op.outs]
        types = [self.word(v.type, op) for v in stored]
        packed = {r: self.fresh(f"{self.name(r)}_out") for r in op.written if in_words(nv.frag(r))}
        for name, dtype in zip(results, types, strict=True):
            self.line(f"__align__(16) {dtype} {name}[{vector}];")
        for result, name in packed.items():
            self.line(f"{self.unpacked_type(signless(nv.frag(result).element_type), op)} {name}[{vector}];")
        self.declare_vectors(op)
        with self.unrolled(v=vector):
            self.body(o for o in block.ops if o is not last)
            for name, value in zip(results, stored, strict=True):
                self.line(f"{name}[v] = {self.memory_form(value, op)};")
            for result, value in zip(op.written, kept, strict=True):
                if result in packed:
                    self.line(f"{packed[result]}[v] = {self.unpacked(value, op)};")
                else:
                    self.line(f"{self.held_register(op, result, place)} = {self.name(value)};")
        for result, name in packed.items():
            self.pack(op, result, name)
        with self.block(f"if ({' && '.join(once)})") if once and op.outs else nullcontext():
            for k, (memref, name, dtype) in enumerate(zip(op.outs, results, types, strict=True), start=len(op.ins)):
                print_access(k, memref, name, dtype, load=False)
