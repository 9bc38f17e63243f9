"""
The cells of the conformance table: every op that `ptir-to-tiny` lowers, on every element type that its verifier admits.

A cell is one program: the op on operands of each of `SHAPES` that it accepts, with attributes and other types at random. The
ops are those of the lowerings' table; that the rows' types are those of the verifiers is tested with the random programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from ptir.dialects.common.shapes import element
from ptir.dialects.ptir.module import SPEC_VERSION
from ptir.transforms.ptir_to_tiny import LOWERINGS
from ptir.transforms.ptir_to_tiny.elementwise import WORDS
from tests.random_programs.dtypes import ALL, COMPLEX, spelling
from tests.random_programs.generator import Case
from tests.random_programs.maker import Maker, NothingFits, Options
from tests.random_programs.rows.table import ROWS
from tests.random_programs.values import KINDS, array

SHAPES: dict[str, tuple[int, ...]] = {
    "rank 0": (),
    "empty": (3, 0),
    "one": (1, 1),
    "primes": (7, 13),
    "a tile - 1": (15, 31),
    "a tile + 1": (17, 33),
    "rank 5": (2, 1, 3, 2, 5),
}
"""The shapes of an op's first operand. Where the op needs another rank, axes are dropped in front, or added with size 2."""
TAME = ("small", "wide")
"""Arguments of complex functions, whose infinities and NaNs are no part of the contract."""
OPTIONS = Options(
    dynamic=0,
    reuse=0,
    max_elements=4000,
    extents=(1, 2, 3, 5, 7, 8, 16, 17, 33),
    more_extents=(1, 2, 3, 5),
    max_literal=0,
)


ALONE = {op.name for op in WORDS}
"""The functions of their operands alone. Of the other ops, a program has two with different attributes for each shape."""


@dataclass(frozen=True)
class Cell:
    """An op and the element type of its first operand, or of its result if it has none."""

    op: str
    dtype: str

    def __str__(self) -> str:
        return f"{self.op} {self.dtype}"


def cells() -> list[Cell]:
    """Returns all cells, ops in the order of the lowerings' table."""
    return [Cell(op.name, dtype) for op in LOWERINGS for dtype in sorted(ROWS[op.name].dtypes, key=ALL.index)]


@dataclass
class ShapedMaker(Maker):
    """Gives an op a first operand of the type `main` and the shape `wanted`, or of the nearest rank that the op takes."""

    main: str = ""
    wanted: tuple[int, ...] = ()
    first: bool = True

    def dtype(self, *groups: Sequence[str]) -> str:
        named = self.first and any(self.main in group for group in groups)
        return self.main if named else super().dtype(*groups)

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        if not self.first:
            return super().shape(rank)
        self.first = False
        rank = len(self.wanted) if rank is None else rank
        return ((2,) * rank + self.wanted)[len(self.wanted) :] if rank else ()

    def any_of(
        self,
        *groups: Sequence[str],
        rank: range = range(6),
        static: bool = False,
        where: Callable[[SSAValue], bool] = bool,
    ) -> SSAValue:
        nearest = min(rank, key=lambda n: abs(n - len(self.wanted)))
        return super().any_of(*groups, rank=range(nearest, nearest + 1), static=static, where=where)


def case(cell: Cell, seed: int = 0) -> tuple[Case, list[str]]:
    """Returns the program of a cell, with its arguments, and the names of the shapes that the op accepts."""
    rng = Random(f"{seed} {cell}")
    block = Block()
    function = FuncOp("f", ((), ()), Region(block))
    module = ModuleOp([function], {"ptir.spec_version": StringAttr(SPEC_VERSION), "ptir.extensions": UnitAttr()})
    maker = ShapedMaker(rng, OPTIONS, block, {}, [], main=cell.dtype)
    accepted: list[str] = []
    results: list[SSAValue] = []
    for name, shape in [item for item in SHAPES.items() for _ in range(1 if cell.op in ALONE else 2)]:
        maker.wanted, maker.first = shape, True
        try:
            ROWS[cell.op].build(maker)
        except NothingFits:
            continue
        accepted.append(name)
        results += block.last_op.results if block.last_op is not None else ()
    block.add_op(ReturnOp(*results))
    function.update_function_type()
    inputs = tuple(_argument(rng, spelling(element(a)), maker.actual(a)) for a in block.args)
    return Case(module, {"f": inputs}), list(dict.fromkeys(accepted))


def _argument(rng: Random, dtype: str, shape: tuple[int, ...]) -> Any:
    return array(rng, dtype, shape, rng.choice(TAME if dtype in COMPLEX else KINDS))
