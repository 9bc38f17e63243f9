"""Declarations of the `poly` ops: kinds of properties and symbols; and what `poly.view` leaves to its blocks to verify."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, f32, i64
from xdsl.ir import Operation
from xdsl.traits import SymbolOpInterface

from ptir.dialects import poly
from ptir.dialects.ptir import ScalarAttr
from ptir.errors import InvalidAttributeValue

from .test_ptir_survivors import is_refused_as_declared

SAME = "{ [i0, i1] -> [i0, i1] }"


def contraction() -> poly.BlockOp:
    """Returns a block that has every optional property."""
    idx = {"lhs_idx": ["i0"], "rhs_idx": ["i1"], "out_idx": ["i0"], "reduce_idx": ["i1"]}
    return poly.BlockOp(
        "v0",
        "contraction_pattern",
        "{ [i0, i1] }",
        [("arg0", SAME)],
        reduces=["i1"],
        guards=[poly.GuardAttr("{ [i0, i1] : i0 > 0 }", ScalarAttr.of(0.0, f32))],
        pattern={"pattern": StringAttr("matmul"), **{name: poly.axis_names(axes) for name, axes in idx.items()}},
    )


def edge() -> poly.EdgeOp:
    return poly.EdgeOp("v0", "v1", [SAME], [SAME], [SAME])


@pytest.mark.parametrize("op", [contraction(), edge(), poly.ViewOp("f", [])], ids=lambda op: op.name)
def test_properties_are_of_the_declared_kinds(op: Operation):
    op.verify()
    assert set(op.properties) == set(type(op).get_irdl_definition().properties)  # pyright: ignore
    wrong = (
        UnitAttr(),
        StringAttr("x"),
        IntegerAttr(1, i64),
        poly.SetAttr("{ [i0] }"),
        ArrayAttr([IntegerAttr(1, i64)]),
    )
    for name, value in op.properties.items():
        for other in wrong:
            if type(other) is type(value) and not isinstance(other, ArrayAttr):
                continue
            copied = op.clone()
            copied.properties[name] = other
            assert is_refused_as_declared(copied)


def test_a_block_is_a_symbol():
    block = contraction()
    block.verify()
    trait = block.get_trait(SymbolOpInterface)
    assert trait is not None and trait.get_sym_attr_name(block) == StringAttr("v0")


@pytest.mark.parametrize(
    ("domain", "help"),
    [("{ [i0, i1] }", "name the last axes of i0, i1"), ("{ [] }", "name nothing, as the domain has no axes")],
)
def test_which_axes_may_vanish_is_said(domain: str, help: str):
    with pytest.raises(InvalidAttributeValue) as caught:
        poly.BlockOp("v0", "reduce", domain, [], reduces=["i0"]).verify_()
    assert caught.value.help == help


def test_a_view_leaves_to_a_block_what_is_wrong_with_its_maps():
    blocks = [
        poly.BlockOp("v0", "ewise", "{ [i0] }", []),
        poly.BlockOp("v1", "ewise", "{ [i0] }", [("v0", "nonsense")]),
    ]
    poly.ViewOp("f", blocks).verify(verify_nested_ops=False)
    with pytest.raises(InvalidAttributeValue, match="is not a map in isl's syntax: nonsense"):
        blocks[1].verify_()
