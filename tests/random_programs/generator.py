"""
Random well-typed PTIR programs.

    case = generate(seed=3, index=17)
    case.module            # verifies; has a few functions, which may call earlier ones
    case.inputs            # maps the name of each function to the arrays of one call

A program depends only on the seed, the index and the options. It runs without errors unless `Options.violations` is positive:
divisors, indices and windows are guarded, and `?` and named sizes match the arrays of the calls.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from ptir.dialects import ptir

from .dtypes import FLOAT8, spelling
from .maker import NAMES, Maker, NothingFits, Options
from .packing import pack
from .rows.row import Table
from .rows.table import ROWS
from .values import array

KINDS = ("small", "wide", "special")


@dataclass
class Case:
    """A module and the arrays of one call of each function."""

    module: ModuleOp
    inputs: dict[str, tuple[Any, ...]]
    violated: bool = False
    """Whether a run may end in an error with a code, because a guard was left out."""
    built: dict[str, int] = field(default_factory=dict[str, int])

    def copy(self) -> Case:
        return Case(self.module.clone(), copy.copy(self.inputs), self.violated)


def generate(seed: int, index: int, options: Options | None = None, rows: Table = ROWS) -> Case:
    """Returns program `index` of a seed, which consists of ops in `rows`."""
    options = options or Options()
    rng = Random(f"{seed} {index}")
    attributes = {"ptir.spec_version": StringAttr(ptir.SPEC_VERSION)}
    if options.extensions:
        attributes["ptir.extensions"] = UnitAttr()
    case = Case(ModuleOp([], attributes), {})
    functions: list[Any] = []
    for k in range(rng.randint(1, options.functions)):
        _function(rng, options, rows, case, f"f{k}", functions)
    if options.packed:
        pack(rng, case.module, options.packed)
    return case


def _function(rng: Random, options: Options, rows: Table, case: Case, name: str, functions: list[Any]) -> None:
    if options.float8 < 1 and rng.random() >= options.float8:
        options = replace(options, dtypes=tuple(d for d in options.dtypes if d not in FLOAT8))
    block = Block()
    # The function is in the module from the start, because verifiers look up the enclosing ops.
    function = FuncOp(name, ((), ()), Region(block))
    case.module.body.block.add_op(function)
    dynamic = rng.random() < options.dynamic
    names = {n: rng.choice((0, 1, 2, 3, 5) if options.empty else (1, 2, 3, 5)) for n in NAMES} if dynamic else {}
    maker = Maker(rng, options, block, names, [], functions=list(functions))
    # A function mostly uses a few element types, so that ops can use its earlier values.
    maker.few = tuple(rng.sample(options.dtypes, min(len(options.dtypes), rng.choice((1, 2, 3, 8)))))
    count = rng.randint(*options.length)
    grow(maker, count, rows)
    results = _results(maker)
    block.add_op(ReturnOp(*results))
    function.update_function_type()
    case.violated |= maker.violated
    kind = rng.choice(KINDS)
    case.inputs[name] = tuple(
        array(rng, spelling(a.type.element_type), maker.actual(a), kind)  # pyright: ignore
        for a in block.args
    )
    functions.append((function, [maker.actual(a) for a in block.args], [maker.actual(r) for r in results]))


def grow(maker: Maker, count: int, rows: Table = ROWS) -> None:
    """Adds about `count` ops."""
    names = [
        n for n, row in rows.items() if maker.options.allows(n) and (maker.options.extensions or not row.extension)
    ]
    weights = [rows[n].weight for n in names]
    for _ in range(count):
        for _ in range(8):
            try:
                rows[maker.rng.choices(names, weights)[0]].build(maker)
                break
            except NothingFits:
                continue


def _results(maker: Maker) -> list[SSAValue]:
    """Returns the results of a function: unused values, the last value, and sometimes one more."""
    made = [v for v in maker.values if isinstance(v.type, TensorType)]
    leaves = [v for v in made if not v.uses and v not in maker.block.args]
    out = leaves[-maker.options.results :]
    if made and (not out or maker.rng.random() < 0.2):
        out.append(maker.rng.choice(made))
    return out
