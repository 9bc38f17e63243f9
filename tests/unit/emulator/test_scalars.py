"""
Every scalar opcode of the emulator's table on boundary and random operands, compared with PTX ISA §9.7 in Python's integers and
rationals. `python -m tests.unit.emulator.test_scalars` runs all cases, the tests run a sample.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor
from random import Random
from typing import Any

import numpy as np
import pytest

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.conformance.integers import COMPARES, quotient
from ptir.emulator import Memory, launch, parse
from ptir.emulator.engine.prepare import prepare
from ptir.emulator.errors import BadOperand, UnknownOpcode
from ptir.emulator.isa import forms
from ptir.errors import PtirError
from tests.unit.emulator.test_arithmetic import BITS, FORMATS, from_fraction, signed, to_fraction

LANES = 64
WIDTHS = {"pred": 1, "tf32": 32, "e4m3x2": 16, "e5m2x2": 16} | BITS
WIDTHS |= {f"{kind}{bits}": bits for kind in "bus" for bits in (8, 16, 32, 64)}
SCALAR = re.compile(r"b8|[busf](16|32|64)|[us]8|bf16|pred")


def expansions(form: str) -> list[str]:
    """Returns all opcodes of one form in the table."""
    text = forms._expanded(form)  # pyright: ignore[reportPrivateUsage]

    def parsed(at: int, stop: str) -> tuple[list[str], int]:
        parts: list[list[str]] = []
        while at < len(text) and text[at] not in stop:
            if text[at] == "{":
                choices: list[str] = []
                while text[at] != "}":
                    more, at = parsed(at + 1, " }")
                    choices += more
                at += 1
            elif text[at] == "[":
                more, at = parsed(at + 1, "]")
                choices, at = ["", *more], at + 1
            else:
                choices, at = [text[at]], at + 1
            parts.append(choices)
        return ["".join(p) for p in product(*parts)], at

    return parsed(0, "")[0]


# --- what the ISA says -----------------------------------------------------------------------------


def value(bits: int, type_: str) -> Any:
    """Returns the value of bits: an integer, a rational, float('nan') or ±float('inf')."""
    if type_[0] in "bu" and type_ != "bf16":
        return bits
    if type_[0] == "s":
        return signed(bits, WIDTHS[type_])
    found = to_fraction(bits, type_)
    if found is not None:
        return found
    precision, width = FORMATS[type_][0], BITS[type_]
    if bits & ((1 << precision - 1) - 1):
        return float("nan")
    return float("-inf") if bits >> (width - 1) else float("inf")


def is_nan(x: Any) -> bool:
    return isinstance(x, float) and x != x


def flushed(bits: int, type_: str) -> int:
    """Replaces a subnormal by a zero of the same sign."""
    precision, width = FORMATS[type_][0], BITS[type_]
    exponent = bits >> (precision - 1) & ((1 << width - precision) - 1)
    return bits if exponent else bits & 1 << (width - 1)


def nan_of(type_: str) -> int:
    return {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFF_FFFF, "f64": 0x7FF8 << 48}[type_]


def infinity(type_: str, negative: bool) -> int:
    precision, width = FORMATS[type_][0], BITS[type_]
    return ((1 << width - precision) - 1) << precision - 1 | negative << width - 1


def clamp(x: int, type_: str) -> int:
    bits = WIDTHS[type_]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if type_[0] == "s" else (0, (1 << bits) - 1)
    return min(max(x, low), high)


COMPARE = COMPARES | {other: COMPARES[name] for other, name in (("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge"))}
BOOLEAN = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}


def compared(test: str, a: Any, b: Any) -> bool:
    unordered = is_nan(a) or is_nan(b)
    if test in ("num", "nan"):
        return unordered == (test == "nan")
    if test not in COMPARE:
        return unordered or COMPARE[test[:-1]](a, b)
    return not unordered and COMPARE[test](a, b)


def rounded(exact: Fraction, mode: str) -> int:
    return {"n": round, "z": int, "m": floor, "p": ceil}[mode[1]](exact)


def converted(parts: list[str], bits: int) -> int | None:
    """Computes `cvt` between scalars (§9.7.9.21)."""
    *modifiers, target, source = parts[1:]
    mode = next((m for m in modifiers if m[:1] == "r" and m != "relu"), "rn")
    if "ftz" in modifiers and source == "f32":
        bits = flushed(bits, source)
    x = value(bits, source)
    if target[0] in "us":
        if is_nan(x):
            return 0
        if isinstance(x, float):
            return clamp(10**30 if x > 0 else -(10**30), target)
        whole = rounded(x, mode) if isinstance(x, Fraction) else x
        return clamp(whole, target) if "sat" in modifiers or isinstance(x, Fraction) else whole
    negative = bool(bits >> (WIDTHS[source] - 1)) if source[0] not in "us" else x < 0
    if "sat" in modifiers and (is_nan(x) or x <= 0):
        return 0
    if is_nan(x):
        return nan_of(target)
    if "relu" in modifiers and negative:
        vanishes = not isinstance(x, float) and from_fraction(x, target, mode) << 1 & (1 << WIDTHS[target]) - 1 == 0
        return None if vanishes else 0  # the ISA does not say that -0 is negative
    if isinstance(x, float):
        result = infinity(target, negative)
    else:
        exact = Fraction(rounded(x, mode) if mode.endswith("i") else x)
        result = from_fraction(exact, target, mode[:2])
        if not exact and negative:
            result = 1 << WIDTHS[target] - 1
    if "ftz" in modifiers and target == "f32":
        result = flushed(result, target)
    return min(result, from_fraction(Fraction(1), target, "rn")) if "sat" in modifiers else result


def extreme(parts: list[str], a: int, b: int) -> int:
    """Computes `min` or `max` (§9.7.3.10): -0 < +0; NaN is the result only with .NaN or if both operands are NaN."""
    type_ = parts[-1]
    if "ftz" in parts:
        a, b = flushed(a, type_), flushed(b, type_)
    x, y = value(a, type_), value(b, type_)
    if is_nan(x) or is_nan(y):
        if "NaN" in parts or (is_nan(x) and is_nan(y)):
            return nan_of(type_)
        return b if is_nan(x) else a
    sign = BITS[type_] - 1
    key = lambda pair: (pair[0], -(pair[1] >> sign))  # noqa: E731
    return (max if parts[0] == "max" else min)([(x, a), (y, b)], key=key)[1]


def find_top(x: int, type_: str) -> int:
    return (~x if type_[0] == "s" and x < 0 else x).bit_length() - 1


def field(parts: list[str], a: int, p: int, n: int) -> int:
    type_, bits, p, n = parts[-1], WIDTHS[parts[-1]], p & 255, n & 255
    sign = a >> min(p + n - 1, bits - 1) & 1 if n and type_[0] == "s" else 0
    return sum((a >> p + i & 1 if i < n and p + i < bits else sign) << i for i in range(bits))


def inserted(parts: list[str], a: int, b: int, p: int, n: int) -> int:
    for i in range(n & 255):
        at = (p & 255) + i
        if at < WIDTHS[parts[-1]]:
            b = b & ~(1 << at) | (a >> i & 1) << at
    return b


def funnel(parts: list[str], a: int, b: int, n: int) -> int:
    n = min(n, 32) if parts[2] == "clamp" else n & 31
    return (b << 32 | a) << n >> 32 if parts[1] == "l" else (b << 32 | a) >> n


def permuted(parts: list[str], a: int, b: int, c: int) -> int:
    both = (b << 32 | a).to_bytes(8, "little")
    if len(parts) == 2:
        picked = [(c >> 4 * i & 7, c >> 4 * i & 8) for i in range(4)]
    else:
        table = {
            "f4e": ["3210", "4321", "5432", "6543"],
            "b4e": ["5670", "6701", "7012", "0123"],
            "rc8": ["0000", "1111", "2222", "3333"],
            "ecl": ["3210", "3211", "3222", "3333"],
            "ecr": ["0000", "1110", "2210", "3210"],
            "rc16": ["1010", "3232", "1010", "3232"],
        }[parts[2]]
        picked = [(int(d), 0) for d in reversed(table[c & 3])]
    out = [(0xFF if both[i] >> 7 else 0) if sign else both[i] for i, sign in picked]
    return int.from_bytes(bytes(out), "little")


def dotted(parts: list[str], a: int, b: int, c: int) -> int:
    *_, left, right = parts
    wide = 8 if parts[0] == "dp4a" else 16
    first = [a >> wide * i & (1 << wide) - 1 for i in range(32 // wide)]
    start = 2 if "hi" in parts else 0
    second = [b >> 8 * (i + start) & 255 for i in range(32 // wide)]
    first = [signed(x, wide) if left == "s32" else x for x in first]
    second = [signed(x, 8) if right == "s32" else x for x in second]
    return c + sum(x * y for x, y in zip(first, second, strict=True))


def integer_product(parts: list[str], a: Any, b: Any) -> int:
    return a * b >> WIDTHS[parts[-1]] if "hi" in parts else a * b


def low24(x: int, type_: str) -> int:
    return signed(x, 24) if type_[0] == "s" else x & 0xFF_FFFF


INTEGER: dict[str, Callable[..., int]] = {
    "add": lambda p, a, b: clamp(a + b, p[-1]) if "sat" in p else a + b,
    "sub": lambda p, a, b: clamp(a - b, p[-1]) if "sat" in p else a - b,
    "mul": integer_product,
    "mad": lambda p, a, b, c: integer_product(p, a, b) + c,
    "mul24": lambda p, a, b: low24(a, p[-1]) * low24(b, p[-1]),
    "mad24": lambda p, a, b, c: low24(a, p[-1]) * low24(b, p[-1]) + c,
    "div": lambda p, a, b: quotient(a, b),
    "rem": lambda p, a, b: a - quotient(a, b) * b,
    "min": lambda p, a, b: min(a, b),
    "max": lambda p, a, b: max(a, b),
    "abs": lambda p, a: abs(a),
    "neg": lambda p, a: -a,
    "sad": lambda p, a, b, c: c + abs(a - b),
    "and": lambda p, a, b: a & b,
    "or": lambda p, a, b: a | b,
    "xor": lambda p, a, b: a ^ b,
    "not": lambda p, a: 1 - a if p[-1] == "pred" else ~a,
    "cnot": lambda p, a: int(a == 0),
    "popc": lambda p, a: a.bit_count(),
    "clz": lambda p, a: WIDTHS[p[-1]] - a.bit_length(),
    "brev": lambda p, a: int(f"{a:0{WIDTHS[p[-1]]}b}"[::-1], 2),
    "bfind": lambda p, a: (
        -1
        if find_top(a, p[-1]) < 0
        else WIDTHS[p[-1]] - 1 - find_top(a, p[-1])
        if "shiftamt" in p
        else find_top(a, p[-1])
    ),
    "bfe": field,
    "bfi": inserted,
    "shl": lambda p, a, n: a << n if n < WIDTHS[p[-1]] else 0,
    "shr": lambda p, a, n: a >> min(n, WIDTHS[p[-1]]),
    "shf": funnel,
    "prmt": permuted,
    "dp4a": dotted,
    "dp2a": dotted,
    "mov": lambda p, a: a,
    "selp": lambda p, a, b, c: a if c else b,
}
RAW = ("bfe", "bfi", "shf", "prmt", "dp4a", "dp2a", "mov", "selp", "slct")  # of bits, whatever the type


def oracle(parts: list[str], types: list[str], bits: list[int]) -> int | None:
    """Returns the result's bits; None if the ISA does not specify them, or another test checks them."""
    word, type_ = parts[0], parts[-1]
    if word == "cvt":
        return converted(parts, bits[0])
    if word in ("setp", "set"):
        a, b = (flushed(x, type_) if "ftz" in parts else x for x in bits[:2])
        truth = int(compared(parts[1], value(a, type_), value(b, type_)))
        truth = BOOLEAN[parts[2]](truth, bits[2]) if parts[2] in BOOLEAN else truth
        return truth if word == "setp" else {"f32": 0x3F80_0000, "u32": -1, "s32": -1}[types[0]] * truth
    if word == "slct":
        c = value(flushed(bits[2], type_) if "ftz" in parts else bits[2], type_)
        return bits[1] if is_nan(c) or c < 0 else bits[0]
    if type_[0] == "f" or type_ == "bf16":
        if word in ("min", "max"):
            return extreme(parts, *bits)
        if word in ("abs", "neg"):
            a = flushed(bits[0], type_) if "ftz" in parts else bits[0]
            sign = 1 << BITS[type_] - 1
            if is_nan(value(a, type_)):
                return None
            return a & ~sign if word == "abs" else a ^ sign
        if word in ("add", "sub", "mul", "fma", "mad"):
            return arithmetic(parts, bits)
    if word not in INTEGER or (type_[0] == "f" and word not in RAW):
        return None
    if word in ("div", "rem") and (not bits[1] or (value(bits[1], type_) == -1)):
        return None
    operands = (
        bits if word in RAW else [value(x, t) if t != "pred" else x for x, t in zip(bits, types[1:], strict=True)]
    )
    return INTEGER[word](parts, *(operands if word not in ("dp4a", "dp2a") else [*bits[:2], value(bits[2], types[0])]))


def arithmetic(parts: list[str], bits: list[int]) -> int | None:
    """Computes results that are finite and not zero, from finite operands. Other tests check special values."""
    type_ = parts[-1]
    mode = next((p for p in parts if p in ("rn", "rz", "rm", "rp")), "rn")
    values = [value(flushed(x, type_) if "ftz" in parts else x, type_) for x in bits]
    if any(isinstance(x, float) for x in values):
        return None
    a, b, *c = values
    exact = {"add": a + b, "sub": a - b}.get(parts[0], a * b + (c[0] if c else 0))
    if not exact:
        return None
    result = from_fraction(exact, type_, mode)
    if "ftz" in parts:
        result = flushed(result, type_)
    one = from_fraction(Fraction(1), type_, "rn")
    if "relu" in parts and exact < 0:
        return 0 if result != 1 << BITS[type_] - 1 else None  # the ISA does not say that -0 is negative
    if "sat" in parts and exact < 0:
        return 0
    return min(result, one) if "sat" in parts else result


# --- running ---------------------------------------------------------------------------------------


def operand_types(opcode: str) -> list[str]:
    """Returns the types of the result and the operands."""
    parts = opcode.split(".")
    word, type_ = parts[0], parts[-1]
    count = forms.operand_counts(opcode)
    assert count
    same = [type_] * count.start
    wide = f"{type_[0]}{2 * WIDTHS[type_]}"
    special: dict[str, list[str]] = {
        "shl": [type_, type_, "u32"],
        "shr": [type_, type_, "u32"],
        "popc": ["u32", type_],
        "clz": ["u32", type_],
        "bfind": ["u32", type_],
        "bfe": [type_, type_, "u32", "u32"],
        "bfi": [type_, type_, type_, "u32", "u32"],
        "shf": ["b32"] * 4,
        "prmt": ["b32"] * 4,
        "selp": [type_, type_, type_, "pred"],
        "slct": [*[parts[-2]] * 3, type_],
        "setp": ["pred", type_, type_, "pred"][: count.start],
        "set": [parts[-2], type_, type_, "pred"][: count.start],
        "cvt": [parts[-2], type_],
        "dp4a": ["s32" if "s32" in parts else "u32", "b32", "b32", "s32" if "s32" in parts else "u32"],
    }
    special["dp2a"] = special["dp4a"]
    return [wide, type_, type_, wide][: count.start] if "wide" in parts else special.get(word, same)


@cache
def opcodes() -> list[str]:
    """Returns the scalar opcodes that `oracle` supports."""
    words = {*INTEGER, "cvt", "setp", "set", "slct", "fma"}
    found: list[str] = []
    for line in forms.FORMS.strip().splitlines():
        known = words & set(re.findall(r"\w+", line.partition(".")[0]))
        for opcode in expansions(re.split(r"\s{2,}", line)[0]) if known else []:
            parts = opcode.split(".")
            scalars = all(p not in ("tf32", "f16x2", "bf16x2", "e4m3x2", "e5m2x2", "pack", "cc") for p in parts)
            if parts[0] in words and scalars and SCALAR.fullmatch(parts[-1]):
                found.append(opcode)
    return sorted(set(found))


def operands(random: Random, type_: str) -> Iterator[int]:
    bits = WIDTHS[type_]
    edges = [0, 1, 2, 31, 32, 33, 63, 64, 255, 256, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, 1 << bits // 2]
    if type_ in FORMATS:
        precision = FORMATS[type_][0]
        numbers = [Fraction(n, 2) for n in (-257, -5, -3, -2, -1, 1, 2, 3, 5, 255, 511, 2**16, 2**32 - 1, 2**32, 2**64)]
        edges = [0, 1, infinity(type_, False), infinity(type_, True), nan_of(type_), infinity(type_, False) - 1]
        edges += [1 << precision - 1, (1 << precision - 1) - 1, 1 << bits - 1, (1 << bits - 1) + 1]
        edges += [from_fraction(n, type_, "rn") for n in numbers]
    while True:
        yield random.choice(edges) & (1 << bits) - 1 if random.random() < 0.6 else random.getrandbits(bits)


def check(names: list[str], seed: int) -> list[str]:
    """Runs opcodes, each in a kernel. Returns the problems."""
    random, kernels, inputs = Random(seed), [], []
    for k, opcode in enumerate(names):
        types = operand_types(opcode)
        columns = [[next(o) for _ in range(LANES)] for o in (operands(random, t) for t in types[1:])]
        if opcode.startswith(("div", "rem")):
            columns[1] = [x or 3 for x in columns[1]]
        inputs.append((types, columns))
        loads = "".join(
            f"ld.global.b64 wide, [at+{8 * i * LANES}]; cvt.u{max(WIDTHS[t], 16)}.u64 x{i}, wide; " if t != "pred" else
            f"ld.global.b64 wide, [at+{8 * i * LANES}]; setp.ne.b64 x{i}, wide, 0; "
            for i, t in enumerate(types[1:])
        )  # fmt: skip
        declared = "".join(
            f".reg .{'pred' if t == 'pred' else f'b{max(WIDTHS[t], 16)}'} {name}; "
            for name, t in zip(["d", *(f"x{i}" for i in range(len(types)))], types, strict=False)
        )
        arguments = ", ".join(["d", *(f"x{i}" for i in range(len(types) - 1))])
        store = "selp.b64 wide, 1, 0, d;" if types[0] == "pred" else f"cvt.u64.u{max(WIDTHS[types[0]], 16)} wide, d;"
        kernels.append(f"""
.visible .entry k{k}(.param .u64 in, .param .u64 out) {{
.reg .b64 at, to, wide, off; .reg .b32 t; {declared}
ld.param.u64 at, [in]; ld.param.u64 to, [out]; mov.u32 t, %tid.x; mul.wide.u32 off, t, 8;
add.u64 at, at, off; add.u64 to, to, off;
{loads}
{opcode} {arguments};
{store} st.global.b64 [to], wide; ret; }}""")
    module = parse(".version 8.0\n.target sm_90\n.address_size 64\n" + "".join(kernels))
    wrong: list[str] = []
    for k, (opcode, (types, columns)) in enumerate(zip(names, inputs, strict=True)):
        memory, out = Memory(), np.zeros(LANES, np.uint64)
        args = [memory.bind(np.array(columns, np.uint64)), memory.bind(out)]
        launch(module, f"k{k}", grid=1, block=LANES, args=args, memory=memory)
        for lane in range(LANES):
            given = [column[lane] for column in columns]
            want, mask = oracle(opcode.split("."), types, given), (1 << WIDTHS[types[0]]) - 1
            if want is not None and want & mask != int(out[lane]) & mask:
                wrong.append(
                    f"{opcode} of {[hex(x) for x in given]} is {want & mask:#x}, got {int(out[lane]) & mask:#x}"
                )
                break
    return wrong


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(8))
def test_scalar_opcodes(seed: int):
    assert check(Random(seed).sample(opcodes(), 60), seed) == []


def test_ptxas_takes_what_the_table_has():
    declared = "".join(f".reg .{'pred' if w == 1 else f'b{max(w, 16)}'} x{w}_<5>;" for w in (1, 8, 16, 32, 64))
    names = [o for o in Random(0).sample(opcodes(), 400) if not o.startswith("mov.pred")]
    lines = [f"{o} {', '.join(f'x{WIDTHS[t]}_{i}' for i, t in enumerate(operand_types(o)))};" for o in names]
    source = 'extern "C" __global__ void k() { asm volatile("{' + declared + "\\n".join(lines) + '}"); }'
    compile_cuda(source, "sm_90a")


@pytest.mark.parametrize(
    ("line", "error", "problem"),
    [
        ("add.foo.s32 a, b, c;", UnknownOpcode, "add.foo.s32"),
        ("add.ftz.s32 a, b, c;", UnknownOpcode, "add.ftz.s32"),
        ("mov.v2.b32 a, b;", UnknownOpcode, "mov.v2.b32"),
        ("cvt.f32.f64 a, w;", UnknownOpcode, "cvt.f32.f64"),
        ("cvt.rn.s32.f32 a, b;", UnknownOpcode, "cvt.rn.s32.f32"),
        ("min.xorsign.abs.f32 a, b, c;", UnknownOpcode, "xorsign"),
        ("atom.global.min.f32 a, [w], b;", UnknownOpcode, "atom.global.min.f32"),
        ("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [w], [a], b, h;", UnknownOpcode, "cp_mask"),
        ("ld.mmio.relaxed.sys.global.b32 a, [w];", UnknownOpcode, "mmio"),
        ("shfl.up.b32 a, b, c, 0;", UnknownOpcode, "shfl.up"),
        ("bra.foo L; L:", UnknownOpcode, "bra.foo"),
        ("add.s32 a, b, c, c;", BadOperand, "takes 3 operands, got 4"),
        ("add.s32 a, b;", BadOperand, "takes 3 operands, got 2"),
        ("add.f32 a, b, 1;", BadOperand, "the constant does not have type f32"),
        ("mov.b16 h, 0f3F800000;", BadOperand, "the constant does not have type b16"),
        ("ld.global.v4.b32 {a, b}, [w];", BadOperand, "4 elements, got 2"),
        ("st.global.v2.b32 [w], {a, b, c};", BadOperand, "2 elements, got 3"),
        ("ld.global.b32 {a, b}, [w];", BadOperand, "1 element, got 2"),
        ("stmatrix.sync.aligned.m8n8.x4.shared.b16 [a], {b, c};", BadOperand, "4 matrices need 4 registers"),
        ("lop3.b32 a, a, a, a, 256;", BadOperand, "256 is not an 8-bit table"),
        ("mov.b64 w, {a, b, c};", BadOperand, "3 parts"),
        ("atom.global.add.u32 a, [w], b, c;", BadOperand, "takes 3 operands, got 4"),
        ("atom.global.add.L2::cache_hint.u32 a, [w], b;", BadOperand, "takes 4 operands, got 3"),
        ("red.global.add.u32 [w], b, w;", BadOperand, "takes 2 operands, got 3"),
        ("ld.global.b32 a, [w], w;", BadOperand, "takes 2 operands, got 3"),
        ("cp.async.bulk.global.shared::cta.bulk_group [w], [a], b, w;", BadOperand, "takes 3 operands, got 4"),
        ("add.u32 5, a, b;", BadOperand, "an operand is a constant where a register is needed"),
    ],
)
def test_nothing_is_read_over(line: str, error: type[PtirError], problem: str):
    text = f""".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{
.reg .b32 a, b, c; .reg .b64 w; .reg .b16 h; .reg .pred p;\n{line}\nret; }}"""
    with pytest.raises(error, match=problem) as caught:
        launch(parse(text), "k", grid=1, block=32, args=[], memory=Memory())
    assert "PTX line 6" in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "atom.global.add.L2::cache_hint.u32 a, [w], b, w;",
        "red.global.add.L2::cache_hint.u32 [w], b, w;",
        "ld.global.L2::cache_hint.b32 a, [w], w;",
        "st.global.L2::cache_hint.v2.b32 [w], {a, b}, w;",
        "cp.async.ca.shared.global.L2::cache_hint [a], [w], 16, w;",
        "cp.async.ca.shared.global.L2::cache_hint [a], [w], 16, 8, w;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [w], b, [c];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [a], [w], b, [c], h;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
        " [a], [w], b, [c], h, w;",
    ],
)
def test_modifiers_that_bring_an_operand(line: str):
    text = f".version 8.0\n.target sm_90\n.entry k() {{.reg .b32 a, b, c; .reg .b64 w; .reg .b16 h;\n{line}\nret; }}"
    module = parse(text)
    prepare(module, module.kernels["k"], {}, 1)


if __name__ == "__main__":
    every = opcodes()
    for first in range(0, len(every), 100):
        for problem in check(every[first : first + 100], first):
            print(problem)
    print(f"{len(every)} opcodes")
