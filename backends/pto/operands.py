"""
Operands of the instructions of a kernel, as C++: names of values, tiles with their types and addresses, and parts of global memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...analysis.pto.extents import Extent, Extents, static
from ...analysis.pto.legality import layout_of
from ...dialects import pto
from ...dialects.pto.indices import Index, joined
from ...dialects.pto.storage import contiguous_axis
from ...dialects.pto.transfers import TransferOp
from ...dialects.pto.vector import VectorBinaryOp, VectorUnaryOp
from ...errors import Unsupported
from ...targets.pto.machine import PtoMachine
from .calls import is_within_lines
from .cpp_types import DYNAMIC, element_word, stored_extents, tile_word
from .errors import NotAView, NotInPlace
from .storage import Storage

RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
        alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do double
        else enum explicit export extern false float for friend goto half if inline int long main mutable namespace new
        noexcept not nullptr operator or private protected public register return short signed sizeof static struct
        switch template this throw true try typedef typename union unsigned using virtual void volatile while xor pto
        Tile GlobalTensor Shape Stride Layout TileType BLayout SLayout CmpMode RoundMode MaskPattern Event Op DYNAMIC half bfloat16_t
        int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t set_flag wait_flag pipe_barrier
        """,
    )
)
"""Words of C++ and names of the library, which no variable may have."""
INSTRUCTION = re.compile(r"T[A-Z0-9]+|PIPE_|EVENT_ID")
"""The beginning of the names of instructions, pipes and flags."""
POINTWISE = (
    VectorUnaryOp, VectorBinaryOp, pto.ScalarBinaryOp, pto.CmpOp, pto.CmpsOp, pto.SelOp, pto.SelsOp, pto.CvtOp, pto.CopyOp, pto.ExpandsOp,
)  # fmt: skip
"""Ops that compute an element of the result from those of the operands at its place. Their instructions take row-major tiles."""


@dataclass(frozen=True)
class View:
    """Elements in global memory: the pointer, the first one's offset, and the strides, as C++ or numbers."""

    pointer: str
    offset: str
    strides: tuple[int | str | None, ...]


class Operands:
    """Writes declarations to `lines`, at `depth` levels of indentation."""

    def __init__(self, kernel: FuncOp, machine: PtoMachine, extents: Extents):
        self.kernel, self.machine = kernel, machine
        self.storage, self.extents = Storage(kernel, machine), extents
        self.names: dict[SSAValue, str] = {}
        self.taken, self.numbers = set(RESERVED), Counter[str]()
        """Identifiers that are used, and the last number that follows each of them."""
        self.views: dict[SSAValue, View] = {}
        self.aliases: dict[str, str] = {}
        """The name of each C++ type that has one."""
        self.declared: set[SSAValue] = set()
        self.seen: dict[tuple[SSAValue, str, *tuple[str, ...]], tuple[str, Block | None]] = {}
        """The second variables of tiles, by their type and extents, with the block that declares them."""
        self.lines: list[str] = []
        self.depth = 1

    # --- names and lines --------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def fresh(self, hint: str) -> str:
        """Returns an identifier that is unique in the kernel."""
        base = re.sub(r"\W", "_", hint)
        base = base if base[:1].isalpha() and base.isascii() and not INSTRUCTION.match(base) else f"t{base}"
        name = base
        while name in self.taken:
            self.numbers[base] += 1
            name = f"{base}_{self.numbers[base]}"
        self.taken.add(name)
        return name

    def name(self, value: SSAValue) -> str:
        """Returns the C++ of a scalar or the variable of a tile."""
        if isinstance(value.type, pto.TileType):
            value = self.storage.variable(value)
        if value not in self.names:
            kind = "t" if isinstance(value.type, pto.TileType) else "n"
            self.names[value] = self.fresh(value.name_hint or kind)
        return self.names[value]

    def index(self, index: Index) -> str:
        return str(index) if isinstance(index, int) else self.name(index)

    def alias(self, word: str, name: str) -> str:
        """Returns the name of a C++ type, which the head of the kernel declares."""
        if word not in self.aliases:
            self.aliases[word] = self.fresh(name)
        return self.aliases[word]

    def parameter(self, arg: SSAValue) -> str:
        if isinstance(arg.type, pto.MemRefType):
            word, _ = element_word(arg.type.element_type, self.kernel)
            self.views[arg] = View(self.name(arg), "", arg.type.strides)
            return f"__gm__ {word} *{self.name(arg)}"
        if isinstance(arg.type, pto.TileType | pto.EventType):
            need = "load tiles in the kernel, from arguments that are pto.memref"
            raise Unsupported(self.kernel, what=f"an argument of type {arg.type}", need=need)
        return f"{element_word(arg.type, self.kernel)[0]} {self.name(arg)}"

    # --- tiles ------------------------------------------------------------------------------------

    def type_of(self, value: SSAValue, op: Operation) -> tuple[str, list[str]]:
        """Returns the alias of a tile's C++ type, and the valid extents that are not known statically."""
        sizes, dynamic = self.valid(value)
        word, name = tile_word(pto.tile_type(value), sizes, self.machine, op)
        return self.alias(word, name), dynamic

    def valid(self, value: SSAValue) -> tuple[list[int], list[str]]:
        """Returns the valid extents of a tile, with DYNAMIC for those that are not known statically, and the C++ of those."""
        return self.valid_of(pto.tile_type(value), self.extents.of(value))

    def valid_of(self, tile: pto.TileType, extents: Sequence[Extent]) -> tuple[list[int], list[str]]:
        """Returns the valid extents of a tile as `valid` does."""
        known = [static(size, extent) for size, extent in zip(tile.sizes, extents, strict=True)]
        stored = stored_extents(tile, [DYNAMIC if extent is None else extent for extent in known])
        rows = zip(tile.sizes, extents, stored, strict=True)
        return stored, [self.least(size, extent) for size, extent, n in rows if n == DYNAMIC]

    def least(self, size: int, extent: frozenset[Index]) -> str:
        """Returns the C++ of the least of some numbers, of which `size` is one unless another is known to be at most that."""
        numbers = [i for i in extent if isinstance(i, int)]
        values = sorted(self.name(i) for i in extent if isinstance(i, SSAValue))
        texts = [*values, *([str(min(numbers))] if numbers else [])]
        out = texts[0]
        for text in texts[1:]:
            out = f"({out} < {text} ? {out} : {text})"
        return out

    def declare(self, value: SSAValue, op: Operation) -> None:
        """Declares the variable of a tile and assigns its address, unless that is done."""
        root = self.storage.variable(value)
        word, dynamic = self.type_of(value, op)
        if root in self.declared:
            if self.type_of(root, op) != (word, dynamic):
                help = "write the same `valid` for what the loop carries"
                raise NotInPlace(
                    op, type=value.type, reason="the loop carries it, and its valid extents change", help=help
                )
            return
        self.declared.add(root)
        self.variable(word, dynamic, self.name(value), self.storage.address(value))

    def operand(self, op: pto.InstructionOp, value: SSAValue) -> str:
        """
        Returns the variable of an operand or a result for an instruction. An instruction works on tiles whose valid extents agree, so an
        operand with more valid elements than the result needs gets a second variable at the same address. So does a tile in columns,
        which a pointwise instruction takes as the rows of its transpose, and one that a mask selects, whose rows are whole.
        """
        if not isinstance(value.type, pto.TileType):
            return self.name(value)
        extents = self.extents.of(value) if value in op.results else self.extents.read(op, value)
        tile, extents = self.as_rows(op, value.type, extents)
        hint = "rows" if tile != value.type else "all" if isinstance(op, pto.SelOp | pto.SelsOp) else "part"
        return self.view(op, value, tile, extents, hint)

    def as_rows(
        self, op: Operation, tile: pto.TileType, extents: Sequence[Extent]
    ) -> tuple[pto.TileType, Sequence[Extent]]:
        """Returns the type and the extents with which an instruction takes a tile."""
        if isinstance(op, pto.SelOp | pto.SelsOp):
            axis = contiguous_axis(tile)
            extents = [Extent() if k == axis else extent for k, extent in enumerate(extents)]
        pointwise = isinstance(op, POINTWISE) or (isinstance(op, pto.InstructionOp) and is_within_lines(op))
        if pointwise and self.is_in_columns(op):
            return pto.TileType(tile.sizes[::-1], tile.element_type), extents[::-1]
        return tile, extents

    def is_in_columns(self, op: Operation) -> bool:
        """Returns whether the tiles of a pointwise op are column-major."""
        tiles = [v.type for v in (*op.operands, *op.results) if isinstance(v.type, pto.TileType)]
        layouts = {layout_of(tile, self.machine) for tile in tiles}
        if len(layouts) > 1 and not isinstance(op, pto.CopyOp):
            need = "write the same layout for all of them"
            raise Unsupported(op, what="a pointwise instruction on tiles of different layouts", need=need)
        return layouts == {"DN"}

    def view(self, op: Operation, value: SSAValue, tile: pto.TileType, extents: Sequence[Extent], hint: str) -> str:
        """Returns a variable for a tile that is seen as of another type, or with other extents."""
        sizes, dynamic = self.valid_of(tile, extents)
        word, alias = tile_word(tile, sizes, self.machine, op)
        own, own_dynamic = self.valid(value)
        if (word, dynamic) == (tile_word(pto.tile_type(value), own, self.machine, op)[0], own_dynamic):
            return self.name(value)
        key = (self.storage.variable(value), word, *dynamic)
        name, block = self.seen.get(key, ("", None))
        if block is None or not block.is_ancestor(op):
            name = self.fresh(f"{self.name(value)}_{hint}")
            self.seen[key] = name, op.parent
            self.variable(self.alias(word, alias), dynamic, name, self.storage.address(value))
        return name

    def variable(self, word: str, dynamic: Sequence[str], name: str, address: int) -> None:
        extents = f"({', '.join(dynamic)})" if dynamic else ""
        self.line(f"{word} {name}{extents}; TASSIGN({name}, {address:#x});")

    def temporary(self, op: Operation, like: SSAValue) -> str:
        """Declares a temporary with the type of a tile."""
        tile, extents = self.as_rows(op, pto.tile_type(like), self.extents.of(like))
        sizes, dynamic = self.valid_of(tile, extents)
        name = self.fresh("tmp")
        word = self.alias(*tile_word(tile, sizes, self.machine, op))
        self.variable(word, dynamic, name, self.storage.limits["Vec"])
        return name

    # --- global memory ----------------------------------------------------------------------------

    def subview(self, op: pto.SubviewOp) -> None:
        offsets, _, steps = op.parts
        source = self.views[op.source]
        strides = [scaled(stride, self.index(step)) for stride, step in zip(source.strides, steps, strict=True)]
        self.views[op.result] = View(source.pointer, self.moved(source, offsets, op), tuple(strides))

    def moved(self, view: View, offsets: Sequence[Index], op: Operation) -> str:
        """Returns the offset of an element of a view."""
        terms = [view.offset] * bool(view.offset)
        for offset, stride in zip(offsets, view.strides, strict=True):
            text = self.index(offset)
            if text != "0":
                if stride is None:
                    raise self.not_a_view(op, "a stride is not known")
                terms.append(text if stride == 1 else str(scaled(stride, text)))
        return " + ".join(terms)

    def not_a_view(self, op: Operation, reason: str) -> NotAView:
        memref = next(v.type for v in op.operands if isinstance(v.type, pto.MemRefType))
        return NotAView(
            op, type=memref, reason=reason, help="give the array static sizes, and one axis of contiguous elements"
        )

    def tensor(self, op: TransferOp) -> str:
        """Declares the GlobalTensor that an op loads from or stores to, and returns its name."""
        view = self.views[op.memref]
        tile = op.tile if isinstance(op, pto.StoreOp | pto.StoreScaledOp) else op.results[0]
        offset = self.moved(view, joined(op.static_offsets, op.offsets), op)
        rows, columns = view.strides
        layout = "DN" if columns != 1 or (pto.tile_type(tile).layout in ("DN", "Zn") and rows == 1) else "ND"
        if None in (rows, columns) or 1 not in (rows, columns):
            raise self.not_a_view(
                op, "no axis has contiguous elements" if None not in (rows, columns) else "a stride is not known"
            )
        valid = self.extents.of(tile)
        if isinstance(op, pto.StoreOp | pto.StoreScaledOp) and op.static_valid is not None:
            given = joined(op.static_valid, op.valid)
            sizes = pto.tile_type(tile).sizes
            if any(frozenset({n} - {size}) != extent for n, size, extent in zip(given, sizes, valid, strict=True)):
                need = "compute the tile with the valid region that is stored"
                raise Unsupported(op, what="a store of a part of a tile's valid region", need=need)
        sizes, dynamic = self.valid(tile)
        dtype, _ = element_word(pto.memref_type(op.memref).element_type, op)
        if not all(isinstance(s, int) for s in (rows, columns)):
            raise self.not_a_view(op, "a stride is not a number")
        outer = max(cast(int, rows) * max(sizes[0], 1), cast(int, columns) * max(sizes[1], 1))
        shape = f"Shape<1, 1, 1, {sizes[0]}, {sizes[1]}>"
        stride = f"Stride<{outer}, {outer}, {outer}, {rows}, {columns}>"
        word = self.alias(f"GlobalTensor<{dtype}, {shape}, {stride}, Layout::{layout}>", f"Gm_{view.pointer}")
        name = self.fresh(f"{view.pointer}_tile")
        place = f"{view.pointer} + {offset}" if offset else view.pointer
        extent = f", {shape}({', '.join(dynamic)})" if dynamic else ""
        self.line(f"{word} {name}({place}{extent});")
        return name


def literal(number: Attribute | None) -> str:
    """Returns a number as C++."""
    if isinstance(number, IntegerAttr):
        return str(number.value.data)
    if isinstance(number, FloatAttr):
        value = number.value.data
        if value in (float("inf"), -float("inf")):
            return f"{'-' * (value < 0)}__builtin_inff()"
        return '__builtin_nanf("")' if value != value else f"{value!r}f"
    return str(number)


def scaled(stride: int | str | None, text: str) -> int | str | None:
    """Returns the C++ of a product, as a number if it is one."""
    if stride is None or text == "1":
        return stride
    if isinstance(stride, int) and text.isdigit():
        return stride * int(text)
    return f"({text}) * {stride}" if " " in text else f"{text} * {stride}"
