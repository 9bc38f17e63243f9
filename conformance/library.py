"""
The ops and programs of the library, by hashlib, zlib, base64, Python's integers and NumPy.

An oracle of an op takes a number for each operand, and the bytes of a buffer.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from math import gcd, isqrt
from typing import Any

import numpy as np

M32, M64 = 2**32 - 1, 2**64 - 1


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


ORACLES: dict[str, Callable[..., int]] = {
    "popcount": lambda x: x.bit_count(),
    "clz": lambda x: 32 - x.bit_length(),
    "ctz": lambda x: (x & -x).bit_length() - 1 if x else 32,
    "rotl": rotated,
    "rotr": lambda x, by: rotated(x, -by),
    "byte_swap": lambda x: int.from_bytes(x.to_bytes(4, "little"), "big"),
    "reverse_bits": lambda x: int(f"{x:032b}"[::-1], 2),
    "parity": lambda x: x.bit_count() % 2,
    "is_power_of_two": lambda x: int(x.bit_count() == 1),
    "next_power_of_two": next_power,
    "log2_floor": lambda x: max(x.bit_length() - 1, 0),
    "gray_encode": lambda x: x ^ x >> 1,
    "gray_decode": gray_decoded,
    "spread_bits": spread,
    "morton": lambda x, y: spread(x) | spread(y) << 1,
    "mul_high": lambda x, y: x * y >> 32,
    "add_saturating": lambda x, y: min(x + y, M32),
    "abs_diff": lambda x, y: abs(x - y),
    "average_floor": lambda x, y: (x + y) // 2,
    "clamp": lambda x, low, high: min(max(x, low), high),
    "isqrt": isqrt,
    "gcd": gcd,
    "power": lambda x, n: pow(x, n, 2**32),
    "pcg_hash": pcg,
    "crc32": lambda data, n: zlib.crc32(data[:n]),
    "adler32": lambda data, n: zlib.adler32(data[:n]),
    "fnv1a": lambda data, n: fnv(data[:n], 0x811C9DC5, 0x01000193, M32),
    "fnv1a64": lambda data, n: fnv(data[:n], 0xCBF29CE484222325, 0x100000001B3, M64),
    "djb2": lambda data, n: djb2(data[:n]),
    "word_at": lambda data, at: int.from_bytes(data[at : at + 4], "little"),
    "murmur3": lambda data, n, seed: murmur3(data[:n], seed),
    "xxhash32": lambda data, n, seed: xxh32(data[:n], seed),
    "utf8_validate": lambda data, n: int(is_utf8(data[:n])),
    "to_lower": lambda x: ord(chr(x).lower()) if x < 128 else x,
    "is_space": lambda x: int(bytes([x]).isspace()),
    "hex_digit": lambda x: ord(f"{x % 16:x}"),
    "hex_value": lambda x: int(chr(x), 16) if chr(x) in "0123456789abcdefABCDEF" else 255,
    "find_byte": lambda data, n, byte: [*data[:n], byte].index(byte),
}
PRECONDITIONS: dict[str, Callable[..., bool]] = {
    "clamp": lambda x, low, high: low <= high,
    **dict.fromkeys(("to_lower", "is_space", "hex_value"), lambda x: x < 256),
    "find_byte": lambda data, n, byte: byte < 256,
}
"""Conditions on the operands of ops that do not take every one. Only inputs that satisfy them are tried."""


# --- programs -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProgramCase:
    """The arrays of a dispatch, the number of its workgroups, and the words of its output."""

    buffers: dict[str, Any]
    workgroups: int
    output: Callable[[], Any]


def round_constants() -> Any:
    """Returns the constants of SHA-256: the first 32 bits of the fractions of the cube roots of the first 64 primes."""
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, isqrt(n) + 1))]
    with localcontext(Context(40)):
        return np.array([int(Decimal(p) ** (Decimal(1) / 3) % 1 * 2**32) for p in primes], np.uint32)


def padded(message: bytes, blocks: int) -> bytes:
    """Returns a message with the padding of SHA-256, of whole blocks."""
    return message + b"\x80" + bytes(64 * blocks - len(message) - 9) + (8 * len(message)).to_bytes(8, "big")


RNG = np.random.default_rng(22)
DATA = RNG.integers(0, 256, 64, dtype=np.uint8)
INDICES = np.concatenate([RNG.integers(0, 99, 45), [0, 1, 127, 128, 129, 255, 65536, 2**31, 2**32 - 1] * 2]).astype(
    np.uint32
)
MESSAGES = [bytes((k * 7 + j) % 256 for j in range(57 + k)) for k in range(40)]
DIGITS = np.zeros(256, np.uint32)
DIGITS[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")] = np.arange(64)
ITEMS = np.where(RNG.random(128) < 0.7, RNG.integers(0, 2**32, 128, dtype=np.uint32), np.uint32(0))
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


PROGRAMS: dict[str, ProgramCase] = {
    "sha256": ProgramCase(
        {
            "in": np.frombuffer(b"".join(padded(m, 2) for m in MESSAGES), np.uint8),
            "out": zeros(8 * len(MESSAGES)), "params": params(2, len(MESSAGES)), "table": round_constants(),
        },
        2, lambda: np.frombuffer(b"".join(hashlib.sha256(m).digest() for m in MESSAGES), np.uint32),
    ),
    "hex_encode": ProgramCase({"in": DATA, "out": zeros(32), "params": params()}, 1, lambda: np.frombuffer(DATA.tobytes().hex().encode(), np.uint32)),
    "base64_decode": ProgramCase(
        {"in": np.frombuffer(base64.b64encode(DATA[:47].tobytes()), np.uint8), "out": zeros(12), "params": params(), "table": DIGITS},
        1, lambda: np.frombuffer(DATA[:47].tobytes() + b"\0", np.uint32),
    ),
    "byte_histogram": ProgramCase({"in": DATA, "out": zeros(256), "params": params(50)}, 1, lambda: np.bincount(DATA[:50], minlength=256)),
    "count_matches": ProgramCase(
        {"in": TEXT, "out": zeros(1), "params": params(26, 4), "table": np.frombuffer(b"abra", np.uint8)},
        1, lambda: np.array([4]),
    ),
    "prefix_sum": ProgramCase({"in": ITEMS, "out": zeros(128), "params": params()}, 1, lambda: np.cumsum(ITEMS, dtype=np.uint32)),
    "compact": ProgramCase({"in": ITEMS, "out": zeros(129), "params": params()}, 1, compacted),
    "bitonic_sort": ProgramCase({"in": ITEMS, "out": zeros(128), "params": params()}, 1, lambda: np.sort(ITEMS)),
    "reduce_sum": ProgramCase({"in": ITEMS, "out": zeros(1), "params": params(100)}, 2, lambda: np.sum(ITEMS[:100], dtype=np.uint32, keepdims=True)),
    "reduce_max": ProgramCase({"in": ITEMS, "out": zeros(1), "params": params(100)}, 2, lambda: np.max(ITEMS[:100], keepdims=True)),
    "reverse": ProgramCase({"in": ITEMS, "out": zeros(128), "params": params(128)}, 2, lambda: ITEMS[::-1]),
    "transpose": ProgramCase({"in": MATRIX[:35], "out": zeros(35), "params": params(5, 7)}, 1, lambda: MATRIX[:35].reshape(5, 7).T.ravel()),
    "gather": ProgramCase(
        {"in": INDICES, "out": zeros(63), "params": params(), "table": ITEMS},
        1, lambda: np.array([ITEMS[k] if k < 128 else 0 for k in INDICES]),
    ),
    "matmul": ProgramCase({"in": MATRIX, "out": zeros(45), "params": params(5, 7, 9)}, 1, product),
    "dot": ProgramCase({"in": ITEMS, "out": zeros(2), "params": params(64)}, 1, lambda: dot(64)),
}  # fmt: skip
