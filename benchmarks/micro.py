"""
Small CUDA kernels, one for each instruction that nv kernels use, whose results on two devices are compared.

    kernels()                 returns the kernels with their inputs, which are always the same
    run(kernel, device)       returns what a kernel stores on a GPU or in the emulator
    differences(kernel, …)    describes where two results differ
    to_json / from_json       convert a GPU's results to data, which `tests/unit/project/test_micro.py` compares with the emulator's

Results must be equal bit for bit, with two exceptions, which have a tolerance: mma on random values, where hardware
truncates sums in ways that PTX does not specify (PTX ISA §9.7.14), and approximate functions (§9.7.3). The sums of an mma on
small integers are exact.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.runtime.launch import Device, Launch
from ptir.semantics.arrays.scalars import Array

WARP = 32
HEAD = (
    "typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64;\n"
)
TARGETS = ("sm_80", "sm_89", "sm_90")


@dataclass(frozen=True)
class Micro:
    """
    A kernel `k` of one warp that reads `inputs` and fills `outputs` (type and size). `target` is the oldest architecture that
    can run it. Results may differ by `atol + rtol · |want|`; if both are 0, they must be equal bit for bit.
    """

    name: str
    source: str
    inputs: tuple[Array, ...]
    outputs: tuple[tuple[str, int], ...]
    target: str = "sm_80"
    rtol: float = 0.0
    atol: float = 0.0


def run(kernel: Micro, device: Device, target: str | None = None) -> list[Array]:
    """Compiles a kernel for `target`, runs it, and returns its outputs."""
    binary = compile_cuda(kernel.source, target or kernel.target)
    outputs = [np.zeros(size, np.dtype(dtype)) for dtype, size in kernel.outputs]
    written = frozenset(range(len(kernel.inputs), len(kernel.inputs) + len(outputs)))
    device.run(binary, Launch("k", (1, 1, 1), (WARP, 1, 1), 0, written), [*kernel.inputs, *outputs])
    return outputs


def differences(kernel: Micro, got: Sequence[Array], want: Sequence[Array]) -> list[str]:
    """Returns a description of each output in which two results differ."""
    found: list[str] = []
    for k, (g, w) in enumerate(zip(got, want, strict=True)):
        bits = g.view(f"u{g.itemsize}") == w.view(f"u{w.itemsize}")
        if kernel.rtol or kernel.atol:
            with np.errstate(all="ignore"):
                bits |= np.isclose(g, w, rtol=kernel.rtol, atol=kernel.atol, equal_nan=True)
        if not bits.all():
            at = int(np.argmin(bits))
            hexes = [f"{int(a.view(f'u{a.itemsize}')[at]):#x}" for a in (g, w)]
            found.append(
                f"output {k}: {int((~bits).sum())} of {bits.size}, first at {at}: {g[at]} ({hexes[0]}), "
                f"not {w[at]} ({hexes[1]})"
            )
    return found


# --- as data ---------------------------------------------------------------------------------------


def to_json(kernel: Micro, answer: Sequence[Array]) -> dict[str, Any]:
    """Returns a kernel and its outputs on a device as JSON data, which suffices to repeat it on another device."""
    return {
        "name": kernel.name,
        "target": kernel.target,
        "rtol": kernel.rtol,
        "atol": kernel.atol,
        "source": kernel.source,
        "inputs": [_pack(a) for a in kernel.inputs],
        "outputs": [_pack(a) for a in answer],
    }


def from_json(entry: dict[str, Any]) -> tuple[Micro, list[Array]]:
    answer = [_unpack(a) for a in entry["outputs"]]
    inputs = tuple(_unpack(a) for a in entry["inputs"])
    outputs = tuple((a.dtype.str, a.size) for a in answer)
    fields = (entry[key] for key in ("target", "rtol", "atol"))
    return Micro(entry["name"], entry["source"], inputs, outputs, *fields), answer


def _pack(a: Array) -> list[str]:
    return [a.dtype.str, base64.b64encode(a.tobytes()).decode()]


def _unpack(packed: Sequence[str]) -> Array:
    """Returns an array; it is a copy, because kernels need memory that is aligned to 16 bytes."""
    return np.frombuffer(base64.b64decode(packed[1]), packed[0]).copy()


# --- the kernels -----------------------------------------------------------------------------------


def kernels() -> list[Micro]:
    """Returns all kernels; fixed seeds make their inputs the same every time."""
    return [*_copies(), *_matrix_loads(), *_mmas(), *_layouts(), *_conversions(), *_arithmetic(), *_approximations()]


def _random_bits(seed: int, count: int, dtype: str = "<u4") -> Array:
    r = np.random.default_rng(seed)
    return r.integers(0, 1 << 8 * np.dtype(dtype).itemsize, count, dtype=np.uint64).astype(dtype)


def _copies() -> Iterator[Micro]:
    """cp.async of every width, with every source size; the rest is filled with zeros (PTX ISA §9.7.9.25.3)."""
    for width, cache in ((16, "cg"), (16, "ca"), (8, "ca"), (4, "ca")):
        words = width // 4
        source = f"""{HEAD}extern "C" __global__ void k(const u32* x, u32* y) {{
  __shared__ __align__(128) u32 s[{WARP * words}];
  const int lane = threadIdx.x;
  const u32 to = (u32)__cvta_generic_to_shared(s + lane * {words});
  asm volatile("cp.async.{cache}.shared.global [%0], [%1], {width}, %2;"
               :: "r"(to), "l"(x + lane * {words}), "r"(lane % {width + 1}) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (int i = 0; i < {words}; ++i) y[lane * {words} + i] = s[lane * {words} + i];
}}"""
        yield Micro(f"cp.async.{cache} {width}", source, (_random_bits(width, WARP * words),), (("<u4", WARP * words),))


def _matrix_loads() -> Iterator[Micro]:
    """ldmatrix and stmatrix of one, two and four matrices, plain and transposed, with rows in a permuted order."""
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            regs = ", ".join(f"%{i}" for i in range(count))
            out = ", ".join(f'"=r"(r[{i}])' for i in range(count))
            source = f"""{HEAD}extern "C" __global__ void k(const uint4* x, u32* y) {{
  __shared__ __align__(128) uint4 s[{WARP}];
  const int lane = threadIdx.x;
  s[lane] = x[lane];
  __syncthreads();
  u32 r[{count}];
  asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{regs}}}, [%{count}];"
               : {out} : "r"((u32)__cvta_generic_to_shared(s + (lane * 5 + 3) % {WARP})) : "memory");
  for (int i = 0; i < {count}; ++i) y[lane * {count} + i] = r[i];
}}"""
            bits = _random_bits(20 + count, 4 * WARP)
            yield Micro(f"ldmatrix x{count}{trans}", source, (bits,), (("<u4", count * WARP),))
            into = ", ".join(f'"r"(r[{i}])' for i in range(count))
            regs = ", ".join(f"%{i + 1}" for i in range(count))
            source = f"""{HEAD}extern "C" __global__ void k(const u32* x, uint4* y) {{
  __shared__ __align__(128) uint4 s[{WARP}];
  const int lane = threadIdx.x;
  s[lane] = make_uint4(lane, lane, lane, lane);
  __syncthreads();
  u32 r[{count}];
  for (int i = 0; i < {count}; ++i) r[i] = x[lane * {count} + i];
  asm volatile("stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%0], {{{regs}}};"
               :: "r"((u32)__cvta_generic_to_shared(s + (lane * 5 + 3) % {WARP})), {into} : "memory");
  __syncthreads();
  y[lane] = s[lane];
}}"""
            bits = _random_bits(30 + count, count * WARP)
            yield Micro(f"stmatrix x{count}{trans}", source, (bits,), (("<u4", 4 * WARP),), "sm_90")


@dataclass(frozen=True)
class _Mma:
    """An mma.sync: its modifiers, the number of registers of A, B and C in a lane, and their types."""

    text: str
    a: int
    b: int
    c: int
    element: str
    accumulator: str = "<f4"
    target: str = "sm_80"


_MMAS = (
    *(_Mma(f"m16n8k16.row.col.f32.{t}.{t}.f32", 4, 2, 4, t) for t in ("bf16", "f16")),
    *(_Mma(f"m16n8k8.row.col.f32.{t}.{t}.f32", 2, 1, 4, t) for t in ("bf16", "f16")),
    _Mma("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "tf32"),
    _Mma("m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, "tf32"),
    *(_Mma(f"m16n8k32.row.col.s32.{t}.{t}.s32", 4, 2, 4, t, "<i4") for t in ("s8", "u8")),
    *(_Mma(f"m16n8k16.row.col.s32.{t}.{t}.s32", 2, 1, 4, t, "<i4") for t in ("s8", "u8")),
    _Mma("m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "f64", "<f8"),
)
_SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0**-14, 2.0**-24, 65504.0)


def _operand(element: str, values: Array) -> Array:
    """Returns values in the form in which registers hold elements of this type."""
    import ml_dtypes

    types: dict[str, Any] = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "s8": np.int8, "u8": np.uint8}
    if element == "f64":
        return values.astype("<f8")
    if element == "tf32":
        return (values.astype("<f4").view("<u4") & np.uint32(0xFFFFE000)).astype("<u4")
    return values.astype(types[element]).view("<u4")


def _mmas() -> Iterator[Micro]:
    """mma of every shape and type, on small integers (exact), random values and special values (PTX ISA §9.7.14.5)."""
    for number, m in enumerate(_MMAS):
        double = m.element == "f64"
        each = {"bf16": 2, "f16": 2, "s8": 4, "u8": 4}.get(m.element, 1)
        integral = m.accumulator == "<i4"
        for kind in ("integers",) if integral else ("integers", "random", "specials"):
            r = np.random.default_rng(100 + number)
            operands: list[Array] = []
            for registers in (m.a, m.b):
                count = WARP * registers * each
                if kind == "integers":
                    low, high = (0, 256) if m.element == "u8" else (-128, 128) if integral else (-8, 9)
                    values = r.integers(low, high, count)
                else:
                    values = r.standard_normal(count)
                    if kind == "specials":
                        values[r.integers(0, count, count // 16)] = r.choice(_SPECIAL, count // 16)
                operands.append(_operand(m.element, values))
            start = r.integers(-100, 101, WARP * m.c).astype(m.accumulator)
            tolerance = (
                {}
                if kind == "integers"
                else {"rtol": 2.0**-50, "atol": 2.0**-48}
                if double
                else {"rtol": 2.0**-20, "atol": 2.0**-16}
            )
            yield Micro(
                f"mma {m.text} on {kind}",
                _mma_source(m),
                (*operands, start),
                ((m.accumulator, WARP * m.c),),
                m.target,
                **tolerance,
            )


def _mma_source(m: _Mma) -> str:
    held = {"<f4": ("float", "f"), "<i4": ("int", "r"), "<f8": ("double", "d")}
    ctype, letter = held[m.accumulator]
    word, word_letter = ("double", "d") if m.element == "f64" else ("u32", "r")

    def group(first: int, count: int) -> str:
        return "{" + ", ".join(f"%{first + i}" for i in range(count)) + "}"

    sums = ", ".join(f'"+{letter}"(c[{i}])' for i in range(m.c))
    ins = ", ".join([f'"{word_letter}"(a[{i}])' for i in range(m.a)] + [f'"{word_letter}"(b[{i}])' for i in range(m.b)])
    return f"""{HEAD}extern "C" __global__ void k(const {word}* x, const {word}* w, const {ctype}* start, {ctype}* y) {{
  const int lane = threadIdx.x;
  {word} a[{m.a}], b[{m.b}];
  {ctype} c[{m.c}];
  for (int i = 0; i < {m.a}; ++i) a[i] = x[lane * {m.a} + i];
  for (int i = 0; i < {m.b}; ++i) b[i] = w[lane * {m.b} + i];
  for (int i = 0; i < {m.c}; ++i) c[i] = start[lane * {m.c} + i];
  asm volatile("mma.sync.aligned.{m.text} {group(0, m.c)}, {group(m.c, m.a)}, {group(m.c + m.a, m.b)}, {group(0, m.c)};"
               : {sums} : {ins});
  for (int i = 0; i < {m.c}; ++i) y[lane * {m.c} + i] = c[i];
}}"""


def _layouts() -> Iterator[Micro]:
    """Device functions of the prelude: addresses of swizzled elements, and exchanges between lanes."""
    from ptir.backends.cuda.prelude import source
    from ptir.backends.cuda.prelude.shared_layouts import function_of
    from ptir.targets.shared_layouts import named

    for columns in (8, 16, 32, 64, 128):
        for width in (1, 2, 4, 8):
            if columns * width < 16:
                continue
            offset = function_of(named("xor", WARP, columns, width))
            text = f"""{source([offset])}
extern "C" __global__ void k(u32* y) {{
  for (int c = 0; c < {columns}; ++c) y[threadIdx.x * {columns} + c] = {offset}<{width}>(threadIdx.x, c);
}}"""
            yield Micro(f"swizzle of {columns} columns of {width}", text, (), (("<u4", WARP * columns),))
    for step in (1, 2, 16):
        text = f"""{source(["exchange"])}
extern "C" __global__ void k(const float2* x, float2* y) {{
  float2 pair = x[threadIdx.x];
  exchange(pair.x, pair.y, {step});
  y[threadIdx.x] = pair;
}}"""
        values = np.arange(2 * WARP, dtype="<f4")
        yield Micro(f"exchange with the lane {step} away", text, (values,), (("<f4", 2 * WARP),))


def _floats(seed: int, count: int = 512) -> Array:
    """Returns f32 bit patterns: special values, neighbors of rounding boundaries of 16-bit types, and random bits."""
    halves = np.array([(e << 23) | f for e in range(100, 160, 3) for f in (0x1000, 0x8000, 0x18000, 0x3000)], "<u4")
    near = np.concatenate([halves - 1, halves, halves + 1])
    edges = np.array(
        [0, 1, 0x7FFFFF, 0x800000, 0x33000000, 0x33000001, 0x387FE000, 0x387FF000, 0x38800000, 0x477FE000,
         0x477FEFFF, 0x477FF000, 0x7F7F0000, 0x7F7F7FFF, 0x7F7F8000, 0x7F7FFFFF, 0x7F800000, 0x7F800001,
         0x7FC00000, 0x7FFFFFFF, 0x4EFFFFFF, 0x4F000000, 0x4F800000, 0x3F000000, 0x3FC00000, 0x40200000], "<u4",
    )  # fmt: skip
    both = np.concatenate([edges, near, edges | np.uint32(1 << 31), near | np.uint32(1 << 31)])
    return np.concatenate([both, _random_bits(seed, count)])[:count].astype("<u4").view("<f4")


def _each(
    name: str, statement: str, ctypes: Sequence[str], out: str, inputs: Sequence[Array], result: str, **rest: Any
) -> Micro:
    """Returns a kernel that applies a statement to each element; it reads `x0, x1, …` and writes `y`."""
    count = inputs[0].size
    params = ", ".join(f"const {c}* p{i}" for i, c in enumerate(ctypes))
    loads = " ".join(f"const {c} x{i} = p{i}[at];" for i, c in enumerate(ctypes))
    source = f"""{HEAD}extern "C" __global__ void k({params}, {out}* q) {{
  for (int at = threadIdx.x; at < {count}; at += {WARP}) {{
    {loads}
    {out} y;
    {statement}
    q[at] = y;
  }}
}}"""
    return Micro(name, source, tuple(inputs), ((result, count),), **rest)


def _conversions() -> Iterator[Micro]:
    """Conversions between element types, with NaN, infinities, subnormals and halfway cases (PTX ISA §9.7.9.21)."""
    x = _floats(1)
    for t in ("bf16", "f16"):
        yield _each(
            f"cvt.rn.{t}.f32", f'asm("cvt.rn.{t}.f32 %0, %1;" : "=h"(y) : "f"(x0));', ["float"], "u16", [x], "<u2"
        )
        pair = f'asm("cvt.rn.{t}x2.f32 %0, %1, %2;" : "=r"(y) : "f"(x0), "f"(x1));'
        yield _each(f"cvt.rn.{t}x2.f32", pair, ["float", "float"], "u32", [x, x[::-1].copy()], "<u4")
    for t in ("e4m3", "e5m2"):
        pair = f'asm("cvt.rn.satfinite.{t}x2.f32 %0, %1, %2;" : "=h"(y) : "f"(x0), "f"(x1));'
        operands = ["float", "float"]
        yield _each(f"cvt.rn.satfinite.{t}x2.f32", pair, operands, "u16", [x, x[::-1].copy()], "<u2", target="sm_89")
        wide = f'asm("cvt.rn.f16x2.{t}x2 %0, %1;" : "=r"(y) : "h"(x0));'
        every = np.arange(0, 1 << 16, 127).astype("<u2")
        yield _each(f"cvt.rn.f16x2.{t}x2", wide, ["u16"], "u32", [every], "<u4", target="sm_89")
    patterns = np.concatenate([np.arange(0, 1 << 16, 131), [0x7C00, 0xFC00, 0x7C01, 0x7E00, 0xFFFF, 1, 0x8001]])
    halves = patterns.astype("<u2")
    yield _each("cvt.f32.f16", 'asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x0));', ["u16"], "float", [halves], "<f4")
    widen = 'asm("{ .reg .b16 z; mov.b16 z, 0; mov.b32 %0, {z, %1}; }" : "=f"(y) : "h"(x0));'
    yield _each("bf16 to f32", widen, ["u16"], "float", [halves], "<f4")
    yield _each(
        "cvt.rna.tf32.f32", 'asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x0));', ["float"], "u32", [x], "<u4"
    )
    for rounding in ("rni", "rzi", "rmi", "rpi"):
        text = f'asm("cvt.{rounding}.s32.f32 %0, %1;" : "=r"(y) : "f"(x0));'
        yield _each(f"cvt.{rounding}.s32.f32", text, ["float"], "int", [x], "<i4")
    integers = _random_bits(5, 256).view("<i4")
    yield _each(
        "cvt.rn.f32.s32", 'asm("cvt.rn.f32.s32 %0, %1;" : "=f"(y) : "r"(x0));', ["int"], "float", [integers], "<f4"
    )
    yield _each("cvt.f64.f32", 'asm("cvt.f64.f32 %0, %1;" : "=d"(y) : "f"(x0));', ["float"], "double", [x], "<f8")
    with np.errstate(invalid="ignore"):  # signalling NaN
        doubles = np.concatenate([x.astype("<f8"), _random_bits(6, 256, "<u8").view("<f8")])
    yield _each(
        "cvt.rn.f32.f64", 'asm("cvt.rn.f32.f64 %0, %1;" : "=f"(y) : "d"(x0));', ["double"], "float", [doubles], "<f4"
    )


def _arithmetic() -> Iterator[Micro]:
    """Arithmetic of epilogues whose results IEEE 754 or PTX specifies exactly (PTX ISA §9.7.3)."""
    x, w = _floats(2), _floats(3)[::-1].copy()
    for op in ("add.rn", "sub.rn", "mul.rn", "div.rn", "max.NaN", "min.NaN", "max", "min", "add.rn.ftz", "mul.rn.ftz"):
        text = f'asm("{op}.f32 %0, %1, %2;" : "=f"(y) : "f"(x0), "f"(x1));'
        yield _each(f"{op}.f32", text, ["float", "float"], "float", [x, w], "<f4")
    for op in ("sqrt.rn", "rcp.rn", "neg", "abs", "neg.ftz"):
        yield _each(f"{op}.f32", f'asm("{op}.f32 %0, %1;" : "=f"(y) : "f"(x0));', ["float"], "float", [x], "<f4")
    text = 'asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(y) : "f"(x0), "f"(x1), "f"(x2));'
    yield _each("fma.rn.f32", text, ["float"] * 3, "float", [x, w, _floats(4)], "<f4")


def _approximations() -> Iterator[Micro]:
    """Functions for which PTX specifies only a relative error (PTX ISA §9.7.3.11 and following)."""
    spread = np.random.default_rng(9).uniform(-20, 20, 512).astype("<f4")
    for op, inputs, error in (
        ("ex2.approx.ftz", spread, 2.0**-22),
        ("lg2.approx", np.abs(spread) + 2, 2.0**-21),
        ("rcp.approx", spread, 2.0**-22),
        ("rsqrt.approx", np.abs(spread), 2.0**-21),
        ("tanh.approx", spread / 8, 2.0**-10),
    ):
        text = f'asm("{op}.f32 %0, %1;" : "=f"(y) : "f"(x0));'
        yield _each(f"{op}.f32", text, ["float"], "float", [inputs.astype("<f4")], "<f4", rtol=error, atol=2.0**-40)
