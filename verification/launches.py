"""
The description of how a kernel or a C function is called:

```json
{"grid": ["M", 1], "block": [128], "args": ["x", "*eps", "y", "N", "M * N: i64"]}
```

`args` are its parameters. `x` is a pointer to an argument, `y` (or `out0`, `out1`, …) one to a result, `*eps` the value of an argument of
rank 0. Anything else is an expression of symbols: a 32-bit integer, or one of the type after the colon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import msgspec
import numpy as np

from ..dialects import intent
from ..dialects.intent import symbols
from ..dialects.intent.symbols import SIZE, InvalidExpression
from ..dialects.intent.types import type_of
from ..errors import InvalidAttributeValue
from ..semantics.arrays.scalars import Array

INTEGERS = {f"{sign}{8 * size}": np.dtype(f"{sign}{size}") for sign in "iu" for size in (1, 2, 4, 8)}


class Launch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """
    A call. A kernel has a `grid` and a `block`, may have dynamic `shared` memory in bytes, and a name if the file has several. Numbers
    may be expressions of symbols.
    """

    args: tuple[str, ...]
    grid: tuple[int | str, ...] = ()
    block: tuple[int | str, ...] = ()
    kernel: str = ""
    shared: int | str = 0

    def tiles(self) -> list[int]:
        """Returns the numbers of threads along the axes of a block, and in all."""
        numbers = [n for n in self.block if isinstance(n, int)]
        return [*numbers, prod(numbers)]


def name_of(function: intent.FuncOp, argument: int) -> str:
    return function.inputs[argument].name_hint or f"arg{argument}"


@dataclass(frozen=True)
class Parameters:
    """The parameters of a call, checked. Raises `InvalidAttributeValue` for what is neither a name nor an expression of symbols."""

    function: intent.FuncOp
    launch: Launch
    kernel: bool = False

    def __post_init__(self) -> None:
        for field in ("grid", "block") if self.kernel else ():
            if not 1 <= len(getattr(self.launch, field)) <= 3:
                raise InvalidAttributeValue(name=field, problem="is missing", help="a kernel has one to three numbers")
        for field in ("grid", "block", "shared"):
            given: int | str | tuple[int | str, ...] = getattr(self.launch, field)
            for text in given if isinstance(given, tuple) else (given,):
                self._check(field, str(text))
        for text in self.launch.args:
            expression, _, dtype = text.partition(":")
            if text.startswith("*"):
                scalars = [name_of(self.function, a.index) for a in self.function.inputs if not type_of(a).dims]
                if text[1:] not in scalars:
                    help = f"arguments of rank 0 are {', '.join(scalars) or 'none'}"
                    raise InvalidAttributeValue(
                        name="args", problem=f"has '{text}', which is no argument of rank 0", help=help
                    )
            elif text not in self.pointers:
                if dtype.strip() not in ("", *INTEGERS):
                    help = f"one of {', '.join(INTEGERS)}"
                    raise InvalidAttributeValue(name="args", problem=f"has '{text}' of an unknown type", help=help)
                self._check("args", expression)

    def _check(self, field: str, text: str) -> None:
        known = self.function.symbols()
        try:
            unknown = [name for name in symbols.symbols(symbols.parse(text, SIZE)) if name not in known]
            problem = f"has '{text}', but {unknown[0]} is no symbol, argument or result" if unknown else ""
        except InvalidExpression as error:
            problem = f"has '{text}': {error.problem}"
        if problem:
            names = f"symbols are {', '.join(known) or 'none'}"
            names += f", arguments and results are {', '.join(self.pointers)}" if field == "args" else ""
            raise InvalidAttributeValue(name=field, problem=problem, help=names)

    @property
    def pointers(self) -> dict[str, int]:
        """The names that stand for pointers, with the numbers of the arrays: arguments, then results."""
        count = len(self.function.inputs)
        results = {f"out{k}": count + k for k in range(len(self.function.outputs))}
        named = {v.name_hint: count + k for k, v in enumerate(self.function.outputs) if v.name_hint}
        return {**results, **named, **{name_of(self.function, k): k for k in range(count)}}

    def number(self, text: int | str, binding: Mapping[str, int]) -> int:
        return int(symbols.evaluate(symbols.parse(str(text), SIZE), binding))

    def values(
        self, addresses: Sequence[int], arrays: Sequence[Array], binding: Mapping[str, int]
    ) -> list[int | np.generic]:
        """Returns addresses and values of arguments as numbers of their type, and expressions without a type as int."""
        out: list[int | np.generic] = []
        for text in self.launch.args:
            expression, _, dtype = text.partition(":")
            if text.startswith("*"):
                out.append(arrays[self.pointers[text[1:]]].flat[0])
            elif text in self.pointers:
                out.append(np.uint64(addresses[self.pointers[text]]))
            else:
                number = self.number(expression, binding)
                out.append(INTEGERS[dtype.strip()].type(number) if dtype else number)
        return out
