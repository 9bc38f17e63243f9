"""The ops of the `pto` dialect against the vocabulary of PTO: every word is an op, and every instruction has an asynchronous form."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import f16, f32
from xdsl.utils.exceptions import VerifyException

from ptir.dialects import pto
from ptir.dialects.pto.indices import Moded, Placed, Valid
from ptir.dialects.pto.syntax import Waits
from ptir.errors import PtirError
from ptir.targets.pto import PIPE_OF

WORDS = """
add sub mul div min max rem and or xor shl shr neg abs exp log sqrt rsqrt recip relu not adds subs muls divs mins maxs expands cmp cmps
sel sels cvt rowsum rowmax rowmin rowexpand rowexpandadd rowexpandsub rowexpandmul rowexpanddiv colsum colmax colmin colexpand
colexpandadd colexpandsub colexpandmul colexpanddiv trans reshape gather gatherb scatter ci sort32 mrgsort partadd partmax partmin
mov.m2l mov.m2r mov.m2b mov.m2s mov.a2v mov.v2v mov.fp extract insert load store store.fp prefetch matmul matmul.acc matmul.bias
matmul.mx
"""
VOCABULARY = WORDS.split()
OPS = {op.name: op for op in pto.PTO.operations}


def test_every_op_of_the_vocabulary_is_an_op():
    assert not [word for word in VOCABULARY if f"pto.tile.{word}" not in OPS]
    assert {"pto.tile.assign", "pto.sync", "pto.sync.op"} <= set(OPS)


@pytest.mark.parametrize("word", VOCABULARY)
def test_every_instruction_has_an_asynchronous_form(word: str):
    """Its opcode has a pipe, it takes `wait(…)`, and may return an event."""
    op = OPS[f"pto.tile.{word}"]
    assert issubclass(op, pto.InstructionOp)
    opcodes = ("TSTORE_VEC", "TSTORE_ACC") if word == "store" else (f"T{word.replace('.', '_').upper()}",)
    assert all(opcode in PIPE_OF for opcode in opcodes)
    definition = op.get_irdl_definition()
    assert {"waits", "valid"} <= {name for name, _ in definition.operands}
    assert definition.results[-1][0] == "event"
    assert {Waits} <= set(op.custom_directives) and {Valid, Moded, Placed} & set(op.custom_directives)


def test_opcodes_have_an_op():
    spelled = {f"T{word.replace('.', '_').upper()}" for word in VOCABULARY} - {"TSTORE"} | {"TSTORE_VEC", "TSTORE_ACC"}
    assert set(PIPE_OF) == spelled


@pytest.mark.parametrize("fn", ["add", "sub", "mul", "div", "max", "min"])
def test_operands_of_elementwise_ops_have_one_type(fn: str):
    for other in (pto.TileType((8, 4), f32), pto.TileType((8,), f32), pto.TileType((8, 8), f16)):
        a, b = test.TestOp(result_types=[pto.TileType((8, 8), f32)]), test.TestOp(result_types=[other])
        with pytest.raises((VerifyException, PtirError)):
            pto.BINARY[fn](a.results[0], b.results[0]).verify()
