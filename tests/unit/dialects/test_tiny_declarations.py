"""Declarations of the `tiny` ops: types of operands and results, kinds of properties, purity, and types inferred by constructors."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i32,
)
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Operation
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from ptir.dialects import tiny
from ptir.dialects.ptir.dims import tensor_type
from ptir.errors import InvalidAttributeValue, PtirError

from .test_ptir_survivors import is_refused_as_declared


def instances() -> list[Operation]:
    """Returns an op of each kind."""
    x, n = (create_ssa_value(TensorType(dtype, [2, 3])) for dtype in (f32, i1))
    return [
        tiny.ConstOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, [2]), [1.0, 2.0])),
        tiny.IotaOp(i32, [2, 3], 1),
        tiny.MovementOp.reshape(x, [6]),
        tiny.MovementOp.permute(x, [1, 0]),
        tiny.MovementOp.expand(x, [4, 2, 3]),
        tiny.MovementOp.pad(x, [1, 0], [0, 1], 0.5),
        tiny.MovementOp.shrink(x, [1, 0], [1, 3]),
        tiny.MovementOp.view(x, [2, 2], [3, 1], 1),
        tiny.UnaryOp("exp", x),
        tiny.BinaryOp("where", n, x, x),
        tiny.ReduceOp("sum", x, [0], f64),
    ]


def ids(op: Operation) -> str:
    return f"{op.name} {op.kind.data}" if isinstance(op, tiny.MovementOp) else op.name


def clone(op: Operation) -> Operation:
    """Returns a copy with operands of its own, so that their types may be changed."""
    copied = op.clone()
    copied.operands = AnyOp(result_types=[o.type for o in op.operands]).results
    return copied


@pytest.mark.parametrize("op", instances(), ids=ids)
def test_ops_are_pure_and_verify(op: Operation):
    op.verify()
    assert op.has_trait(Pure)
    assert op.has_trait(ConstantLike) == isinstance(op, tiny.ConstOp)


@pytest.mark.parametrize("op", instances(), ids=ids)
def test_operands_and_results_are_tensors(op: Operation):
    for kind in ("operands", "results"):
        for position in range(len(getattr(op, kind))):
            copied = clone(op)
            getattr(copied, kind)[position]._type = i32
            assert is_refused_as_declared(copied)


@pytest.mark.parametrize("op", instances(), ids=ids)
def test_properties_are_of_the_declared_kinds(op: Operation):
    for name, value in op.properties.items():
        wrong = [UnitAttr(), StringAttr("x"), IntegerAttr(1, i32), FloatAttr(1.0, f16)]
        if isinstance(value, DenseArrayBase):
            wrong.append(DenseArrayBase.from_list(i32, list(value.get_values())))
        for other in wrong:
            if type(other) is type(value) and not isinstance(other, IntegerAttr):
                continue
            copied = clone(op)
            copied.properties[name] = other
            assert is_refused_as_declared(copied)


@pytest.mark.parametrize("op", instances(), ids=ids)
def test_what_must_be_there_is_missed(op: Operation):
    for name in op.properties:
        copied = clone(op)
        del copied.properties[name]
        with pytest.raises(VerifyException) as caught:
            copied.verify(verify_nested_ops=False)
        optional = isinstance(op, tiny.MovementOp) and name in tiny.MOVEMENTS[op.kind.data]
        # A movement's optional properties are checked by its own verifier.
        assert isinstance(caught.value, PtirError) == optional


# --- what constructors infer --------------------------------------------------------------------


def test_constructors_infer_their_results():
    x = create_ssa_value(tensor_type(f32, ["B", 3, None]))
    made = {
        "permute": (tiny.MovementOp.permute(x, [-1, 0, 1]), f32, [None, "B", 3]),
        "pad": (tiny.MovementOp.pad(x, [0, 1, 0], [0, 1, 2], 0.0), f32, ["B", 5, None]),
        "exp": (tiny.UnaryOp("exp", x), f32, ["B", 3, None]),
        "cast": (tiny.UnaryOp("cast", x, bf16), bf16, ["B", 3, None]),
        "is_finite": (tiny.UnaryOp("is_finite", x), i1, ["B", 3, None]),
        "add": (tiny.BinaryOp("add", x, x), f32, ["B", 3, None]),
        "lt": (tiny.BinaryOp("lt", x, x), i1, ["B", 3, None]),
        "sum": (tiny.ReduceOp("sum", x, [-1, 0], f64), f64, [3]),
        "none": (tiny.ReduceOp("max", x, [], f32), f32, ["B", 3, None]),
    }
    for name, (op, dtype, sizes) in made.items():
        op.verify()
        assert op.results[0].type == tensor_type(dtype, sizes), name
    scalar = create_ssa_value(TensorType(f32, []))
    assert tiny.ReduceOp("sum", scalar, [], f32).result.type == scalar.type


def test_a_wrong_axis_is_the_verifiers_business():
    scalar, row = (create_ssa_value(TensorType(f32, shape)) for shape in ([], [3]))
    for value, axis in ((scalar, 0), (row, 1), (row, -2)):
        with pytest.raises(PtirError, match="out of range for rank"):
            tiny.ReduceOp("sum", value, [axis], f32).verify()


def test_parameters_of_another_kind_are_empty():
    x = create_ssa_value(TensorType(f32, [2, 3]))
    op = tiny.MovementOp.reshape(x, [6])
    assert (op.permutation(), op.pads(), op.starts(), op.linear()) == ((), ((), ()), (), (0, ()))
    op = tiny.MovementOp.view(x, [2, 2], [3, 1])
    assert op.linear() == (0, (3, 1)) and op.value is None
    op = tiny.MovementOp.pad(x, [1, 0], [0, 2], -1.0)
    assert op.pads() == ((1, 0), (0, 2)) and op.value is not None and str(op.value) == "#ptir.scalar<-1.0 : f32>"
    assert tiny.MovementOp.shrink(x, [1, 2], [1, 1]).starts() == (1, 2)
    assert tiny.MovementOp.permute(x, [-1, -2]).permutation() == (1, 0)


@pytest.mark.parametrize(("kind", "takes"), [("reshape", "no parameter"), ("pad", "low, high, value")])
def test_the_help_says_what_a_kind_takes(kind: str, takes: str):
    op = tiny.MovementOp(kind, create_ssa_value(TensorType(f32, [2])), [2], start=[0])
    with pytest.raises(InvalidAttributeValue) as caught:
        op.verify()
    assert caught.value.help == f"{kind} takes {takes}"
