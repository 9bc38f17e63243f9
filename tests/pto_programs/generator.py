"""
Random tile programs in the syntax of `pto-ir.md`, with arguments.

A program is one function `@f`. It loads tiles through subviews, in loops with tails whose valid regions are dynamic, computes with ops
of all families, and stores every result that is worth it to an array of its own. No element that is stored is poison, no index is out of
range, and no integer is divided by 0. With `Options(exact=True)`, floats are small integers and ops are exact, so that any order of
evaluation gives the same bits.

>>> case = program(0)
>>> call(parse(case.text), "f", *case.args)          # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import numpy as np

from ptir.targets.pto.machines import MACHINES

DTYPES: dict[str, np.dtype[Any]] = {
    "f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "i32": np.dtype(np.int32), "i16": np.dtype(np.int16),
    "ui32": np.dtype(np.uint32), "ui16": np.dtype(np.uint16), "i8": np.dtype(np.int8), "ui8": np.dtype(np.uint8), "i1": np.dtype(bool),
}  # fmt: skip
FLOATS, INTEGERS = ("f32", "f16"), ("i32", "i16", "ui32", "ui16", "i8", "ui8")
COMPARED = ("f32", "f16", "i32")
"""The element types that TCMP and TCMPS of a2 and a3 compare."""
RMODES = ("CAST_RINT", "CAST_ROUND", "CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC")


@dataclass(frozen=True)
class Options:
    """`steps` ops at most; a tile has a dynamic valid region with probability `dynamic`; `families` has the names to choose from."""

    steps: int = 12
    dynamic: float = 0.4
    exact: bool = False
    families: Sequence[str] = ()
    rows: Sequence[int] = (1, 8, 16)
    columns: Sequence[int] = (32, 64)
    misaligned: float = 1.0
    """The probability that a result may have lines of other than a multiple of 32 bytes, which cores do not have."""
    conditions: bool = False
    target: str | None = None
    """Ops have the element types that this target has instructions for."""


@dataclass(frozen=True)
class Case:
    """A program and its arguments; the arrays at `outputs` are written."""

    text: str
    args: tuple[Any, ...]
    outputs: tuple[int, ...]
    seed: int


@dataclass(frozen=True)
class Tile:
    """A tile: its name, sizes and element type, and whether all of it is valid."""

    name: str
    sizes: tuple[int, int]
    dtype: str
    whole: bool

    @property
    def type(self) -> str:
        return f"tile<{self.sizes[0]}x{self.sizes[1]}x{self.dtype}>"


class NothingFits(Exception):
    """No value fits an op."""


@dataclass
class Maker:
    """Writes one program."""

    rng: Random
    options: Options
    lines: list[str] = field(default_factory=list[str])
    params: list[str] = field(default_factory=list[str])
    args: list[Any] = field(default_factory=list[Any])
    outputs: list[int] = field(default_factory=list[int])
    tiles: list[Tile] = field(default_factory=list[Tile])
    number: int = 0
    indent: str = "  "

    # --- values -----------------------------------------------------------------------------------

    def name(self, hint: str) -> str:
        self.number += 1
        return f"%{hint}{self.number}"

    def write(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def argument(self, hint: str, t: str, value: Any) -> str:
        name = self.name(hint)
        self.params.append(f"{name}: {t}")
        self.args.append(value)
        return name

    def numbers(self, dtype: str, shape: tuple[int, ...] = ()) -> Any:
        generator = np.random.default_rng(self.rng.randrange(2**32))
        t = DTYPES[dtype]
        if dtype == "i1":
            return generator.integers(0, 2, shape).astype(bool)
        if dtype in FLOATS:
            whole = generator.integers(-4, 5, shape)
            return (whole if self.options.exact else whole + generator.integers(0, 256, shape) / 256).astype(t)
        low = 0 if dtype.startswith("u") else -8
        return generator.integers(low, 9, shape).astype(t)

    def scalar(self, dtype: str, *, nonzero: bool = False) -> str:
        value = self.numbers(dtype)
        if nonzero and value == 0:
            value = DTYPES[dtype].type(2)
        signless = dtype.removeprefix("u")
        number = value.view(np.dtype(f"int{8 * value.itemsize}")) if dtype.startswith("u") else value
        if self.rng.random() < 0.5:
            return self.argument("s", signless, number if dtype in FLOATS else int(number))
        name = self.name("c")
        text = f"{float(number)!r}" if dtype in FLOATS else str(int(number))
        self.write(f"{name} = pto.constant {text} : {signless}")
        return name

    def takes(self, word: str, dtype: str) -> bool:
        """Whether the target, if there is one, has the instruction of an op for an element type."""
        target = self.options.target
        return target is None or MACHINES[target].takes(f"T{word.upper()}", dtype)

    def any(self, where: Callable[[Tile], bool] = bool) -> Tile:
        found = [t for t in self.tiles if where(t)]
        if not found:
            raise NothingFits
        return self.rng.choice(found[-12:])

    def shaped(self, sizes: tuple[int, int], dtype: str, where: Callable[[Tile], bool] = bool) -> Tile:
        """Returns a tile of these sizes, which is loaded if there is none."""
        try:
            return self.any(lambda t: (t.sizes, t.dtype) == (sizes, dtype) and where(t))
        except NothingFits:
            return self.load(sizes, dtype)

    def add(self, text: str, sizes: tuple[int, int], dtype: str, whole: bool, results: int = 1) -> Tile:
        """Writes an op, which returns a tile, and `results` - 1 others."""
        line = sizes[0] if sizes[1] == 1 else sizes[1]
        if dtype != "i1" and line * DTYPES[dtype].itemsize % 32 and self.rng.random() >= self.options.misaligned:
            raise NothingFits
        tile = Tile(self.name("t"), sizes, dtype, whole)
        more = "".join(f", {self.name('u')}" for _ in range(results - 1))
        self.write(f"{tile.name}{more} = pto.tile.{text}")
        self.tiles.append(tile)
        return tile

    def valid(self, *operands: Tile) -> tuple[str, bool]:
        """Returns the `valid` of an op, or nothing, and whether all of the result is valid."""
        whole = all(t.whole for t in operands)
        if not whole or self.rng.random() >= 0.2:
            return "", whole
        rows, columns = operands[0].sizes
        entries = [
            str(self.rng.randint(1, rows)),
            str(columns) if self.rng.random() < 0.5 else str(self.rng.randint(1, columns)),
        ]
        return f" {{valid = [{', '.join(entries)}]}}", False

    # --- memory -----------------------------------------------------------------------------------

    def load(self, sizes: tuple[int, int], dtype: str, array: Any = None) -> Tile:
        """Loads a tile of a new array, from a window of it."""
        rows, columns = sizes
        whole = array is not None or self.rng.random() >= self.options.dynamic
        v = self.rng.randint(1, rows), self.rng.randint(1, columns)
        data = self.numbers(dtype, (rows + 2, columns + 4)) if array is None else array
        shape, memref = data.shape, f"pto.memref<{data.shape[0]}x{data.shape[1]}x{dtype}>"
        x = self.argument("x", f"!{memref}", data)
        at = (0, 0) if array is not None else (self.rng.randint(0, 2), self.rng.randint(0, 4))
        if self.rng.random() < 0.5:
            view = self.name("v")
            strided = (
                f"pto.memref<{rows}x{columns}x{dtype}, strided<[{shape[1]}, 1], offset: {at[0] * shape[1] + at[1]}>>"
            )
            self.write(
                f"{view} = pto.memref.subview {x}[{at[0]}, {at[1]}] [{rows}, {columns}] [1, 1] : {memref} to {strided}"
            )
            x, memref, at = view, strided, (0, 0)
        if self.rng.random() < 0.01:
            self.write(f"pto.tile.prefetch {x} : {memref}")
        entries = ""
        if not whole:
            numbers = [self.argument("n", "index", n) if self.rng.random() < 0.6 else str(n) for n in v]
            entries = f" {{valid = [{', '.join(numbers)}]}}"
        return self.add(
            f"load {x}[{at[0]}, {at[1]}]{entries} : {memref}, tile<{rows}x{columns}x{dtype}>", sizes, dtype, whole
        )

    def store(self, tile: Tile) -> None:
        """Stores a tile to a new array."""
        rows, columns = tile.sizes
        y = self.output((rows + 1, columns), tile.dtype)
        memref = f"pto.memref<{rows + 1}x{columns}x{tile.dtype}>"
        self.write(f"pto.tile.store {tile.name}, {y}[{self.rng.randint(0, 1)}, 0] : {memref}, {tile.type}")

    def output(self, shape: tuple[int, int], dtype: str) -> str:
        self.outputs.append(len(self.args))
        return self.argument("y", f"!pto.memref<{shape[0]}x{shape[1]}x{dtype}>", np.zeros(shape, DTYPES[dtype]))

    # --- ops ----------------------------------------------------------------------------------------

    def unary(self) -> None:
        words = (
            ["neg", "abs", "relu"]
            if self.options.exact
            else ["neg", "abs", "relu", "exp", "sqrt", "rsqrt", "recip", "log"]
        )
        word = self.rng.choice([*words, "not"])
        types = INTEGERS if word == "not" else (*FLOATS, "i32", "i16") if word == "neg" else FLOATS
        a = self.any(lambda t: t.dtype in types and self.takes(word, t.dtype))
        valid, whole = self.valid(a)
        self.add(f"{word} {a.name}{valid} : {a.type}", a.sizes, a.dtype, whole)

    def binary(self) -> None:
        def words(t: Tile) -> list[str]:
            more = ["and", "or", "xor"] if t.dtype in INTEGERS else [] if self.options.exact else ["div"]
            return [word for word in ("add", "sub", "mul", "max", "min", *more) if self.takes(word, t.dtype)]

        a = self.any(lambda t: t.dtype != "i1" and bool(words(t)))
        b = self.shaped(a.sizes, a.dtype)
        valid, whole = self.valid(a, b)
        self.add(f"{self.rng.choice(words(a))} {a.name}, {b.name}{valid} : {a.type}", a.sizes, a.dtype, whole)

    def bounded(self, a: Tile, low: int, high: int) -> Tile:
        """Returns a tile of numbers of an interval."""
        for word, number in (("maxs", low), ("mins", high)):
            bound = self.name("c")
            self.write(f"{bound} = pto.constant {float(number) if a.dtype in FLOATS else number} : {a.dtype}")
            a = self.add(f"{word} {a.name}, {bound} : {a.type}, {a.dtype}", a.sizes, a.dtype, a.whole)
        return a

    def rounded(self, a: Tile) -> None:
        """Makes integers of sixteenths, which an error in the last place does not change."""
        number = self.name("c")
        self.write(f"{number} = pto.constant 16.0 : {a.dtype}")
        a = self.add(f"muls {a.name}, {number} : {a.type}, {a.dtype}", a.sizes, a.dtype, a.whole)
        out = f"tile<{a.sizes[0]}x{a.sizes[1]}xi32>"
        self.add(f"cvt {a.name} {{rmode = #pto.round_mode<CAST_RINT>}} : {a.type} -> {out}", a.sizes, "i32", a.whole)

    def function(self) -> None:
        """A function of small whole numbers, in sixteenths."""
        word = self.rng.choice(["exp", "log", "sqrt", "rsqrt", "recip"])
        a = self.bounded(self.any(lambda t: t.dtype in FLOATS), -4 if word == "exp" else 1, 8 if word != "exp" else 4)
        self.rounded(self.add(f"{word} {a.name} : {a.type}", a.sizes, a.dtype, a.whole))

    def quotient(self) -> None:
        """A quotient of small whole numbers, by a tile, a scalar, or a line, in sixteenths."""
        a = self.bounded(self.any(lambda t: t.dtype in FLOATS and t.sizes[0] >= 8), -8, 8)
        word = self.rng.choice(["div", "divs", "rowexpanddiv", "colexpanddiv"])
        if word == "divs":
            s = self.scalar(a.dtype, nonzero=True)
            if self.rng.random() < 0.5:
                text = f"divs {a.name}, {s} : {a.type}, {a.dtype}"
            else:
                a = self.bounded(a, 1, 8)
                text = f"divs {s}, {a.name} : {a.dtype}, {a.type}"
        else:
            b = a if word == "div" else self.line(a, word[:3])
            b = self.bounded(b, 1, 8)
            text = f"{word} {a.name}, {b.name} : {a.type}" + ("" if word == "div" else f", {b.type}")
        self.rounded(self.add(text, a.sizes, a.dtype, a.whole))

    def line(self, a: Tile, kind: str) -> Tile:
        """Returns the greatest or least element of each row or column."""
        sizes = (a.sizes[0], 1) if kind == "row" else (1, a.sizes[1])
        out = f"tile<{sizes[0]}x{sizes[1]}x{a.dtype}>"
        return self.add(
            f"{kind}{self.rng.choice(['max', 'min'])} {a.name} : {a.type} -> {out}", sizes, a.dtype, a.whole
        )

    def integer_division(self) -> None:
        """Divides by `max(abs-like value, 1)`, which is not zero."""
        a = self.any(lambda t: t.dtype in INTEGERS and self.takes("maxs", t.dtype))
        words = [word for word in ("div", "rem") if self.takes(word, a.dtype)]
        one = self.name("c")
        self.write(f"{one} = pto.constant {self.rng.randint(1, 5)} : {a.dtype.removeprefix('u')}")
        b = self.shaped(a.sizes, a.dtype)
        positive = self.add(f"maxs {b.name}, {one} : {b.type}, {b.dtype.removeprefix('u')}", b.sizes, b.dtype, b.whole)
        self.add(
            f"{self.rng.choice(words)} {a.name}, {positive.name} : {a.type}",
            a.sizes,
            a.dtype,
            a.whole and b.whole,
        )

    def shift(self) -> None:
        a = self.any(lambda t: t.dtype in INTEGERS)
        t = a.dtype.removeprefix("u")
        if self.takes("expands", a.dtype) and self.rng.random() < 0.5:
            amount = self.name("c")
            self.write(f"{amount} = pto.constant {self.rng.randint(0, 7)} : {t}")
            by = self.add(f"expands {amount} : {t} : {a.type}", a.sizes, a.dtype, True)
        else:
            generator = np.random.default_rng(self.rng.randrange(2**32))
            by = self.load(a.sizes, a.dtype, generator.integers(0, 8, a.sizes).astype(DTYPES[a.dtype]))
        self.add(f"{self.rng.choice(['shl', 'shr'])} {a.name}, {by.name} : {a.type}", a.sizes, a.dtype, a.whole)

    def with_scalar(self) -> None:
        word = self.rng.choice(["adds", "subs", "muls", "mins", "maxs", *([] if self.options.exact else ["divs"])])
        a = self.any(lambda t: t.dtype != "i1" and self.takes(word, t.dtype))
        s, t = self.scalar(a.dtype, nonzero=word == "divs"), a.dtype.removeprefix("u")
        valid, whole = self.valid(a)
        if (word == "subs" and self.rng.random() < 0.5) or (
            word == "divs" and a.dtype in FLOATS and self.rng.random() < 0.5
        ):
            self.add(f"{word} {s}, {a.name}{valid} : {t}, {a.type}", a.sizes, a.dtype, whole)
        else:
            self.add(f"{word} {a.name}, {s}{valid} : {a.type}, {t}", a.sizes, a.dtype, whole)

    def fill(self) -> None:
        types = [t for t in (*FLOATS, *INTEGERS) if self.takes("expands", t)]
        sizes, dtype = self.sizes(), self.rng.choice(types)
        self.add(
            f"expands {self.scalar(dtype)} : {dtype.removeprefix('u')} : tile<{sizes[0]}x{sizes[1]}x{dtype}>",
            sizes,
            dtype,
            True,
        )

    def select(self) -> None:
        a = self.any(lambda t: t.dtype in COMPARED)
        target = self.options.target
        modes = ["EQ"] if target and a.dtype in MACHINES[target].equality else ["EQ", "NE", "LT", "LE", "GT", "GE"]
        mode = self.rng.choice(modes)
        attribute = f"{{cmpMode = #pto.cmp<{mode}>}}"
        masks = f"tile<{a.sizes[0]}x{a.sizes[1]}xi1>"
        if self.rng.random() < 0.5:
            b = self.shaped(a.sizes, a.dtype)
            mask = self.add(
                f"cmp {a.name}, {b.name} {attribute} : {a.type} -> {masks}", a.sizes, "i1", a.whole and b.whole
            )
        else:
            s = self.scalar(a.dtype)
            mask = self.add(
                f"cmps {a.name}, {s} {attribute} : {a.type}, {a.dtype.removeprefix('u')} -> {masks}",
                a.sizes,
                "i1",
                a.whole,
            )
        c = self.shaped(a.sizes, a.dtype)
        whole = mask.whole and a.whole and c.whole
        if self.rng.random() < 0.5 or not self.takes("sels", a.dtype):
            self.add(f"sel {mask.name}, {a.name}, {c.name} : {masks}, {a.type}", a.sizes, a.dtype, whole)
        else:
            s = self.scalar(a.dtype)
            self.add(
                f"sels {mask.name}, {c.name}, {s} : {masks}, {a.type}, {a.dtype.removeprefix('u')}",
                a.sizes,
                a.dtype,
                mask.whole and c.whole,
            )

    def convert(self) -> None:
        a = self.any(lambda t: t.dtype != "i1")
        dtype = self.rng.choice([t for t in (*FLOATS, *INTEGERS) if t != a.dtype])
        rmode = f"{{rmode = #pto.round_mode<{self.rng.choice(RMODES)}>}} " if self.rng.random() < 0.7 else ""
        self.add(f"cvt {a.name} {rmode}: {a.type} -> tile<{a.sizes[0]}x{a.sizes[1]}x{dtype}>", a.sizes, dtype, a.whole)

    def reduction(self) -> None:
        a = self.any(lambda t: t.dtype in ("f32", "f16", "i32", "i16"))
        words = ["max", "min"] if a.dtype == "f16" and self.options.exact else ["sum", "max", "min"]
        kinds = ["row", "col"] if a.dtype in FLOATS or self.rng.random() < self.options.misaligned else ["col"]
        word, kind = self.rng.choice(words), self.rng.choice(kinds)
        sizes = (a.sizes[0], 1) if kind == "row" else (1, a.sizes[1])
        binary = " {isBinary}" if (kind, word) == ("col", "sum") and self.rng.random() < 0.5 else ""
        out = f"tile<{sizes[0]}x{sizes[1]}x{a.dtype}>"
        if not self.takes(kind + word, a.dtype):
            raise NothingFits
        self.add(f"{kind}{word} {a.name}{binary} : {a.type} -> {out}", sizes, a.dtype, a.whole)

    def broadcast(self) -> None:
        kind = self.rng.choice(["row", "col"])
        if self.rng.random() < 0.5:
            v = self.any(lambda t: t.sizes[1 if kind == "row" else 0] == 1 and t.dtype in FLOATS)
        else:
            v = self.line(self.any(lambda t: t.dtype in FLOATS and t.sizes[0] >= 8 and t.sizes[1] >= 32), kind)
        sizes = (
            (v.sizes[0], self.rng.choice(self.options.columns))
            if kind == "row"
            else (self.rng.choice(self.options.rows), v.sizes[1])
        )
        if self.rng.random() < 0.3:
            self.add(
                f"{kind}expand {v.name} : {v.type} -> tile<{sizes[0]}x{sizes[1]}x{v.dtype}>", sizes, v.dtype, v.whole
            )
            return
        a = self.shaped(sizes, v.dtype)
        word = self.rng.choice(["add", "sub", "mul", *([] if self.options.exact else ["div"])])
        self.add(f"{kind}expand{word} {a.name}, {v.name} : {a.type}, {v.type}", sizes, v.dtype, a.whole and v.whole)

    def transpose(self) -> None:
        a = self.any(lambda t: t.dtype != "i1" and t.sizes[0] >= 8)
        sizes = a.sizes[::-1]
        self.add(f"trans {a.name} : {a.type} -> tile<{sizes[0]}x{sizes[1]}x{a.dtype}>", sizes, a.dtype, a.whole)

    def reshape(self) -> None:
        a = self.any(lambda t: t.whole and t.dtype != "i1" and t.sizes[1] % 32 == 0)
        sizes = (a.sizes[0] * 2, a.sizes[1] // 2) if a.sizes[1] > 32 else (1, a.sizes[0] * a.sizes[1])
        self.add(f"reshape {a.name} : {a.type} -> tile<{sizes[0]}x{sizes[1]}x{a.dtype}>", sizes, a.dtype, True)

    def parts(self) -> None:
        a = self.any(lambda t: t.whole and t.dtype != "i1" and t.sizes[0] >= 8 and t.sizes[1] >= 32)
        sizes = (a.sizes[0] // 2, a.sizes[1])
        at = self.rng.randint(0, a.sizes[0] // 2)
        row = self.argument("r", "index", at) if self.rng.random() < 0.5 else str(at)
        part = f"tile<{sizes[0]}x{sizes[1]}x{a.dtype}>"
        b = self.add(f"extract {a.name}[{row}, 0] : {a.type} -> {part}", sizes, a.dtype, True)
        self.add(f"insert {b.name}, {a.name}[{at // 2}, 0] : {part}, {a.type}", a.sizes, a.dtype, True)

    def gather(self) -> None:
        a = self.any(lambda t: t.whole and t.dtype in ("f32", "i32", "f16", "i16"))
        sizes = self.sizes()
        count = a.sizes[0] * a.sizes[1]
        generator = np.random.default_rng(self.rng.randrange(2**32))
        indices = self.load(sizes, "i32", generator.integers(0, count, sizes).astype(np.int32))
        self.add(
            f"gather {a.name}, {indices.name} : {a.type}, {indices.type} -> tile<{sizes[0]}x{sizes[1]}x{a.dtype}>",
            sizes,
            a.dtype,
            True,
        )

    def gather_blocks(self) -> None:
        a = self.any(lambda t: t.whole and t.dtype in ("f32", "i32", "f16", "i16") and t.sizes[1] >= 32)
        size = DTYPES[a.dtype].itemsize
        generator = np.random.default_rng(self.rng.randrange(2**32))
        rows, blocks = self.rng.choice(self.options.rows), 8
        count = a.sizes[0] * a.sizes[1] * size // 32
        offsets = (32 * generator.integers(0, count, (rows, blocks))).astype(np.uint32)
        indices = self.load((rows, blocks), "ui32", offsets)
        sizes = (rows, blocks * 32 // size)
        self.add(
            f"gatherb {a.name}, {indices.name} : {a.type}, {indices.type} -> tile<{sizes[0]}x{sizes[1]}x{a.dtype}>",
            sizes,
            a.dtype,
            True,
        )

    def scatter(self) -> None:
        a = self.any(lambda t: t.whole and t.dtype in ("f32", "i32") and t.sizes[0] >= 8)
        generator = np.random.default_rng(self.rng.randrange(2**32))
        rows = np.argsort(generator.random(a.sizes), axis=0).astype(np.int32)
        indices = self.load(a.sizes, "i32", rows)
        self.add(f"scatter {a.name}, {indices.name} : {a.type}, {indices.type} -> {a.type}", a.sizes, a.dtype, True)

    def sequence(self) -> None:
        dtype, n = self.rng.choice(["i32", "i16", "ui32"]), self.rng.choice(self.options.columns)
        descending = " {descending}" if self.rng.random() < 0.5 else ""
        self.add(
            f"ci {self.scalar(dtype)}{descending} : {dtype.removeprefix('u')} -> tile<1x{n}x{dtype}>",
            (1, n),
            dtype,
            True,
        )

    def sort(self) -> None:
        a = self.any(lambda t: t.whole and t.dtype in FLOATS and t.sizes[1] % 32 == 0)
        rows, n = a.sizes
        b = self.add(
            f"sort32 {a.name} : {a.type} -> {a.type}, tile<{rows}x{n}xui32>", a.sizes, a.dtype, True, results=2
        )
        if rows == 1 and n % 128 == 0:
            self.add(f"mrgsort {b.name} {{blockLen = 32}} : {b.type} -> {b.type}", b.sizes, a.dtype, True)
        if rows > 1 or n > 64:
            return
        other = self.shaped((1, 32), a.dtype, lambda t: t.whole)
        if not other.whole:
            return
        sorted_other = self.add(
            f"sort32 {other.name} : {other.type} -> {other.type}, tile<1x32xui32>", (1, 32), a.dtype, True, results=2
        )
        halves = [
            self.add(f"extract {b.name}[0, {k}] : {b.type} -> tile<1x32x{a.dtype}>", (1, 32), a.dtype, True)
            for k in range(0, n, 32)
        ]
        lists = [*halves, sorted_other]
        types, total = ", ".join(t.type for t in lists), 32 * len(lists)
        names = ", ".join(t.name for t in lists)
        self.add(f"mrgsort {names} : {types} -> tile<1x{total}x{a.dtype}>", (1, total), a.dtype, True)

    def partial(self) -> None:
        a = self.any(lambda t: t.whole and t.dtype in ("f32", "i32", "f16", "i16"))
        b = self.shaped(a.sizes, a.dtype)
        self.add(f"part{self.rng.choice(['add', 'max', 'min'])} {a.name}, {b.name} : {a.type}", a.sizes, a.dtype, True)

    def copy(self) -> None:
        """A copy, or the bits of elements as those of another type, and back."""
        a = self.any()
        if (other := {"f32": "i32", "i32": "f32", "f16": "i16", "i16": "f16"}.get(a.dtype)) and self.rng.random() < 0.2:
            bits, t = self.name("t"), f"tile<{a.sizes[0]}x{a.sizes[1]}x{other}>"
            self.write(f"{bits} = pto.tile.bitcast {a.name} : {a.type} -> {t}")
            self.add(f"bitcast {bits} : {t} -> {a.type}", a.sizes, a.dtype, a.whole)
            return
        self.add(f"mov.v2v {a.name} : {a.type} -> {a.type}", a.sizes, a.dtype, a.whole)

    def product(self) -> None:
        """A matrix product over a loop of k, with or without a bias, and its way to a vector tile."""
        dtype, acc = self.rng.choice([("f16", "f32"), ("i8", "i32")])
        aligned = self.rng.random() >= self.options.misaligned
        m, k, n = (16, 32, 32) if aligned and dtype == "i8" else (16, 16, 32 if aligned else 16)
        line = ", layout=ND" if aligned else ""
        steps = self.rng.randint(1, 3)
        names: list[str] = []
        for shape in ((m, k * steps), (k * steps, n)):
            data = self.numbers(dtype, shape)
            names.append(self.argument("x", f"!pto.memref<{shape[0]}x{shape[1]}x{dtype}>", data))
        left, right, out = (
            self.placed(m, k, dtype, "Left"),
            self.placed(k, n, dtype, "Right"),
            self.placed(m, n, acc, "Acc"),
        )
        r, c = self.name("acc"), self.name("acc")

        def operands(at: str) -> list[str]:
            found: list[str] = []
            for x, rows, columns, shape, move, t, place in (
                (names[0], m, k, (m, k * steps), "m2l", left, f"0, {at}"),
                (names[1], k, n, (k * steps, n), "m2r", right, f"{at}, 0"),
            ):
                mat, side = self.name("m"), self.name("o")
                source = self.placed(rows, columns, dtype, "Mat")
                self.write(f"{mat} = pto.tile.load {x}[{place}] : pto.memref<{shape[0]}x{shape[1]}x{dtype}>, {source}")
                if self.rng.random() < 0.3:
                    self.write(f"{side} = pto.tile.extract {mat}[0, 0] : {source} -> {t}")
                else:
                    self.write(f"{side} = pto.tile.mov.{move} {mat} : {source} -> {t}")
                found.append(side)
            return found

        a, b = operands("0")
        if self.rng.random() < 0.4:
            row, bias = self.name("m"), self.name("bias")
            data = self.argument("x", f"!pto.memref<1x{n}x{acc}>", self.numbers(acc, (1, n)))
            mat, table = self.placed(1, n, acc, f"Mat{line}"), self.placed(1, n, acc, "Bias")
            self.write(f"{row} = pto.tile.load {data}[0, 0] : pto.memref<1x{n}x{acc}>, {mat}")
            self.write(f"{bias} = pto.tile.mov.m2b {row} : {mat} -> {table}")
            self.write(f"{r} = pto.tile.matmul.bias {a}, {b}, {bias} : {left}, {right}, {table} -> {out}")
        else:
            self.write(f"{r} = pto.tile.matmul {a}, {b} : {left}, {right} -> {out}")
        total = self.name("acc")
        first, last, step, i = (self.name(h) for h in ("c", "c", "c", "i"))
        for name, value in ((first, k), (last, k * steps), (step, k)):
            self.write(f"{name} = pto.constant {value} : index")
        self.write(f"{total} = scf.for {i} = {first} to {last} step {step} iter_args({c} = {r}) -> (!pto.{out}) {{")
        a, b = operands(i)
        new = self.name("acc")
        self.write(f"{new} = pto.tile.matmul.acc {c}, {a}, {b} : {out}, {left}, {right} -> {out}")
        self.write(f"scf.yield {new} : !pto.{out}")
        self.write("}")
        if self.rng.random() < 0.1:
            s, table = self.name("m"), self.placed(1, n, "f32", "Scale")
            mat, scale = self.placed(1, n, "f32", f"Mat{line}"), self.name("scale")
            data = self.argument("x", f"!pto.memref<1x{n}xf32>", self.numbers("f32", (1, n)))
            self.write(f"{s} = pto.tile.load {data}[0, 0] : pto.memref<1x{n}xf32>, {mat}")
            self.write(f"{scale} = pto.tile.mov.m2s {s} : {mat} -> {table}")
            if self.rng.random() < 0.5:
                y, memref = self.output((m, n), "i8"), f"pto.memref<{m}x{n}xi8>"
                self.write(f"pto.tile.store.fp {total}, {scale}, {y}[0, 0] : {memref}, {out}, {table}")
                return
            self.add(f"mov.fp {total}, {scale} : {out}, {table} -> tile<{m}x{n}xi8>", (m, n), "i8", True)
        else:
            self.add(f"mov.a2v {total} : {out} -> tile<{m}x{n}x{acc}>", (m, n), acc, True)

    @staticmethod
    def placed(rows: int, columns: int, dtype: str, loc: str) -> str:
        return f"tile<{rows}x{columns}x{dtype}, #pto.tile_info<loc={loc}>>"

    def loop(self) -> None:
        """A loop over the rows of an array, the last step of which is a tail; a carried tile sums up what is valid."""
        rows, columns = self.rng.choice([r for r in self.options.rows if r > 1]), self.rng.choice(self.options.columns)
        dtype = self.rng.choice(["f32", "i32", "i16"])
        total = self.rng.randint(rows, 3 * rows)
        data = self.numbers(dtype, (total, columns))
        memref, tile = f"pto.memref<{total}x{columns}x{dtype}>", f"tile<{rows}x{columns}x{dtype}>"
        x, y = self.argument("x", f"!{memref}", data), self.output((total, columns), dtype)
        zero, start, carried, result = (self.name(h) for h in ("z", "t", "t", "t"))
        first, last, step, i, end, over, left, v = (
            self.name(h) for h in ("c", "c", "c", "i", "end", "over", "left", "v")
        )
        number = "0.0" if dtype == "f32" else "0"
        for name, value in ((first, 0), (last, total), (step, rows)):
            self.write(f"{name} = pto.constant {value} : index")
        self.write(f"{zero} = pto.constant {number} : {dtype}")
        row = f"tile<1x{columns}x{dtype}>"
        self.write(f"{start} = pto.tile.expands {zero} : {dtype} : {row}")
        self.write(
            f"{result} = scf.for {i} = {first} to {last} step {step} iter_args({carried} = {start}) -> (!pto.{row}) {{"
        )
        outer, self.tiles = self.tiles, []
        self.write(f"{end} = pto.addi {i}, {step} : index")
        self.write(f"{over} = pto.subi {last}, {end} : index")
        self.write(f"{left} = pto.addi {over}, {step} : index")
        self.write(f"{v} = arith.minsi {left}, {step} : index")
        loaded = Tile(self.name("t"), (rows, columns), dtype, False)
        self.write(f"{loaded.name} = pto.tile.load {x}[{i}, 0] {{valid = [{v}, {columns}]}} : {memref}, {tile}")
        self.tiles = [loaded]
        for _ in range(self.rng.randint(1, 3)):
            self.attempt(self.rng.choice([self.binary, self.with_scalar, self.unary, self.select, self.copy]))
        chosen = [t for t in self.tiles if (t.sizes, t.dtype) == ((rows, columns), dtype)][-1]
        self.tiles = outer
        self.write(f"pto.tile.store {chosen.name}, {y}[{i}, 0] {{valid = [{v}, {columns}]}} : {memref}, {tile}" if chosen is loaded else
                   f"pto.tile.store {chosen.name}, {y}[{i}, 0] : {memref}, {tile}")  # fmt: skip
        part, new = self.name("t"), self.name("t")
        self.write(f"{part} = pto.tile.colsum {loaded.name} : {tile} -> {row}")
        self.write(f"{new} = pto.tile.add {carried}, {part} : {row}")
        self.write(f"scf.yield {new} : !pto.{row}")
        self.write("}")
        self.tiles.append(Tile(result, (1, columns), dtype, True))

    def condition(self) -> None:
        """A condition, whose ways compute, store or only yield a tile and an index, at which a part of an array is loaded."""
        a = self.any(lambda t: t.whole and t.dtype != "i1")
        n, limit, p = self.argument("n", "index", self.rng.randint(0, 3)), self.name("c"), self.name("p")
        result, index = self.name("t"), self.name("k")
        self.write(f"{limit} = pto.constant 2 : index")
        self.write(f"{p} = arith.cmpi {self.rng.choice(['slt', 'eq', 'uge'])}, {n}, {limit} : index")
        self.write(f"{result}, {index} = scf.if {p} -> (!pto.{a.type}, index) {{")
        outer, families = (
            self.tiles,
            [self.binary, self.with_scalar, self.unary, self.select, self.copy, self.condition],
        )
        for way in range(2):
            self.write("} else {" * way)
            self.tiles = [*outer, a]
            for _ in range(self.rng.randint(0, 3)):
                self.attempt(self.rng.choice(families))
            chosen = self.any(lambda t: t.whole and t.type == a.type)
            if self.rng.random() < 0.3:
                self.store(self.tiles[-1] if self.tiles[-1].dtype != "i1" else chosen)
            at = self.name("c")
            self.write(f"{at} = pto.constant {way} : index")
            self.write(f"scf.yield {chosen.name}, {at} : !pto.{a.type}, index")
        self.write("}")
        self.tiles = [*outer, Tile(result, a.sizes, a.dtype, True)]
        rows, columns = a.sizes
        memref = f"pto.memref<{rows + 1}x{columns}x{a.dtype}>"
        x = self.argument("x", f"!{memref}", self.numbers(a.dtype, (rows + 1, columns)))
        self.add(f"load {x}[{index}, 0] : {memref}, {a.type}", a.sizes, a.dtype, True)

    # --- programs ------------------------------------------------------------------------------------

    def sizes(self) -> tuple[int, int]:
        return self.rng.choice(self.options.rows), self.rng.choice(self.options.columns)

    def attempt(self, family: Callable[[], None]) -> None:
        try:
            family()
        except NothingFits:
            self.load(self.sizes(), self.rng.choice([*FLOATS, *INTEGERS]))


FAMILIES: dict[str, Callable[[Maker], None]] = {
    "unary": Maker.unary,
    "binary": Maker.binary,
    "function": Maker.function,
    "quotient": Maker.quotient,
    "integer_division": Maker.integer_division,
    "shift": Maker.shift,
    "with_scalar": Maker.with_scalar,
    "fill": Maker.fill,
    "select": Maker.select,
    "convert": Maker.convert,
    "reduction": Maker.reduction,
    "broadcast": Maker.broadcast,
    "transpose": Maker.transpose,
    "reshape": Maker.reshape,
    "parts": Maker.parts,
    "gather": Maker.gather,
    "gather_blocks": Maker.gather_blocks,
    "scatter": Maker.scatter,
    "sequence": Maker.sequence,
    "sort": Maker.sort,
    "partial": Maker.partial,
    "copy": Maker.copy,
    "product": Maker.product,
    "loop": Maker.loop,
}
"""The families of ops, by name."""


def program(seed: int, options: Options | None = None) -> Case:
    """Returns the program of a seed."""
    options = options or Options()
    maker = Maker(Random(seed), options)
    for dtype in ("f32", maker.rng.choice([*FLOATS, *INTEGERS])):
        maker.load(maker.sizes(), dtype)
    for _ in range(maker.rng.randint(options.steps // 2, options.steps)):
        maker.attempt(partial(FAMILIES[maker.rng.choice(options.families or tuple(FAMILIES))], maker))
        if options.conditions and maker.rng.random() < 0.2:
            maker.attempt(maker.condition)
    if options.conditions:
        maker.condition()
    storable = [t for t in maker.tiles if t.dtype != "i1"]
    for tile in maker.rng.sample(storable, min(len(storable), 4)) + storable[-2:]:
        maker.store(tile)
    body = "\n".join(maker.lines)
    text = f"func.func @f({', '.join(maker.params)}) {{\n{body}\n  func.return\n}}\n"
    return Case(text, tuple(maker.args), tuple(maker.outputs), seed)
