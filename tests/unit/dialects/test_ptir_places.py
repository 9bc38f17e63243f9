"""Errors of movement and indexing ops that are not known statically, the sizes that constructors infer, and scalars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    Float8E4M3FNType,
    IntegerType,
    Signedness,
    VectorType,
    bf16,
    f32,
    f64,
    i1,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

import ptir
from ptir.dialects.ptir import movement
from ptir.dialects.ptir.dims import Size, sizes, tensor_type
from ptir.dialects.ptir.indexing import DynamicSliceOp, DynamicUpdateSliceOp, GatherOp, TakeOp
from ptir.dialects.ptir.scalars import ScalarAttr
from ptir.dialects.ptir.scatter import ScatterAddOp, ScatterReduceOp, SegmentReduceOp
from ptir.dialects.ptir.sizes import may_hold_as_many
from ptir.errors import InvalidAttributeValue, PtirError
from ptir.semantics.bounds import bounds
from ptir.semantics.errors import (
    BrokenPromise,
    CannotBroadcast,
    CannotReshape,
    IndexOutOfRange,
    NameConflict,
    SizeMismatch,
    UnknownSize,
    WindowOutside,
    WrongShape,
)

# --- what a run refuses -------------------------------------------------------------------------

F32, I32 = np.float32, np.int32


def fn(signature: str, op: str) -> str:
    return f"func.func @f{signature} {{\n  %r = {op}\n  func.return %r : {signature.split('->')[1].strip()}\n}}"


def at(axis: str, x: str = "?x6", i: str = "?x6") -> str:
    return fn(
        f"(%x: tensor<{x}xf32>, %i: tensor<{i}xsi32>) -> tensor<{i}xf32>",
        f"ptir.gather %x, %i axis {axis} : (tensor<{x}xf32>, tensor<{i}xsi32>) -> tensor<{i}xf32>",
    )


def take(i: str = "2xsi64") -> str:
    return fn(
        f"(%x: tensor<?xf32>, %i: tensor<{i}>) -> tensor<2xf32>",
        f"ptir.take %x, %i : (tensor<?xf32>, tensor<{i}>) -> tensor<2xf32>",
    )


def scatter(x: str = "?x2", i: str = "?x?", u: str = "?x?") -> str:
    types = f"tensor<{x}xf32>, tensor<{i}xsi32>, tensor<{u}xf32>"
    return fn(
        f"(%x: tensor<{x}xf32>, %i: tensor<{i}xsi32>, %u: tensor<{u}xf32>) -> tensor<{x}xf32>",
        f"ptir.scatter_reduce max %x, %i, %u axis 0 : {types}",
    )


def rows(i: str = "?x?xsi32") -> str:
    types = f"tensor<?x6xf32>, tensor<{i}>, tensor<?x?xf32>"
    return fn(
        f"(%x: tensor<?x6xf32>, %i: tensor<{i}>, %u: tensor<?x?xf32>) -> tensor<?x6xf32>",
        "ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] "
        f"index_vector_dim 1 : {types}",
    )


def window(sizes: str = "2x?", start: str = "?") -> str:
    return fn(
        f"(%x: tensor<?x?xf32>, %s: tensor<{start}xsi64>) -> tensor<{sizes}xf32>",
        f"ptir.dynamic_slice %x, %s : (tensor<?x?xf32>, tensor<{start}xsi64>) -> tensor<{sizes}xf32>",
    )


def update() -> str:
    return fn(
        "(%x: tensor<?xf32>, %u: tensor<?xf32>, %s: tensor<1xsi64>) -> tensor<?xf32>",
        "ptir.dynamic_update_slice %x, %u, %s : tensor<?xf32>, tensor<?xf32>, tensor<1xsi64>",
    )


def segment(words: str = "", result: str = "3") -> str:
    return fn(
        f"(%x: tensor<?xf32>, %i: tensor<?xsi32>) -> tensor<{result}xf32>",
        f"ptir.segment_reduce sum %x, %i {words} : (tensor<?xf32>, tensor<?xsi32>) -> tensor<{result}xf32>",
    )


def move(op: str, x: str, result: str) -> str:
    return fn(f"(%x: tensor<{x}>) -> tensor<{result}>", f"ptir.{op} : tensor<{x}> -> tensor<{result}>")


def zeros(*shape: int) -> Any:
    return np.zeros(shape, F32)


def ids(*values: int) -> Any:
    return np.array(values, I32)


CASES: list[tuple[str, tuple[Any, ...], type[PtirError], str]] = [
    (
        take(),
        (zeros(3), np.array([0, 3])),
        IndexOutOfRange,
        "the index 3 at [1] of the indices is out of range: axis 0 has 3",
    ),
    (take(), (zeros(3), np.array([0, -1])), IndexOutOfRange, "the index -1 at [1] of the indices"),
    (
        take("2xsi32"),
        (zeros(0), ids(0, 0)),
        IndexOutOfRange,
        "the index 0 at [0] of the indices is out of range: axis 0 has 0",
    ),
    (take(), (zeros(3), np.array([2**40, 0])), IndexOutOfRange, "the index 1099511627776 at [0]"),
    (
        at("0"),
        (zeros(2, 6), np.full((1, 6), 2, I32)),
        IndexOutOfRange,
        "the index 2 at [0, 0] of the indices is out of range: axis 0",
    ),
    (
        at("-1", "2x?", "2x?"),
        (zeros(2, 6), np.full((2, 1), -7, I32)),
        IndexOutOfRange,
        "the index -7 at [0, 0] of the indices is out of range: axis 1",
    ),
    (
        at("0", "?x?", "?x?"),
        (zeros(2, 6), np.zeros((1, 5), I32)),
        SizeMismatch,
        "the tensor of indices has size [1, 5] in this run, expected [1, 6]",
    ),
    (
        at("0", "?x?", "?x?"),
        (zeros(2, 6), np.zeros((1, 1), I32)),
        SizeMismatch,
        "the tensor of indices has size [1, 1]",
    ),
    (
        scatter(),
        (zeros(3, 2), np.array([[0, 1], [3, 0]], I32), zeros(2, 2)),
        IndexOutOfRange,
        "the index 3 at [1, 0] of the indices is out of range: axis 0 has 3",
    ),
    (
        scatter(),
        (zeros(3, 2), np.zeros((1, 3), I32), zeros(1, 3)),
        SizeMismatch,
        "the tensor of indices has size [1, 3] in this run, expected [1, 2]",
    ),
    (
        scatter(),
        (zeros(3, 2), np.zeros((2, 2), I32), zeros(1, 2)),
        SizeMismatch,
        "the tensor of updates has size [1, 2] in this run, expected [2, 2]",
    ),
    (
        rows(),
        (zeros(3, 6), np.array([[0], [3]], I32), zeros(2, 6)),
        IndexOutOfRange,
        "the index 3 at [1, 0] of the positions of the updates is out of range: axis 0 has 3",
    ),
    (
        rows(),
        (zeros(3, 6), np.array([[0], [-1]], I32), zeros(2, 6)),
        IndexOutOfRange,
        "the index -1 at [1, 0] of the positions of the updates",
    ),
    (
        rows(),
        (zeros(3, 6), np.array([[0]], I32), zeros(1, 7)),
        IndexOutOfRange,
        "the index 6 at [0, 6] of the positions of the updates is out of range: axis 1 has 6",
    ),
    (
        rows(),
        (zeros(3, 6), np.zeros((2, 2), I32), zeros(2, 6)),
        SizeMismatch,
        "an index vector has size [2] in this run, expected [1]",
    ),
    (
        rows(),
        (zeros(3, 6), np.zeros((2, 1), I32), zeros(3, 6)),
        SizeMismatch,
        "the tensor of updates has size [3, 6] in this run, expected [2, 6]",
    ),
    (
        window(),
        (zeros(1, 4), np.zeros(2, np.int64)),
        WindowOutside,
        "a window of size 2 at offset 0 exceeds axis 0, which has 1 element",
    ),
    (window(), (zeros(3, 4), np.zeros(3, np.int64)), SizeMismatch, "the start has size [3] in this run, expected [2]"),
    (
        update(),
        (zeros(3), zeros(4), np.zeros(1, np.int64)),
        WindowOutside,
        "a window of size 4 at offset 0 exceeds axis 0, which has 3",
    ),
    (
        segment(),
        (zeros(2), ids(0, 3)),
        IndexOutOfRange,
        "the index 3 at [1] of the segment ids is out of range: axis 0 has 3",
    ),
    (segment(), (zeros(2), ids(-1, 0)), IndexOutOfRange, "the index -1 at [0] of the segment ids"),
    (
        segment(),
        (zeros(2), ids(0, 1, 2)),
        SizeMismatch,
        "the tensor of segment ids has size [3] in this run, expected [2]",
    ),
    (
        segment("sorted"),
        (zeros(3), ids(0, 2, 1)),
        BrokenPromise,
        "the segment ids are not sorted: 1 at [2] follows 2 at [1]",
    ),
    (
        segment("unique"),
        (zeros(3), ids(2, 0, 2)),
        BrokenPromise,
        "the segment ids are not unique: 2 at [2] follows 2 at [0]",
    ),
    (move("reshape %x", "?x?xf32", "6xf32"), (zeros(2, 4),), CannotReshape, "8 elements cannot have the shape [6]"),
    (move("reshape %x", "?x?xf32", "6xf32"), (zeros(3, 4),), CannotReshape, "12 elements cannot have the shape [6]"),
    (move("reshape %x", "?xf32", "?x4xf32"), (zeros(6),), CannotReshape, "6 elements cannot have the shape [?, 4]"),
    (
        move("slice %x [1]", "?xf32", "3xf32"),
        (zeros(3),),
        WindowOutside,
        "a window of size 3 at offset 1 exceeds axis 0, which has 3",
    ),
    (
        move("slice %x [4]", "?xf32", "?xf32"),
        (zeros(3),),
        WindowOutside,
        "a window of size 0 at offset 4 exceeds axis 0, which has 3",
    ),
    (
        move("broadcast_to %x", "?xf32", "4xf32"),
        (zeros(3),),
        CannotBroadcast,
        "[3] does not broadcast to [4] in this run: axis 0 has 3",
    ),
    (
        fn(
            "(%x: tensor<2x?xf32>, %y: tensor<2x?xf32>) -> tensor<4x?xf32>",
            "ptir.concat %x, %y axis 0 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<4x?xf32>",
        ),
        (zeros(2, 3), zeros(2, 4)),
        SizeMismatch,
        "operand 1 has size [2, 4] in this run, expected [2, 3]",
    ),
    (
        fn("() -> tensor<?xsi32, #ptir.dims<N>>", "ptir.iota axis 0 : tensor<?xsi32, #ptir.dims<N>>"),
        (),
        UnknownSize,
        "axis 0 of result 0 of ptir.iota is N",
    ),
    (
        fn(
            "(%x: tensor<3xf32>) -> tensor<?x3xf32, #ptir.dims<N, _>>",
            "ptir.broadcast_to %x : tensor<3xf32> -> tensor<?x3xf32, #ptir.dims<N, _>>",
        ),
        (zeros(3),),
        UnknownSize,
        "axis 0 of result 0 of ptir.broadcast_to is N",
    ),
    (
        fn(
            "(%x: tensor<?xf32>) -> tensor<?x?xf32, #ptir.dims<N, _>>",
            "ptir.reshape %x : tensor<?xf32> -> tensor<?x?xf32, #ptir.dims<N, _>>",
        ),
        (zeros(3),),
        UnknownSize,
        "axis 0 of result 0 of ptir.reshape is N",
    ),
    (
        fn(
            "(%x: tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>>",
            "ptir.tile %x [2] : tensor<?xf32, #ptir.dims<N>> -> tensor<?xf32, #ptir.dims<N>>",
        ),
        (zeros(3),),
        NameConflict,
        "the name N is 3",
    ),
    (
        move("pad %x with 0.0 : f32 low [1] high [0] interior [0]", "?xf32", "3xf32"),
        (zeros(3),),
        WrongShape,
        "has shape [4]",
    ),
]


@pytest.mark.parametrize(
    ("text", "arrays", "error", "message"), CASES, ids=lambda v: v if isinstance(v, str) and "\n" not in v else ""
)
def test_a_run_refuses(text: str, arrays: tuple[Any, ...], error: type[PtirError], message: str):
    with pytest.raises(error) as reported:
        ptir.reference(text, *arrays)
    assert message in reported.value.message
    assert reported.value.op is not None
    assert reported.value.code != "PTIR0000"


@pytest.mark.parametrize(("text", "arrays", "error", "message"), CASES[::3])
def test_bounds_refuse_alike(text: str, arrays: tuple[Any, ...], error: type[PtirError], message: str):
    module = ptir.parse(text)
    module.verify()
    with pytest.raises(error) as reported:
        bounds(module, "f", *arrays)
    assert message in reported.value.message


def test_what_is_empty_is_not_out_of_range():
    assert ptir.reference(rows(), zeros(3, 6), np.array([[7]], I32), zeros(1, 0))[0].shape == (3, 6)
    assert ptir.reference(at("0"), zeros(0, 6), np.zeros((0, 6), I32))[0].shape == (0, 6)


# --- what is bound ------------------------------------------------------------------------------


def test_a_size_that_the_type_leaves_open_is_the_operands():
    x = np.arange(12, dtype=F32).reshape(3, 4)
    assert ptir.reference(move("slice %x [1, 2]", "?x?xf32", "?x?xf32"), x)[0].tolist() == [[6, 7], [10, 11]]
    assert ptir.reference(window("?x2"), x, np.array([9, 1]))[0].tolist() == [[1, 2], [5, 6], [9, 10]]
    assert ptir.reference(move("broadcast_to %x", "?x?xf32", "2x?x4xf32"), x[:, :1])[0].shape == (2, 3, 4)
    assert ptir.reference(move("reshape %x", "?x?xf32", "2x?xf32"), x)[0].shape == (2, 6)


def test_names_that_are_bound_are_sizes():
    text = """func.func @f(%n: tensor<?xf32, #ptir.dims<N>>)
    -> (tensor<?x2xsi32, #ptir.dims<N, _>>, tensor<2x?xf32, #ptir.dims<_, N>>, tensor<?xf32, #ptir.dims<N>>) {
  %x = ptir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = ptir.constant dense<[1, 1]> : tensor<2xsi32>
  %c = ptir.reshape %x : tensor<2xf32> -> tensor<2x1xf32>
  %0 = ptir.iota axis 0 : tensor<?x2xsi32, #ptir.dims<N, _>>
  %1 = ptir.broadcast_to %c : tensor<2x1xf32> -> tensor<2x?xf32, #ptir.dims<_, N>>
  %2 = ptir.segment_reduce sum %x, %i : (tensor<2xf32>, tensor<2xsi32>) -> tensor<?xf32, #ptir.dims<N>>
  func.return %0, %1, %2 : tensor<?x2xsi32, #ptir.dims<N, _>>, tensor<2x?xf32, #ptir.dims<_, N>>, tensor<?xf32, #ptir.dims<N>>
}"""
    count, wide, segments = ptir.reference(text, zeros(3))
    assert count.tolist() == [[0, 0], [1, 1], [2, 2]]
    assert wide.tolist() == [[1, 1, 1], [2, 2, 2]]
    assert segments.tolist() == [0, 3, 0]


def test_a_name_that_a_reshape_infers_is_bound():
    text = """func.func @f(%x: tensor<?xf32>) -> tensor<?xsi32, #ptir.dims<N>> {
  %0 = ptir.reshape %x : tensor<?xf32> -> tensor<?x2xf32, #ptir.dims<N, _>>
  %1 = ptir.iota axis 0 : tensor<?xsi32, #ptir.dims<N>>
  func.return %1 : tensor<?xsi32, #ptir.dims<N>>
}"""
    assert ptir.reference(text, zeros(6))[0].tolist() == [0, 1, 2]


# --- what constructors infer --------------------------------------------------------------------


def value(*of: Size, dtype: Attribute = f32) -> SSAValue:
    return test.TestOp(result_types=[tensor_type(dtype, of)]).results[0]


INFERRED: list[tuple[Any, tuple[Size, ...]]] = [
    (lambda: movement.ReshapeOp(value(4, 6), [-1, 3]), (8, 3)),
    (lambda: movement.ReshapeOp(value(4, 6), [None]), (24,)),
    (lambda: movement.ReshapeOp(value(4, 6), [-1, 5]), (None, 5)),
    (lambda: movement.ReshapeOp(value("B", "S", 768), ["B", -1, 12, 64]), ("B", "S", 12, 64)),
    (lambda: movement.ReshapeOp(value("B", 6), ["B", -1, 2]), ("B", 3, 2)),
    (lambda: movement.ReshapeOp(value("B", "S"), [-1]), (None,)),
    (lambda: movement.ReshapeOp(value("B", 6), [-1, 3]), (None, 3)),
    (lambda: movement.ReshapeOp(value("B", "B"), [-1, "B"]), ("B", "B")),
    (lambda: movement.ReshapeOp(value(None, 6), [-1, 6]), (None, 6)),
    (lambda: movement.ReshapeOp(value(0, 6), [-1, 6]), (0, 6)),
    (lambda: movement.TransposeOp(value("B", 3, None), [2, 0, 1]), (None, "B", 3)),
    (lambda: movement.BroadcastToOp(value(6), ["B", 6]), ("B", 6)),
    (lambda: movement.SliceOp(value("B", 6), [0, 1], ["B", 3]), ("B", 3)),
    (lambda: movement.ConcatOp([value("B", 6), value("B", 2)], -1), ("B", 8)),
    (lambda: movement.ConcatOp([value(None, 6), value("B", 2)], 1), ("B", 8)),
    (lambda: movement.ConcatOp([value(None, 6), value("B", 2), value(4, 1)], 1), (4, 9)),
    (lambda: movement.ConcatOp([value("B", 6), value(0, 6)], 0), ("B", 6)),
    (lambda: movement.ConcatOp([value("B", 6)], 0), ("B", 6)),
    (lambda: movement.ConcatOp([value("B"), value("B")], 0), (None,)),
    (lambda: movement.PadOp(value("B", 3, 0), 0.0, [0, 1, 2], [0, 2, 0], [0, 1, 4]), ("B", 8, 2)),
    (lambda: movement.PadOp(value("B", None), 0.0, [0, 1], [1, 0]), (None, None)),
    (lambda: movement.PadOp(value("B"), 0.0, [0], [0], [1]), (None,)),
    (lambda: movement.TileOp(value("B", "C", 3, None), [1, 0, 2, 2]), ("B", 0, 6, None)),
    (lambda: movement.IotaOp(f32, ["B", 2], 0), ("B", 2)),
    (lambda: TakeOp(value("V", 6), value("B", 3, dtype=i32)), ("B", 3, 6)),
    (lambda: GatherOp(value("V", 6), value(2, 6, dtype=i32), 0), (2, 6)),
    (lambda: DynamicSliceOp(value("V", 6), value(2, dtype=i32), [1, None]), (1, None)),
    (lambda: SegmentReduceOp("sum", value("V", 6), value("V", dtype=i32), "S"), ("S", 6)),
]


@pytest.mark.parametrize(("build", "want"), INFERRED)
def test_result_sizes_are_inferred(build: Any, want: tuple[Size, ...]):
    assert sizes(build().results[0]) == want


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [
        ([4, 6], [24], True),
        ([4, 6], [23], False),
        (["B", 6], ["B", 6], True),
        (["B", 6], ["B", 7], False),
        (["B", 6], ["C", 7], True),
        (["B", 6], [12], True),
        (["B", 6], [13], False),
        ([12], ["B", 5], False),
        ([0], ["B", 5], True),
        ([None, 0], [5], False),
        ([None, 0], [0], True),
        ([None, 5], [None, 3], True),
        (["B", "B"], ["B", "B"], True),
        (["B", "B", 2], ["B", 3], False),
        (["B", "B", 2], ["B", 4], True),
        ([], [1], True),
    ],
)
def test_what_may_hold_as_many(a: list[Size], b: list[Size], want: bool):
    assert may_hold_as_many(a, b) is want
    assert may_hold_as_many(b, a) is want


def test_promises_are_kept_apart():
    x, ids = value(3), value(3, dtype=i32)
    for words in ({}, {"indices_are_sorted": True}, {"unique": True}):
        op = SegmentReduceOp("sum", x, ids, 2, **words)
        assert (op.indices_are_sorted is not None, op.unique is not None) == (
            "indices_are_sorted" in words,
            "unique" in words,
        )


BUILT: dict[str, Any] = {
    "reshape": lambda: movement.ReshapeOp(value(4), [4]),
    "transpose": lambda: movement.TransposeOp(value(4), [0]),
    "broadcast_to": lambda: movement.BroadcastToOp(value(4), [4]),
    "slice": lambda: movement.SliceOp(value(4), [0], [4]),
    "concat": lambda: movement.ConcatOp([value(4)], 0),
    "pad": lambda: movement.PadOp(value(4), 0.0, [0], [0]),
    "tile": lambda: movement.TileOp(value(4), [1]),
    "iota": lambda: movement.IotaOp(f32, [4], 0),
    "take": lambda: TakeOp(value(4), value(4, dtype=i32)),
    "gather": lambda: GatherOp(value(4), value(4, dtype=i32), 0),
    "dynamic_slice": lambda: DynamicSliceOp(value(4), value(1, dtype=i32), [4]),
    "dynamic_update_slice": lambda: DynamicUpdateSliceOp(value(4), value(4), value(1, dtype=i32)),
    "scatter_reduce": lambda: ScatterReduceOp("add", value(4), value(4, dtype=i32), value(4), 0),
    "scatter_add": lambda: ScatterAddOp(value(4), value(4, dtype=i32), value(4), [], [0], [0]),
    "segment_reduce": lambda: SegmentReduceOp("sum", value(4), value(4, dtype=i32), 4),
}


@pytest.mark.parametrize("name", BUILT)
def test_operands_and_results_are_tensors(name: str):
    BUILT[name]().verify()
    rank = len(BUILT[name]().operands)
    for k in range(rank + 1):
        op = BUILT[name]()
        if k < rank:
            op.operands[k] = test.TestOp(result_types=[VectorType(f32, [4])]).results[0]
        else:
            op.results[0]._type = VectorType(f32, [4])
        with pytest.raises(VerifyException, match=r"at position|does not verify|should be of"):
            op.verify()


@pytest.mark.parametrize("name", BUILT)
def test_properties_are_of_their_kind(name: str):
    definition = BUILT[name]().get_irdl_definition()
    for attribute in definition.properties:
        op = BUILT[name]()
        op.properties[attribute] = ArrayAttr([])
        with pytest.raises(VerifyException) as reported:
            op.verify()
        assert not isinstance(reported.value, PtirError), attribute


@pytest.mark.parametrize("name", ["dynamic_update_slice", "scatter_reduce", "scatter_add"])
def test_what_is_updated_keeps_its_type(name: str):
    op = BUILT[name]()
    op.results[0]._type = tensor_type(f32, [5])
    with pytest.raises(VerifyException):
        op.verify()


# --- scalars ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "dtype", "want"),
    [
        (1, f32, "0000803f"),
        (0.5, bf16, "003f"),
        (448, Float8E4M3FNType(), "7e"),
        (True, i1, "ff"),
        (b"\x01", i1, "ff"),
        (False, i1, "00"),
        (-1, IntegerType(4), "ff"),
        (b"\x0f", IntegerType(4), "ff"),
        (b"\x80", IntegerType(8), "80"),
        (b"\x7f", IntegerType(8), "7f"),
        (255, IntegerType(8, Signedness.UNSIGNED), "ff"),
        (b"\xff", IntegerType(8, Signedness.UNSIGNED), "ff"),
        (1 + 2j, ComplexType(f32), "0000803f00000040"),
        (2, ComplexType(f32), "0000004000000000"),
        (b"\x01\x00\xa0\x7f", f32, "0100a07f"),
        (float("inf"), f64, "000000000000f07f"),
    ],
)
def test_scalars_are_bytes(value: Any, dtype: Attribute, want: str):
    scalar = ScalarAttr.of(value, dtype)
    assert scalar.bytes.hex() == want
    assert scalar.dtype == dtype
    assert ScalarAttr.of(scalar.bytes, dtype) == scalar


def test_scalars_are_spelt():
    assert str(ScalarAttr.of(False, i1)) == "#ptir.scalar<false : i1>"
    assert str(ScalarAttr.of(True, i1)) == "#ptir.scalar<true : i1>"
    assert str(ScalarAttr.of(1e30, f32)) == "#ptir.scalar<1.0e+30 : f32>"


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1.5, i32),
        (True, i32),
        (1, i1),
        (2**32, i32),
        (1j, f32),
        (b"\x00", f32),
        (b"\x00", i32),
        (b"\x00" * 5, i32),
        (b"\x00" * 4, ComplexType(f32)),
        (0, tensor_type(f32, [])),
    ],
)
def test_what_is_no_value_is_refused(value: Any, dtype: Any):
    with pytest.raises(InvalidAttributeValue, match="is not a value of"):
        ScalarAttr.of(value, dtype)
