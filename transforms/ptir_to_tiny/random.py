"""
Lowers random numbers to integer arithmetic on the index of the element and the seed (`semantics/arrays/philox.py`).

```
rng_uniform seed 42                                     of f32

  %c = iota                                             word 0 of the counter; ui64 holds words of 32 bits and their products
  %p = binary mul %c, 0xD2511F53                        a round: its upper half is mixed into word 2, its lower half is word 3
  …                                                     10 rounds
  %u = unary cast (%w >> 8) to f32, times 2^-24
```

Arithmetic on constants, as that on the key of a seed that is an attribute, is done here. Words that no result needs are not
computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
from xdsl.dialects.builtin import Float64Type, IntegerType, Signedness, f32, f64
from xdsl.ir import SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element
from ...semantics.arrays.philox import MULTIPLIERS, ROUNDS, WEYL
from ...semantics.arrays.scalars import numpy_dtype
from ..op_writer import static_sizes
from .writer import Writer

WORD = 32
LOW = 2**WORD - 1
U32, U64 = (IntegerType(width, Signedness.UNSIGNED) for width in (32, 64))
Number = int | SSAValue
"""An integer that is known, or a tensor of ui64."""
FOLDED: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shift_left": lambda a, b: a << b,
    "shift_right_logical": lambda a, b: a >> b,
}


@dataclass
class Philox:
    """Writes words of Philox-4x32 for a counter of four words and a key of two."""

    write: Writer
    counter: tuple[Number, Number, Number, Number]
    key: tuple[Number, Number]
    words: dict[tuple[int, int], Number] = field(default_factory=dict[tuple[int, int], Number])

    def binary(self, fn: str, a: Number, b: Number) -> Number:
        """Writes a binary function, unless both operands are known or one of them is the result."""
        if isinstance(a, int) and isinstance(b, int):
            return FOLDED[fn](a, b)
        if a == 0 and fn in ("add", "xor", "or"):
            return b
        if b == 0 and fn != "mul" and fn != "and":
            return a
        return self.write.binary(fn, *(self.write.literal(x, U64) if isinstance(x, int) else x for x in (a, b)))

    def word(self, place: int, after: int = ROUNDS) -> Number:
        """Returns a word of the block after a number of rounds."""
        if after == 0:
            return self.counter[place]
        if (after, place) not in self.words:
            self.words[after, place] = self._mixed(place, after)
        return self.words[after, place]

    def _mixed(self, place: int, after: int) -> Number:
        half = place // 2
        source = self.word(2 - 2 * half, after - 1)
        if (product := self.words.get((after, 4 + half))) is None:
            product = self.binary("mul", source, int(MULTIPLIERS[1 - half]))
            self.words[after, 4 + half] = product
        if place % 2:
            return self.binary("and", product, LOW)
        key = self.binary("and", self.binary("add", self.key[half], (after - 1) * WEYL[half]), LOW)
        upper = self.binary("shift_right_logical", product, WORD)
        return self.binary("xor", self.binary("xor", upper, self.word(2 * half + 1, after - 1)), key)

    def fraction(self, first: int, bits: int) -> SSAValue:
        """Returns the most significant bits of the 64 in the words `first` and `first` + 1, as an integer."""
        high = self.word(first)
        if bits <= WORD:
            whole = self.binary("shift_right_logical", high, WORD - bits)
        else:
            low = self.binary("shift_right_logical", self.word(first + 1), 2 * WORD - bits)
            whole = self.binary("or", self.binary("shift_left", high, bits - WORD), low)
        return self.write.literal(whole, U64) if isinstance(whole, int) else whole


def generator(op: ptir.RngOp, write: Writer) -> Philox:
    """Returns the generator of the words of each element."""
    of = static_sizes(op.result)
    count = math.prod(of)
    index = write.reshape(write.add(tiny.IotaOp(U64, [count], 0)), of)
    result = Philox(write, (index, 0, op.STREAM, 0), (0, 0))
    seed: Number = 0 if op.seed is None else op.seed.value.data % 2**64
    if op.seed_from is not None:
        seed = op.seed_from
    if count > 2**WORD:
        low, high = result.binary("and", index, LOW), result.binary("shift_right_logical", index, WORD)
        result.counter = (low, high, op.STREAM, 0)
    result.key = (result.binary("and", seed, LOW), result.binary("shift_right_logical", seed, WORD))
    return result


def uniform(op: ptir.RngUniformOp, write: Writer) -> SSAValue:
    """Writes multiples of 2^-p, where p is the precision of the type in bits. They are exact, in f32 too, if p is at most 24."""
    dtype = element(op.result)
    info: Any = ml_dtypes.finfo  # NumPy's and ml_dtypes' own types have different stubs
    bits = int(info(numpy_dtype(dtype)).nmant) + 1
    whole = generator(op, write).fraction(0, bits)
    exact = write.cast(whole, f64) if isinstance(dtype, Float64Type) else write.cast(write.cast(whole, U32), f32)
    return write.cast(write.binary("mul", exact, write.literal(2.0**-bits, element(exact))), dtype)


def normal(op: ptir.RngNormalOp, write: Writer) -> SSAValue:
    """Writes the Box-Muller transform in f64."""
    words = generator(op, write)
    unit = write.literal(2.0**-53, f64)
    above = write.binary("add", words.fraction(0, 53), write.literal(1, U64))
    a = write.binary("mul", write.cast(above, f64), unit)
    b = write.binary("mul", write.cast(words.fraction(2, 53), f64), unit)
    radius = write.unary("sqrt", write.binary("mul", write.unary("log", a), write.literal(-2.0, f64)))
    turn = write.unary("cos", write.binary("mul", b, write.literal(2 * math.pi, f64)))
    return write.cast(write.binary("mul", radius, turn), element(op.result))
