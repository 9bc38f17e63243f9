"""Masks of random sets that `pto-legalize` computes from positions, in the interpreter, against the points of the set."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import ptir
from ptir.analysis.index import affine
from ptir.analysis.pto.effects import tile_functions
from ptir.dialects.poly.points import condition
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter

SIZES = (3, 21, 43)


def random_set(rng: Random) -> str:
    """Returns a union of sets, of one to three conditions each, with coefficients, constants and signs of all kinds."""

    def condition() -> str:
        terms = " + ".join(f"{rng.randint(-3, 3)} i{axis}" for axis in range(3))
        if rng.random() < 0.3:
            return f"({terms}) mod {rng.randint(2, 9)} {rng.choice(['>=', '<='])} {rng.randint(0, 5)}"
        return f"{terms} {rng.choice(['>=', '>=', '<=', '='])} {rng.randint(-40, 40)}"

    sets = [" and ".join(condition() for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 3))]
    return f"{{ [i0, i1, i2] : {' or '.join(f'({each})' for each in sets)} }}"


def program(where: str, rows: int, columns: int) -> str:
    tile, by = f"tile<{rows}x{columns}xf32>", '<"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }">'
    at, box = "[%b, %m, %n]", f"in {list(SIZES)} dims [1, 2]"
    array = f"memref<{'x'.join(map(str, SIZES))}xf32>"
    return f"""
    pto.kernel @k(%x: {array} align 16) -> (%y: {array} align 16 gmem) {{
      pto.tiles (%b, %m, %n) in {list(SIZES)} step [1, {rows}, {columns}] {{
        %0 = pto.tile.load.map %x{at} by {by} {box} : {array} -> {tile}
        %mask = pto.tile.mask {at} {box} where <"{where}"> : {tile.replace("f32", "i1")}
        %zero = pto.tile.expands 0.0 : f32 : {tile}
        %1 = pto.tile.sel %mask, %0, %zero : {tile.replace("f32", "i1")}, {tile}
        pto.tile.store.map %1, %y{at} by {by} {box} : {tile}, {array}
      }}
    }}"""


@pytest.mark.parametrize("seed", range(12))
def test_equals_the_points_of_the_set(seed: int):
    rng = Random(seed)
    where = random_set(rng)
    rows, columns = rng.choice([(1, 48), (8, 16), (16, 24), (24, 8)])
    module = PassManager("pto-legalize{target=a3}").run(ptir.parse(program(where, rows, columns)))
    x, y = np.ones(SIZES, np.float32), np.full(SIZES, 7, np.float32)
    (function,) = tile_functions(module)
    views = [a.reshape(t.sizes) for a, t in zip((x, y), function.function_type.inputs, strict=False)]
    call_on(interpreter(module), module, "k", (*views, 0, 1))
    want = condition(affine.read_set(where))(*np.indices(SIZES))
    np.testing.assert_array_equal(y, want.astype(np.float32), where)
