"""Programs as JSON: conversions in both directions are lossless, and preserve the bits of numbers."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import StringAttr

import ptir
from ptir.dialects.ptir import PTIR, YieldOp
from ptir.frontends.json.common.errors import NotInTheForm
from ptir.frontends.json.ptir import export_json, table
from ptir.tools.ptir_translate import main

from ..builders.amount import examples
from ..builders.json_programs import (
    DOC,
    EVERY_OP,
    ROOT,
    VERSION,
    every_op,
    f32,
    imported,
    instruction,
    program,
    read,
    tensor,
)
from ..builders.tool import tool

# --- the table ----------------------------------------------------------------------------------


def test_every_op_has_a_row_and_every_row_an_op():
    ops = {op.name for op in PTIR.operations} - {YieldOp.name}
    assert {f"ptir.{row.op}" for row in table.TABLE} == ops
    assert len(table.TABLE) == len(ops)


def test_every_op_is_among_those_that_are_tried():
    tried = {op.name for op in read(EVERY_OP).walk()}
    assert {op.name for op in PTIR.operations} <= tried


@pytest.mark.parametrize("row", table.TABLE, ids=lambda row: row.op)
def test_fields_hold_every_property(row: table.Row):
    definition = table.OPS[f"ptir.{row.op}"].get_irdl_definition()
    held = {prop for field in row.fields for prop in field.holds}
    others = {"report"} | (
        {"operandSegmentSizes"} if "operandSegmentSizes" in held else set()
    )  # `form-regions` sets `report`
    assert held - others == {*definition.properties} - others


# --- there and back -----------------------------------------------------------------------------


def test_every_op_comes_back():
    module = read(EVERY_OP)
    text = export_json(module)
    again = imported(text)
    assert again.is_structurally_equivalent(module)
    assert export_json(again) == text
    hints = [[v.name_hint for v in op.results] for op in module.walk()]
    inline = ("ptir.constant", "ptir.tuple", "ptir.tuple_element")
    kept = zip(module.walk(), again.walk(), hints, strict=True)
    assert all([v.name_hint for v in b.results] == names for _, b, names in kept if b.name not in inline)


def test_the_example_of_the_page_is_both_ways():
    text, ir = (re.search(rf"```{kind}\n(.*?)```", DOC, re.DOTALL)[1] for kind in ("json", "mlir"))
    assert export_json(read(ir)) == text
    assert str(imported(text)) + "\n" == ir


def test_another_spelling_of_the_same_program_is_the_same_program():
    compact = json.dumps(json.loads(every_op()), separators=(",", ":"))
    assert imported(compact).is_structurally_equivalent(read(EVERY_OP))
    assert export_json(imported(compact)) == every_op()


def test_bytes_may_be_arrays_of_numbers():
    text = export_json(read(EVERY_OP), byte_arrays=True)
    assert '"bytes": [0, 0, 128, 63, 0, 0, 0, 128]' in text and "AACAPwAAAIA=" not in text
    assert export_json(imported(text)) == every_op()


def test_what_serde_writes_is_read():
    """No names, empty hints, numbers in any order, regions whose results are their last instructions."""
    region = {
        "id": 7,
        "parameters": [f32(4)],
        "body": [
            instruction(1, {"ElementwiseUnary": "Neg"}, 0),
            instruction(3, {"ElementwiseUnary": "Exp"}, 0),
            instruction(2, {"ElementwiseBinary": "Mul"}, 1, 3),
        ],
        "results": [f32(4)],
    }
    body = instruction(40, {"Cond": {"true_region": 7, "false_region": 7}}, 9, 2)
    p = program(body, parameters=[f32(4), tensor("I1")], regions=[region])
    p["functions"][0] |= {"parameter_ids": [2, 9], "hints": []}
    module = imported(json.dumps(p))
    x = np.arange(4, dtype=np.float32)
    (result,) = ptir.reference(module, x, np.array(True))
    np.testing.assert_allclose(result, -x * np.exp(x), rtol=1e-6)
    assert [r["id"] for r in json.loads(export_json(module))["regions"]] == [0, 1]


def test_the_results_of_a_region_are_its_last_instructions_or_said():
    def results(region: str) -> Any:
        ir = f"""func.func @f(%p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {{
          %r:2 = ptir.cond %p (%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>) then (%a) {{ {region} }} else (%a) {{
            ptir.yield %a, %a : tensor<f32>, tensor<f32> }}
          func.return %r#0, %r#1 : tensor<f32>, tensor<f32> }}"""
        text = export_json(read(ir))
        assert export_json(imported(text)) == text
        return json.loads(text)["regions"][0].get("result_ids")

    ops = "%b = ptir.neg %a : tensor<f32> %c = ptir.exp %a : tensor<f32>"
    assert results(f"{ops} ptir.yield %b, %c : tensor<f32>, tensor<f32>") is None
    assert results(f"{ops} ptir.yield %c, %b : tensor<f32>, tensor<f32>") == [2, 1]
    assert results(f"{ops} ptir.yield %c, %c : tensor<f32>, tensor<f32>") == [2, 2]
    assert results(f"{ops} ptir.yield %a, %c : tensor<f32>, tensor<f32>") == [0, 2]


PAIR = "tuple<tensor<f32>, tensor<f32>>"


def element(name: str, index: int, of: str = "t") -> str:
    return f"%{name} = ptir.tuple_element %{of}[{index}] : {PAIR} -> tensor<f32> "


CALL = f'%a, %b = ptir.custom_call "a.b.v1"(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>) %u = ptir.tuple %a, %b : {PAIR} '
ADD = "%r = ptir.add {}, {} : tensor<f32>"
NEG_E = "%r = ptir.neg %e : tensor<f32>"


@pytest.mark.parametrize(
    ("ops", "instructions"),
    [
        (element("e", 1) + NEG_E, 1),
        # not directly before its user; with two users
        (element("e", 1) + "%n = ptir.exp %x : tensor<f32> " + ADD.format("%e", "%n"), 3),
        (element("e", 1) + ADD.format("%e", "%e"), 2),
        # in the order of the operands, and in another
        (element("e", 1) + element("d", 0) + ADD.format("%e", "%d"), 1),
        (element("e", 1) + element("d", 0) + ADD.format("%d", "%e"), 2),
        # a tuple of all results of an op, and of other values
        (f"%u = ptir.tuple %x, %x : {PAIR} " + element("e", 0, "u") + NEG_E, 2),
        (CALL + '%r = ptir.custom_call "a.b.v1"() : () -> tensor<f32> ' + element("w", 0, "u"), 4),
        ("%c = ptir.constant inline dense<1.0> : tensor<f32> " + element("e", 1) + ADD.format("%c", "%e"), 1),
    ],
)
def test_ops_that_operands_say_inline_come_back_where_they_were(ops: str, instructions: int):
    ir = f"func.func @f(%x: tensor<f32>, %t: {PAIR}) -> tensor<f32> {{ {ops} func.return %r : tensor<f32> }}"
    module = read(f"builtin.module attributes {{{VERSION}}} {{ {ir} }}")
    text = export_json(module)
    assert len(json.loads(text)["functions"][0]["body"]) == instructions
    assert imported(text).is_structurally_equivalent(module)


def test_literals_that_say_inline_stand_by_their_users():
    """The place of an inline literal has no meaning. Each user gets its own; one without users is an ordinary constant."""
    ir = """func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %c = ptir.constant inline dense<1.0> : tensor<f32>
      %d = ptir.constant inline dense<2.0> : tensor<f32>
      %a = ptir.add %x, %c : tensor<f32>
      %b = ptir.add %a, %c : tensor<f32>
      func.return %b : tensor<f32>
    }"""
    again = imported(export_json(read(ir)))
    (function,) = again.ops
    inline = [str(op.properties.get("inline", "")) for op in function.walk() if op.name == "ptir.constant"]
    assert [op.name for op in function.walk()][1:] == [
        "ptir.constant", "ptir.constant", "ptir.add", "ptir.constant", "ptir.add", "func.return",
    ]  # fmt: skip
    assert inline == ["", "unit", "unit"]
    noted = read(ir.replace("inline dense<1.0>", "inline {a.b} dense<1.0>"))
    with pytest.raises(NotInTheForm):
        export_json(noted)


def test_the_entry_is_the_first_function_or_said():
    ir = "func.func @a() { func.return } func.func @b() { func.return }"
    assert json.loads(export_json(read(ir)))["entry"] == "a"
    module = read(f'builtin.module attributes {{{VERSION}, ptir.entry = "b"}} {{ {ir} }}')
    text = export_json(module)
    assert json.loads(text)["entry"] == "b"
    assert imported(text).is_structurally_equivalent(module)
    assert export_json(imported(export_json(read("")))) == export_json(read(""))


# --- literals, by their bytes -------------------------------------------------------------------

DTYPES: dict[str, Any] = {
    "I1": np.bool_,
    **{f"{s}{n}": np.dtype(f"{k}{n // 8}") for s, k in (("Si", "i"), ("I", "i"), ("Ui", "u")) for n in (8, 16, 32, 64)},
    "Si4": np.int8, "I4": np.int8, "Ui4": np.uint8,
    "Fp8E4M3": ml_dtypes.float8_e4m3fn, "Fp8E5M2": ml_dtypes.float8_e5m2,
    "Bf16": ml_dtypes.bfloat16, "F16": np.float16, "F32": np.float32, "F64": np.float64,
    "Cf32": np.complex64, "Cf64": np.complex128,
}  # fmt: skip


@settings(max_examples=examples(60))
@given(st.data())
def test_a_literal_is_its_bytes(data: st.DataObject):
    name = data.draw(st.sampled_from(sorted(DTYPES)))
    dtype = np.dtype(DTYPES[name])
    sizes = data.draw(st.lists(st.integers(0, 3), max_size=3))
    count = int(np.prod(sizes))
    raw = data.draw(st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize))
    if name == "I1":
        raw = bytes(b & 1 for b in raw)
    elif name.endswith("i4") or name == "I4":
        raw = bytes(b & 15 if name == "Ui4" else ((b & 15) ^ 8) - 8 & 255 for b in raw)
    spec = tensor(name, *sizes)["Tensor"]
    constant = instruction(
        0, {"Constant": {"spec": spec, "bytes": b64encode(raw).decode()}}, output=tensor(name, *sizes)
    )
    text = json.dumps(program(constant, parameters=[]))
    module = imported(text)
    (result,) = ptir.reference(module)
    assert result.shape == tuple(sizes) and result.astype(dtype).tobytes() == raw
    written = json.loads(export_json(read(str(module))))
    assert written["functions"][0]["body"][0]["op"]["Constant"]["bytes"] == b64encode(raw).decode()


@settings(max_examples=examples(60))
@given(st.data())
def test_a_scalar_is_its_bytes(data: st.DataObject):
    types = {"f32": 4, "f16": 2, "bf16": 2, "f64": 8, "f8E4M3FN": 1, "complex<f32>": 8, "si64": 8, "ui64": 8, "i16": 2}
    t = data.draw(st.sampled_from(sorted(types)))
    raw = data.draw(st.binary(min_size=types[t], max_size=types[t])).hex().upper()
    pad = f'ptir.pad %x with "0x{raw}" : {t} low [0] high [1] interior [0] : tensor<2x{t}> -> tensor<3x{t}>'
    ir = f"func.func @f(%x: tensor<2x{t}>) -> tensor<3x{t}> {{ %0 = {pad} func.return %0 : tensor<3x{t}> }}"
    module = read(ir)
    module.attributes["ptir.spec_version"] = StringAttr("ptir.v0.4")
    assert imported(export_json(module)).is_structurally_equivalent(module)


# --- numbers ------------------------------------------------------------------------------------


def test_the_digits_compute_the_same():
    """The network of the example, with its weights as operands and as literals of the JSON."""
    digits = ROOT / "examples" / "digits"
    module = read((digits / "mlp.mlir").read_text("utf-8"))
    weights = np.load(digits / "weights.npz")
    x = (np.load(digits / "digits.npz")["images"] / 16).astype(ml_dtypes.bfloat16)
    w = [weights["w1_bf16"], weights["b1"], weights["w2_bf16"], weights["b2"]]
    given = [a.view(ml_dtypes.bfloat16) if a.dtype == np.uint16 else a for a in w]
    (want,) = ptir.reference(module, x, *given)
    p = json.loads(export_json(module))
    (got,) = ptir.reference(imported(json.dumps(p)), x, *given)
    assert got.tobytes() == want.tobytes()
    (function,) = p["functions"]
    types, ids = function["parameters"], function["parameter_ids"]
    function["body"][:0] = [
        instruction(n, {"Constant": {"spec": t["Tensor"], "bytes": b64encode(a.tobytes()).decode()}}, output=t)
        for n, t, a in zip(ids[1:], types[1:], w, strict=True)
    ]
    function |= {"parameters": types[:1], "parameter_ids": ids[:1], "parameter_names": []}
    (got,) = ptir.reference(imported(json.dumps(p)), x)
    assert got.tobytes() == want.tobytes()
    assert (got.argmax(axis=1) == np.load(digits / "digits.npz")["labels"]).mean() > 0.9


A = np.array([[1, -2, 3], [4, 5, -6]], np.float32)
B = np.array([[1, 2, -3], [3, 5, 6]], np.float32)
AT = np.array([[2, 0, 1], [1, 1, 0]], np.int32)
NAMES = {"float32": "F32", "int32": "Si32", "int64": "Si64", "bool": "I1"}
PAIRED = {"batch_lhs": [0], "batch_rhs": [0], "contract_lhs": [1], "contract_rhs": [1]}
PADDED = np.full((4, 5), 9, np.float32)
PADDED[np.ix_([1, 3], [0, 1, 2])] = A
WORDS = {
    "Less": np.less, "LessEqual": np.less_equal, "Equal": np.equal,
    "GreaterEqual": np.greater_equal, "Greater": np.greater, "NotEqual": np.not_equal,
}  # fmt: skip
ARITHMETIC = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Maximum": np.maximum, "Minimum": np.minimum,
    "Remainder": np.fmod, "Pow": np.power,
}  # fmt: skip
UNARY = {
    "Neg": np.negative, "Abs": np.abs, "Exp": np.exp, "Tanh": np.tanh, "Reciprocal": np.reciprocal, "Sin": np.sin, "Cos": np.cos,
    "Floor": np.floor, "Ceil": np.ceil, "Sign": np.sign, "Exp2": np.exp2, "Expm1": np.expm1,
}  # fmt: skip
BITS = {
    "And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor, "ShiftLeft": np.left_shift,
    "ShiftRightArithmetic": np.right_shift,
}  # fmt: skip
KINDS = {"Sum": np.sum, "Max": np.max, "Min": np.min, "Mul": np.prod}


def reduced(kind: str, keepdims: bool) -> dict[str, Any]:
    return {"Reduce": {"kind": kind, "axes": [1], "keepdims": keepdims}}


@pytest.mark.parametrize(
    ("form", "operands", "want"),
    [
        *(({"Compare": {"op": word}}, [A, B], f(A, B)) for word, f in WORDS.items()),
        *(({"ElementwiseBinary": word}, [A, np.abs(B)], f(A, np.abs(B))) for word, f in ARITHMETIC.items()),
        *(({"ElementwiseBinary": word}, [AT, AT + 1], f(AT, AT + 1)) for word, f in BITS.items()),
        *(({"ElementwiseUnary": word}, [A / 4], f(A / 4)) for word, f in UNARY.items()),
        *((reduced(kind, keep), [A], f(A, axis=1, keepdims=keep)) for kind, f in KINDS.items() for keep in (False, True)),
        ("Select", [A > B, A, B], np.where(A > B, A, B)),
        ("Clamp", [A, np.minimum(A, B), np.full_like(A, 2)], np.clip(A, np.minimum(A, B), 2)),
        ({"ArgMax": {"axis": 1, "keepdims": False, "output_dtype": "Si64"}}, [A], A.argmax(axis=1)),
        ({"DotGeneral": PAIRED}, [A, B], (A * B).sum(axis=1)),
        ({"DotGeneral": PAIRED | {"batch_lhs": [], "batch_rhs": []}}, [A, B], A @ B.T),
        ({"DotGeneral": {"batch_lhs": [], "batch_rhs": [], "contract_lhs": [0], "contract_rhs": [1]}}, [A, B.T], A.T @ B),
        ({"Transpose": {"perm": [1, 0]}}, [A], A.T),
        ({"Slice": {"starts": [1, 0], "sizes": [1, 2]}}, [A], A[1:, :2]),
        ({"Concat": {"axis": 0}}, [A, B], np.concatenate([A, B])),
        ({"Pad": {"low": [1, 0], "high": [0, 2], "interior": [1, 0], "pad_value": {"Float": 9}}}, [A], PADDED),
        ({"Tile": {"repeats": [1, 2]}}, [A], np.tile(A, (1, 2))),
        ({"Gather": {"axis": 1}}, [A, AT], np.take_along_axis(A, AT, axis=1)),
        ("Take", [A.T, AT[0]], A.T[AT[0]]),
        ({"ScatterReduce": {"axis": 1, "reduce": "Max"}}, [A, AT[:, :1], B[:, 2:]], np.array([[1, -2, 3], [4, 6, -6]], np.float32)),
        ({"ScatterReduce": {"axis": 1, "reduce": "Min"}}, [A, AT[:, :1], B[:, 2:]], np.array([[1, -2, -3], [4, 5, -6]], np.float32)),
        ({"ScatterReduce": {"axis": 1, "reduce": "Add"}}, [A, AT[:, :1], B[:, 2:]], np.array([[1, -2, 0], [4, 11, -6]], np.float32)),
        ({"ScatterReduce": {"axis": 1, "reduce": "Replace"}}, [A, AT[:, :1], B[:, 2:]], np.array([[1, -2, -3], [4, 6, -6]], np.float32)),
        ({"DynamicSlice": {"sizes": [1, 2]}}, [A, np.array([1, 1], np.int32)], A[1:, 1:]),
        ({"Bitcast": {"dtype": "Si32"}}, [A], A.view(np.int32)),
        ("IsFinite", [A * np.array([np.inf, 1, np.nan], np.float32)], np.array([[False, True, False]] * 2)),
        ("StopGradient", [A], A),
    ],
)  # fmt: skip
def test_variants_and_fields_mean_what_their_names_say(form: Any, operands: list[Any], want: Any):
    """A table that confuses two of them would do so in both directions, so that results are compared with NumPy."""
    types = [tensor(NAMES[a.dtype.name], *a.shape) for a in [*operands, want]]
    with np.errstate(all="ignore"):
        only = instruction(len(operands), form, *range(len(operands)), output=types[-1])
        module = imported(json.dumps(program(only, parameters=types[:-1], extensions=True)))
        (got,) = ptir.reference(module, *operands)
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_regions_are_for_what_their_fields_say():
    """`cond` on both predicates, `while` down to 0, `scan` of a running sum."""
    word = lambda name, *o, id, output=None: instruction(id, {"ElementwiseUnary": name}, *o, output=output)  # noqa: E731
    one = {"Literal": {"spec": tensor("Si32")["Tensor"], "bytes": [1, 0, 0, 0]}}
    zero = {"Literal": {"spec": tensor("Si32")["Tensor"], "bytes": [0, 0, 0, 0]}}
    add, sub = {"ElementwiseBinary": "Add"}, {"ElementwiseBinary": "Sub"}
    regions = [
        {"id": 0, "parameters": [f32(4)], "body": [word("Neg", 0, id=1)], "results": [f32(4)]},
        {"id": 1, "parameters": [f32(4)], "body": [word("Abs", 0, id=1)], "results": [f32(4)]},
        {
            "id": 2, "parameters": [tensor("Si32"), f32(4)], "results": [tensor("I1"), tensor("Si32"), f32(4)],
            "body": [instruction(2, {"Compare": {"op": "Greater"}}, 0, zero, output=tensor("I1"))], "result_ids": [2, 0, 1],
        },
        {
            "id": 3, "parameters": [tensor("Si32"), f32(4)], "results": [tensor("Si32"), f32(4)],
            "body": [instruction(2, sub, 0, one, output=tensor("Si32")), instruction(3, add, 1, 1)],
        },
        {
            "id": 4, "parameters": [f32(4), f32(4)], "results": [f32(4), f32(4)],
            "body": [instruction(2, add, 0, 1), instruction(3, sub, 0, 1)],
        },
    ]  # fmt: skip
    loop = instruction(
        5, {"While": {"cond_region": 2, "body_region": 3}}, 2, 4, output={"Tuple": [tensor("Si32"), f32(4)]}
    )
    scan = {"Scan": {"body_region": 4, "carry_count": 1, "scan_output_count": 1}}
    p = program(
        instruction(4, {"Cond": {"true_region": 0, "false_region": 1}}, 0, 1),
        loop,
        instruction(6, scan, {"TupleElement": {"tuple": 5, "index": 1}}, 3, output={"Tuple": [f32(4), f32(3, 4)]}),
        parameters=[tensor("I1"), f32(4), tensor("Si32"), f32(3, 4)],
        results=[f32(4), f32(3, 4)],
        result_ids=[{"TupleElement": {"tuple": 6, "index": k}} for k in (0, 1)],
        regions=regions,
    )
    module = imported(json.dumps(p))
    x, xs = np.array([1, -2, 3, -4], np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)
    for predicate, start in ((True, -x), (False, np.abs(x))):
        carried, rows = ptir.reference(module, np.array(predicate), x, np.array(3, np.int32), xs)
        sums = np.cumsum([8 * start, *xs], axis=0)
        np.testing.assert_array_equal(carried, sums[-1])
        np.testing.assert_array_equal(rows, sums[:-1] - xs)


# --- the tool -----------------------------------------------------------------------------------


@pytest.fixture
def translate(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Runs `ptir-translate` on a text. Returns exit status, stdout and stderr."""
    return tool(main, tmp_path / "in", capsys)


@pytest.mark.sampled(1)
def test_the_tool_translates_both_ways(translate):
    status, text, err = translate(EVERY_OP, "--export-json")
    assert (status, text, err) == (0, every_op(), "")
    status, ir, err = translate(text, "-import-json")
    assert status == 0 and not err
    assert translate(ir, "--export-json") == (0, text, "")
    assert translate(EVERY_OP, "--export-json", "--byte-arrays")[1] == export_json(read(EVERY_OP), byte_arrays=True)
    assert '"ptir.neg"(' in translate(text, "--import-json", "--mlir-print-op-generic")[1]
    assert " loc(" in translate(text, "--import-json", "--print-debuginfo")[1]


def test_the_tool_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    class Stdin:
        def __init__(self, data: bytes):
            import io

            self.buffer = io.BytesIO(data)

    monkeypatch.setattr(sys, "stdin", Stdin(b"func.func @f() { func.return }"))
    main(["--export-json", "-"])
    assert json.loads(capsys.readouterr().out)["entry"] == "f"


def test_the_tool_writes_a_file_only_if_all_went_well(translate, tmp_path: Path):
    out = tmp_path / "out"
    status, _, err = translate(
        "func.func @f() { func.call @f() : () -> () func.return }", "--export-json", "-o", str(out)
    )
    assert status == 1 and "error[PTIR0647]: 'func.call'" in err and not out.exists()
    assert translate("func.func @f() { func.return }", "--export-json", "-o", str(out))[0] == 0
    assert json.loads(out.read_text())["entry"] == "f"


def test_the_tool_verifies_what_it_reads(translate):
    ir = "func.func @f(%x: tensor<4xf32>) -> tensor<3xf32> {{ %0 = ptir.neg %x : tensor<4xf32> func.return {} : tensor<{}xf32> }}"
    status, out, err = translate(ir.format("%0", 4), "--export-json")
    assert status == 1 and not out and "error[PTIR0100]: 'func.return'" in err
    text = every_op().replace('{"TopK": {"k": 3', '{"TopK": {"k": 9')
    status, out, err = translate(text, "--import-json")
    assert status == 1 and not out and "error[PTIR0101]: 'k' is 9" in err


def test_the_tool_takes_one_translation(translate):
    assert translate("")[0] == 1
    status, _, err = translate("", "--import-json", "--export-json")
    assert status == 1 and "not allowed with" in err
    status, _, err = translate("", "--import-jsn")
    assert status == 1 and "--import-json" in err


def test_the_tool_splits_files(translate):
    empty = "func.func @{}() {{ func.return }}\n"
    call = "func.func @b() { func.call @b() : () -> () func.return }\n"
    two = "// -----\n".join([empty.format("a"), call, empty.format("c")])
    status, out, err = translate(two, "--export-json", "--split-input-file")
    assert status == 1 and err.count("error") == 1 and ":3:18: error[PTIR0647]" in err
    assert [json.loads(part)["entry"] if part.strip() else None for part in out.split("// -----\n")] == ["a", None, "c"]
    status, _, err = translate("{}\n// -----\n{\n", "--import-json", "--split-input-file")
    assert ":1:1: error[PTIR0641]" in err and ":3:1: error[PTIR0640]" in err


def test_the_schema_has_every_variant(translate):
    status, out, _ = translate("", "--json-schema")
    schema = json.loads(out)
    assert status == 0 and schema["$ref"].endswith("Program")
    assert set(schema["$defs"]["Operation"]["properties"]) == set(table.PAYLOADS)


def test_a_binary_file_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "weights"
    path.write_bytes(np.arange(100, dtype=np.float32).tobytes())
    for way in ("--import-json", "--export-json"):
        with pytest.raises(SystemExit):
            main([way, str(path)])
        assert "weights:1:7: error[PTIR0002]" in capsys.readouterr().err
