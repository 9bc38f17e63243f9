"""Every bit pattern of every float type survives printing and parsing, scalar and dense."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence

import pytest
from xdsl.dialects import builtin, test
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    FloatAttr,
    FloatData,
    ModuleOp,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute

from ptir.diagnostics.rendering import render_error
from ptir.errors import SourceError
from ptir.passes.environment import make_context
from ptir.text.float_bits import bits_of, value_of
from ptir.text.literals import dense, element_size
from ptir.text.parsing import parse_text
from ptir.text.roundtrip import check_round_trip
from ptir.text.writing import print_module

pytestmark = pytest.mark.sampled(3)

WIDE = [builtin.f80, builtin.f128]
PACKED = [
    *(builtin.bf16, builtin.f16, builtin.f32, builtin.f64, builtin.tf32),
    *(builtin.f8E5M2, builtin.f8E4M3, builtin.f8E4M3FN, builtin.f8E5M2FNUZ, builtin.f8E4M3FNUZ),
    *(builtin.f8E4M3B11FNUZ, builtin.f8E3M4, builtin.f8E8M0FNU),
    *(builtin.f6E2M3FN, builtin.f6E3M2FN, builtin.f4E2M1FN),
]
BY_NAME = {"ids": lambda type: type.name}
MANTISSA = {16: 7, 19: 10, 32: 23, 64: 52}
"""
Assumed width of the fraction for each width of a type. Other formats need not have it: the patterns cover their boundaries, too.
"""


def patterns(type: AnyFloat) -> Sequence[int]:
    """Returns all bit patterns of types up to 16 bits; for wider ones, random patterns and those near exponent boundaries."""
    if type.bitwidth <= 16:
        return range(1 << type.bitwidth)
    r = random.Random(type.bitwidth)
    found = [r.getrandbits(type.bitwidth) for _ in range(300)]
    mantissa = MANTISSA[type.bitwidth]
    for exponent in (0, 1, (1 << (type.bitwidth - 1 - mantissa)) - 2, (1 << (type.bitwidth - 1 - mantissa)) - 1):
        for fraction in (0, 1, 1 << (mantissa - 1), (1 << (mantissa - 1)) + 1, (1 << mantissa) - 1):
            found += [sign << (type.bitwidth - 1) | exponent << mantissa | fraction for sign in (0, 1)]
    return found


def packed(bits: Sequence[int], type: AnyFloat) -> bytes:
    return b"".join(b.to_bytes(element_size(type), "little") for b in bits)


def module_of(attributes: dict[str, Attribute]) -> ModuleOp:
    return ModuleOp([test.TestOp(attributes=attributes)])


def attribute(text: str) -> Attribute:
    module = parse_text(f'"test.op"() {{a = {text}}} : () -> ()', make_context(), "m.mlir")
    return next(iter(module.ops)).attributes["a"]


def printed(attr: Attribute) -> str:
    return (
        print_module(module_of({"a": attr}))
        .splitlines()[1]
        .removeprefix('  "test.op"() {a = ')
        .removesuffix("} : () -> ()")
    )


@pytest.mark.sampled(6)
@pytest.mark.parametrize("type", PACKED, **BY_NAME)
def test_dense_keeps_every_pattern(type: AnyFloat):
    bits = patterns(type)
    some = [bits[i : i + 60] for i in range(0, len(bits), max(60, len(bits) // 40))]
    tensor = lambda n: TensorType(type, [n])  # noqa: E731
    attributes: dict[str, Attribute] = {"all": dense(tensor(len(bits)), packed(bits, type))}
    for i, part in enumerate(some):
        attributes[f"list{i}"] = dense(tensor(len(part)), packed(part, type))
        attributes[f"array{i}"] = DenseArrayBase(type, BytesAttr(packed(part, type)))
        attributes[f"splat{i}"] = dense(TensorType(type, [2, 2]), packed([part[0]] * 4, type))
        pairs = packed(part[: len(part) // 2 * 2], type)
        complex_type = TensorType(ComplexType(type), [len(part) // 2])
        attributes[f"complex{i}"] = dense(complex_type, pairs)
    attributes["nested"] = dense(VectorType(type, [2, 3, 2]), packed(bits[:12], type))
    attributes["scalar"] = dense(TensorType(type, []), packed(bits[-1:], type))
    attributes["empty"] = dense(tensor(0), packed([], type))
    check_round_trip(module_of(attributes), make_context())


@pytest.mark.parametrize("type", PACKED, **BY_NAME)
def test_scalars_keep_every_pattern(type: AnyFloat):
    bits = patterns(type)
    bits = bits if len(bits) < 1000 else [*bits[:: len(bits) // 500], *bits[-130:]]
    for b in bits:
        assert bits_of(value_of(b, type), type) == b
    values = [FloatAttr.new((FloatData(value_of(b, type)), type)) for b in bits]
    check_round_trip(module_of({f"a{i}": value for i, value in enumerate(values)}), make_context())
    for b in bits[:: max(1, len(bits) // 50)]:
        attr = attribute(f"0x{b:X} : {type.name}")
        assert isinstance(attr, FloatAttr) and bits_of(attr.value.data, type) == b


@pytest.mark.parametrize("type", WIDE, **BY_NAME)
def test_wide_scalars_keep_what_a_python_float_holds(type: AnyFloat):
    values = [0.0, -0.0, 1.0, -1.5, math.pi, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e22]
    values += [math.inf, -math.inf, math.nan, -math.nan, struct.unpack("<d", struct.pack("<Q", 0xFFF0000000000001))[0]]
    for value in values:
        assert struct.pack("<d", value_of(bits_of(value, type), type)) == struct.pack("<d", value)
    attributes: dict[str, Attribute] = {f"a{i}": FloatAttr(value, type) for i, value in enumerate(values)}
    check_round_trip(module_of(attributes), make_context())


def test_known_bits():
    for type, value, bits in (
        (builtin.f80, 1.0, 0x3FFF8000000000000000),
        (builtin.f80, -math.inf, 0xFFFF8000000000000000),
        (builtin.f80, math.nan, 0x7FFFC000000000000000),
        (builtin.f128, 1.0, 0x3FFF << 112),
        (builtin.f128, 1.5, 0x3FFF8 << 108),
        (builtin.f128, math.inf, 0x7FFF << 112),
        (builtin.bf16, -math.nan, 0xFFC0),
        (builtin.f8E5M2, -math.nan, 0xFE),
        (builtin.f8E4M3FN, -math.nan, 0xFF),
        (builtin.f8E4M3FNUZ, -math.nan, 0x80),
        (builtin.f8E8M0FNU, math.nan, 0xFF),
    ):
        assert bits_of(value, type) == bits, type


@pytest.mark.parametrize(
    "text",
    [
        "0xFFC1 : bf16",
        "0x7F800001 : f32",
        "-0.000000e+00 : f16",
        "dense<[0.000000e+00, -0.000000e+00]> : tensor<2xf32>",
        "dense<-0.000000e+00> : tensor<2xf32>",
        "dense<[0x7F800000, 0xFF800000, 0x7FA00000]> : tensor<3xf32>",
        "dense<(0x7FF0000000000000, 1.000000e+00)> : tensor<2xcomplex<f64>>",
        "dense<[[0xFE, 0x7D], [0xFF, 0x7C]]> : tensor<2x2xf8E5M2>",
        "array<f32: 0x7F800000, -0.000000e+00, 0xFFC00001>",
        "1.0e+22 : f80",
    ],
)
def test_this_text_comes_back(text: str):
    assert printed(attribute(text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "-0x7F800000 : f32",
            "1:18: error[PTIR0001]: a hexadecimal float is a bit pattern and cannot have a minus sign",
        ),
        ("0x17F800000 : f32", "1:18: error[PTIR0001]: this hexadecimal float has more than the 4 bytes of f32"),
        (
            "dense<[0.0, 0x1FFFF]> : tensor<2xbf16>",
            "1:30: error[PTIR0001]: this hexadecimal float has more than the 2 bytes of bf16",
        ),
        ("dense<0xF> : tensor<2xf80>", "dense literals of f80 are not supported"),
        ("array<f128: 1.0>", "arrays of f128 are not supported"),
        ("1.0e39 : f32", "1:18: error[PTIR0001]: 1.0e39 is too large for f32"),
        ("1.0e999 : f64", "1:18: error[PTIR0001]: 1.0e999 is too large for f64"),
        ("dense<1.0e5> : tensor<2xf16>", "1:24: error[PTIR0001]: 1.0e5 is too large for f16"),
        ("-1.0 : f8E8M0FNU", "1:18: error[PTIR0001]: f8E8M0FNU does not support signed values"),
        ("0x3FFF8000000000000001 : f80", "1:18: error[PTIR0001]: 0x3FFF8000000000000001 is not a representable f80"),
        ("0x1FF : f6E2M3FN", "this hexadecimal float has more than the 1 byte of f6E2M3FN"),
        ("0x7F : f6E2M3FN", "0x7F is not a representable f6E2M3FN"),
    ],
)
def test_what_cannot_be_held_is_refused(text: str, said: str):
    with pytest.raises(SourceError) as caught:
        attribute(text)
    assert said in render_error(caught.value)
