"""The ops of the `pto` dialect against the vocabulary of PTO: every word is an op, and every instruction has an asynchronous form."""

from __future__ import annotations

import inspect
import re

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import IndexType, f16, f32
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ptir.dialects import pto
from ptir.dialects.pto.indices import Moded, Placed, Valid
from ptir.dialects.pto.syntax import Waits
from ptir.errors import PtirError
from ptir.passes.environment import make_context
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
    spelled = {f"T{word.replace('.', '_').upper()}" for word in VOCABULARY} - {"TSTORE"}
    assert set(PIPE_OF) == spelled | {"TSTORE_VEC", "TSTORE_ACC", "TEXTRACT_V2V"}


@pytest.mark.parametrize("fn", ["add", "sub", "mul", "div", "max", "min"])
def test_operands_of_elementwise_ops_have_one_type(fn: str):
    for other in (pto.TileType((8, 4), f32), pto.TileType((8,), f32), pto.TileType((8, 8), f16)):
        a, b = test.TestOp(result_types=[pto.TileType((8, 8), f32)]), test.TestOp(result_types=[other])
        with pytest.raises((VerifyException, PtirError)):
            pto.BINARY[fn](a.results[0], b.results[0]).verify()


# --- declarations ---------------------------------------------------------------------------------------


def examples() -> dict[str, Operation]:
    """Returns an op of each kind, from the examples of docstrings."""
    found: dict[str, Operation] = {}
    for op_type in pto.PTO.operations:
        for text in re.findall(r"```mlir\n(.*?)```", inspect.getdoc(op_type) or "", re.DOTALL):
            parser = Parser(make_context(), text)
            while "…" not in text and (op := parser.parse_optional_operation()) is not None:
                found[op.name] = op
            for values in parser.forward_ssa_references.values():
                for value in values.values():
                    value.replace_all_uses_with(test.TestOp(result_types=[value.type]).results[0])
    return found


EXAMPLES = examples()
REFUSED = "does not verify"
"""What xDSL says of a constraint that does not hold."""
READS, WRITES = {"load"}, {"store", "store.fp"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_declarations(name: str):
    """A value of a type, and an attribute, that a constraint does not admit is refused by the constraint, before other rules."""
    op = EXAMPLES[name]
    op.verify()
    for k, operand in enumerate(list(op.operands)):
        if not isinstance(operand.type, test.TestType) and not accepts_any(op, k):
            op.operands[k] = test.TestOp(result_types=[test.TestType("wrong")]).results[0]
            with pytest.raises(VerifyException, match=REFUSED):
                op.verify()
            op.operands[k] = operand
    for result in op.results:
        wrong = op.clone()
        wrong.results[result.index]._type = test.TestType("wrong")  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(VerifyException, match=REFUSED):
            wrong.verify()
    for key in op.properties:
        if key != "operandSegmentSizes":
            wrong = op.clone()
            wrong.properties[key] = test.TestType("wrong")
            with pytest.raises(VerifyException, match=REFUSED):
                wrong.verify()


ONE_TYPE: dict[type[Operation], str] = {
    pto.VectorUnaryOp: "input result", pto.VectorBinaryOp: "lhs rhs result", pto.ExpandedBinaryOp: "lhs result", pto.FmaOp: "a b c result",
    pto.CmpOp: "lhs rhs", pto.SelOp: "on_true on_false result", pto.SelsOp: "on_true result", pto.MatmulAccOp: "acc result",
    pto.InsertOp: "into result", pto.AssignOp: "tile result",
}  # fmt: skip
"""The operands and results that have the same type, by class of op."""


@pytest.mark.parametrize("name", [name for name, op in EXAMPLES.items() if isinstance(op, tuple(ONE_TYPE))])
def test_tiles_of_one_type(name: str):
    """A tile whose type differs from that of the others in one size is refused by the constraint."""
    (names,) = (names for kind, names in ONE_TYPE.items() if isinstance(EXAMPLES[name], kind))
    for each in names.split():
        op = EXAMPLES[name].clone()
        value = getattr(op, each)
        first, *rest = value.type.sizes
        other = value.type.like((first * 2, *rest))
        if value in op.operands:
            op.operands[op.operands.index(value)] = test.TestOp(result_types=[other]).results[0]
        else:
            value._type = other
        with pytest.raises(VerifyException, match=REFUSED):
            op.verify()


def accepts_any(op: Operation, k: int) -> bool:
    """Whether operand `k` is a scalar of any type, which the op's own rule checks."""
    return not isinstance(op.operands[k].type, pto.TileType | pto.MemRefType | pto.EventType | IndexType) or isinstance(
        op, pto.ScalarBinaryOp
    )


@pytest.mark.parametrize("name", [f"pto.tile.{word}" for word in VOCABULARY])
def test_effects(name: str):
    op, word = OPS[name], name.removeprefix("pto.tile.")
    assert op.has_trait(Pure) == (word not in READS | WRITES | {"prefetch"})
    assert op.has_trait(MemoryReadEffect) == (word in READS | {"prefetch"})
    assert op.has_trait(MemoryWriteEffect) == (word in WRITES | {"prefetch"})
    for sync in (pto.SyncOp, pto.SyncOpcodeOp):
        assert sync.has_trait(MemoryReadEffect) and sync.has_trait(MemoryWriteEffect)
