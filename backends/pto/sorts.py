"""
Sorts, which the library has for other lists: TSORT32 and TMRGSORT sort pairs of a number and an index in descending order, and NaN has no place.

```
%v, %c = pto.tile.sort32 %x                              keys are the negated elements, so that they descend where elements ascend;
  →                                                      NaN is -inf with a large index, which follows all others
TNEG(keys, x); TSELS(keys, number, keys, tmp, -inf);     equal keys are in the order of their indices
TSORT32(pairs, keys, indices);
TGATHER<…, MaskPattern::P1010>(indices, pairs);          the indices of the pairs, which are the places of elements
TGATHER(v, x, indices, tmp);
```

A merge sorts all elements of its lists: keys are padded by -inf to 32, 128, 512 … elements, of which TSORT32 and then TMRGSORT sort four
times as many.
As TMRGSORT compares keys only, NaN has no place among them. Ones for numbers, and zeros for NaN and padding, are sorted in
the same way; they say how many of the elements are numbers, which NaN follows.

Pairs have 8 bytes: an f32, and an index of 32 bits. Source: the PTO tile library's reference of TSORT32, TMRGSORT and TGATHER.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Float32Type, IntegerType, Signedness, f32, i1, i32
from xdsl.ir import Attribute, SSAValue

from ...analysis.pto.temporaries import merged_row, sort_places
from ...dialects import pto
from ...dialects.pto.storage import BLOCK, element_bytes
from ...errors import Unsupported
from .cpp_types import DYNAMIC, stored_extents, tile_word
from .operands import Operands

LAST, NAN = "-__builtin_inff()", '__builtin_nanf("")'
"""The key after all others, and NaN."""
INDEX_BITS = 16
"""Places in a vector memory have fewer bits; the next one marks the indices of NaN."""
UI16, UI32 = (IntegerType(width, Signedness.UNSIGNED) for width in (16, 32))


class SortPrinter:
    """Prints the instructions of a sort by `printer`. The temporaries are at the end of the vector memory."""

    def __init__(self, printer: Operands, op: pto.Sort32Op | pto.MrgSortOp):
        self.printer, self.op = printer, op
        start = printer.storage.limits["Vec"]
        self.places = {name: start + offset for name, offset in sort_places(op).items()}
        self.is_wide = isinstance(pto.tile_type(op.results[0]).element_type, Float32Type)
        """Whether elements are of the type of keys."""

    # --- tiles ------------------------------------------------------------------------------------

    def call(self, text: str) -> None:
        self.printer.line(f"{text};")

    def tile(
        self,
        hint: str,
        dtype: Attribute,
        sizes: tuple[int, int],
        place: int,
        valid: tuple[Sequence[int], Sequence[str]] | None = None,
    ) -> str:
        """Declares a tile at a place of the vector memory, and returns its name. `valid` are its extents, and the C++ of dynamic ones."""
        tile, (extents, dynamic) = pto.TileType(sizes, dtype), valid or (sizes, ())
        extents = stored_extents(tile, extents)
        word, short = tile_word(tile, extents, self.printer.machine, self.op)
        name = self.printer.fresh(hint)
        self.printer.variable(self.printer.alias(word, short), dynamic if DYNAMIC in extents else (), name, place)
        return name

    def whole(self, value: SSAValue) -> str:
        """Returns a variable for all elements of a tile, valid or not."""
        name = self.printer.name(value)
        if not any(self.printer.extents.of(value)):
            return name
        dtype = pto.tile_type(value).element_type
        return self.tile(f"{name}_all", dtype, self._sizes(value), self.printer.storage.address(value))

    def type_of(self, dtype: Attribute, sizes: tuple[int, int]) -> str:
        return self.printer.alias(*tile_word(pto.TileType(sizes, dtype), sizes, self.printer.machine, self.op))

    # --- steps ------------------------------------------------------------------------------------

    def negate(self, source: str, keys: str, mask: str, tmp: str) -> None:
        """Computes keys: the negated elements, and -inf for NaN. `mask` becomes true for numbers."""
        if not self.is_wide:
            self.call(f"TCVT({keys}, {source}, RoundMode::CAST_NONE)")
            source = keys
        self.call(f"TCMP({mask}, {source}, {source}, CmpMode::EQ)")
        self.call(f"TNEG({keys}, {source})")
        self.call(f"TSELS({keys}, {mask}, {keys}, {tmp}, {LAST})")

    def sort32(self, op: pto.Sort32Op) -> None:
        rows, columns = sizes = self._sizes(op.input)
        places, pairs = self.places, (rows, 2 * columns)
        source, values = self.whole(op.input), self.whole(op.result)
        flat = self.tile("all_indices", i32, (1, rows * columns), places["indices"])
        keys, indices = (
            self.tile("keys", f32, sizes, places["keys"]),
            self.tile("indices", i32, sizes, places["indices"]),
        )
        mask = self.tile("number", i1, sizes, places["mask"])
        later = self.tile("later", i32, sizes, places["pairs"])
        half = places["pairs"] + 4 * rows * columns
        tmp, tmp_index = self.tile("tmp", f32, sizes, half), self.tile("tmp", i32, sizes, half)
        order, packed = (
            self.tile("order", UI32, sizes, places["indices"]),
            self.tile("pairs", f32, pairs, places["pairs"]),
        )
        self.call(f"TCI<{self.type_of(i32, (1, rows * columns))}, int32_t, 0>({flat}, 0)")
        self.negate(source, keys, mask, tmp)
        self.call(f"TADDS({later}, {indices}, {1 << INDEX_BITS})")
        self.call(f"TSEL({indices}, {mask}, {indices}, {later}, {tmp_index})")
        self.call(f"TSORT32({packed}, {keys}, {order})")
        kinds = f"{self.type_of(UI32, sizes)}, {self.type_of(f32, pairs)}"
        self.call(f"TGATHER<{kinds}, MaskPattern::P1010>({order}, {packed})")
        bits = self.tile("bits", i32, sizes, places["keys"])
        words, low = (self.tile(n, UI16, pairs, places[at]) for n, at in (("words", "indices"), ("low", "keys")))
        self.call(f"TEXPANDS({bits}, {(1 << INDEX_BITS) - 1})")
        self.call(f"TAND({words}, {words}, {low})")
        self.call(f"TGATHER({values}, {source}, {indices}, {tmp_index})")
        self._columns(op.columns, rows, columns)

    def _columns(self, result: SSAValue, rows: int, columns: int) -> None:
        """Computes the columns of elements from their places."""
        address, line = self.printer.storage.address(result), 4 * columns
        to, places = (
            self.tile(name, i32, (1, columns), at)
            for name, at in (("columns", address), ("row", self.places["indices"]))
        )
        self.call(f"TADDS({to}, {places}, 0)")
        if rows > 1:
            row = self.printer.fresh("r")
            self.printer.line(f"for (int {row} = 1; {row} < {rows}; ++{row}) {{")
            self.call(f"  TASSIGN({to}, {address:#x} + {row} * {line})")
            self.call(f"  TASSIGN({places}, {self.places['indices']:#x} + {row} * {line})")
            self.call(f"  TADDS({to}, {places}, -{columns} * {row})")
            self.printer.line("}")

    def merge(self, op: pto.MrgSortOp) -> None:
        """Prints a merge of lists, or of each four blocks of a list."""
        bytes, lists = element_bytes(pto.tile_type(op.result).element_type), list(op.lists)
        if op.block is None:
            parts = [(self.printer.name(v), self._sizes(v)[1], self.printer.valid(v)) for v in lists]
            self._merge(parts, self.printer.name(op.result), self._sizes(op.result)[1], self.printer.valid(op.result))
            return
        count, columns = 4 * op.block.value.data, self._sizes(op.result)[1]
        if count * bytes % BLOCK:
            need = f"choose blocks of which four have a multiple of {BLOCK} bytes"
            raise Unsupported(op, what=f"blockLen = {op.block.value.data} in the C++ of PTO", need=need)
        dtype = pto.tile_type(op.result).element_type
        source, result = (self.printer.storage.address(v) for v in (lists[0], op.result))
        for start in range(0, columns, count):
            part, out = (self.tile("part", dtype, (1, count), at + start * bytes) for at in (source, result))
            whole = ([1, count], list[str]())
            self._merge([(part, count, whole)], out, count, whole)

    def _merge(
        self,
        parts: Sequence[tuple[str, int, tuple[list[int], list[str]]]],
        result: str,
        columns: int,
        valid: tuple[list[int], list[str]],
    ) -> None:
        """Sorts the valid elements of `parts`, which have a name, columns and valid extents, into the tile `result`."""
        assert isinstance(self.op, pto.MrgSortOp)
        count, places = merged_row(self.op), self.places
        row, pairs = (1, count), (1, 2 * count)
        keys, numbers = (self.tile(name, f32, row, places[name]) for name in ("keys", "numbers"))
        order = self.tile("order", UI32, row, places["indices"])
        tmp = self.tile("tmp", f32, row, places["merged"])
        self.call(f"TEXPANDS({keys}, {LAST})")
        self.call(f"TEXPANDS({numbers}, 0.0f)")
        at = 0
        for source, size, extents in parts:
            own, ones = (
                self.tile(f"{source}_{name}", f32, (1, size), places[name] + 4 * at, extents)
                for name in ("keys", "numbers")
            )
            mask = self.tile(f"{source}_number", i1, (1, size), places["mask"], extents)
            self.negate(source, own, mask, tmp)
            self.call(f"TEXPANDS({ones}, 1.0f)")
            self.call(f"TSELS({ones}, {mask}, {ones}, {tmp}, 0.0f)")
            at += size
        self.call(f"TCI<{self.type_of(UI32, row)}, uint32_t, 0>({order}, 0)")
        kinds = f"{self.type_of(f32, row)}, {self.type_of(f32, pairs)}"
        first, second = (self.tile(name, f32, pairs, places[name]) for name in ("pairs", "merged"))
        for keyed in (keys, numbers):
            self.call(f"TSORT32({first}, {keyed}, {order})")
            block = 64
            while block < 2 * count:
                self.call(f"TMRGSORT({second}, {first}, {block})")
                first, second, block = second, first, 4 * block
            self.call(f"TGATHER<{kinds}, MaskPattern::P0101>({keyed}, {first})")
        out, ones = (self.tile(f"{result}_{n}", f32, (1, columns), places[n], valid) for n in ("keys", "numbers"))
        mask = self.tile(f"{result}_number", i1, (1, columns), places["mask"], valid)
        tmp = self.tile("tmp", f32, (1, columns), places["pairs"])
        self.call(f"TCMPS({mask}, {ones}, 0.5f, CmpMode::GT)")
        self.call(f"TNEG({out}, {out})")
        self.call(f"TSELS({result if self.is_wide else out}, {mask}, {out}, {tmp}, {NAN})")
        if not self.is_wide:
            self.call(f"TCVT({result}, {out}, RoundMode::CAST_RINT)")

    @staticmethod
    def _sizes(value: SSAValue) -> tuple[int, int]:
        rows, columns = pto.tile_type(value).sizes
        return rows, columns


def print_sort(printer: Operands, op: pto.Sort32Op | pto.MrgSortOp) -> None:
    """Prints the instructions of a sort whose results are declared."""
    printer.line(f"// {op.opcode} of the negated elements in descending order; NaN is last")
    if isinstance(op, pto.Sort32Op):
        SortPrinter(printer, op).sort32(op)
    else:
        SortPrinter(printer, op).merge(op)
