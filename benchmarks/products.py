"""The products that the benchmarks compile: element types, programs, data and expected results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from workload import COLUMNS, NUMPY, ROUNDING, ROWS, Array, Workload, spread, sum_error


@dataclass(frozen=True)
class Type:
    """
    Operands of type `element`, which are accumulated in `accum`. `mma` is the shape (m, n, k) of the instruction `opcode`
    that multiplies them on SM80, or on SM90 for fp8; for FFMA it is the shape of a whole warp.
    """

    element: str
    accum: str
    mma: tuple[int, int, int]
    opcode: str
    torch: str
    precision: str = ""

    @property
    def numpy(self) -> Any:
        return NUMPY[self.element]

    @property
    def integral(self) -> bool:
        return self.accum.startswith("si")


TYPES = {
    "bf16": Type("bf16", "f32", (16, 8, 16), "HMMA", "bfloat16"),
    "f16": Type("f16", "f32", (16, 8, 16), "HMMA", "float16"),
    "fp8": Type("f8E4M3FN", "f32", (64, 8, 32), "QGMMA", "float8_e4m3fn"),
    "tf32": Type("f32", "f32", (16, 8, 8), "HMMA", "float32", "tf32"),
    "i8": Type("si8", "si32", (16, 8, 32), "IMMA", "int8"),
    "f64": Type("f64", "f64", (8, 8, 4), "DMMA", "float64"),
    "f32": Type("f32", "f32", (32, 1, 1), "FFMA", "float32"),
}
"""The types by their names in reports."""

SLOPE, CUBE = 0.7978845608028654, 0.044715
"""gelu(x) = x/2 · (1 + tanh(SLOPE · (x + CUBE · x³)))"""


@dataclass(frozen=True)
class Product(Workload):
    """
    `x @ w` of sizes [batch,] m, n, k, followed by an `epilogue` in the accumulator's type: `relu`, `bias` (one value for
    each column), `gelu`, `residual` (an array of the result's shape and type that is added). The result has the type `out`,
    by default the accumulator's. A `transposed` w is n x k, as network layers store it.
    """

    dtype: str
    sizes: tuple[int, ...]
    out: str = ""
    epilogue: tuple[str, ...] = ()
    transposed: bool = False

    @property
    def type(self) -> Type:
        return TYPES[self.dtype]

    @property
    def exact(self) -> bool:
        return "gelu" not in self.epilogue

    @property
    def result(self) -> str:
        """The element type of the result."""
        return self.out or self.type.accum

    @property
    def name(self) -> str:
        words = [self.dtype, "x".join(map(str, self.sizes)), *(["w transposed"] * self.transposed), *self.epilogue]
        return " ".join(words) + (f" to {self.out}" if self.out else "")

    @property
    def operations(self) -> int:
        return 2 * prod(self.sizes)

    @cached_property
    def shapes(self) -> dict[str, tuple[tuple[int, ...], str]]:
        *batch, m, n, k = self.sizes
        more = {"bias": (n,), "residual": (*batch, m, n)}
        return {
            "x": ((*batch, m, k), self.type.element),
            "w": ((*batch, n, k) if self.transposed else (*batch, k, n), self.type.element),
            **{name: (more[name], self.result) for name in self.epilogue if name in more},
        }

    @cached_property
    def text(self) -> str:
        *batch, m, n, _ = self.sizes
        body = _Body(self.type.accum, (*batch, m, n))
        x, w = (_tensor(*self.shapes[name]) for name in "xw")
        a, b = len(batch) + 1, len(batch) + self.transposed
        where = f"{'batch [0] x [0] ' * bool(batch)}contract [{a}] x [{b}]"
        sums = self.type.accum if self.epilogue else self.result
        precision = f" precision {self.type.precision}" if self.type.precision else ""
        last = body.add(
            f"dot_general %x, %w {where} accum {self.type.accum} out {sums}{precision}",
            f"({x}, {w}) -> {_tensor(body.shape, sums)}",
        )
        for step in self.epilogue:
            last = body.then(step, last, self.shapes.get(step))
        if sums != self.result:
            last = body.add(f"cast {last}", f"{body.type} -> {_tensor(body.shape, self.result)}")
        arguments = ", ".join(f"%{name}: {_tensor(*of)}" for name, of in self.shapes.items())
        y = _tensor(body.shape, self.result)
        return f"func.func @product({arguments}) -> {y} {{\n{body.lines}  func.return {last} : {y}\n}}\n"

    def sampled(self, result: Array, data: Sequence[Array]) -> tuple[Array, Array, Array]:
        """
        The elements are those of the first batch. The errors are 4·√K·2⁻²³·(|x|·|w|), and those of rounding to tf32, to the result's
        type, and in the epilogue.
        """
        got = result.reshape(-1, *result.shape[-2:])[0]
        rows, columns = spread(len(got), ROWS), spread(got.shape[1], COLUMNS)
        given = {name: a[0] if a.ndim == 3 else a for name, a in zip(self.shapes, data, strict=True)}
        x = given["x"][rows].astype(np.float64)
        w = (given["w"][columns].T if self.transposed else given["w"][:, columns]).astype(np.float64)
        y, scale = x @ w, np.abs(x) @ np.abs(w)
        for step in self.epilogue:
            match step:
                case "relu":
                    y = np.maximum(y, 0)
                case "bias":
                    y = y + given["bias"][columns].astype(np.float64)
                case "gelu":
                    y = y / 2 * (1 + np.tanh(SLOPE * (y + CUBE * y**3)))
                case _:
                    y = y + given["residual"][np.ix_(rows, columns)].astype(np.float64)
        sums = sum_error(self.sizes[-1]) + 2.0**-10 * bool(self.type.precision)
        rounding = 2 * ROUNDING.get(self.result, 2.0**-24) * np.abs(y)
        allowed = sums * scale + rounding + 2.0**-20 * bool(self.epilogue) * (1 + np.abs(y))
        return got[np.ix_(rows, columns)], y, allowed


class _Body:
    """Writes the operations of a program, on tensors of one shape and type."""

    def __init__(self, accum: str, shape: tuple[int, ...]):
        self.accum, self.shape, self.type = accum, shape, _tensor(shape, accum)
        self.lines, self.count = "", 0

    def add(self, text: str, type_: str = "") -> str:
        name = f"%{self.count}"
        self.count += 1
        self.lines += f"  {name} = ptir.{text} : {type_ or self.type}\n"
        return name

    def number(self, value: float) -> str:
        text = str(int(value)) if self.accum.startswith("si") else str(float(value))
        return self.spread(self.add(f"constant dense<{text}>", f"tensor<{self.accum}>"), ())

    def spread(self, value: str, shape: Sequence[int]) -> str:
        return self.add(f"broadcast_to {value}", f"{_tensor(shape, self.accum)} -> {self.type}")

    def argument(self, name: str, shape: Sequence[int], element: str) -> str:
        if element == self.accum:
            return name
        return self.add(f"cast {name}", f"{_tensor(shape, element)} -> {_tensor(shape, self.accum)}")

    def then(self, step: str, y: str, of: tuple[tuple[int, ...], str] | None) -> str:
        match step:
            case "relu":
                return self.add(f"maximum {y}, {self.number(0)}")
            case "gelu":
                cube = self.add(f"mul {self.add(f'mul {y}, {y}')}, {y}")
                inner = self.add(f"add {y}, {self.add(f'mul {cube}, {self.number(CUBE)}')}")
                curve = self.add(f"tanh {self.add(f'mul {inner}, {self.number(SLOPE)}')}")
                half = self.add(f"mul {y}, {self.number(0.5)}")
                return self.add(f"mul {half}, {self.add(f'add {curve}, {self.number(1)}')}")
            case "bias" if of is not None:
                return self.add(f"add {y}, {self.spread(self.argument('%bias', *of), of[0])}")
            case "residual" if of is not None:
                return self.add(f"add {y}, {self.argument('%residual', *of)}")
            case _:
                raise ValueError(f"no epilogue is called {step}")


def _tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"
