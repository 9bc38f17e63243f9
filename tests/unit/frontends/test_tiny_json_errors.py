"""Errors of the JSON reader and writer of tiny programs: each problem is reported at its location."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptir.diagnostics.diagnostic import diagnose
from ptir.diagnostics.rendering import render_error
from ptir.errors import PtirError, SourceError
from ptir.frontends.json.common.errors import NotInTheForm
from ptir.frontends.json.tiny import export_json, import_json
from ptir.passes.environment import make_context
from ptir.text.errors import NotText, VerificationFailed, VerifierCrashed
from ptir.text.parsing import parse_text
from ptir.text.sources import decode_source
from ptir.text.verify import verify_module

from ..builders.amount import examples
from ..builders.json_programs import read
from ..builders.tiny_json_programs import GEMM, every_tiny_op, gemm, imported, op, tiny

Edit = Callable[[dict[str, Any]], Any]


def at(k: int, **fields: Any) -> Edit:
    """Returns a change of fields of op `k` of the GEMM."""
    return lambda p: p["ops"][k].update(fields)


def value(name: str, dtype: str, *shape: int | str) -> Edit:
    """Returns a change that replaces the declaration of a value."""
    return lambda p: p["values"].update({name: {"dtype": dtype, "shape": list(shape)}})


def both(*edits: Edit) -> Edit:
    def apply(p: dict[str, Any]) -> None:
        for edit in edits:
            edit(p)

    return apply


def add(form: str, out: str, *inputs: str, **fields: Any) -> Edit:
    """Returns a change that adds an op."""
    return lambda p: p["ops"].append(op(form, out, *inputs, **fields))


def move(kind: str, *, of: str = "A", **attrs: Any) -> Edit:
    """Returns a change that adds a movement `Z` of a value of the GEMM."""
    return add("Movement", "Z", of, kind=kind, attrs=attrs)


def instead(*ops: dict[str, Any], **values: tuple[Any, ...]) -> Edit:
    """Returns a change that replaces the program."""
    declared = {name: {"dtype": dtype, "shape": list(shape)} for name, (dtype, *shape) in values.items()}

    def apply(p: dict[str, Any]) -> None:
        other = tiny(*ops)
        read = {name for op in ops for name in op["inputs"]}
        p.clear()
        p.update(other, values={n: v for n, v in {**other["values"], **declared}.items() if n in read})

    return apply


def const(number: Any, dtype: str, *shape: int | str) -> Edit:
    return both(
        lambda p: p["ops"].append({"op": "Const", "outputs": ["c"], "value": number}), value("c", dtype, *shape)
    )


ERRORS: list[tuple[str, Edit, str, str]] = [
    # schema errors: the text at the caret, and the message
    ("PTIR0641", lambda p: p.pop("values"), "{", "missing required field 'values'"),
    ("PTIR0641", lambda p: p.update(vals={}), '"vals"', "did you mean 'values'?"),
    ("PTIR0641", at(0, op="Move"), '"Move"', "did you mean 'Movement'?"),
    ("PTIR0641", at(0, op="MatMul"), '"MatMul"', "a contraction is a Binary mul and a Reduce sum of it"),
    ("PTIR0641", at(0, kind="transpose"), '"transpose"', "it is called permute"),
    ("PTIR0641", at(0, kind="slice"), '"slice"', "it is called shrink"),
    ("PTIR0641", at(0, kind="broadcast"), '"broadcast"', "it is called expand"),
    ("PTIR0641", at(6, fn="relo"), '"relo"', "did you mean 'relu'?"),
    ("PTIR0641", at(2, fn="relu"), '"relu"', "unknown word 'relu'"),
    ("PTIR0641", at(3, fn="mean"), '"mean"', "unknown word 'mean'"),
    ("PTIR0641", lambda p: p["ops"][3].pop("axes"), "{", "missing required field 'axes'"),
    ("PTIR0641", at(0, axes=[1]), '"axes"', "unknown field 'axes'"),
    ("PTIR0641", at(0, attrs={"shape": ["M"]}), '"shape"', "unknown field 'shape'"),
    ("PTIR0641", at(0, attrs={"new_shape": [-1]}), "-1", "expected 'int' >= 0"),
    ("PTIR0641", at(0, attrs={"new_shape": ["M+1"]}), '"M+1"', "matching regex"),
    ("PTIR0641", at(0, attrs={"new_shape": ["_"]}), '"_"', "matching regex"),
    ("PTIR0641", at(0, inputs=["1a"]), '"1a"', "matching regex"),
    ("PTIR0641", at(0, inputs="A"), '"A"', "expected 'array', got 'str'"),
    ("PTIR0641", value("A", "f16", "M", "K"), '"f16"', "it is called fp16"),
    ("PTIR0641", value("A", "uint8", "M", "K"), '"uint8"', "it is called ui8"),
    ("PTIR0641", value("A", "fp31", "M", "K"), '"fp31"', "did you mean 'fp32'?"),
    ("PTIR0641", value("B", "fp16", "K", 1.5), "1.5", "expected 'int | str', got 'float'"),
    ("PTIR0641", lambda p: p["values"]["bias"].pop("shape"), "{", "missing required field 'shape'"),
    ("PTIR0641", lambda p: p["values"]["bias"].update(layout="row"), '"layout"', "unknown field 'layout'"),
    ("PTIR0641", lambda p: p.update(spec_version="ptir.v9"), '"ptir.v9"', "unknown word 'ptir.v9'"),
    ("PTIR0641", lambda p: p.update(name=""), '""', "length >= 1"),
    # names that are undefined, or defined twice
    ("PTIR0643", at(2, inputs=["A_r", "B_q"]), '"B_q"', "did you mean 'B_r'?"),
    ("PTIR0643", at(2, inputs=["A_r", "xyzzy"]), '"xyzzy"', "declare an argument in 'values'"),
    ("PTIR0643", lambda p: p.update(outputs=["C3"]), '"C3"', "value C3 is not defined"),
    ("PTIR0643", lambda p: p.update(inputs=["A", "B", "bias", "Q"]), '"Q"', "declare the type of an argument in 'values'"),
    ("PTIR0643", both(value("Q", "fp16"), at(6, inputs=["Q"]), lambda p: p.update(inputs=["A", "B", "bias"])), '"Q"',
     "list an argument in 'inputs'"),
    ("PTIR0643", at(3, axes=["Q"]), '"Q"', "axis Q is not defined in [M, K, N]"),
    ("PTIR0644", at(6, outputs=["C1"]), '"C1"', "value C1 is defined twice"),
    ("PTIR0644", lambda p: p.update(inputs=["A", "B", "bias", "T"]), '"T"', "value T is defined twice"),
    ("PTIR0644", lambda p: p.update(inputs=["A", "B", "B", "bias"]), '"B"', "value B is defined twice"),
    ("PTIR0644", at(6, name="mul"), '"mul"', "op mul is defined twice"),
    ("PTIR0646", value("Q", "fp16"), '"Q"', "value Q is declared, but no op defines or uses it"),
    # cycles
    ("PTIR0650", at(6, inputs=["C2"]), '"C2"', "C2 → C2"),
    ("PTIR0650", at(4, inputs=["C2"]), '"bias_mn"', "bias_mn → C1 → C2 → bias_mn"),
    # numbers of operands and results
    ("PTIR0646", at(2, inputs=["A_r"]), "[", "mul has 2 inputs, got 1"),
    ("PTIR0646", at(5, fn="where"), "[", "where has 3 inputs, got 2"),
    ("PTIR0646", at(6, inputs=["C1", "C1"]), "[", "relu has 1 input, got 2"),
    ("PTIR0646", at(0, inputs=[]), "[", "reshape has 1 input, got 0"),
    ("PTIR0646", both(const(1, "fp16"), lambda p: p["ops"][-1].update(inputs=["A"])), "[", "a leaf has 0 inputs"),
    ("PTIR0646", at(6, outputs=["C2", "C3"]), "[", "an op has 1 output, got 2"),
    ("PTIR0646", at(6, outputs=[]), "[", "an op has 1 output, got 0"),
    # axes
    ("PTIR0651", instead(op("Reduce", "s", "y", fn="sum", axes=["K"]), y=("fp32", "K", 2, "K")), '"K"',
     "axis K is ambiguous: axes 0, 2 of [K, 2, K]"),
    ("PTIR0643", instead(op("Reduce", "s", "x", fn="sum", axes=["K"])), '"K"', "axis K is not defined in [4, M]"),
    # types that cannot be inferred
    ("PTIR0652", at(4, attrs={}), '"bias_mn"', "nothing else determines the result type"),
    ("PTIR0641", at(4, attrs=None), "null", "expected 'object', got 'null'"),
    ("PTIR0652", add("Unary", "Z", "A", fn="cast"), '"Z"', "declare Z in 'values'"),
    ("PTIR0652", lambda p: p["ops"].append({"op": "Const", "outputs": ["Z"], "value": 1}), '"Z"', "declare Z"),
    ("PTIR0652", lambda p: p["ops"].append({"op": "Iota", "outputs": ["Z"], "axis": 0}), '"Z"', "declare Z"),
    ("PTIR0652", move("pad", low=[1, 0], high=[0, 0]), '"Z"', "axis 0 has a size without a name"),
    # declarations that contradict inferred types
    ("PTIR0646", value("T", "fp32", "M", "K", "N"), "{", "T is declared fp32[M, K, N], but its op gives fp16[M, K, N]"),
    ("PTIR0646", value("T", "fp16", "M", "K"), "{", "T is declared fp16[M, K], but its op gives fp16[M, K, N]"),
    ("PTIR0646", value("C2", "fp16", "M", "K"), "{", "C2 is declared fp16[M, K], but its op gives fp16[M, N]"),
    ("PTIR0646", value("C0", "si32", "M", "N"), "{", "C0 is declared si32[M, N], but its op gives fp32[M, N]"),
    ("PTIR0646", value("C0", "fp16", "N", "M"), "{", "C0 is declared fp16[N, M], but its op gives fp16[M, N]"),
    ("PTIR0646", at(0, attrs={"new_shape": ["M", "1", "K"]}), "[", "but A_r is declared fp16[M, K, 1]"),
    ("PTIR0646", at(6, dtype="fp32"), '"fp32"', "'dtype' is fp32, but relu gives fp16"),
    ("PTIR0646", both(add("Unary", "Z", "A", fn="cast", dtype="fp32"), value("Z", "fp64", "M", "K")), "{", "Z is declared fp64"),
    ("PTIR0646", both(move("permute", perm=[1, 0]), value("Z", "fp16", "M", "K")), "{", "Z is declared fp16[M, K]"),
    ("PTIR0646", move("permute", perm=[1, 0], new_shape=["M", "K"]), "[", "'new_shape' is [M, K], but the result is [K, M]"),
    # numbers
    ("PTIR0645", move("pad", low=[0, 0], high=[0, 0], value=True), "true", "true is not a value of f16"),
    ("PTIR0645", move("pad", low=[0, 0], high=[0, 0], value=[1, 2]), "[", "is not a value of f16"),
    ("PTIR0645", move("pad", low=[0, 0], high=[0, 0], value={"bytes": "AAAA"}), "{", "3 bytes"),
    ("PTIR0645", const(1.5, "si32", 2), "1.5", "is not a value of si32"),
    ("PTIR0645", const(300, "si8", 2), "300", "is not a value of si8"),
    ("PTIR0645", const("nan", "si8", 2), '"nan"', "is not a value of si8"),
    ("PTIR0645", const({"bytes": "AAA="}, "fp16", 2), "{", "2 bytes, and tensor<2xf16> has 4"),
    ("PTIR0645", const(1, "fp16", "M"), "1", "a literal of dynamic shape"),
    ("PTIR0645", const({"bytes": ""}, "fp16", "?"), "{", "a literal of dynamic shape"),
    ("PTIR0641", const("big", "fp16", 2), '"big"', "unknown"),
    # errors of verifiers, at the op
    ("PTIR0107", at(5, inputs=["C0", "A"]), '"add"', "does not broadcast"),
    ("PTIR0105", at(3, axes=[3]), '"sum"', "axis 3 is out of range for rank 3"),
    ("PTIR0106", at(3, axes=[1, "K"]), '"sum"', "axis 1 is given twice"),
    ("PTIR0108", instead(op("Movement", "y", "x", kind="reshape", attrs={"new_shape": [3, "M"]})), '"reshape"', "elements"),
    ("PTIR0101", move("permute"), '"permute"', "'perm' is missing from permute"),
    ("PTIR0106", move("permute", perm=[0, 0]), '"permute"', "axis 0 is given twice"),
    ("PTIR0104", move("permute", perm=[0]), '"permute"', "perm has rank 1, expected 2"),
    ("PTIR0101", both(move("reshape", perm=[0, 1]), value("Z", "fp16", "M", "K")), '"reshape"', "'perm' is not a parameter of reshape"),
    ("PTIR0101", move("pad", low=[0, 0]), '"pad"', "'high' is missing from pad"),
    ("PTIR0104", move("pad", low=[0], high=[0, 0]), '"pad"', "'low' has rank 1"),
    ("PTIR0124", move("pad", low=[0, -1], high=[0, 0]), '"pad"', ""),
    ("PTIR0123", both(move("view", strides=[-1], offset=3), value("Z", "fp16", 2)), '"view"', ""),
    ("PTIR0125", both(move("view", strides=[9], of="W"), value("Z", "fp16", 2), value("W", "fp16", 4)), '"view"', ""),
    ("PTIR0109", both(const(True, "i1"), add("Unary", "Z", "c", fn="exp")), '"exp"', "exp is defined on"),
    ("PTIR0103", instead(op("Binary", "z", "x", "y", fn="add"), y=("fp16", "M")), '"add"', "expected f16"),
    ("PTIR0109", at(3, accum="si32"), '"sum"', ""),
]  # fmt: skip


@pytest.mark.parametrize(("code", "edit", "at", "message"), ERRORS, ids=[f"{e[0]}-{k}" for k, e in enumerate(ERRORS)])
@pytest.mark.parametrize("indent", [None, 1])
def test_an_error_has_a_code_and_a_place(code: str, edit: Edit, at: str, message: str, indent: int | None):
    p = gemm()
    edit(p)
    with pytest.raises(PtirError) as raised:
        imported(json.dumps(p, indent=indent))
    first = diagnose(raised.value)[0]
    assert (first.code, message in render_error(raised.value)) == (code, True), render_error(raised.value)
    assert first.place is not None and first.place.file == "p.json"
    line = json.dumps(p, indent=indent).split("\n")[first.place.line - 1]
    assert first.place.text == line
    assert line[first.place.column - 1 :].startswith(at), line[first.place.column - 1 :][:20]


def test_the_program_of_the_errors_is_none():
    assert export_json(imported(GEMM))


def test_the_other_place_of_an_error_is_a_note():
    p = gemm()
    p["ops"][6]["outputs"] = ["C1"]
    with pytest.raises(SourceError) as raised:
        imported(json.dumps(p, indent=1))
    (span, text), *_ = raised.value.span_notes
    assert text == "the first is here" and span.text == '"C1"' and span.start < raised.value.span.start


def test_a_long_cycle_is_not_spelt_out():
    ops = [op("Unary", f"v{k}", f"v{(k - 1) % 100}", fn="neg") for k in range(100)]
    with pytest.raises(SourceError) as raised:
        imported(json.dumps({"ops": ops, "values": {}}))
    assert raised.value.message == ("value v0 depends on itself: v0 → v1 → v2 → v3 → v4 → v5 → v6 → … → v0")
    assert [span.text for span, _ in raised.value.span_notes] == [f'["v{k}"]' for k in range(1, 8)]


@pytest.mark.parametrize(
    ("text", "code", "place", "message"),
    [
        ("", "PTIR0640", (1, 1), "there is no text"),
        ('{"ops": [\n', "PTIR0640", (1, 9), "this is never closed"),
        ("func.func @f() { func.return }", "PTIR0640", (1, 1), "IR is read by --export-tiny-json"),
        ("[]", "PTIR0641", (1, 1), "expected 'object', got 'array'"),
        ("[" * 100_000, "PTIR0641", (1, 1), "expected 'object', got 'array'"),
        ('{"values": {"a": ' + "[" * 100_000, "PTIR0641", (1, 18), "got 'array'"),
        (GEMM.replace('"fn":"relu"', '"fn":"relu","fn":"exp"'), "PTIR0644", (9, 45), "defined twice"),
        (GEMM.replace('"T":', '"A":'), "PTIR0644", (17, 5), "defined twice"),
        (GEMM + "x", "PTIR0640", (21, 1), "trailing characters"),
    ],
)  # fmt: skip
def test_malformed_text(text: str, code: str, place: tuple[int, int], message: str):
    with pytest.raises(SourceError) as raised:
        imported(text)
    (found,) = diagnose(raised.value)
    assert found.code == code and message in render_error(raised.value), render_error(raised.value)
    assert found.place is not None and (found.place.line, found.place.column) == place


@pytest.mark.parametrize(
    ("ir", "what"),
    [
        ("builtin.module attributes {a.b = 1 : i64} {}", "the module's attribute a.b = 1 : i64"),
        ("builtin.module @m {}", "sym_name"),
        ("builtin.module {}", "a module of 0 functions"),
        ("func.func @f() { func.return } func.func @g() { func.return }", "a module of 2 functions"),
        ("poly.view @f { }", "'poly.view'"),
        ('func.func @f() { "acme.op"() : () -> () func.return }', "'acme.op'"),
        ("func.func private @f() -> ()", "sym_visibility"),
        ("func.func @f() -> ()", "a function without a body"),
        ("func.func @f() attributes {a.b} { func.return }", "the function's attribute a.b = unit"),
        ("func.func @f() { func.return {a.b} }", "the attribute a.b = unit"),
        ("func.func @f(%x: i32) { func.return }", "the type i32"),
        ("func.func @f(%x: tensor<f128>) { func.return }", "the element type f128"),
        ("func.func @f(%x: tensor<*xf32>) { func.return }", "the type tensor<*xf32>"),
        ('func.func @f(%x: tensor<4xf32, "sparse">) { func.return }', 'the type tensor<4xf32, "sparse">'),
        ("func.func @f(%x: tensor<4xf32>) { %0 = ptir.neg %x : tensor<4xf32> func.return }", "'ptir.neg'"),
        ("func.func @f(%x: tensor<f32>) { %0 = tiny.unary neg %x {a.b} : tensor<f32> -> tensor<f32> func.return }", "a.b = unit"),
        ("func.func @f(%x: tensor<f32>) { %0 = tiny.unary neg %x {tiny.name = 1 : i64} : tensor<f32> -> tensor<f32> func.return }",
         "tiny.name = 1 : i64"),
    ],
)  # fmt: skip
def test_what_the_form_has_no_place_for_is_an_error(ir: str, what: str):
    module = parse_text(
        ir if ir.startswith("builtin") else f"builtin.module {{ {ir} }}",
        make_context(allow_unregistered=True),
        "m.mlir",
    )
    with pytest.raises(NotInTheForm) as raised:
        export_json(module)
    assert raised.value.code == "PTIR0647" and what in raised.value.message and "Tiny JSON" in raised.value.message
    assert diagnose(raised.value)[0].place is not None


# --- any change ---------------------------------------------------------------------------------


def outcome(data: bytes) -> None:
    """Reads a text. Fails unless the outcome is a module that round-trips, or an error with a code and a location."""
    try:
        module = import_json(decode_source(data, "p.json"))
        verify_module(module)
    except VerificationFailed as e:
        crashed = [cause for _, cause in e.failures if isinstance(cause, VerifierCrashed)]
        assert not crashed, crashed
    except (PtirError, NotText) as e:
        assert all(d.code not in ("", "PTIR0699") and d.place is not None for d in diagnose(e)), render_error(e)
    else:
        text = export_json(module)
        again = imported(text)
        assert again.is_structurally_equivalent(module) and export_json(again) == text
        assert read(str(module)).is_structurally_equivalent(module)


@given(st.data())
def test_any_change_of_bytes_is_a_module_or_an_error(data: st.DataObject):
    text = bytearray(data.draw(st.sampled_from([GEMM, every_tiny_op()])).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.integers(0, len(text) - 1))
        match data.draw(st.sampled_from(["set", "delete", "repeat", "insert", "cut"])):
            case "set":
                text[where] = data.draw(st.integers(0, 255))
            case "delete":
                del text[where : where + data.draw(st.integers(1, 30))]
            case "repeat":
                text[where:where] = text[where : where + data.draw(st.integers(1, 30))]
            case "insert":
                word = data.draw(
                    st.sampled_from([b"{", b"}", b"[", b"]", b'"', b",", b"\\", b"9", b"null", b"\xff", b"\0"])
                )
                text[where:where] = word
            case _:
                del text[where + 1 :]
        text = text or bytearray(b" ")
    outcome(bytes(text))


WEIRD: list[Any] = [
    None, True, 0, -1, 1, 2**31, 2**63, 10**30, 1.5, "", "x", "inf", "?", "1", "M", "K", [], {}, [0, 0], [1, -1], ["M"], ["K", "M"],
    "fp32", "fp16", "i1", "si8", "cf32", {"bytes": "AAA="}, "A", "B", "T", ["A", "B"], "where", "cast", "pad", "view", "permute", "Reduce",
]  # fmt: skip


@settings(max_examples=examples(250))
@given(st.data())
def test_any_change_of_values_is_a_module_or_an_error(data: st.DataObject):
    p = json.loads(data.draw(st.sampled_from([GEMM, every_tiny_op()])))
    for _ in range(data.draw(st.integers(1, 3))):
        places = list(_places(p))
        parent, key = data.draw(st.sampled_from(places))
        alike = [q for q in places if q[1] == key]
        match data.draw(st.sampled_from(["weird", "other", "alike", "delete"])):
            case "weird":
                parent[key] = deepcopy(data.draw(st.sampled_from(WEIRD)))
            case "other":
                there, name = data.draw(st.sampled_from(places))
                parent[key] = json.loads(json.dumps(there[name]))
            case "alike":
                there, name = data.draw(st.sampled_from(alike))
                parent[key] = json.loads(json.dumps(there[name]))
            case _:
                del parent[key]
        if not p:
            break
    outcome(json.dumps(p).encode())


def _places(node: Any) -> Any:
    """Yields all places in a JSON value, as container and key."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, inner in items:
        yield node, key
        yield from _places(inner)
