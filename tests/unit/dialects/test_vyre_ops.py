"""The ops of `vyre` as Python builds them, and the words that the dialect knows."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

import ptir
from ptir.conformance.subjects import subjects
from ptir.dialects import vyre
from ptir.dialects.vyre.arithmetic import BINOPS, CASTS, COMPARES, UNOPS
from ptir.dialects.vyre.errors import WrongDataType
from ptir.dialects.vyre.floats import IDENTITY, ORDERS, STRICT
from ptir.dialects.vyre.memory import ATOMICS, POSITIONS
from ptir.dialects.vyre.types import (
    INTEGERS,
    VECTORS,
    BufferType,
    boolean,
    bytes_,
    f32,
    i32,
    u32,
    u64,
    vec2u32,
    vec4u32,
)
from ptir.text.verify import verify_module
from ptir.text.writing import print_module


def test_every_expression_is_built_verifies_and_reads_back():
    """The last op of each class among what is certified."""
    chosen = {type(s.definition.body.block.first_op): s.definition for s in subjects().values() if "." in s.name}
    module = ModuleOp([op.clone() for op in chosen.values()])
    verify_module(module)
    text = print_module(module)
    assert len(chosen) == 12 and print_module(ptir.parse(text)) == text


def test_memory_and_control_are_built():
    body, inner, other, loop = Block(), Block(), Block(), Block(arg_types=[u32, u32])

    def add(op: object, block: Block = body) -> SSAValue:
        block.add_op(op)  # pyright: ignore[reportArgumentType]
        return op.results[0] if op.results else op  # pyright: ignore

    words = add(vyre.BufferOp("words", BufferType(u32, "read_write"), 0))
    data = add(vyre.BufferOp("data", BufferType(bytes_, "read_write"), 1))
    floats = add(vyre.BufferOp("floats", BufferType(f32, "workgroup"), None, 8))
    i = add(vyre.PositionOp("local", "y"))
    add(vyre.BufLenOp(data))
    x = add(vyre.LoadOp(data, i))
    w = add(vyre.LoadWordOp(data, i))
    add(vyre.StoreWordOp(w, data, i))
    add(vyre.StoreOp(x, words, i))
    add(vyre.AtomicOp("max", words, i, x))
    add(vyre.AtomicCompareExchangeOp(words, i, x, w))
    add(vyre.BarrierOp())
    add(vyre.ReduceOp("tree", "fmax", floats, i, 5))
    add(vyre.DotOp(floats, i, floats, x, 3, (1, 2)))
    c = add(vyre.CompareOp("lt", x, w))
    inner.add_op(vyre.YieldOp(x))
    other.add_op(vyre.YieldOp(w))
    add(vyre.IfOp(c, inner, other, [u32]))
    add(vyre.IfOp(c, Block([vyre.YieldOp()])))
    loop.add_op(vyre.YieldOp(loop.args[1]))
    add(vyre.ForOp(i, x, [w], loop))
    module = ModuleOp([vyre.ProgramOp("p", body, (4, 2, 1))])
    verify_module(module)
    text = print_module(module)
    assert print_module(ptir.parse(text)) == text
    for line in (
        'vyre.buffer "floats" count 8 : !vyre.buffer<!vyre.preview<f32>, workgroup>',
        "vyre.position local y",
        "vyre.compare_exchange %0[%3], %5, %6",
        "vyre.reduce tree fmax %2[%3] count 5",
        "vyre.dot %2[%3], %2[%5] count 3 steps[1, 2]",
        "vyre.program @p workgroup [4, 2, 1]",
    ):
        assert line in text, text


def test_words_and_casts():
    """The vocabulary is permanent: it is written here once more."""
    assert BINOPS == ("add", "sub", "mul", "div", "rem", "min", "max", "shl", "shr", "and", "or", "xor")
    assert UNOPS == ("neg", "not") and COMPARES == ("eq", "ne", "lt", "le", "gt", "ge")
    assert ATOMICS == ("add", "min", "max", "and", "or", "xor", "exchange")
    assert POSITIONS == ("global", "local", "workgroup", "workgroups")
    names = "add sub mul div min max pow neg abs sqrt sin cos tan exp exp2 expm1 log log2 log10 log1p sinh cosh tanh sigmoid"
    assert set(STRICT) == {f"f{name}" for name in f"{names} erf erfc rsqrt cbrt".split()} | {"fmuladd"}
    assert IDENTITY == {"fadd": 0x80000000, "fmul": 0x3F800000, "fmin": 0x7F800000, "fmax": 0xFF800000}
    assert ORDERS == ("strict", "tree") and (u32, i32, u64) == INTEGERS and (vec2u32, vec4u32) == VECTORS
    casts = {
        "u32": "i32 u64 bool f32 f16 bf16",
        "i32": "u32 u64 bool f32 f16 bf16",
        "u64": "u32 i32 vec2u32 bool",
        "bool": "u32 i32 u64",
        "vec2u32": "u64",
        "f32": "u32 i32 f16 bf16",
        "f16": "u32 i32 f32 bf16",
        "bf16": "u32 i32 f32 f16",
    }
    short = {t.word.removeprefix("!vyre.preview<").removesuffix(">"): t for t in (*CASTS, boolean)}
    assert {short[a]: {short[b] for b in to.split()} for a, to in casts.items()} == {
        a: set(b) for a, b in CASTS.items()
    }


def test_the_mapping_to_wgsl():
    """Spec: `vyre-ir-types`, the tables of types. A float is its bits."""
    elements = {t.word: t.WGSL for t in (*INTEGERS, *VECTORS, boolean, bytes_, f32)}
    words = {"u32": "u32", "i32": "i32", "u64": "vec2<u32>", "vec2u32": "vec2<u32>", "vec4u32": "vec4<u32>"}
    assert elements == words | dict.fromkeys(("bool", "bytes", "!vyre.preview<f32>"), "u32")


def test_a_buffer_has_elements_of_a_data_type():
    with pytest.raises(WrongDataType):
        BufferType(BufferType(u32, "read_only"), "read_only")
