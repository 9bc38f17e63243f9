"""
Three evaluations of one program: as PTIR text, by NumPy in the program's own types, and by error intervals.

A program is a function of a `Machine`, whose methods are the ops of `ptir` of which epilogues consist. `Text` writes them as PTIR.
`Exact` rounds each to its element type, and yields the only right result. `Bounded` computes a value in extended precision and the
maximum error of a correct result: half a unit in the last place for each rounding, `FUNCTION_ULPS` for a transcendental function,
and the errors propagated from the operands. None of them uses the compiler's code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import ml_dtypes
import numpy as np

Array = Any
NUMPY: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "i8": np.int8, "ui8": np.uint8, "i32": np.int32, "i1": np.bool_,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip
FLOATS = {
    "bf16": (8, -126), "f16": (11, -14), "f32": (24, -126), "f64": (53, -1022), "f8E4M3FN": (4, -6), "f8E5M2": (3, -14)
}  # fmt: skip
"""For each type: the precision in bits, and the least exponent of a normal number."""
FUNCTION_ULPS = 2
"""Maximum error of erff, tanhf, erf and tanh in ulp (CUDA C++ Programming Guide, *Mathematical Functions*)."""
STEEPEST = {"erf": 2 / math.sqrt(math.pi), "tanh": 1.0}
Wide = np.longdouble
_erf = np.vectorize(math.erf, otypes=[np.float64])


class Machine(Protocol):
    """The operations of a program, on values of the machine's own kind. A number gets shape and element type from `like`."""

    def argument(self, sizes: Sequence[int], dtype: str) -> Any: ...
    def dot(self, x: Any, y: Any, sums: Dot) -> Any: ...
    def number(self, value: float, like: Any) -> Any: ...
    def binary(self, fn: str, x: Any, y: Any) -> Any: ...
    def unary(self, fn: str, x: Any) -> Any: ...
    def less(self, x: Any, y: Any) -> Any: ...
    def select(self, mask: Any, x: Any, y: Any) -> Any: ...
    def cast(self, x: Any, dtype: str) -> Any: ...
    def spread(self, x: Any, like: Any) -> Any: ...
    def turn(self, x: Any) -> Any: ...


@dataclass(frozen=True)
class Dot:
    """A product of two matrices, or of two arrays of matrices with `batch` leading batch axes."""

    batch: int
    contract: tuple[int, int]
    """The summed axis of each operand, not counting batch axes: (1, 0) if both are row-major."""
    accum: str
    out: str
    precision: str = ""

    def matrices(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Returns the operands as row-major matrices (…, m, k) and (…, k, n)."""
        return (x if self.contract[0] else x.swapaxes(-1, -2)), (y.swapaxes(-1, -2) if self.contract[1] else y)


# --- text ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Name:
    """An SSA value."""

    name: str
    sizes: tuple[int, ...]
    dtype: str

    @property
    def type(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.sizes)}{self.dtype}>"


@dataclass
class Text:
    """A machine that writes PTIR text."""

    arguments: list[Name] = field(default_factory=list[Name])
    lines: list[str] = field(default_factory=list[str])

    def finish(self, *results: Name) -> str:
        given = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        names, types = (", ".join(part) for part in zip(*((r.name, r.type) for r in results), strict=True))
        head, tail = f"func.func @f({given}) -> ({types}) {{", f"  func.return {names} : {types}"
        return "\n".join([head, *self.lines, tail, "}", ""])

    def _write(self, text: str, sizes: Sequence[int], dtype: str) -> Name:
        result = Name(f"%{len(self.lines)}", tuple(sizes), dtype)
        self.lines.append(f"  {result.name} = ptir.{text.replace('$', result.type)}")
        return result

    def argument(self, sizes: Sequence[int], dtype: str) -> Name:
        self.arguments.append(Name(f"%a{len(self.arguments)}", tuple(sizes), dtype))
        return self.arguments[-1]

    def dot(self, x: Name, y: Name, sums: Dot) -> Name:
        b = sums.batch
        free = x.sizes[b + 1 - sums.contract[0]], y.sizes[b + 1 - sums.contract[1]]
        axes = " x ".join(str([b + axis]) for axis in sums.contract)
        batch = f" batch {list(range(b))} x {list(range(b))}" if b else ""
        precision = f" precision {sums.precision}" if sums.precision else ""
        return self._write(
            f"dot_general {x.name}, {y.name}{batch} contract {axes} accum {sums.accum} out {sums.out}{precision}"
            f" : ({x.type}, {y.type}) -> $",
            (*x.sizes[:b], *free),
            sums.out,
        )

    def number(self, value: float, like: Name) -> Name:
        exact = NUMPY[like.dtype](value)
        spelt = f"{float(exact)!r}" if like.dtype in FLOATS else str(int(exact))
        return self.spread(self._write(f"constant dense<{spelt}> : $", (), like.dtype), like)

    def binary(self, fn: str, x: Name, y: Name) -> Name:
        return self._write(f"{fn} {x.name}, {y.name} : $", x.sizes, x.dtype)

    def unary(self, fn: str, x: Name) -> Name:
        return self._write(f"{fn} {x.name} : $", x.sizes, x.dtype)

    def less(self, x: Name, y: Name) -> Name:
        return self._write(f"compare lt {x.name}, {y.name} : {x.type} -> $", x.sizes, "i1")

    def select(self, mask: Name, x: Name, y: Name) -> Name:
        return self._write(f"select {mask.name}, {x.name}, {y.name} : {mask.type}, $", x.sizes, x.dtype)

    def cast(self, x: Name, dtype: str) -> Name:
        return self._write(f"cast {x.name} : {x.type} -> $", x.sizes, dtype)

    def spread(self, x: Name, like: Name) -> Name:
        return self._write(f"broadcast_to {x.name} : {x.type} -> $", like.sizes, x.dtype)

    def turn(self, x: Name) -> Name:
        axes = list(range(len(x.sizes)))
        order = [*axes[:-2], axes[-1], axes[-2]]
        return self._write(f"transpose {x.name} {order} : {x.type} -> $", [x.sizes[a] for a in order], x.dtype)


# --- NumPy --------------------------------------------------------------------------------------

BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@dataclass
class Exact:
    """A machine that computes with arrays of the program's types. Sums must be exact, and transcendental functions are absent."""

    given: list[Array]
    _next: int = 0

    def argument(self, sizes: Sequence[int], dtype: str) -> Array:
        self._next += 1
        return self.given[self._next - 1]

    def dot(self, x: Array, y: Array, sums: Dot) -> Array:
        whole = np.float64 if sums.accum in FLOATS else np.int64
        x, y = sums.matrices(x.astype(whole), y.astype(whole))
        return (x @ y).astype(NUMPY[sums.accum]).astype(NUMPY[sums.out])

    def number(self, value: float, like: Array) -> Array:
        return np.full_like(like, value)

    def binary(self, fn: str, x: Array, y: Array) -> Array:
        return BINARY[fn](x, y)

    def unary(self, fn: str, x: Array) -> Array:
        raise NotImplementedError(f"{fn} is not exact")

    def less(self, x: Array, y: Array) -> Array:
        return x < y

    def select(self, mask: Array, x: Array, y: Array) -> Array:
        return np.where(mask, x, y)

    def cast(self, x: Array, dtype: str) -> Array:
        return x.astype(NUMPY[dtype])

    def spread(self, x: Array, like: Array) -> Array:
        return np.broadcast_to(x, like.shape)

    def turn(self, x: Array) -> Array:
        return x.swapaxes(-1, -2)


# --- intervals ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Near:
    """For each element, the interval of all numbers that are at most `off` away from `value`; `dtype` is the element type."""

    value: Array
    off: Array
    dtype: str


def unit(x: Array, dtype: str) -> Array:
    """Returns the distance between adjacent values of `dtype` at |x|."""
    digits, least = FLOATS[dtype]
    exponent = np.where(np.equal(x, 0), least, np.frexp(np.abs(x))[1] - 1)
    return np.ldexp(Wide(1), np.maximum(exponent, least) - digits + 1)


def tf32(x: Array) -> Array:
    """Rounds f32 to 10 bits of fraction, ties away from zero, as `cvt.rna.tf32.f32` (PTX ISA §9.7.9.21)."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)


@dataclass
class Bounded:
    """
    A machine that computes with `Near`. The error of a contraction is at most `4·√K·2^(1-p)·(|A|·|B|)`, where p is the precision
    of its accumulator (DESIGN §6), or 0 with `exact_sums`.
    """

    given: list[Array]
    exact_sums: bool = False
    _next: int = 0

    def argument(self, sizes: Sequence[int], dtype: str) -> Near:
        self._next += 1
        array = self.given[self._next - 1].astype(Wide)
        return Near(array, np.zeros_like(array), dtype)

    def dot(self, x: Near, y: Near, sums: Dot) -> Near:
        rounded = tf32 if sums.precision == "tf32" else lambda x: x
        wide = Wide if sums.accum == "f64" else np.float64
        a, b = sums.matrices(*(rounded(v.value).astype(wide) for v in (x, y)))
        value = (a @ b).astype(Wide)
        each = 4 * math.sqrt(a.shape[-1]) * 2.0 ** (1 - FLOATS[sums.accum][0])
        off = np.zeros_like(value) if self.exact_sums else each * (np.abs(a) @ np.abs(b)).astype(Wide)
        return self.cast(Near(value, off, sums.accum), sums.out)

    def number(self, value: float, like: Near) -> Near:
        exact = np.broadcast_to(NUMPY[like.dtype](value).astype(Wide), like.value.shape)
        return Near(exact, np.zeros_like(exact), like.dtype)

    def binary(self, fn: str, x: Near, y: Near) -> Near:
        value = BINARY[fn](x.value, y.value)
        match fn:
            case "add" | "sub":
                off = x.off + y.off
            case "mul":
                off = np.abs(x.value) * y.off + np.abs(y.value) * x.off + x.off * y.off
            case _:
                return Near(value, np.maximum(x.off, y.off), x.dtype)
        return self._rounded(value, off, x.dtype)

    def unary(self, fn: str, x: Near) -> Near:
        """Applies a function. The oracle's own error is at most a unit of f64."""
        value = np.tanh(x.value) if fn == "tanh" else _erf(x.value.astype(np.float64)).astype(Wide)
        computed = "f64" if x.dtype == "f64" else "f32"
        off = x.off * STEEPEST[fn] + FUNCTION_ULPS * unit(value, computed) + unit(value, "f64")
        return Near(value, off, x.dtype) if x.dtype == computed else self._rounded(value, off, x.dtype)

    def less(self, x: Near, y: Near) -> tuple[Array, Array]:
        """Returns the predicate, and where it is uncertain."""
        return x.value < y.value, np.abs(x.value - y.value) <= x.off + y.off

    def select(self, mask: tuple[Array, Array], x: Near, y: Near) -> Near:
        holds, unsure = mask
        off = np.where(holds, x.off, y.off)
        either = np.maximum(x.off, y.off) + np.abs(x.value - y.value)
        return Near(np.where(holds, x.value, y.value), np.where(unsure, either, off), x.dtype)

    def cast(self, x: Near, dtype: str) -> Near:
        if FLOATS[dtype][0] >= FLOATS[x.dtype][0]:
            return Near(x.value, x.off, dtype)
        return self._rounded(x.value, x.off, dtype)

    def spread(self, x: Near, like: Near) -> Near:
        return Near(*(np.broadcast_to(a, like.value.shape) for a in (x.value, x.off)), x.dtype)

    def turn(self, x: Near) -> Near:
        return Near(x.value.swapaxes(-1, -2), x.off.swapaxes(-1, -2), x.dtype)

    def _rounded(self, value: Array, off: Array, dtype: str) -> Near:
        return Near(value, off + unit(np.abs(value) + off, dtype) / 2, dtype)
