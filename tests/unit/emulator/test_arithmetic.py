"""Single opcodes, compared with oracles that share no code with the emulator: Python integers, fractions, NumPy."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.conformance.integers import quotient
from ptir.emulator import Memory, launch, parse
from tests.unit.builders.ptx_kernels.launch import run_cuda

N = 512
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


@dataclass(frozen=True)
class Case:
    """An opcode with inputs of C types `ins` and a result of type `out`. The oracle takes and returns bits as Python integers."""

    op: str
    out: str
    ins: tuple[str, ...]
    oracle: Callable[..., int]


LETTER = {"u16": "h", "u32": "r", "u64": "l", "f32": "r", "f64": "l", "f16": "h", "bf16": "h"}
CTYPE = {"u16": "unsigned short", "u32": "unsigned", "u64": "unsigned long long"}
CTYPE |= {"f32": "unsigned", "f64": "unsigned long long", "f16": "unsigned short", "bf16": "unsigned short"}
BITS = {"u16": 16, "u32": 32, "u64": 64, "f32": 32, "f64": 64, "f16": 16, "bf16": 16}


def prmt(a: int, b: int, s: int) -> int:
    both = (a | b << 32).to_bytes(8, "little")
    out = []
    for i in range(4):
        nibble = s >> 4 * i & 15
        byte = both[nibble & 7]
        out.append((255 if byte & 128 else 0) if nibble & 8 else byte)
    return int.from_bytes(bytes(out), "little")


def bfe(a: int, p: int, n: int, bits: int, sign: bool) -> int:
    p, n = p & 255, n & 255
    top = a >> min(p + n - 1, bits - 1) & 1 if n and sign else 0
    return sum((a >> p + i & 1 if p + i < bits and i < n else top) << i for i in range(bits))


def bfi(a: int, b: int, p: int, n: int) -> int:
    p, n = p & 255, n & 255
    for i in range(n):
        if p + i < 32:
            b = b & ~(1 << p + i) | (a >> i & 1) << p + i if i < 32 else b & ~(1 << p + i)
    return b


U2, U3, L2, L3 = ("u32",) * 2, ("u32",) * 3, ("u64",) * 2, ("u64",) * 3
INTEGERS = [
    Case("add.u32", "u32", U2, lambda a, b: a + b),
    Case("sub.s64", "u64", L2, lambda a, b: a - b),
    Case("mul.lo.s32", "u32", U2, lambda a, b: a * b),
    Case("mul.hi.u32", "u32", U2, lambda a, b: a * b >> 32),
    Case("mul.hi.s32", "u32", U2, lambda a, b: signed(a, 32) * signed(b, 32) >> 32),
    Case("mul.hi.u64", "u64", L2, lambda a, b: a * b >> 64),
    Case("mul.hi.s64", "u64", L2, lambda a, b: signed(a, 64) * signed(b, 64) >> 64),
    Case("mul.lo.u64", "u64", L2, lambda a, b: a * b),
    Case("mul.wide.u32", "u64", U2, lambda a, b: a * b),
    Case("mul.wide.s32", "u64", U2, lambda a, b: signed(a, 32) * signed(b, 32)),
    Case("mul.wide.s16", "u32", ("u16", "u16"), lambda a, b: signed(a, 16) * signed(b, 16)),
    Case("mad.lo.u32", "u32", U3, lambda a, b, c: a * b + c),
    Case("mad.hi.s32", "u32", U3, lambda a, b, c: (signed(a, 32) * signed(b, 32) >> 32) + c),
    Case("mad.lo.s64", "u64", L3, lambda a, b, c: a * b + c),
    Case("mad.wide.u32", "u64", ("u32", "u32", "u64"), lambda a, b, c: a * b + c),
    Case("mad.wide.s32", "u64", ("u32", "u32", "u64"), lambda a, b, c: signed(a, 32) * signed(b, 32) + c),
    Case("div.u32", "u32", U2, lambda a, b: a // b),
    Case("div.s32", "u32", U2, lambda a, b: quotient(signed(a, 32), signed(b, 32))),
    Case("rem.s32", "u32", U2, lambda a, b: signed(a, 32) - quotient(signed(a, 32), signed(b, 32)) * signed(b, 32)),
    Case("rem.u64", "u64", L2, lambda a, b: a % b),
    Case("div.s64", "u64", L2, lambda a, b: quotient(signed(a, 64), signed(b, 64))),
    Case("min.s32", "u32", U2, lambda a, b: min(signed(a, 32), signed(b, 32))),
    Case("max.u64", "u64", L2, max),
    Case("abs.s32", "u32", ("u32",), lambda a: abs(signed(a, 32))),
    Case("neg.s64", "u64", ("u64",), lambda a: -a),
    Case("and.b32", "u32", U2, lambda a, b: a & b),
    Case("or.b64", "u64", L2, lambda a, b: a | b),
    Case("xor.b16", "u16", ("u16", "u16"), lambda a, b: a ^ b),
    Case("not.b32", "u32", ("u32",), lambda a: ~a),
    Case("shl.b32", "u32", U2, lambda a, n: a << n if n < 32 else 0),
    Case("shr.u64", "u64", ("u64", "u32"), lambda a, n: a >> n if n < 64 else 0),
    Case("shr.s32", "u32", U2, lambda a, n: signed(a, 32) >> min(n, 31)),
    Case("shf.l.wrap.b32", "u32", U3, lambda a, b, n: ((b << 32 | a) << (n & 31)) >> 32),
    Case("shf.r.clamp.b32", "u32", U3, lambda a, b, n: (b << 32 | a) >> min(n, 32)),
    Case("bfe.u32", "u32", U3, lambda a, p, n: bfe(a, p, n, 32, False)),
    Case("bfe.s32", "u32", U3, lambda a, p, n: bfe(a, p, n, 32, True)),
    Case("bfi.b32", "u32", ("u32",) * 4, bfi),
    Case("prmt.b32", "u32", U3, prmt),
    Case("popc.b64", "u32", ("u64",), lambda a: a.bit_count()),
    Case("clz.b32", "u32", ("u32",), lambda a: 32 - a.bit_length()),
    Case("clz.b64", "u32", ("u64",), lambda a: 64 - a.bit_length()),
    Case("brev.b32", "u32", ("u32",), lambda a: int(f"{a:032b}"[::-1], 2)),
    Case("bfind.u32", "u32", ("u32",), lambda a: a.bit_length() - 1),
    Case("sad.s32", "u32", U3, lambda a, b, c: c + abs(signed(a, 32) - signed(b, 32))),
    Case("cvt.s64.s32", "u64", ("u32",), lambda a: signed(a, 32)),
    Case("cvt.s32.s8", "u32", ("u32",), lambda a: signed(a, 8)),
    Case("cvt.sat.u16.s32", "u16", ("u32",), lambda a: min(max(signed(a, 32), 0), 65535)),
]

# --- floats, as exact rationals ---------------------------------------------------------------------

FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}


def to_fraction(bits: int, kind: str) -> Fraction | None:
    """Returns the value of a finite float, otherwise None."""
    precision, least, _ = FORMATS[kind]
    width = BITS[kind] - precision
    exponent, mantissa = bits >> (precision - 1) & ((1 << width) - 1), bits & ((1 << precision - 1) - 1)
    if exponent == (1 << width) - 1:
        return None
    value = Fraction(mantissa + ((1 << precision - 1) if exponent else 0)) * Fraction(2) ** (
        max(exponent, 1) - 1 + least - precision + 1
    )
    return -value if bits >> (BITS[kind] - 1) else value


def from_fraction(value: Fraction, kind: str, mode: str) -> int:
    """Rounds an exact value by the definition."""
    precision, least, most = FORMATS[kind]
    size = abs(value)
    sign = value < 0
    if not size:
        return 0
    exponent = max(size.numerator.bit_length() - size.denominator.bit_length() - 1, least - 1)
    while Fraction(2) ** (exponent + 1) <= size:
        exponent += 1
    exponent = max(exponent, least)
    quantum = Fraction(2) ** (exponent - precision + 1)
    count, rest = divmod(size, quantum)
    up = {"rn": rest * 2 > quantum or (rest * 2 == quantum and count % 2), "rz": False,
          "rm": sign and rest > 0, "rp": not sign and rest > 0}[mode]  # fmt: skip
    count += bool(up)
    if count == 1 << precision:
        count, exponent = count >> 1, exponent + 1
    width = BITS[kind] - precision
    if exponent > most:
        infinite = mode == "rn" or (mode == "rp" and not sign) or (mode == "rm" and sign)
        bits = ((1 << width) - 1) << (precision - 1) if infinite else (((1 << width) - 1) << (precision - 1)) - 1
    elif count < 1 << (precision - 1):
        bits = count
    else:
        bits = (exponent - least + 1) << (precision - 1) | (count - (1 << (precision - 1)))
    return bits | sign << (BITS[kind] - 1)


def rational(op: str, out: str, ins: tuple[str, ...], mode: str, function: Callable[..., Fraction]) -> Case:
    def oracle(*bits: int) -> int:
        values = [to_fraction(b, k) for b, k in zip(bits, ins, strict=True)]
        if any(v is None for v in values):
            return -1
        exact = function(*values)
        return from_fraction(exact, out, mode) if exact else -1  # the sign of zero is tested elsewhere

    return Case(op, out, ins, oracle)


FLOATS = [
    *(rational(f"add.{m}.f32", "f32", ("f32",) * 2, m, lambda a, b: a + b) for m in ("rn", "rz", "rm", "rp")),
    *(rational(f"fma.{m}.f32", "f32", ("f32",) * 3, m, lambda a, b, c: a * b + c) for m in ("rn", "rz", "rm", "rp")),
    *(rational(f"mul.{m}.f32", "f32", ("f32",) * 2, m, lambda a, b: a * b) for m in ("rn", "rz", "rm", "rp")),
    *(rational(f"div.{m}.f32", "f32", ("f32",) * 2, m, lambda a, b: a / b if b else Fraction(0)) for m in ("rn", "rz", "rm", "rp")),
    rational("sub.rn.f64", "f64", ("f64",) * 2, "rn", lambda a, b: a - b),
    rational("fma.rn.f64", "f64", ("f64",) * 3, "rn", lambda a, b, c: a * b + c),
    rational("fma.rn.f16", "f16", ("f16",) * 3, "rn", lambda a, b, c: a * b + c),
    rational("add.rn.f16", "f16", ("f16",) * 2, "rn", lambda a, b: a + b),
    rational("mul.rn.f16", "f16", ("f16",) * 2, "rn", lambda a, b: a * b),
    rational("fma.rn.bf16", "bf16", ("bf16",) * 3, "rn", lambda a, b, c: a * b + c),
    *(rational(f"cvt.{m}.bf16.f32", "bf16", ("f32",), m, lambda a: a) for m in ("rn", "rz")),
    *(rational(f"cvt.{m}.f16.f32", "f16", ("f32",), m, lambda a: a) for m in ("rn", "rz")),
    *(rational(f"cvt.{m}.f32.f64", "f32", ("f64",), m, lambda a: a) for m in ("rn", "rz", "rm", "rp")),
    rational("cvt.f32.f16", "f32", ("f16",), "rn", lambda a: a),
    rational("cvt.f32.bf16", "f32", ("bf16",), "rn", lambda a: a),
    *(Case(f"cvt.{m}.f32.s32", "f32", ("u32",), lambda a, m=m: from_fraction(Fraction(signed(a, 32)), "f32", m)) for m in ("rn", "rz", "rm", "rp")),
    Case("cvt.rn.f32.u64", "f32", ("u64",), lambda a: from_fraction(Fraction(a), "f32", "rn")),
    Case("cvt.rz.f32.u64", "f32", ("u64",), lambda a: from_fraction(Fraction(a), "f32", "rz")),
    Case("cvt.rn.f64.s64", "f64", ("u64",), lambda a: from_fraction(Fraction(signed(a, 64)), "f64", "rn")),
]  # fmt: skip


def to_integer(mode: Callable[[Fraction], int], bits: int, is_signed: bool) -> Callable[[int], int]:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)

    def oracle(a: int) -> int:
        value = to_fraction(a, "f32")
        if value is None:
            return 0 if a & 0x7FFFFF else (low if a >> 31 else high)
        return min(max(mode(value), low), high)

    return oracle


FLOATS += [
    Case("cvt.rzi.s32.f32", "u32", ("f32",), to_integer(lambda v: int(v), 32, True)),
    Case("cvt.rni.s32.f32", "u32", ("f32",), to_integer(round, 32, True)),
    Case("cvt.rmi.s64.f32", "u64", ("f32",), to_integer(lambda v: v.__floor__(), 64, True)),
    Case("cvt.rpi.u32.f32", "u32", ("f32",), to_integer(lambda v: v.__ceil__(), 32, False)),
    Case("cvt.rzi.u64.f32", "u64", ("f32",), to_integer(lambda v: int(v), 64, False)),
]


def float_bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def least(a: int, b: int, largest: bool) -> int:
    """Returns the minimum or maximum of two floats, given as bits. If one is NaN, returns the other."""
    if a & 0x7FFFFFFF > 0x7F800000:
        return b if b & 0x7FFFFFFF <= 0x7F800000 else 0x7FFFFFFF
    if b & 0x7FFFFFFF > 0x7F800000:
        return a
    key = lambda v: -(v & 0x7FFFFFFF) - 1 if v >> 31 else v  # noqa: E731
    return (max if largest else min)((a, b), key=key)


FLOATS += [
    Case("min.f32", "f32", ("f32",) * 2, lambda a, b: least(a, b, False)),
    Case("max.f32", "f32", ("f32",) * 2, lambda a, b: least(a, b, True)),
    Case("neg.f32", "f32", ("f32",), lambda a: a ^ 1 << 31),
    Case("abs.f32", "f32", ("f32",), lambda a: a & 0x7FFFFFFF),
    Case("copysign.f32", "f32", ("f32",) * 2, lambda a, b: b & 0x7FFFFFFF | a & 1 << 31),
]
CASES = INTEGERS + FLOATS


def kernel(index: int, case: Case) -> str:
    params = "".join(f", const {CTYPE[k]}* x{i}" for i, k in enumerate(case.ins))
    names = ", ".join(f"%{i + 1}" for i in range(len(case.ins)))
    sources = ", ".join(f'"{LETTER[k]}"(x{i}[t])' for i, k in enumerate(case.ins))
    return (
        f'extern "C" __global__ void k{index}({CTYPE[case.out]}* y{params}) {{ int t = threadIdx.x; {CTYPE[case.out]} d; '
        f'asm volatile("{case.op} %0, {names};" : "={LETTER[case.out]}"(d) : {sources}); y[t] = d; }}\n'
    )


@pytest.fixture(scope="module")
def module():
    # sm_90 has cvt with all roundings and bf16 arithmetic; the emulator does not depend on the target
    return parse(compile_cuda("".join(kernel(i, c) for i, c in enumerate(CASES)), "sm_90").ptx)


def inputs(case: Case, seed: int) -> list[np.ndarray]:
    """Returns random bits, small values and boundary values. Divisors are not zero, shift amounts are mostly small."""
    rng = np.random.default_rng(seed)
    arrays = []
    for position, kind in enumerate(case.ins):
        bits = BITS[kind]
        values = (
            rng.integers(0, 1 << bits, N, dtype=np.uint64 if bits == 64 else np.int64, endpoint=False)
            if bits < 64
            else rng.integers(0, M64, N, dtype=np.uint64, endpoint=True)
        )
        values = values.astype(f"u{bits // 8}")
        if kind[0] != "u" and len(case.ins) > 1:  # similar magnitudes, so that results are rounded
            precision, _, most = FORMATS[kind]
            near = rng.integers(most - 14, most + 14, N).astype(values.dtype) << values.dtype.type(precision - 1)
            mantissa = values & values.dtype.type((1 << precision - 1) - 1)
            sign = values & values.dtype.type(1 << (bits - 1))
            values[64:] = (sign | near | mantissa)[64:]
        edges = [0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 2, 31, 32, 33, 63, 64]
        if kind == "f32":
            edges += [float_bits(v) for v in (1.0, -1.0, 0.5, 1.5, 2.5, 2.0**31, 2.0**63, 3e38, 1e-45, float("inf"))]
        edges = [e & (1 << bits) - 1 for e in edges]
        values[: len(edges)] = np.roll(np.array(edges, values.dtype), position * 3)
        if position and case.op.startswith(("shl", "shr", "shf", "bfe", "bfi")) and kind == "u32":
            values[100:] %= 40
        if position == 1 and case.op.startswith(("div", "rem")) and kind[0] == "u":
            values[values == 0] = 7
            values[200:] >>= values.dtype.type(bits - 9)
            values[values == 0] = 3
        arrays.append(values)
    return arrays


@pytest.mark.sampled(2)
@pytest.mark.parametrize("index", range(len(CASES)), ids=[c.op for c in CASES])
def test_opcode(module: Any, index: int):
    case = CASES[index]
    xs = inputs(case, index)
    y = np.zeros(N, f"u{BITS[case.out] // 8}")
    memory = Memory()
    args = [memory.bind(y, initialized=False), *(memory.bind(x, readonly=True) for x in xs)]
    report = launch(module, f"k{index}", grid=1, block=N, args=args, memory=memory)
    assert report.opcodes[case.op] >= N
    checked = 0
    for t in range(N):
        want = case.oracle(*(int(x[t]) for x in xs))
        if want == -1 and case.out[0] != "u":
            continue
        checked += 1
        got, want = int(y[t]), want & (1 << BITS[case.out]) - 1
        assert got == want, f"{case.op} of {[hex(int(x[t])) for x in xs]} is {want:#x}, got {got:#x}"
    assert checked > N // 2


def test_bf16_pair_conversion_puts_the_first_operand_high():
    source = """
    extern "C" __global__ void k(unsigned* y, const float* a, const float* b) { int t = threadIdx.x; unsigned d;
      asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(a[t]), "f"(b[t])); y[t] = d;
      asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(a[t]), "f"(b[t])); y[t + 64] = d; }"""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(64).astype(np.float32) for _ in range(2))
    y = np.zeros(128, np.uint32)
    run_cuda(source, y, a, b)
    halves = y.view(np.uint16).reshape(2, 64, 2)
    for kind, got in zip((ml_dtypes.bfloat16, np.float16), halves, strict=True):
        assert np.array_equal(got[:, 1], a.astype(kind).view(np.uint16))
        assert np.array_equal(got[:, 0], b.astype(kind).view(np.uint16))


def test_comparisons_of_nan():
    names = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
    body = "".join(
        f'asm volatile("{{.reg .pred p; setp.{n}.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}}" : "=r"(d) : "f"(a[t]), "f"(b[t])); y[t + {i * 64}] = d;'
        for i, n in enumerate(names)
    )
    source = f'extern "C" __global__ void k(unsigned* y, const float* a, const float* b) {{ int t = threadIdx.x; unsigned d; {body} }}'
    values = np.array([-1, -0.0, 0.0, 1, np.inf, -np.inf, np.nan, 1e-45], np.float32)
    a, b = (np.ascontiguousarray(v.reshape(-1)) for v in np.meshgrid(values, values))
    y = np.zeros((len(names), 64), np.uint32)
    run_cuda(source, y, a, b)
    for row, name in zip(y, names, strict=True):
        for got, left, right in zip(row, a.tolist(), b.tolist(), strict=True):
            nan = left != left or right != right
            if name in ("num", "nan"):
                want = nan == (name == "nan")
            else:
                ordered = {"eq": left == right, "ne": left != right, "lt": left < right, "le": left <= right,
                           "gt": left > right, "ge": left >= right}[name[:2]]  # fmt: skip
                want = len(name) == 3 if nan else ordered
            assert got == want, (name, left, right)
