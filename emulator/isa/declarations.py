"""
Reads declarations of variables and parameters, and constants (PTX ISA §4.5, §5.4).

All functions expect text whose whitespace is collapsed, and raise `PtxSyntaxError` with the line number they are given.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterable
from typing import NoReturn

import numpy as np

from ..errors import PtxSyntaxError
from .syntax import Immediate, Parameter, Variable
from .types import BITS, SCALARS, Array, Scalar

NUMBER = r"\d{1,18}"
"""Regular expression of a size or count. The number of digits is bounded, because `int` takes quadratic time in it."""

SPACE_BYTES = {"shared": 227 << 10, "local": 512 << 10, "const": 64 << 10, "param": 32764, "global": 1 << 30}
"""Size of each state space in bytes: per CTA (shared), thread (local), module (const), kernel (param), or device (global)."""

_VARIABLE = re.compile(
    rf"\.(?P<space>global|const|shared|local|param) (?:\.align (?P<align>{NUMBER}) )?\.(?P<type>\w+) "
    rf"(?P<name>[$\w]+) ?(?:\[(?P<count>(?:{NUMBER})?)\])? ?(?:= ?(?P<initial>\{{[^}}]*\}}|.+))?"
)
_PARAMETER = re.compile(
    rf"\.param (?:\.align ({NUMBER}) )?\.(\w+) (?:\.ptr (?:\.\w+ )?(?:\.align {NUMBER} )?)?([$\w]+)(?:\[({NUMBER})\])?"
)
_INTEGER = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d{0,19})U?")
_DECIMAL = re.compile(r"[-+]?\d+(\.\d*([eE][-+]?\d+)?|[eE][-+]?\d+)")
_MARK = re.compile(r"[][(){},]")
_FLOAT_BITS = re.compile(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})")


def fail(line: int, problem: str, text: str) -> NoReturn:
    raise PtxSyntaxError(line=line, problem=problem, text=text)


def split_list(text: str) -> list[str]:
    """Splits at commas outside brackets; a part may be empty."""
    parts: list[str] = []
    depth = start = 0
    for mark in _MARK.finditer(text):
        if mark[0] in "[{(":
            depth += 1
        elif mark[0] in "]})":
            depth -= 1
        elif depth == 0:
            parts.append(text[start : mark.start()].strip())
            start = mark.end()
    parts.append(text[start:].strip())
    return parts if any(parts) or len(parts) > 1 else []


def read_constant(text: str) -> Immediate | None:
    """Reads a constant (PTX ISA §4.5); returns None for any other text."""
    if bits := _FLOAT_BITS.fullmatch(text):
        return Immediate(int(bits[1] or bits[2], 16), 32 if bits[1] else 64)
    if _DECIMAL.fullmatch(text):
        return Immediate(struct.unpack("<Q", struct.pack("<d", float(text)))[0], 64)
    if not (integer := _INTEGER.fullmatch(text)):
        return None
    octal = re.fullmatch("0[0-7]+", integer[1])
    value = int(integer[1], 8 if octal else 0)
    return Immediate(-value if text[0] == "-" else value) if value < 1 << 64 else None


def immediate(operand: Immediate, type_: Scalar) -> Array | None:
    """Returns a constant as a zero-dimensional array of `type_` (PTX ISA §4.5), or None if the type cannot hold it."""
    if type_.kind == "p":
        return None if operand.float_bits else np.array(bool(operand.value))
    if not operand.float_bits:
        value = np.array(operand.value & ((1 << type_.bits) - 1), BITS[type_.bits]).view(type_.dtype)
        return None if type_.is_float else value
    if operand.float_bits == type_.bits:
        return np.array(operand.value, BITS[type_.bits]).view(type_.dtype)
    given = np.array(operand.value, BITS[operand.float_bits]).view(SCALARS[f"f{operand.float_bits}"].dtype)
    return given.astype(type_.dtype) if type_.is_float and type_.bits >= 32 else None


def read_parameters(text: str, line: int) -> tuple[Parameter, ...]:
    """Reads a function's list of parameters."""
    parameters: list[Parameter] = []
    end = 0
    for part in split_list(text):
        match = _PARAMETER.fullmatch(" ".join(part.split()))
        scalar = SCALARS.get(match[2]) if match else None
        if not match or scalar is None or not scalar.bytes:
            fail(line, "unreadable parameter", part)
        size = scalar.bytes * int(match[4] or 1)
        end = _end(end, _alignment(match[1], scalar, line, part), size)
        parameters.append(Parameter(match[3], None if match[4] else scalar, end - size, size))
    if end > SPACE_BYTES["param"]:
        fail(line, f"parameters take at most {SPACE_BYTES['param']} bytes", text)
    if repeated := first_repeated(p.name for p in parameters):
        fail(line, f"'{repeated}' is declared twice", text)
    return tuple(parameters)


def read_variable(text: str, line: int) -> Variable:
    """Reads a declaration like `.shared .align 16 .b8 name[64]`; variables in global and constant memory get initial values."""
    match = _VARIABLE.fullmatch(text)
    if not match:
        fail(line, "unreadable declaration", text)
    scalar = SCALARS.get(match["type"])
    if scalar is None or not scalar.bytes:
        fail(line, f"a variable cannot have type .{match['type']}", text)
    name, space, count = match["name"], match["space"], match["count"]
    size = scalar.bytes * (1 if count is None else int(count or 0))
    initial: bytes | None = None
    if space in ("global", "const"):
        values = [v.strip() for v in (match["initial"] or "").strip("{} ").split(",") if v.strip()]
        initial = b"".join(_initial(value, scalar, line) for value in values)
        if count and len(initial) > size:
            fail(line, f"too many values ({len(values)})", text)
        size = max(size, len(initial))
    variable = Variable(name, space, _alignment(match["align"], scalar, line, text), size, initial)
    SpaceUsage().add(variable, line, text)
    return variable


def first_repeated(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)


class SpaceUsage:
    """Counts the bytes of each state space that variables occupy."""

    def __init__(self):
        self._ends = dict.fromkeys(SPACE_BYTES, 0)

    def add(self, variable: Variable, line: int, text: str) -> None:
        """Adds a variable; raises `PtxSyntaxError` if its state space has fewer bytes left."""
        space, most = variable.space, SPACE_BYTES[variable.space]
        self._ends[space] = _end(self._ends[space], variable.align, variable.size)
        if max(self._ends[space], variable.align) > most:
            fail(line, f"'{variable.name}' does not fit into {most} bytes of {space} memory", text)


def _end(start: int, align: int, size: int) -> int:
    """Returns the end of `size` bytes that begin at the next multiple of `align`."""
    return -(-start // align) * align + size


def _alignment(digits: str | None, scalar: Scalar, line: int, text: str) -> int:
    align = int(digits or scalar.bytes)
    if align.bit_count() != 1:
        fail(line, f"the alignment {align} is not a power of two", text)
    return align


def _initial(text: str, scalar: Scalar, line: int) -> bytes:
    value = read_constant(text)
    array = None if value is None else immediate(value, scalar)
    if array is None:
        fail(line, f"invalid initializer of type .{scalar.name}", text)
    return array.tobytes()
