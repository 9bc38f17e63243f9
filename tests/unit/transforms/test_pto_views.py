"""
Loads and stores through random reshapes and transposes, whose maps divide indices: what `pto-legalize` writes, in the interpreter, against
the tile program before it.
"""

from __future__ import annotations

from math import prod
from random import Random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.index import affine
from ptir.analysis.pto.effects import tile_functions
from ptir.dialects import pto
from ptir.errors import Unsupported
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter

TILES = (1, 2, 4, 8, 8, 16)
MAX_TILES = 200
"""The number of tiles up to which a program runs in a second or two."""


def digits(rng: Random, size: int) -> list[int]:
    """Returns random factors of a size."""
    found: list[int] = []
    while size > 1:
        found.append(rng.choice([d for d in (2, 3, 4, 8, 16, size) if size % d == 0]))
        size //= found[-1]
    return found or [1]


def random_program(seed: int) -> tuple[str, tuple[int, ...]]:
    """Returns a kernel that copies an array of some axes, which are digits of an index space, in a random order, and its shape."""
    rng = Random(seed)
    space = [rng.choice([2, 3, 4]), rng.choice([16, 24, 48]), rng.choice([64, 96, 128, 192])]
    parts = [(axis, size) for axis, bound in enumerate(space) for size in digits(rng, bound)]
    texts = list[str]()
    for k, (axis, size) in enumerate(parts):
        below = prod(s for other, s in parts[k + 1 :] if other == axis)
        texts.append(f"floor(i{axis}/{below}) - {size}*floor(i{axis}/{below * size})")
    last = len(parts) - rng.choice([0, 1, 1, 1])
    order = [*rng.sample(range(last), last), *range(last, len(parts))]
    shape = tuple(parts[k][1] for k in order)
    text = affine.canonical_text(affine.simplify(affine.make_map(3, [texts[k] for k in order]), space))
    rows, columns = rng.choice([(m, n) for m in TILES for n in TILES if prod(space) <= MAX_TILES * m * n])
    tile, array = f"tile<{rows}x{columns}xf32>", f"memref<{'x'.join(map(str, shape))}xf32>"
    where = f'[%b, %m, %n] by <"{text}"> in {space} dims [1, 2]'
    load = "{0} = pto.tile.load.map %{1}{2} : {3} -> {4}"
    return (
        f"""
    pto.kernel @k(%x: {array} align 16, %z: {array} align 16) -> (%y: {array} align 16 gmem) {{
      pto.tiles (%b, %m, %n) in {space} step [1, {rows}, {columns}] {{
        {load.format("%0", "x", where, array, tile)}
        {load.format("%1", "z", where, array, tile)}
        %2 = pto.tile.sub %0, %1 : {tile}
        pto.tile.store.map %2, %y{where} : {tile}, {array}
      }}
    }}""",
        shape,
    )


def legal_program(seed: int) -> tuple[ModuleOp, tuple[int, ...]]:
    """Returns the first of a sequence of random programs whose tiles, or parts of them, are matrices in the array, and its shape."""
    for each in range(100 * seed, 100 * seed + 100):
        text, shape = random_program(each)
        try:
            module = PassManager("pto-legalize{target=a3}").run(ptir.parse(text))
        except Unsupported:
            continue
        (function,) = tile_functions(module)
        if len(function.body.block.args) == 5:  # others collect rows or elements in workspaces
            return module, shape
    raise RuntimeError("no legal program")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(40))
def test_equals_the_tile_program(seed: int):
    module, shape = legal_program(seed)
    rng = np.random.default_rng(seed)
    x, z = (rng.integers(-99, 99, shape).astype(np.float32) for _ in range(2))
    (function,) = tile_functions(module)
    views = [pto.memref_type(arg).sizes for arg in function.body.block.args[:3]]
    y = np.zeros(views[2], np.float32)
    call_on(interpreter(module), module, "k", (x.reshape(views[0]), z.reshape(views[1]), y, 0, 1))
    np.testing.assert_array_equal(y.reshape(shape), x - z)
