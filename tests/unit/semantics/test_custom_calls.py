"""Custom calls implemented in Python: the arguments of the function, the results that it may return, and all errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f32

import ptir
from ptir.dialects.ptir.calls import CustomCallOp, attribute_of, value_of
from ptir.errors import InvalidAttributeValue, PtirError
from ptir.semantics.errors import (
    CustomCallFailed,
    DivisionByZero,
    NameConflict,
    NoBounds,
    TargetTaken,
    Unimplemented,
    WrongResult,
    WrongShape,
)

X = np.arange(4, dtype=np.float32)


def call(attrs: str = "", result: str = "tensor<4xf32>", target: str = "test.f.v1") -> str:
    returned = f"({result})" if result.startswith("tensor") and ", tensor" in result else result
    names = ", ".join(f"%r{k}" for k in range(result.count("tensor") if returned != result else 1))
    return f"""func.func @f(%x: tensor<4xf32>) -> {returned} {{
      {names} = ptir.custom_call "{target}"(%x) {attrs} : (tensor<4xf32>) -> {returned}
      func.return {names} : {result}
    }}"""


def test_operands_by_position_and_attributes_by_name():
    seen: dict[str, Any] = {}

    def f(x: Any, **attributes: Any) -> Any:
        seen.update(attributes, x=x)
        return x * 2

    attrs = (
        '{n = -3 : i64, a = 0.5 : f64, yes = true, no = false, s = "t", l = [1, 2], e = [], b = [true], "odd-name" = 1}'
    )
    with ptir.register_custom_call("test.f.v1", f):
        (got,) = ptir.reference(call(attrs), X)
    assert got.tolist() == [0, 2, 4, 6]
    assert np.array_equal(seen.pop("x"), X)
    assert seen == {
        "n": -3,
        "a": 0.5,
        "yes": True,
        "no": False,
        "s": "t",
        "l": (1, 2),
        "e": (),
        "b": (True,),
        "odd-name": 1,
    }
    assert seen["yes"] is True and isinstance(seen["n"], int) and isinstance(seen["a"], float)


def test_a_decorator_gives_the_function_back():
    @ptir.register_custom_call("test.decorated.v1")
    def double(x: Any) -> Any:
        return x + x

    assert double(2) == 4
    assert ptir.reference(call(target="test.decorated.v1"), X)[0].tolist() == [0, 2, 4, 6]
    with pytest.raises(TargetTaken, match=r"'test\.decorated\.v1' is registered already") as caught:
        ptir.register_custom_call("test.decorated.v1", lambda x: x)
    assert str(caught.value) == (
        "error[PTIR0578]: custom call 'test.decorated.v1' is registered already\n"
        "  help: remove the other registration first, or give this one another version"
    )


def test_a_registration_ends():
    with ptir.register_custom_call("test.f.v1", lambda x: x):
        ptir.reference(call(), X)
    with pytest.raises(Unimplemented, match=r"'test\.f\.v1' is not implemented here"):
        ptir.reference(call(), X)
    first = ptir.register_custom_call("test.f.v1", lambda x: x)
    first.remove()
    with ptir.register_custom_call("test.f.v1", lambda x: -x):
        first.remove()  # does not remove the new registration
        assert ptir.reference(call(), X)[0].tolist() == [0, -1, -2, -3]
    first.remove()


def test_unimplemented_names_the_op_and_what_there_is():
    with ptir.register_custom_call("test.other.v1", lambda: None), pytest.raises(Unimplemented) as caught:
        ptir.reference(call(), X)
    assert isinstance(caught.value.op, CustomCallOp) and "test.other.v1" in caught.value.help


@pytest.mark.parametrize("target", ["f", "f.v1", "test.f", "test.f.v", ".f.v1", "test.f.v1 "])
def test_targets_are_namespaced_and_versioned(target: str):
    with pytest.raises(InvalidAttributeValue, match="'target'"):
        ptir.register_custom_call(target, lambda: None)
    with pytest.raises(InvalidAttributeValue, match="'target'"):
        ptir.register_custom_call(target)


# --- results --------------------------------------------------------------------------------------


def test_several_results_and_tuples():
    def f(x: Any) -> Any:
        return x[:2], np.argsort(x)

    with ptir.register_custom_call("test.f.v1", f):
        a, b = ptir.reference(call(result="tensor<2xf32>, tensor<4xsi64>"), X)
        c, d = ptir.reference(call(result="tuple<tensor<2xf32>, tensor<4xsi64>>"), X)
    for got, want in ((a, X[:2]), (b, np.arange(4)), (c, X[:2]), (d, np.arange(4))):
        assert np.array_equal(got, want)


def test_a_tuple_in_a_tuple_and_one_result_in_a_tuple():
    nested = call(result="tuple<tensor<4xf32>, tuple<tensor<f32>>>")
    with ptir.register_custom_call("test.f.v1", lambda x: [x, [x.max()]]):
        assert float(ptir.reference(nested, X)[1]) == 3
    with ptir.register_custom_call("test.f.v1", lambda x: (x,)):
        assert np.array_equal(ptir.reference(call(), X)[0], X)


def test_no_results():
    text = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      ptir.custom_call "test.f.v1"(%x) : (tensor<4xf32>) -> ()
      func.return %x : tensor<4xf32>
    }"""
    with ptir.register_custom_call("test.f.v1", lambda x: None):
        assert np.array_equal(ptir.reference(text, X)[0], X)
    with (
        ptir.register_custom_call("test.f.v1", lambda x: x),
        pytest.raises(WrongResult, match="declares 0 values") as caught,
    ):
        ptir.reference(text, X)
    assert str(caught.value) == (
        "<string>:2:7: error[PTIR0580]: custom call 'test.f.v1' returned an ndarray, but the program declares 0 values"
    )


@pytest.mark.parametrize(
    ("function", "result", "error", "message"),
    [
        (lambda x: x.astype(np.float64), "tensor<4xf32>", WrongResult, r"returned float64\[4\], .* tensor<4xf32>"),
        (lambda x: x[:3], "tensor<4xf32>", WrongShape, r"shape \[3\]"),
        (lambda x: x[:, None], "tensor<4xf32>", WrongShape, r"shape \[4, 1\]"),
        (lambda x: (x, x), "tensor<4xf32>", WrongResult, "returned 2 values, but the program declares 1 value"),
        (
            lambda x: x,
            "tensor<4xf32>, tensor<4xf32>",
            WrongResult,
            "returned an ndarray, but the program declares 2 values",
        ),
        (
            lambda x: (x,),
            "tensor<4xf32>, tensor<4xf32>",
            WrongResult,
            "returned 1 value, but the program declares 2 values",
        ),
        (lambda x: x, "tuple<tensor<4xf32>>", WrongResult, "returned an ndarray, but the program declares 1 value"),
        (lambda x: (x > 0,), "tuple<tensor<4xf32>>", WrongResult, "returned bool"),
        (lambda x: None, "tensor<4xf32>", WrongResult, "returned 0 values"),
        (lambda x: [[1], [1, 2]], "tensor<4xf32>", WrongResult, "returned a value that is not an array"),
        (lambda x: 1 / 0, "tensor<4xf32>", CustomCallFailed, "ZeroDivisionError: division by zero"),
    ],
)
def test_the_declared_types_hold(function: Any, result: str, error: type[PtirError], message: str):
    with ptir.register_custom_call("test.f.v1", function), pytest.raises(error, match=message) as caught:
        ptir.reference(call(result=result), X)
    assert isinstance(caught.value.op, CustomCallOp)


def test_dynamic_results_are_held_to_names():
    text = """func.func @f(%x: tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>> {
      %r = ptir.custom_call "test.f.v1"(%x) : (tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>>
      func.return %r : tensor<?xf32, #ptir.dims<N>>
    }"""
    with ptir.register_custom_call("test.f.v1", lambda x: x):
        assert ptir.reference(text, X)[0].shape == (4,)
    with ptir.register_custom_call("test.f.v1", lambda x: x[1:]), pytest.raises(NameConflict):
        ptir.reference(text, X)


# --- arguments ------------------------------------------------------------------------------------


def test_operands_are_not_to_be_written():
    def f(x: Any) -> Any:
        x[0] = 7
        return x

    before = X.copy()
    with ptir.register_custom_call("test.f.v1", f), pytest.raises(CustomCallFailed, match="read-only") as caught:
        ptir.reference(call(), X)
    assert str(caught.value) == (
        "<string>:2:13: error[PTIR0579]: custom call 'test.f.v1' failed: ValueError: assignment destination is read-only"
    )
    assert np.array_equal(X, before)


def test_what_is_written_all_the_same_is_a_copy():
    def f(x: Any) -> Any:
        x.flags.writeable = True
        x[:] = 7
        return x

    before = X.copy()
    with ptir.register_custom_call("test.f.v1", f):
        assert ptir.reference(call(), X)[0].tolist() == [7, 7, 7, 7]
    assert np.array_equal(X, before)


def test_a_function_without_a_signature_is_called():
    with ptir.register_custom_call("test.f.v1", max), pytest.raises(WrongResult, match="returned float32"):
        ptir.reference(call(result="tensor<4xf64>"), X)


def test_an_i64_from_two_to_the_63_up_is_negative():
    seen: list[Any] = []

    def f(x: Any, *, n: int) -> Any:
        seen.append(n)
        return x

    with ptir.register_custom_call("test.f.v1", f):
        ptir.reference(call("{n = 18446744073709551615 : i64}"), X)
    assert seen == [-1]


@pytest.mark.parametrize("attrs", ["", "{other = 1}", "{scale = 2, other = 1}"])
def test_attributes_that_the_function_does_not_take(attrs: str):
    def f(x: Any, *, scale: int) -> Any:
        return x * scale

    with (
        ptir.register_custom_call("test.f.v1", f),
        pytest.raises(InvalidAttributeValue, match="cannot be called with these operands and attributes"),
    ):
        ptir.reference(call(attrs), X)


def test_a_type_error_inside_is_a_failure():
    def f(x: Any) -> Any:
        return x + "1"

    with ptir.register_custom_call("test.f.v1", f), pytest.raises(CustomCallFailed):
        ptir.reference(call(), X)


def test_validation_sees_the_op():
    def positive(op: CustomCallOp) -> None:
        if op.arguments()["scale"] <= 0:  # pyright: ignore[reportOperatorIssue]
            raise ValueError("scale must be positive")

    def f(x: Any, *, scale: int) -> Any:
        return x * np.float32(scale)

    with ptir.register_custom_call("test.f.v1", f, validate=positive):
        assert ptir.reference(call("{scale = 2}"), X)[0][1] == 2
        with pytest.raises(InvalidAttributeValue, match="is invalid: scale must be positive"):
            ptir.reference(call("{scale = 0}"), X)


@pytest.mark.parametrize("where", ["validate", "function"])
def test_coded_errors_go_through(where: str):
    def refuse(*_: Any) -> Any:
        raise DivisionByZero

    def accept(x: Any) -> Any:
        return x

    function, validate = (accept, refuse) if where == "validate" else (refuse, None)
    with ptir.register_custom_call("test.f.v1", function, validate=validate), pytest.raises(DivisionByZero):
        ptir.reference(call(), X)


def test_there_are_no_bounds():
    with pytest.raises(NoBounds, match=r"the custom call 'test\.f\.v1'"):
        ptir.bounds(call(), X)


# --- building -------------------------------------------------------------------------------------


def test_attributes_from_python_and_back():
    values = {
        "i": 3,
        "f": 0.5,
        "b": True,
        "s": "x",
        "l": (1, 2),
        "fs": (0.5,),
        "bs": (False, True),
        "ss": ("a",),
        "e": (),
    }
    op = CustomCallOp("test.f.v1", [], [TensorType(f32, [2])], values)
    op.verify()
    assert op.arguments() == values
    assert all(value_of(attribute_of(v)) == v and type(value_of(attribute_of(v))) is type(v) for v in values.values())
    with pytest.raises(InvalidAttributeValue, match="'attrs'"):
        value_of(f32)
