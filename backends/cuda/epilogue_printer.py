"""Prints `nv.epilogue`: which elements a lane computes, how it loads and stores their neighbours."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from ...dialects import nv
from ...dialects.syntax import ints
from ...errors import Unsupported
from .fragment_printer import lane_terms
from .kernel_text import KernelText, block_size
from .scalars import NARROW, sum_of


class EpiloguePrinter(KernelText):
    """Adds the epilogue to the text of a kernel."""

    def epilogue(self, op: nv.EpilogueOp) -> None:
        row_dim, column_dim = ints(op.dims)
        points = {k: self.name(o) for k, o in enumerate(op.offsets)}
        opened = self.fragment_points(op) if op.acc is not None else self.thread_points(op)
        for dim, text in ((row_dim, "row"), (column_dim, "column")):
            inner = self.fresh(text)
            self.line(f"const int {inner} = {sum_of(points[dim], f'tile_{text}')};")
            points[dim] = inner
        guards = [f"{points[d]} < {ints(op.bounds)[d]}" for d in (row_dim, column_dim) if d in ints(op.guards)]
        if guards:
            self.open(f"if ({' && '.join(guards)})")
        self.elements(op, points)
        for _ in range(opened + bool(guards)):
            self.close()

    def fragment_points(self, op: nv.EpilogueOp) -> int:
        """Loops over the tiles of a fragment, and in one over the groups of neighbours that a lane holds."""
        t = nv.frag(cast(SSAValue, op.acc))
        layout, vector = t.layout, t.layout.neighbours
        self.line(f"// epilogue: each lane computes {vector} neighbours at a time of {' x '.join(map(str, t.sizes))}")
        self.unrolled("i", t.tiles[0])
        self.unrolled("j", t.tiles[1])
        groups = layout.count // vector
        if groups > 1:
            self.unrolled("h", groups)
        row, column = lane_terms(layout.lanes)
        row = sum_of(f"i * {layout.rows}", f"h * {layout.element(vector)[0]}" if groups > 1 else "", row)
        self.line(f"const int tile_row = {row}, tile_column = {sum_of(f'j * {layout.columns}', column)};")
        return 2 + (groups > 1)

    def thread_points(self, op: nv.EpilogueOp) -> int:
        """Spreads a block's tile over its threads, neighbours to neighbours."""
        rows, columns = ints(op.tile)
        threads, vector = block_size(op), op.vector
        if columns % vector:
            raise Unsupported(
                op, what=f"a tile of {columns} columns, {vector} at a time", need="widths that divide the tile's rows"
            )
        total = rows * columns // vector
        self.line(f"// {rows} x {columns}, {vector} neighbours a thread")
        self.unrolled("i", -(-total // threads))
        self.line(f"const int place = i * {threads} + (int)threadIdx.x;")
        guarded = total % threads != 0
        if guarded:
            self.open(f"if (place < {total})")
        self.line(
            f"const int tile_row = place / {columns // vector}, tile_column = place % {columns // vector} * {vector};"
        )
        return 1 + guarded

    def elements(self, op: nv.EpilogueOp, points: dict[int, str]) -> None:
        """Loads the neighbours of each input, runs the body for each, stores the neighbours of each output."""
        vector, block = op.vector, op.body.block
        column = ints(op.dims)[1]
        bounds, widths = ints(op.bounds), ints(op.widths)
        for address, width in zip(op.addresses, widths, strict=True):
            self.require_neighbours(address.source.data, bounds, column, width)
        at_v = {**points, column: f"{points[column]} + v"}
        tail = column in ints(op.guards) and bounds[column] % vector != 0
        guard = f"if ({at_v[column]} < {bounds[column]}) " if tail else ""

        def inside(part: int) -> str:
            return f"if ({points[column]} + {part} < {bounds[column]}) " if tail and part else ""

        args = list(block.args)
        if op.acc is not None:
            accumulator = args.pop(0)
            t = nv.frag(op.acc)
            place = "v" if t.layout.count == vector else f"h * {vector} + v"
            self.names[accumulator] = f"{self.name(op.acc)}[i][j][{place}]"
        buffers: list[str] = []
        for k, (memref, arg) in enumerate(zip(op.ins, args, strict=True)):
            dtype = self.word(arg.type, op)
            buffer = self.fresh(f"{self.name(memref)}_in")
            buffers.append(buffer)
            address = op.addresses.data[k].source.data
            self.line(f"__align__(16) {dtype} {buffer}[{vector}]{' = {}' if tail else ''};")
            if widths[k] > 1:
                for part in range(0, vector, widths[k]):
                    here = {**points, column: sum_of(points[column], str(part) if part else "")}
                    kind = self.vector_type(dtype, widths[k])
                    self.line(
                        f"{inside(part)}*({kind}*)({buffer} + {part}) = *(const {kind}*)({self.pointer(memref, address, here, bounds)});"
                    )
            else:
                self.unrolled("v", vector)
                self.line(f"{guard}{buffer}[v] = *({self.pointer(memref, address, at_v, bounds)});")
                self.close()
            self.names[arg] = f"to_float({buffer}[v])" if dtype in NARROW else f"{buffer}[v]"
        results = [self.fresh(f"{self.name(m)}_out") for m in op.outs]
        last = cast(nv.YieldOp, block.last_op)
        types = [self.word(v.type, op) for v in last.values]
        for name, dtype in zip(results, types, strict=True):
            self.line(f"__align__(16) {dtype} {name}[{vector}];")
        self.unrolled("v", vector)
        if op.acc is not None and isa(block.args[0].type, IntegerType):  # mma keeps its sums signed
            held, word = self.names[block.args[0]], self.fresh("sum")
            self.line(f"const {self.word(block.args[0].type, op)} {word} = {held};")
            self.names[block.args[0]] = word
        self.body(o for o in block.ops if o is not last)
        for name, dtype, value in zip(results, types, last.values, strict=True):
            text = self.name(value)
            self.line(f"{name}[v] = {f'to_{dtype}({text})' if dtype in NARROW else text};")
        self.close()
        for k, (memref, name, dtype) in enumerate(zip(op.outs, results, types, strict=True), start=len(op.ins)):
            address = op.addresses.data[k].source.data
            if widths[k] > 1:
                for part in range(0, vector, widths[k]):
                    here = {**points, column: sum_of(points[column], str(part) if part else "")}
                    kind = self.vector_type(dtype, widths[k])
                    self.line(
                        f"{inside(part)}*({kind}*)({self.pointer(memref, address, here, bounds)}) = *({kind}*)({name} + {part});"
                    )
            else:
                self.unrolled("v", vector)
                self.line(f"{guard}*({self.pointer(memref, address, at_v, bounds)}) = {name}[v];")
                self.close()
