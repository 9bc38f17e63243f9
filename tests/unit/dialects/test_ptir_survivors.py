"""
Tests for gaps that the mutation campaign (`python -m tests.dialect_mutation`) found: they check the declared constraints and
traits of every op on instances that the generator of random programs makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import AffineMapAttr, FloatAttr, IntegerAttr, StringAttr, TensorType, UnitAttr, f16, i32
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineMap
from xdsl.irdl import OpDef
from xdsl.traits import (
    ConstantLike,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    RecursivelySpeculatable,
    RecursiveMemoryEffect,
    is_side_effect_free,
)
from xdsl.utils.exceptions import VerifyException

import ptir
from ptir.dialects.ptir import PTIR
from ptir.dialects.ptir.base import Extension, SameShapes, Simplifies, TensorOp
from ptir.errors import ExtensionNotEnabled, PtirError, TypeMismatch
from ptir.semantics.arrays.scalars import cast
from ptir.text.verify import find_failures
from tests.random_programs.generator import Options, generate
from tests.random_programs.rows.table import ROWS

from ..builders.amount import examples

pytestmark = pytest.mark.sampled(3)

NAMES = sorted(op.name for op in PTIR.operations)
OPS = {op.name: op for op in PTIR.operations}
COMES_WITH = {"ptir.yield": "ptir.cond", "ptir.tuple_element": "ptir.tuple"}


@cache
def instances(name: str) -> tuple[Operation, ...]:
    """Returns ops of that name in random programs that have different optional parts."""
    row = COMES_WITH.get(name, name)
    found: dict[tuple[Any, ...], Operation] = {}
    for index in range(examples(24)):
        options = Options(frozenset({row}), dynamic=0, length=(1, 3), functions=1, empty=False, max_elements=60)
        for op in generate(99, index, options).module.walk():
            if op.name == name:
                found.setdefault((*sorted(op.properties), len(op.operands) > 0, len(op.results) > 0), op)
    assert found, f"no program has {name}"
    return tuple(found.values())


def is_refused_as_declared(op: Operation) -> bool:
    """Whether the op's declaration rejects it, rather than its verifier, whose errors have codes."""
    with pytest.raises(VerifyException) as e:
        op.verify(verify_nested_ops=False)
    return not isinstance(e.value, PtirError)


def clone(op: Operation) -> Operation:
    """Returns a copy with operands of its own, so that their types may be changed."""
    source = AnyOp(result_types=[o.type for o in op.operands])
    copied = op.clone()
    copied.operands = source.results
    copied.attributes["test.source"] = StringAttr("test")
    return copied


def named(definition: OpDef, op: Operation, kind: str) -> Iterator[tuple[str, int]]:
    """Yields the name and the position of each operand or result that is present."""
    defs = definition.operands if kind == "operand" else definition.results
    position = 0
    for name, _ in defs:
        values = getattr(op, name)
        values = [] if values is None else [values] if not isinstance(values, list | tuple) else list(values)
        for _ in values:
            yield name, position
            position += 1


WRONG: tuple[Attribute, ...] = (i32, StringAttr("no type"))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", NAMES)
def test_operands_and_results_are_of_the_declared_types(name: str):
    """Anything but a tensor (or a tuple, where that may be) is refused by the declaration, before the verifier's own rules."""
    definition = OPS[name].get_irdl_definition()
    free = {"ptir.tuple": ("elements",), "ptir.tuple_element": ("result",)}.get(name, ())
    for original in instances(name):
        for kind in ("operand", "result"):
            for called, position in named(definition, original, kind):
                if called in free:
                    continue
                op = clone(original)
                values = op.operands if kind == "operand" else op.results
                values[position]._type = i32  # pyright: ignore
                assert is_refused_as_declared(op)


SAME = {
    **{name: [("operand", k) for k in range(n)] + [("result", 0)] for name, n in {
        **dict.fromkeys(("ptir.neg", "ptir.exp", "ptir.stop_gradient", "ptir.not", "ptir.sqrt"), 1),
        **dict.fromkeys(("ptir.add", "ptir.maximum", "ptir.pow", "ptir.and"), 2),
        "ptir.clamp": 3,
    }.items()},
    "ptir.compare": [("operand", 0), ("operand", 1)],
    "ptir.select": [("operand", 1), ("operand", 2), ("result", 0)],
    "ptir.dynamic_update_slice": [("operand", 0), ("result", 0)],
    "ptir.scatter_reduce": [("operand", 0), ("result", 0)],
    "ptir.scatter_add": [("operand", 0), ("result", 0)],
    "ptir.layer_norm": [("operand", 0), ("result", 0)],
}  # fmt: skip
"""The operands and results of each op that must have the same type."""


@pytest.mark.parametrize("name", SAME)
def test_types_that_must_be_equal(name: str):
    for original in instances(name)[:2]:
        for kind, position in SAME[name]:
            op = clone(original)
            value = (op.operands if kind == "operand" else op.results)[position]
            value._type = TensorType(value.type.element_type, [*value.type.get_shape(), 1])  # pyright: ignore
            assert is_refused_as_declared(op)


@pytest.mark.parametrize("name", SAME)
def test_types_that_are_equal_are_tensors(name: str):
    """The first of them that is checked says what all must be."""
    op = clone(instances(name)[0])
    for kind, position in SAME[name]:
        (op.operands if kind == "operand" else op.results)[position]._type = i32  # pyright: ignore
    assert is_refused_as_declared(op)


def test_gamma_and_beta_are_tensors_of_one_type():
    for position in (1, 2):
        op = clone(instances("ptir.layer_norm")[0])
        op.operands[position]._type = TensorType(f16, [77])  # pyright: ignore
        assert is_refused_as_declared(op)
    op = clone(instances("ptir.layer_norm")[0])
    for position in (1, 2):
        op.operands[position]._type = i32  # pyright: ignore
    assert is_refused_as_declared(op)


@pytest.mark.parametrize("name", NAMES)
def test_properties_are_of_the_declared_kinds(name: str):
    nobodys = AffineMapAttr(AffineMap.identity(1))
    for original in instances(name):
        for called in OPS[name].get_irdl_definition().properties:
            there = original.properties.get(called)
            kinds = UnitAttr(), StringAttr("x"), IntegerAttr(1, i32), FloatAttr(1.0, f16)
            for other in (nobodys, *(kinds if there is not None else ())):
                if type(there) is type(other) and not isinstance(other, IntegerAttr):
                    continue
                op = clone(original)
                op.properties[called] = other
                assert is_refused_as_declared(op)


@pytest.mark.parametrize("name", NAMES)
def test_lists_of_numbers_are_of_64_bits(name: str):
    from xdsl.dialects.builtin import DenseArrayBase

    for original in instances(name):
        for called, value in original.properties.items():
            if isinstance(value, DenseArrayBase) and called != "operandSegmentSizes":
                op = clone(original)
                op.properties[called] = DenseArrayBase.from_list(i32, list(value.get_values()))
                assert is_refused_as_declared(op)


def test_what_must_be_there_is_missed():
    for name in NAMES:
        for original in instances(name)[:1]:
            for called, definition in OPS[name].get_irdl_definition().properties.items():
                if type(definition).__name__ == "PropertyDef" and definition.default_value is None:  # pyright: ignore
                    op = clone(original)
                    op.properties.pop(called, None)
                    assert is_refused_as_declared(op)


# --- traits -------------------------------------------------------------------------------------

REGIONS = {"ptir.cond", "ptir.while", "ptir.scan", "ptir.composite"}
EXTENSIONS = {n for n, row in ROWS.items() if row.extension}
SAME_SHAPES = {
    name
    for name in NAMES
    if name in ("ptir.compare", "ptir.select", "ptir.clamp")
    or any(base.__name__ in ("UnaryOp", "BinaryOp") for base in OPS[name].__mro__)
}


@pytest.mark.parametrize("name", NAMES)
def test_traits(name: str):
    op = OPS[name]
    for instance in instances(name):
        instance.verify(verify_nested_ops=False)
        assert is_side_effect_free(instance) and instance.has_trait(ConstantLike) == (name == "ptir.constant")
    assert op.has_trait(Simplifies()) == issubclass(op, TensorOp)
    assert op.has_trait(Pure()) == (name not in REGIONS)
    assert op.has_trait(Extension) == (name in EXTENSIONS)
    assert op.has_trait(SameShapes) == (name in SAME_SHAPES)
    assert op.has_trait(IsTerminator) == (name == "ptir.yield")
    assert op.has_trait(IsolatedFromAbove) == (name in REGIONS)
    assert op.has_trait(RecursiveMemoryEffect) == (name in REGIONS)
    assert op.has_trait(RecursivelySpeculatable) == (name in REGIONS - {"ptir.while"})


@pytest.mark.parametrize("name", sorted(EXTENSIONS))
def test_an_extension_needs_the_modules_leave(name: str):
    modules = (generate(99, index, Options(frozenset({name}))).module for index in range(40))
    module = next(m for m in modules if any(op.name == name for op in m.walk()))
    assert not find_failures(module)
    del module.attributes["ptir.extensions"]
    assert any(isinstance(e, ExtensionNotEnabled) and op.name == name for op, e in find_failures(module))


def test_rows_say_which_ops_the_contract_has():
    """Programs without extensions verify where none are allowed."""
    for index in range(25):
        module = generate(12, index, Options(extensions=False)).module
        assert "ptir.extensions" not in module.attributes and not find_failures(module)


# --- single survivors ---------------------------------------------------------------------------


def test_rounding_to_odd_keeps_what_is_just_above_a_tie():
    """The f32 neighbour of this number is odd and above it: two steps down would be below the tie."""
    x = np.array([1 + 2.0**-8 + 2.0**-23 - 2.0**-30])
    assert float(cast(x, np.dtype(ml_dtypes.bfloat16))[0]) == 1 + 2.0**-7


CALLS = """
func.func @f(%n: i32, %x: tensor<2xf32>) {{ func.return }}
func.func @g(%n: i32, %x: {0}) {{
  func.call @f(%n, %x) : (i32, {0}) -> ()
  func.return
}}
"""


def test_calls_hand_in_what_is_no_tensor():
    assert not find_failures(ptir.parse(CALLS.format("tensor<2xf32>")))


@pytest.mark.parametrize(
    ("want", "got"),
    [
        ("tensor<2xf32>", "tuple<tensor<2xf32>>"),
        ("tuple<tensor<2xf32>>", "tensor<2xf32>"),
        ("i32", "tensor<2xf32>"),
        ("i32", "tuple<i32>"),
        ("tuple<i32>", "i32"),
        ("tuple<i32>", "tuple<i32, i32>"),
    ],
)
def test_values_of_another_kind_are_no_instances(want: str, got: str):
    text = CALLS.format(got).replace("(%n: i32, %x: tensor<2xf32>)", f"(%n: i32, %x: {want})", 1)
    ((op, error),) = find_failures(ptir.parse(text))
    assert op.name == "func.call" and isinstance(error, TypeMismatch)
