"""Every op and program of the library of `vyre`, against hashlib, zlib, base64, Python's integers, NumPy and published values."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterator
from decimal import Context, Decimal, localcontext
from math import gcd, isqrt
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FlatSymbolRefAttr, ModuleOp
from xdsl.ir import Block, SSAValue

from ptir.dialects import vyre
from ptir.dialects.vyre.types import BufferType, DataType, boolean, i32, u32, u64
from ptir.runtime.vyre import PtxPrograms
from ptir.runtime.vyre_library import library
from ptir.runtime.wgsl import NoAdapter, WgslProgram, device
from ptir.semantics.vyre import dispatch, find_program
from ptir.text.verify import verify_module

M32, M64 = 2**32 - 1, 2**64 - 1
LANES = 64
DTYPES = {u32: np.uint32, i32: np.int32, u64: np.uint64, boolean: np.uint32}
RNG = np.random.default_rng(22)
EDGES = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**31 + 1, M32 - 1, M32]
WORDS = np.concatenate([np.array(EDGES, np.uint32), RNG.integers(0, 2**32, LANES - len(EDGES), dtype=np.uint32)])
OTHERS = np.concatenate(
    [RNG.permutation(np.array(EDGES, np.uint32)), RNG.integers(0, 99, LANES - len(EDGES), dtype=np.uint32)]
)
DATA = RNG.integers(0, 256, LANES, dtype=np.uint8)
LENGTHS = np.arange(LANES, dtype=np.uint32)
BYTES = np.arange(LANES, dtype=np.uint32) * 4 % 256


def rotated(x: int, by: int) -> int:
    by %= 32
    return (x << by | x >> (32 - by)) & M32


def fnv(data: bytes, h: int, prime: int, mask: int) -> int:
    for byte in data:
        h = (h ^ byte) * prime & mask
    return h


def djb2(data: bytes) -> int:
    h = 5381
    for byte in data:
        h = (h * 33 + byte) & M32
    return h


def murmur3(data: bytes, seed: int) -> int:
    h = seed
    padded = data + bytes(-len(data) % 4)
    for k in range(0, len(padded), 4):
        word = rotated(int.from_bytes(padded[k : k + 4], "little") * 0xCC9E2D51 & M32, 15) * 0x1B873593 & M32
        h ^= word
        if k + 4 <= len(data):
            h = rotated(h, 13) * 5 + 0xE6546B64 & M32
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & M32
    return h ^ h >> 16


def xxh32(data: bytes, seed: int) -> int:
    p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    whole, h = len(data) // 16 * 16, seed + p5
    if whole:
        lanes = [seed + p1 + p2, seed + p2, seed, seed - p1]
        for k in range(0, whole, 4):
            word = int.from_bytes(data[k : k + 4], "little")
            lanes[k // 4 % 4] = rotated(lanes[k // 4 % 4] + word * p2 & M32, 13) * p1 & M32
        h = sum(rotated(v & M32, by) for v, by in zip(lanes, (1, 7, 12, 18), strict=True))
    h = h + len(data) & M32
    while len(data) - whole >= 4:
        h = rotated(h + int.from_bytes(data[whole : whole + 4], "little") * p3 & M32, 17) * p4 & M32
        whole += 4
    for byte in data[whole:]:
        h = rotated(h + byte * p5 & M32, 11) * p1 & M32
    h = (h ^ h >> 15) * p2 & M32
    h = (h ^ h >> 13) * p3 & M32
    return h ^ h >> 16


def pcg(x: int) -> int:
    s = x * 747796405 + 2891336453 & M32
    w = (s >> (s >> 28) + 4 ^ s) * 277803737 & M32
    return w >> 22 ^ w


def is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def next_power(x: int) -> int:
    power = 1
    while power < x:
        power *= 2
    return power % 2**32 if x else 0


def gray_decoded(x: int) -> int:
    return 0 if x == 0 else x ^ gray_decoded(x >> 1)


def spread(x: int) -> int:
    return sum((x >> k & 1) << 2 * k for k in range(16))


def prefix(f: Callable[..., int], *more: int) -> Callable[..., int]:
    """Returns the oracle of an op of the first n bytes of `DATA`."""
    return lambda n, *rest: f(DATA[:n].tobytes(), *rest)


ORACLES: dict[str, tuple[tuple[Any, ...], Callable[..., int]]] = {
    "popcount": ((WORDS,), lambda x: x.bit_count()),
    "clz": ((WORDS,), lambda x: 32 - x.bit_length()),
    "ctz": ((WORDS,), lambda x: (x & -x).bit_length() - 1 if x else 32),
    "rotl": ((WORDS, OTHERS), rotated),
    "rotr": ((WORDS, OTHERS), lambda x, by: rotated(x, -by)),
    "byte_swap": ((WORDS,), lambda x: int.from_bytes(x.to_bytes(4, "little"), "big")),
    "reverse_bits": ((WORDS,), lambda x: int(f"{x:032b}"[::-1], 2)),
    "parity": ((WORDS,), lambda x: x.bit_count() % 2),
    "is_power_of_two": ((WORDS,), lambda x: int(x.bit_count() == 1)),
    "next_power_of_two": ((WORDS,), next_power),
    "log2_floor": ((WORDS,), lambda x: max(x.bit_length() - 1, 0)),
    "gray_encode": ((WORDS,), lambda x: x ^ x >> 1),
    "gray_decode": ((WORDS,), gray_decoded),
    "spread_bits": ((WORDS,), spread),
    "morton": ((WORDS, OTHERS), lambda x, y: spread(x) | spread(y) << 1),
    "mul_high": ((WORDS, OTHERS), lambda x, y: x * y >> 32),
    "add_saturating": ((WORDS, OTHERS), lambda x, y: min(x + y, M32)),
    "abs_diff": ((WORDS, OTHERS), lambda x, y: abs(x - y)),
    "average_floor": ((WORDS, OTHERS), lambda x, y: (x + y) // 2),
    "clamp": ((WORDS.view(np.int32), np.full(LANES, -9, np.int32), np.full(LANES, 70000, np.int32)), lambda x, a, b: min(max(x, a), b)),
    "isqrt": ((WORDS,), isqrt),
    "gcd": ((WORDS, OTHERS), gcd),
    "power": ((WORDS, OTHERS), lambda x, n: pow(x, n, 2**32)),
    "pcg_hash": ((WORDS,), pcg),
    "crc32": ((DATA, LENGTHS), prefix(zlib.crc32)),
    "adler32": ((DATA, LENGTHS), prefix(zlib.adler32)),
    "fnv1a": ((DATA, LENGTHS), prefix(lambda d: fnv(d, 0x811C9DC5, 0x01000193, M32))),
    "fnv1a64": ((DATA, LENGTHS), prefix(lambda d: fnv(d, 0xCBF29CE484222325, 0x100000001B3, M64))),
    "djb2": ((DATA, LENGTHS), prefix(djb2)),
    "word_at": ((DATA, LENGTHS), lambda at: int.from_bytes(DATA[at : at + 4].tobytes(), "little")),
    "murmur3": ((DATA, LENGTHS, WORDS), prefix(murmur3)),
    "xxhash32": ((DATA, LENGTHS, WORDS), prefix(xxh32)),
    "utf8_validate": ((DATA, LENGTHS), prefix(lambda d: int(is_utf8(d)))),
    "to_lower": ((BYTES,), lambda x: ord(chr(x).lower()) if x < 128 else x),
    "is_space": ((BYTES,), lambda x: int(bytes([x]).isspace())),
    "hex_digit": ((WORDS,), lambda x: ord(f"{x % 16:x}")),
    "hex_value": ((BYTES,), lambda x: int(chr(x), 16) if chr(x) in "0123456789abcdefABCDEF" else 255),
    "find_byte": ((DATA, LENGTHS, np.full(LANES, DATA[40], np.uint32)), lambda n, b: [*DATA[:n].tolist(), b].index(b)),
}  # fmt: skip
"""The inputs of each op, and its oracle, which takes those that are not buffers."""


def wrapped(op: vyre.OpOp) -> vyre.ProgramOp:
    """Returns a program that calls an op in each invocation, with an element of each input that is not a buffer of bytes."""
    body = Block()

    def add(new: Any) -> SSAValue:
        body.add_op(new)
        return new.results[0]

    types = [arg.type.dtype if isinstance(arg.type, BufferType) else arg.type for arg in op.inputs]
    buffers = [add(vyre.BufferOp(f"x{k}", BufferType(t, "read_only"), k)) for k, t in enumerate(types)]
    out = add(vyre.BufferOp("y", BufferType(op.output, "read_write"), len(types)))
    i = add(vyre.PositionOp("global"))
    args = [
        buffer if isinstance(arg.type, BufferType) else add(vyre.LoadOp(buffer, i))
        for arg, buffer in zip(op.inputs, buffers, strict=True)
    ]
    name = op.sym_name.data
    result = add(vyre.CallOp([args], [op.output], callee=FlatSymbolRefAttr(name)))
    body.add_op(vyre.StoreOp(result, out, i))
    return vyre.ProgramOp(f"each_{name}", body, (LANES, 1, 1))


def outputs(name: str, output: DataType) -> dict[str, Any]:
    """Returns the arrays of a program that calls op `name`."""
    return {f"x{k}": a for k, a in enumerate(ORACLES[name][0])} | {"y": np.zeros(LANES, DTYPES[output])}


@pytest.fixture(scope="module")
def whole() -> ModuleOp:
    """The library, with a program for each of its ops."""
    module = library()
    for op in [op for op in module.ops if isinstance(op, vyre.OpOp)]:
        module.body.block.add_op(wrapped(op))
    verify_module(module)
    return module


def test_the_library_has_all_its_files_and_an_oracle_for_each_op(whole: ModuleOp):
    ops = {op.sym_name.data for op in whole.ops if isinstance(op, vyre.OpOp)}
    programs = {p.sym_name.data for p in whole.ops if isinstance(p, vyre.ProgramOp)} - {f"each_{op}" for op in ops}
    assert ops == set(ORACLES) and programs == set(PROGRAMS) and len(ops | programs) >= 40


def values(array: Any) -> list[int]:
    return [int(v) for v in array]


@pytest.mark.parametrize("name", ORACLES)
def test_op(whole: ModuleOp, name: str):
    program = find_program(whole, f"each_{name}")
    inputs, oracle = ORACLES[name]
    output = next(op.output for op in whole.ops if isinstance(op, vyre.OpOp) and op.sym_name.data == name)
    got = dispatch(program, outputs(name, output))["y"].view(DTYPES[output])
    want = [oracle(*args) for args in zip(*(values(a) for a in inputs if a is not DATA), strict=True)]
    assert values(got) == want


PUBLISHED = {
    ("murmur3", b"The quick brown fox jumps over the lazy dog", 0x9747B28C): 0x2FA826CD,
    ("murmur3", b"", 1): 0x514E28B7,
    ("xxhash32", b"", 0): 0x02CC5D05,
    ("xxhash32", b"abc", 0): 0x32D153FF,
    ("xxhash32", b"Nobody inspects the spammish repetition", 0): 0xE2293B2F,
    ("fnv1a", b"foobar", None): 0xBF9CF968,
    ("fnv1a64", b"foobar", None): 0x85944171F73967E8,
    ("utf8_validate", "żółw 亀 🐢".encode(), None): 1,
}


@pytest.mark.parametrize(("name", "data", "seed"), PUBLISHED)
def test_published_values(whole: ModuleOp, name: str, data: bytes, seed: int | None):
    padded = np.frombuffer(data + bytes(4 - len(data) % 4), np.uint8)
    buffers: dict[str, Any] = {"x0": padded, "x1": np.full(LANES, len(data), np.uint32)}
    if seed is not None:
        buffers["x2"] = np.full(LANES, seed, np.uint32)
    dtype = np.uint64 if name == "fnv1a64" else np.uint32
    got = dispatch(find_program(whole, f"each_{name}"), {**buffers, "y": np.zeros(LANES, dtype)})
    assert int(got["y"].view(dtype)[0]) == PUBLISHED[name, data, seed]


UTF8 = [
    b"\xc3\xa9",
    b"\xe2\x82\xac",
    b"\xf0\x9f\x90\xa2",
    b"\xf4\x8f\xbf\xbf",
    b"\x7f",
    b"\xed\x9f\xbf",
    b"\xef\xbf\xbf",
]
NOT_UTF8 = [b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80",
            b"\xf5\x80\x80\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x90", b"\xc3\xc3", b"\xff", b"\xe2\x28\xa1"]  # fmt: skip


def test_utf8_at_the_limits_of_each_form(whole: ModuleOp):
    """All cases follow one another in a buffer; each invocation would need its own, so each is one dispatch of one lane's prefix."""
    program = find_program(whole, "each_utf8_validate")
    for data in [*UTF8, *NOT_UTF8]:
        buffers = {"x0": np.frombuffer(data.ljust(4, b"a"), np.uint8), "x1": np.full(1, len(data), np.uint32)}
        got = dispatch(program, {**buffers, "y": np.zeros(1, np.uint32)})["y"][0]
        assert got == is_utf8(data) == (data in UTF8), data


# --- programs -----------------------------------------------------------------------------------


def round_constants() -> Any:
    """Returns the constants of SHA-256: the first 32 bits of the fractions of the cube roots of the first 64 primes."""
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, isqrt(n) + 1))]
    with localcontext(Context(40)):
        return np.array([int(Decimal(p) ** (Decimal(1) / 3) % 1 * 2**32) for p in primes], np.uint32)


def padded(message: bytes, blocks: int) -> bytes:
    """Returns a message with the padding of SHA-256, of whole blocks."""
    return message + b"\x80" + bytes(64 * blocks - len(message) - 9) + (8 * len(message)).to_bytes(8, "big")


MESSAGES = [bytes((k * 7 + j) % 256 for j in range(57 + k)) for k in range(40)]
DIGITS = np.zeros(256, np.uint32)
DIGITS[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")] = np.arange(64)
ITEMS = RNG.integers(0, 2**32, 128, dtype=np.uint32) * (RNG.random(128) < 0.7)
ITEMS = ITEMS.astype(np.uint32)
MATRIX = RNG.integers(0, 2**32, 5 * 7 + 7 * 9, dtype=np.uint32)
TEXT = np.frombuffer(b"abracadabra abracadabra ab" + bytes(2), np.uint8)


def params(*numbers: int) -> Any:
    return np.array([*numbers, 0, 0, 0, 0][:4], np.uint32)


def compacted() -> Any:
    kept = ITEMS[ITEMS != 0]
    return np.concatenate([kept, [len(kept)], np.zeros(128 - len(kept))]).astype(np.uint32)


def product() -> Any:
    a, b = MATRIX[:35].reshape(5, 7).astype(object), MATRIX[35:].reshape(7, 9).astype(object)
    return np.array([int(v) % 2**32 for v in (a @ b).ravel()], np.uint32)


def dot(n: int) -> Any:
    total = sum(int(a) * int(b) for a, b in zip(ITEMS[:n], ITEMS[n : 2 * n], strict=True))
    return np.array([total % 2**64], np.uint64).view(np.uint32)


def zeros(words: int) -> Any:
    return np.zeros(words, np.uint32)


PROGRAMS: dict[str, tuple[dict[str, Any], int, Callable[[], Any]]] = {
    "sha256": (
        {
            "in": np.frombuffer(b"".join(padded(m, 2) for m in MESSAGES), np.uint8),
            "out": zeros(8 * len(MESSAGES)), "params": params(2, len(MESSAGES)), "table": round_constants(),
        },
        2, lambda: np.frombuffer(b"".join(hashlib.sha256(m).digest() for m in MESSAGES), np.uint32),
    ),
    "hex_encode": ({"in": DATA, "out": zeros(32), "params": params()}, 1, lambda: np.frombuffer(DATA.tobytes().hex().encode(), np.uint32)),
    "base64_decode": (
        {"in": np.frombuffer(base64.b64encode(DATA[:47].tobytes()), np.uint8), "out": zeros(12), "params": params(), "table": DIGITS},
        1, lambda: np.frombuffer(DATA[:47].tobytes() + b"\0", np.uint32),
    ),
    "byte_histogram": ({"in": DATA, "out": zeros(256), "params": params(50)}, 1, lambda: np.bincount(DATA[:50], minlength=256)),
    "count_matches": (
        {"in": TEXT, "out": zeros(1), "params": params(26, 4), "table": np.frombuffer(b"abra", np.uint8)},
        1, lambda: np.array([4]),
    ),
    "prefix_sum": ({"in": ITEMS, "out": zeros(128), "params": params()}, 1, lambda: np.cumsum(ITEMS, dtype=np.uint32)),
    "compact": ({"in": ITEMS, "out": zeros(129), "params": params()}, 1, compacted),
    "bitonic_sort": ({"in": ITEMS, "out": zeros(128), "params": params()}, 1, lambda: np.sort(ITEMS)),
    "reduce_sum": ({"in": ITEMS, "out": zeros(1), "params": params(100)}, 2, lambda: np.sum(ITEMS[:100], dtype=np.uint32, keepdims=True)),
    "reduce_max": ({"in": ITEMS, "out": zeros(1), "params": params(100)}, 2, lambda: np.max(ITEMS[:100], keepdims=True)),
    "reverse": ({"in": ITEMS, "out": zeros(128), "params": params(128)}, 2, lambda: ITEMS[::-1]),
    "transpose": ({"in": MATRIX[:35], "out": zeros(35), "params": params(5, 7)}, 1, lambda: MATRIX[:35].reshape(5, 7).T.ravel()),
    "gather": (
        {"in": OTHERS, "out": zeros(LANES), "params": params(), "table": ITEMS},
        1, lambda: np.array([ITEMS[k] if k < 128 else 0 for k in OTHERS]),
    ),
    "matmul": ({"in": MATRIX, "out": zeros(45), "params": params(5, 7, 9)}, 1, product),
    "dot": ({"in": ITEMS, "out": zeros(2), "params": params(64)}, 1, lambda: dot(64)),
}  # fmt: skip
"""The arrays of each program, the number of workgroups, and its output."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(whole: ModuleOp, name: str):
    buffers, groups, oracle = PROGRAMS[name]
    assert dispatch(find_program(whole, name), buffers, (groups,))["out"].tolist() == oracle().tolist()


# --- backends -----------------------------------------------------------------------------------

SAMPLE = ("each_clz", "each_fnv1a64", "each_gcd", "base64_decode", "byte_histogram", "compact")
"""What the gate compiles; `make campaign` compiles all."""


def cases(module: ModuleOp, names: tuple[str, ...] | None) -> Iterator[tuple[str, dict[str, Any], int]]:
    for op in module.ops:
        if isinstance(op, vyre.ProgramOp) and (names is None or op.sym_name.data in names):
            name = op.sym_name.data
            if name in PROGRAMS:
                yield name, *PROGRAMS[name][:2]
            else:
                yield name, outputs(name.removeprefix("each_"), op.bound()[-1].type.dtype), 1


def only(module: ModuleOp, names: tuple[str, ...] | None) -> ModuleOp:
    kept = [op for op in module.ops if not isinstance(op, vyre.ProgramOp) or names is None or op.sym_name.data in names]
    return ModuleOp([op.clone() for op in kept])


@pytest.mark.parametrize("names", [SAMPLE, pytest.param(None, marks=pytest.mark.campaign)], ids=["sample", "all"])
def test_ptx_is_bit_equal_to_the_interpreter(whole: ModuleOp, names: tuple[str, ...] | None):
    part = only(whole, names)
    compiled = PtxPrograms.compile(part)
    for name, buffers, groups in cases(part, names):
        want = dispatch(find_program(part, name), buffers, (groups,))
        for seed in (None, 1):
            got = compiled.dispatch(buffers, (groups,), name, seed)
            assert all(np.array_equal(want[k], got[k]) for k in want), name


@pytest.fixture(scope="module")
def adapter() -> str:
    try:
        return device().adapter.info["description"]
    except NoAdapter as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("names", [SAMPLE, pytest.param(None, marks=pytest.mark.campaign)], ids=["sample", "all"])
def test_wgsl_is_bit_equal_to_the_interpreter(whole: ModuleOp, adapter: str, names: tuple[str, ...] | None):
    part = only(whole, names)
    for name, buffers, groups in cases(part, names):
        want = dispatch(find_program(part, name), buffers, (groups,))
        got = WgslProgram(part, name).dispatch(buffers, (groups,))
        assert all(np.array_equal(want[k], got[k]) for k in want), name


def hashes() -> Iterator[tuple[dict[str, Any], int, bytes]]:
    """Yields dispatches that hash 10,000 messages of one and of two blocks: their buffers, workgroups and digests."""
    messages = [RNG.bytes(int(n)) for n in RNG.integers(0, 120, 10000)]
    for blocks in (1, 2):
        chosen = [m for m in messages if (len(m) > 55) == (blocks == 2)]
        yield {
            "in": np.frombuffer(b"".join(padded(m, blocks) for m in chosen), np.uint8),
            "out": zeros(8 * len(chosen)), "params": params(blocks, len(chosen)), "table": round_constants(),
        }, -(-len(chosen) // 32), b"".join(hashlib.sha256(m).digest() for m in chosen)  # fmt: skip


@pytest.mark.campaign
def test_interpreter_hashes_10000_messages(whole: ModuleOp):
    for buffers, groups, digests in hashes():
        assert dispatch(find_program(whole, "sha256"), buffers, (groups,))["out"].tobytes() == digests


@pytest.mark.campaign
def test_wgsl_hashes_10000_messages(whole: ModuleOp, adapter: str):
    compiled = WgslProgram(only(whole, ("sha256",)), "sha256")
    for buffers, groups, digests in hashes():
        assert compiled.dispatch(buffers, (groups,))["out"].tobytes() == digests
