"""Literals of every element type keep their values through text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, IntegerType, Signedness, TensorType, i1

import ptir
from ptir.dialects.ptir import ConstantOp, ScalarAttr
from ptir.errors import InvalidAttributeValue
from ptir.semantics.interpreter import call
from ptir.text.errors import SyntaxFailure, VerificationFailed
from ptir.text.verify import verify_module

from ..builders.ptir_oracle import COMPLEX, DTYPES, FLOATS, array, parse, spell, values

pytestmark = pytest.mark.sampled(3)


def bits(x: np.ndarray) -> list[int]:
    """Returns the bits of each element, including the payloads of NaNs."""
    if x.dtype in (DTYPES["i4"], DTYPES["ui4"]) or x.dtype.kind == "b":
        return [int(v) for v in x.reshape(-1)]
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8).tolist()


def literal(x: np.ndarray, dtype: str) -> tuple[str, np.ndarray]:
    """Returns a module with `x` as a literal, after printing and parsing, and the result of running it."""
    stored = x.astype(np.int8) if x.dtype in (DTYPES["i4"], DTYPES["ui4"]) else x
    text = "0x" + np.ascontiguousarray(stored).tobytes().hex()
    t = spell(x.shape, dtype)
    module = parse(f'func.func @f() -> {t} {{ %0 = ptir.constant dense<"{text}"> : {t} func.return %0 : {t} }}')
    printed = str(module)
    return printed, call(parse(printed), "f")[0]


@pytest.mark.sampled(15)
@pytest.mark.parametrize("dtype", [t for t in DTYPES if t != "i1"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), None, (2, 0, 3)])
def test_literals_survive_text(dtype: str, shape: tuple[int, ...] | None):
    """All values of a type with few, and the boundaries of the others; each also as a splat."""
    if dtype in FLOATS and DTYPES[dtype].itemsize <= 2:
        every = np.arange(2 ** (8 * DTYPES[dtype].itemsize)).astype(f"u{DTYPES[dtype].itemsize}").view(DTYPES[dtype])
    else:
        every = array(values(dtype, 24), dtype)
    x = every if shape is None else every[: math.prod(shape)].reshape(shape)
    for some in (
        [x] if shape is None else [x, *(np.full(shape, v, x.dtype) for v in every[:: max(len(every) // 12, 1)])]
    ):
        printed, got = literal(some, dtype)
        assert got.dtype == some.dtype and got.shape == some.shape, printed
        assert bits(got) == bits(some), printed


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_literals_with_infinities_and_nan(dtype: str):
    x = np.array(
        [complex(math.inf, math.nan), complex(-0.0, -math.inf), complex(0.1, 1e-30), complex(1e30, 3)], DTYPES[dtype]
    )
    for some in (x, x[:1], x[2:3].reshape(())):
        printed, got = literal(some, dtype)
        assert bits(got) == bits(some), printed


@pytest.mark.parametrize("value", ["true", "false", "[true, false, true]"])
def test_predicates(value: str):
    n = value.count("e")
    text = f"func.func @f() -> tensor<{n}xi1> {{ %0 = ptir.constant dense<{value}> : tensor<{n}xi1> func.return %0 : tensor<{n}xi1> }}"
    (got,) = call(parse(str(parse(text))), "f")
    assert got.tolist() == [word == "true" for word in value.strip("[]").split(", ")]


def test_an_inline_literal_is_a_constant():
    text = """func.func @f() -> tensor<2xsi64> {
      %0 = ptir.constant inline {note = 1 : i32} dense<[1, -2]> : tensor<2xsi64>
      func.return %0 : tensor<2xsi64> }"""
    module = parse(text)
    assert "ptir.constant inline {note = 1 : i32} dense<[1, -2]> : tensor<2xsi64>" in str(module)
    assert call(parse(str(module)), "f")[0].tolist() == [1, -2]
    (op,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    assert op.inline is not None and isinstance(op.value, DenseIntOrFPElementsAttr)
    assert ConstantOp(op.value).inline is None and ConstantOp(op.value, inline=True).inline is not None


def test_an_empty_literal_of_integers_is_not_printed_as_bytes():
    text = "ptir.constant dense<> : tensor<0xsi32>"
    module = parse(f"func.func @f() -> tensor<0xsi32> {{ %0 = {text} func.return %0 : tensor<0xsi32> }}")
    assert text in str(module)


TYPES = {"si4": IntegerType(4, Signedness.SIGNED), "ui4": IntegerType(4, Signedness.UNSIGNED), "i1": i1}
BROKEN = [("si4", "0x7F80", "0x7F"), ("si4", "0x0008", "0x08"), ("i4", "0x0F00", "0x0F"), ("ui4", "0x0F10", "0x10"),
          ("i1", "0x0203", "0x02"), ("i1", "0x01FE", "0xFE")]  # fmt: skip


@pytest.mark.parametrize(("dtype", "data", "byte"), BROKEN)
@pytest.mark.parametrize(
    "op",
    [
        "%0 = ptir.constant {literal}",
        "%0 = ptir.constant inline {literal}",
        "%0 = tiny.const {literal}",
        '%0 = ptir.custom_call "a.b.v1"(%x) {{a = [[{literal}]]}} : ({t}) -> {t}',
        "%0 = ptir.neg %x {{a = {{b = {literal}}}}} : {t}",
        '"memref.global"() <{{sym_name = "g", type = memref<2x{dtype}>, initial_value = {literal}}}> : () -> ()',
    ],
)
def test_bytes_that_are_no_elements_are_refused(op: str, dtype: str, data: str, byte: str):
    t = f"tensor<2x{dtype}>"
    text = op.format(literal=f'dense<"{data}"> : {t}', t=t, dtype=dtype)
    module = ptir.parse(f"func.func @f(%x: {t}) {{ {text} func.return }}")
    with pytest.raises(VerificationFailed) as caught:
        verify_module(module)
    (error,) = [e for _, e in caught.value.failures if isinstance(e, InvalidAttributeValue)]
    assert error.code == "PTIR0101" and error.message.endswith(f"has the byte {byte}, which is not a value of {dtype}")
    assert "write" in error.help and error.op is not None


@pytest.mark.parametrize(("dtype", "data"), [("si4", "0x7F"), ("si4", "0x08"), ("ui4", "0x10"), ("i1", "0x02")])
def test_a_scalar_whose_byte_is_no_element_is_refused(dtype: str, data: str):
    with pytest.raises(InvalidAttributeValue, match="has the byte"):
        ScalarAttr.from_literal(bytes.fromhex(data[2:]), TYPES[dtype])
    with pytest.raises(SyntaxFailure, match="has the byte"):
        ptir.parse(f"""func.func @f(%x: tensor<1x{dtype}>) {{
          %0 = ptir.pad %x with "{data}" : {dtype} low [1] high [0] interior [0] : tensor<1x{dtype}> -> tensor<2x{dtype}>
          func.return }}""")
    with pytest.raises(InvalidAttributeValue, match="has the byte"):
        ScalarAttr(DenseIntOrFPElementsAttr(TensorType(TYPES[dtype], []), BytesAttr(bytes.fromhex(data[2:]))))


def test_bytes_that_are_elements_are_read():
    text = """func.func @f() -> (tensor<2xsi4>, tensor<2xui4>, tensor<3xi1>) {
      %0 = ptir.constant dense<"0xF807"> : tensor<2xsi4>
      %1 = ptir.constant dense<"0x000F"> : tensor<2xui4>
      %2 = ptir.constant dense<"0x00FF01"> : tensor<3xi1>
      func.return %0, %1, %2 : tensor<2xsi4>, tensor<2xui4>, tensor<3xi1> }"""
    module = ptir.parse(text)
    verify_module(module)
    for m in (module, ptir.parse(str(module))):
        assert [r.astype(int).tolist() for r in call(m, "f")] == [[-8, 7], [0, 15], [0, 1, 1]]
    assert [ScalarAttr.of(bytes([b]), TYPES[t]).dense.get_values() for t, b in (("si4", 0xF8), ("i1", 1), ("i1", 0xFF))] == [
        (-8,), (-1,), (-1,)
    ]  # fmt: skip
