"""Errors of the JSON reader and writer: each problem of a program is reported at its location."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptir.diagnostics.diagnostic import diagnose
from ptir.diagnostics.rendering import render_error
from ptir.errors import SourceError
from ptir.frontends.json.common.errors import NotInTheForm
from ptir.frontends.json.ptir import export_json, import_json, reading
from ptir.passes.environment import make_context
from ptir.text.errors import NotText, VerificationFailed, VerifierCrashed
from ptir.text.parsing import parse_text
from ptir.text.sources import decode_source
from ptir.text.verify import verify_module

from ..builders.amount import examples
from ..builders.json_programs import every_op, f32, imported, instruction, program, tensor

# --- what is wrong, and where -------------------------------------------------------------------

Edit = Callable[[dict[str, Any]], None]
NEG = {"ElementwiseUnary": "Neg"}


def simple() -> dict[str, Any]:
    top = instruction(
        3, {"TopK": {"k": 2, "axis": 0, "largest": True, "indices_dtype": "Si32"}}, 2,
        output={"Tuple": [f32(2), tensor("Si32", 2)]},
    )  # fmt: skip
    literal = {"spec": f32(2)["Tensor"], "bytes": "AACAPwAAAEA="}
    last = instruction(
        4, {"ElementwiseBinary": "Add"}, {"TupleElement": {"tuple": 3, "index": 0}}, {"Literal": literal}, output=f32(2)
    )
    return program(instruction(1, NEG, 0), instruction(2, NEG, 1), top, last)


def body(p: dict[str, Any], k: int) -> dict[str, Any]:
    return p["functions"][0]["body"][k]


def conditional(p: dict[str, Any]) -> None:
    """Makes two branches refer to the same region."""
    p["functions"][0] = program(
        instruction(2, {"Cond": {"true_region": 0, "false_region": 0}}, 1, 0), parameters=[f32(4), tensor("I1")]
    )["functions"][0]
    p["regions"] = [{"id": 0, "parameters": [f32(4)], "body": [instruction(1, NEG, 0)], "results": [f32(4)]}]


def with_regions(edit: Edit) -> Edit:
    def apply(p: dict[str, Any]) -> None:
        conditional(p)
        edit(p)

    return apply


def op(k: int, form: Any, *operands: int, **more: Any) -> Edit:
    """Returns a change that replaces the operation of instruction `k`."""

    def apply(p: dict[str, Any]) -> None:
        body(p, k).update(op=form, **more)
        if operands:
            body(p, k)["operands"] = [{"Value": o} for o in operands]

    return apply


def literal(dtype: str, size: int | str, data: Any) -> Edit:
    """Returns a change that replaces the literal of the last instruction."""
    return lambda p: body(p, 3)["operands"][1].update(Literal={"spec": tensor(dtype, size)["Tensor"], "bytes": data})


def scan(carried: int, stacked: int) -> Edit:
    return with_regions(op(0, {"Scan": {"body_region": 0, "carry_count": carried, "scan_output_count": stacked}}))


def pad_value(value: Any, dtype: str = "F32") -> Edit:
    """Returns a change that sets a pad value and its element type."""

    def apply(p: dict[str, Any]) -> None:
        p["functions"][0]["parameters"] = [tensor(dtype, 4)]
        form = {"Pad": {"low": [0], "high": [0], "interior": [0], "pad_value": value}}
        op(0, form, output=tensor(dtype, 4))(p)

    return apply


WINDOW = {
    "window_dims": [1], "strides": [1], "padding": [[0, 0]], "base_dilation": [1], "window_dilation": [1], "reduce": "Sum",
}  # fmt: skip


def deep_tuple(depth: int) -> str:
    """Returns the text of a tuple type with this nesting depth."""
    return '{"Tuple": [' * depth + json.dumps(f32(1)) + "]}" * depth


ERRORS: list[tuple[str, Edit, str, str]] = [
    # schema errors: the text at the caret, and the message
    ("PTIR0641", lambda p: p.pop("entry"), "{", "missing required field 'entry'"),
    ("PTIR0641", lambda p: p.update(foo=1), '"foo"', "unknown field 'foo'"),
    ("PTIR0641", lambda p: body(p, 1).update(oprands=[]), '"oprands"', "did you mean 'operands'?"),
    ("PTIR0641", lambda p: body(p, 0).update(id="7"), '"7"', "expected 'int', got 'str'"),
    ("PTIR0641", lambda p: body(p, 0).update(id=-1), "-1", "expected 'int' >= 0"),
    ("PTIR0641", lambda p: body(p, 0).update(id=10**400), "1000", "<= 4294967295"),
    ("PTIR0641", lambda p: body(p, 0).update(id=2**32), "4294967296", "<= 4294967295"),
    ("PTIR0641", lambda p: body(p, 0).update(op={"ElementwiseUnary": "Ngg"}), '"Ngg"', "did you mean 'Neg'?"),
    ("PTIR0641", lambda p: body(p, 0).update(op={"Redduce": {}}), '"Redduce"', "did you mean 'Reduce'?"),
    ("PTIR0641", lambda p: body(p, 0).update(op="Reduce"), '"Reduce"', "an operation with fields is an object"),
    ("PTIR0641", lambda p: body(p, 0).update(op={"Select": {}}), '"Select"', "an operation without fields is a word"),
    ("PTIR0641", lambda p: body(p, 0).update(op={}), "{", "expected one field, a variant, got 0"),
    ("PTIR0641", lambda p: body(p, 0)["op"].update(Cast={"dtype": "F32"}), "{", "a variant, got 2"),
    ("PTIR0641", lambda p: body(p, 2)["op"]["TopK"].update(k=2.5), "2.5", "expected 'int', got 'float'"),
    ("PTIR0641", lambda p: body(p, 2)["op"]["TopK"].pop("axis"), "{", "missing required field 'axis'"),
    ("PTIR0641", lambda p: body(p, 0)["output"]["Tensor"].update(dtype="F31"), '"F31"', "did you mean 'F32'?"),
    ("PTIR0641", lambda p: body(p, 3)["operands"][1]["Literal"].update(bytes="AA$A"), '"AA$A"', "base64"),
    ("PTIR0641", lambda p: body(p, 3)["operands"][1]["Literal"].update(bytes=[0, 1, 256]), "256", "<= 255"),
    ("PTIR0641", lambda p: body(p, 0).update(names=["1x"]), '"1x"', "not a name of a value"),
    ("PTIR0641", lambda p: p["functions"][0].update(parameters=[tensor("F32", "a b")]), "{", "names a dimension 'a b'"),
    ("PTIR0641", lambda p: p["functions"][0].update(name=""), '""', "length >= 1"),
    # versions
    ("PTIR0642", lambda p: p.update(spec_version="ptir.v0.5"), '"ptir.v0.5"', "only 'ptir.v0.4' can be read"),
    ("PTIR0642", lambda p: p.update(spec_version="ptir.v0.5", news=[]), '"ptir.v0.5"', "only 'ptir.v0.4' can be read"),
    ("PTIR0642", lambda p: p.update(spec_version=""), '""', "spec_version is ''"),
    # ids that are undefined, or defined twice
    ("PTIR0643", lambda p: body(p, 0)["operands"][0].update(Value=77), "77", "a function or a region can use its own values"),
    ("PTIR0643", lambda p: body(p, 0)["operands"][0].update(Value=2), "2", "an instruction can use values that are defined before it"),
    ("PTIR0643", lambda p: body(p, 3)["operands"][0]["TupleElement"].update(tuple=9), "9", "value 9 is not defined"),
    ("PTIR0643", lambda p: p["functions"][0].update(result_ids=[9]), "9", "value 9 is not defined"),
    ("PTIR0643", lambda p: p.update(entry="g"), '"g"', "function g is not defined"),
    ("PTIR0643", with_regions(lambda p: p["regions"][0].update(id=1)), '"Cond"', "region 0 is not defined"),
    ("PTIR0644", lambda p: body(p, 1).update(id=1), "1", "value 1 is defined twice"),
    ("PTIR0644", lambda p: body(p, 1).update(id=0), "0", "value 0 is defined twice"),
    ("PTIR0644", with_regions(lambda p: p["regions"].append(p["regions"][0])), "0", "region 0 is defined twice"),
    # literals
    ("PTIR0645", lambda p: body(p, 3)["operands"][1]["Literal"].update(bytes="AACA"), "{", "3 bytes, and F32[2] has 8"),
    ("PTIR0645", literal("F32", "N", ""), "{", "a literal of dynamic shape"),
    ("PTIR0645", literal("I1", 1, [2]), "{", "from 0 to 1"),
    ("PTIR0645", literal("Si4", 1, [8]), "{", "from -8 to 7"),
    ("PTIR0645", literal("Ui4", 1, [16]), "{", "from 0 to 15"),
    ("PTIR0645", pad_value({"Signed": 128}, "Si8"), "{", "is not a value of si8"),
    ("PTIR0645", pad_value({"I1": True}, "Si8"), "{", "its kind is Signed or Unsigned"),
    ("PTIR0645", pad_value({"Signed": 1}), "{", "a value of kind Signed for f32"),
    ("PTIR0645", pad_value({"Bytes": "AAA="}), "{", "is not a value of f32"),
    # contradictions
    ("PTIR0646", lambda p: p["functions"][0].update(parameter_ids=[]), "[", "'parameter_ids' has length 0, but the number of parameters is 1"),
    ("PTIR0646", lambda p: p["functions"][0].update(result_ids=[]), "[", "'result_ids' has length 0"),
    ("PTIR0646", lambda p: p["functions"][0].update(results=[f32(3)]), "{", "result 0 is tensor<2xf32>, not tensor<3xf32>"),
    ("PTIR0646", lambda p: p["functions"][0].update(parameter_names=["a", "b"]), "[", "'parameter_names' has length 2"),
    ("PTIR0646", lambda p: body(p, 2).update(names=["a"]), "[", "'names' has length 1, but the number of values is 2"),
    ("PTIR0646", lambda p: body(p, 2).update(output=f32(2)), "{", "has 2 results"),
    ("PTIR0646", lambda p: body(p, 2)["op"]["TopK"].update(indices_dtype="Si64"), '"Si64"', "but the second output has Si32"),
    ("PTIR0646", lambda p: body(p, 3)["operands"][0]["TupleElement"].update(index=2), "2", "has elements 0 to 1"),
    ("PTIR0646", lambda p: body(p, 3)["operands"][0]["TupleElement"].update(tuple=1), "0", "value 1, which is not a tuple"),
    ("PTIR0646", op(0, {"Cast": {"dtype": "Bf16"}}), '"Bf16"', "is Bf16, but the output has F32"),
    ("PTIR0646", op(0, {"BroadcastTo": {"result_shape": {"dims": [{"Static": 5}]}}}), "{", "is [5], but the output has [4]"),
    ("PTIR0646", op(0, {"Slice": {"starts": [0], "sizes": [5]}}), "[", "is [5], but the output has [4]"),
    ("PTIR0646", op(0, {"Reshape": {"new_shape": [{"Explicit": {"Static": 5}}]}}), "[", "'new_shape' and the shape"),
    ("PTIR0646", op(0, {"Reshape": {"new_shape": ["Infer", "Infer"]}}), "[", "infers two sizes"),
    ("PTIR0646", op(1, {"DynamicUpdateSlice": {"sizes": [3]}}, 0, 1, 0), "[", "'sizes' is [3], but the update has [4]"),
    ("PTIR0646", with_regions(lambda p: p["regions"].append({**p["regions"][0], "id": 5})), "5", "belongs to no instruction"),
    ("PTIR0646", with_regions(lambda p: p["regions"][0].update(results=[f32(4)] * 2)), "[", "2 results, but only 1 instruction"),
    ("PTIR0646", with_regions(lambda p: p["regions"][0].update(result_ids=[])), "[", "'result_ids' has length 0"),
    ("PTIR0646", with_regions(lambda p: p["regions"][0].update(results=[f32(5)])), "{", "result 0 is tensor<4xf32>"),
    ("PTIR0646", scan(3, 0), "3", "'carry_count' is 3, but the op has 2 operands"),
    ("PTIR0646", scan(1, 1), "1", "'scan_output_count' is 1, but the output, beside the carried values, has 0"),
    # unsupported fields
    ("PTIR0648", lambda p: p["functions"][0].update(hints=[{"id": 1}]), "[", "fusion hints are not supported yet"),
    # errors of verifiers, at the operation
    ("PTIR0102", op(0, {"Compare": {"op": "Less"}}, 0, 0, output=tensor("I1", 5)), '"Compare"', "the result has shape [5]"),
    ("PTIR0111", op(0, {"ElementwiseUnary": "Sqrt"}), '"ElementwiseUnary"', "'ptir.sqrt' is an extension"),
    ("PTIR0101", lambda p: body(p, 2)["op"]["TopK"].update(k=9), '"TopK"', "'k' is 9"),
    ("PTIR0101", op(0, {"ReduceWindow": WINDOW | {"strides": [1, 1]}}), '"ReduceWindow"', "'strides' has 2 numbers"),
    ("PTIR0101", op(0, {"ReduceWindow": WINDOW | {"padding": [[0, 0]] * 2}}), '"ReduceWindow"', "'padding' has 4"),
    ("PTIR0196", lambda p: p["functions"].append(p["functions"][0]), '"f"', "redefinition of symbol @f"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "edit", "at", "message"), ERRORS, ids=[f"{e[0]}-{k}" for k, e in enumerate(ERRORS)])
@pytest.mark.parametrize("indent", [None, 1])
def test_an_error_has_a_code_and_a_place(code: str, edit: Edit, at: str, message: str, indent: int | None):
    p = copy.deepcopy(simple())
    edit(p)
    text = json.dumps(p, indent=indent)
    with pytest.raises((SourceError, VerificationFailed)) as raised:
        imported(text)
    first = diagnose(raised.value)[0]
    assert first.code == code
    assert message in render_error(raised.value)
    assert first.place is not None and first.place.file == "p.json"
    line = text.split("\n")[first.place.line - 1]
    assert first.place.text == line
    assert line[first.place.column - 1 :].startswith(at)


def test_the_program_of_the_errors_is_none():
    assert export_json(imported(json.dumps(simple())))


@pytest.mark.parametrize(
    ("text", "code", "place", "message"),
    [
        ("", "PTIR0640", (1, 1), "there is no text"),
        (" \n ", "PTIR0640", (1, 1), "there is no text"),
        ('{"spec_version":\n "ptir', "PTIR0640", (2, 6), "the text ends too early"),
        ('{"functions": [\n', "PTIR0640", (1, 15), "this is never closed"),
        ('{\n "entry": nul}', "PTIR0640", (2, 11), "invalid character"),
        ('{"entry": "é",\n "functions": [01]}', "PTIR0640", (2, 17), "invalid number"),
        ('{"entry": "é",, "regions": []}', "PTIR0640", (1, 15), "object keys must be strings"),
        ("{} x", "PTIR0641", (1, 1), "missing required field"),
        (json.dumps(simple()) + "\nx", "PTIR0640", (2, 1), "trailing characters"),
        ("func.func @f() { func.return }", "PTIR0640", (1, 1), "IR is read by --export-json"),
        ("[" * 100_000, "PTIR0641", (1, 1), "expected 'object', got 'array'"),
        (json.dumps(simple()).replace('"entry"', '"entry": "g", "entry"'), "PTIR0644", (1, 45), "defined twice"),
        (json.dumps(simple()).replace('"id": 2', '"id": 2, "\\u0069d": 2'), "PTIR0644", None, "defined twice"),
        ('{"entry": "n", }', "PTIR0640", (1, 16), "trailing comma"),
        ('{"entry":"n":}', "PTIR0640", (1, 13), "expected ',' or '}'"),
        ('{"entry": ?}', "PTIR0640", (1, 11), "invalid character"),
        ('{"entry": falsy}', "PTIR0640", (1, 11), "invalid character"),
        (json.dumps(simple()).replace('"id": 2', '"id": 1e999'), "PTIR0641", None, "out of range"),
        (json.dumps(simple()).replace('"entry": "f"', '"entry": "\\ud800x"'), "PTIR0640", None, "not JSON"),
    ],
)  # fmt: skip
def test_malformed_text(text: str, code: str, place: tuple[int, int] | None, message: str):
    with pytest.raises(SourceError) as raised:
        imported(text)
    (found,) = diagnose(raised.value)
    assert found.code == code and message in render_error(raised.value)
    assert found.place is not None and (place is None or (found.place.line, found.place.column) == place)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("depth", [50, 500, 5_000, 100_000])
def test_nesting_is_a_type_or_an_error(depth: int):
    text = json.dumps(program(instruction(1, "Take", output={"deep": 0}), results=[], result_ids=[]))
    text = text.replace('{"deep": 0}', deep_tuple(depth))
    try:
        verify_module(import_json(text))
    except VerificationFailed:
        assert depth <= 500
    except SourceError as e:
        assert e.code == "PTIR0649" and depth > 50


@pytest.mark.sampled(1)
def test_nested_regions_are_a_module_or_an_error():
    """As deep as the stack allows; a region is a constant number of calls."""
    p = copy.deepcopy(simple())
    conditional(p)
    empty = {"id": 0, "parameters": [f32(4), tensor("I1")], "body": [], "results": [f32(4)], "result_ids": [0]}
    deeper = [
        {
            **empty,
            "id": k,
            "body": [instruction(2, {"Composite": {"name": "a.v1", "body_region": k - 1}}, 0, 1)],
            "result_ids": [2],
        }
        for k in range(1, 3000)
    ]
    p["regions"] = [empty, *deeper]
    body(p, 0)["op"] = {"Composite": {"name": "a.v1", "body_region": 20}}
    body(p, 0)["operands"] = [{"Value": 0}, {"Value": 1}]
    p["extensions"] = True
    p["regions"][21:] = []
    assert sum(op.name == "ptir.composite" for op in imported(json.dumps(p)).walk()) == 21
    p["regions"] = [empty, *deeper]
    body(p, 0)["op"]["Composite"]["body_region"] = 2999
    with pytest.raises(SourceError) as raised:
        import_json(json.dumps(p))
    assert str(raised.value) == (
        "<json>:1:489: error[PTIR0649]: nested too deeply to read\n"
        "  help: flatten the brackets: no program needs so many levels"
    )


def test_a_region_that_contains_itself():
    p = copy.deepcopy(simple())
    conditional(p)
    p["regions"][0]["parameters"].append(tensor("I1"))
    p["regions"][0]["body"] = [instruction(2, {"Cond": {"true_region": 0, "false_region": 0}}, 1, 0)]
    with pytest.raises(SourceError) as raised:
        imported(json.dumps(p))
    assert raised.value.message == "region 0 contains itself"


def test_regions_do_not_expand_to_more_than_memory():
    p = copy.deepcopy(simple())
    conditional(p)
    regions = p["regions"]
    regions[0]["body"][0]["id"] = 2
    for k in range(12):  # expands to 4096 regions
        twice = instruction(2, {"Cond": {"true_region": k, "false_region": k}}, 1, 0)
        regions.append({"id": k + 1, "parameters": [f32(4), tensor("I1")], "body": [twice], "results": [f32(4)]})
    regions[0]["parameters"].append(tensor("I1"))
    body(p, 0)["op"]["Cond"] = {"true_region": 12, "false_region": 12}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "EXPANDED", 1000)
        with pytest.raises(SourceError) as raised:
            import_json(json.dumps(p))
    assert raised.value.code == "PTIR0648" and "expands to more than" in raised.value.message


@pytest.mark.parametrize(
    ("ir", "what"),
    [
        ("builtin.module attributes {a.b = 1 : i64} {}", "the module's attribute a.b = 1 : i64"),
        ("builtin.module @m {}", "sym_name"),
        ('builtin.module attributes {ptir.entry = "g"} { func.func @f() { func.return } }', 'the entry "g"'),
        ("builtin.module attributes {ptir.entry = 1 : i64} { func.func @f() { func.return } }", "the entry 1 : i64"),
        ("builtin.module {}", "'builtin.module'"),
        ("func.func private @f() -> ()", "sym_visibility"),
        ("func.func @f() -> ()", "a function without a body"),
        ("func.func @f() attributes {a.b} { func.return }", "the function's attribute a.b = unit"),
        ("func.func @f(%x: tensor<f32> {a.b}) { func.return }", "the function's attribute arg_attrs"),
        ("func.func @f() { cf.br ^bb1 ^bb1: func.return }", "a function of several blocks"),
        ("func.func @f(%x: i32) { func.return }", "the type i32"),
        ("func.func @f(%x: tensor<*xf32>) { func.return }", "the type tensor<*xf32>"),
        ("func.func @f(%x: tensor<f128>) { func.return }", "the element type f128"),
        ('func.func @f(%x: tensor<4xf32, "sparse">) { func.return }', 'the type tensor<4xf32, "sparse">'),
        ("func.func @f() { %0 = arith.constant 1 : i32 func.return }", "'arith.constant'"),
        ("func.func @f() { func.call @f() : () -> () func.return }", "'func.call'"),
        ("func.func @f(%x: tensor<f32>) { %0 = ptir.neg %x {a.b} : tensor<f32> func.return }", "the attribute a.b = unit"),
        ("func.func @f() { func.return {a.b} }", "the attribute a.b = unit"),
        ('func.func @f() { ptir.custom_call "a.b.v1"() {n = 0x7FF8000000000001 : f64} : () -> () func.return }', "the attribute n"),
        ('func.func @f() { ptir.composite "a.v1" {n = 1 : i32} : () -> () do { ptir.yield } func.return }', "n = 1 : i32"),
    ],
)  # fmt: skip
def test_what_the_form_has_no_place_for_is_an_error(ir: str, what: str):
    module = parse_text(
        ir if ir.startswith("builtin.module") and ir != "builtin.module {}" else f"builtin.module {{ {ir} }}",
        make_context(),
        "m.mlir",
    )
    with pytest.raises(NotInTheForm) as raised:
        export_json(module)
    assert raised.value.code == "PTIR0647" and what in raised.value.message
    assert diagnose(raised.value)[0].place is not None


def outcome(data: bytes) -> str:
    """Reads a text. Fails unless the outcome is a module or an error with a code."""
    try:
        module = import_json(decode_source(data, "p.json"))
        verify_module(module)
    except (SourceError, NotText) as e:
        assert render_error(e).startswith("p.json:") or "<json>" in render_error(e)
        return diagnose(e)[0].code
    except VerificationFailed as e:
        crashed = [cause for _, cause in e.failures if isinstance(cause, VerifierCrashed)]
        assert not crashed, crashed
        return "verification"
    text = export_json(module)
    again = imported(text)
    assert again.is_structurally_equivalent(module) and export_json(again) == text
    assert parse_text(str(module), make_context(), "m.mlir").is_structurally_equivalent(module)
    return "a module"


@settings(max_examples=examples(80))
@given(st.data())
def test_any_change_of_bytes_is_a_module_or_an_error(data: st.DataObject):
    text = bytearray(data.draw(st.sampled_from([json.dumps(simple()), every_op()])).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        match data.draw(st.sampled_from(["set", "delete", "repeat", "insert", "cut"])):
            case "set":
                text[at] = data.draw(st.integers(0, 255))
            case "delete":
                del text[at : at + data.draw(st.integers(1, 30))]
            case "repeat":
                text[at:at] = text[at : at + data.draw(st.integers(1, 30))]
            case "insert":
                text[at:at] = data.draw(
                    st.sampled_from([b"{", b"}", b"[", b"]", b'"', b",", b"\\", b"9", b"null", b"\xff", b"\0"])
                )
            case _:
                del text[at + 1 :]
        text = text or bytearray(b" ")
    outcome(bytes(text))


WEIRD: list[Any] = [
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    10**30,
    1.5,
    "",
    "x",
    "inf",
    [],
    {},
    [0, 0],
    {"Static": 0},
    "Infer",
    "F32",
    "I1",
]


@settings(max_examples=examples(80))
@given(st.data())
def test_any_change_of_values_is_a_module_or_an_error(data: st.DataObject):
    p = json.loads(data.draw(st.sampled_from([json.dumps(simple()), every_op()])))
    for _ in range(data.draw(st.integers(1, 3))):
        places = list(_places(p))
        parent, key = data.draw(st.sampled_from(places))
        match data.draw(st.sampled_from(["weird", "other", "alike", "delete"])):
            case "weird":
                parent[key] = deepcopy(data.draw(st.sampled_from(WEIRD)))
            case "other":
                there, name = data.draw(st.sampled_from(places))
                parent[key] = copy.deepcopy(there[name])
            case "alike":
                there, name = data.draw(st.sampled_from([q for q in places if q[1] == key]))
                parent[key] = copy.deepcopy(there[name])
            case _:
                del parent[key]
    outcome(json.dumps(p).encode())


def _places(node: Any) -> Any:
    """Yields all places in a JSON value, as container and key."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield node, key
        yield from _places(value)
