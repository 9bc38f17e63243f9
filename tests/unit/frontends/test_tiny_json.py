"""Tiny programs as JSON: conversions in both directions are lossless, omitted types are inferred, and functions are right."""

from __future__ import annotations

import copy
import json
import random
import re
from pathlib import Path
from typing import Any, get_args

import ml_dtypes
import msgspec
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ptir
from ptir.dialects import tiny as dialect
from ptir.frontends.json.common.errors import NotInTheForm
from ptir.frontends.json.ptir.values import Dtype as PtirDtype
from ptir.frontends.json.tiny import export_json, program
from ptir.frontends.json.tiny.values import read_dtype, write_dtype
from ptir.passes.environment import make_context
from ptir.tools.ptir_translate import main
from ptir.transforms.ptir_to_tiny import PtirToTiny
from tests.random_programs.generator import Options, generate

from ..builders.json_programs import read
from ..builders.tiny_json_programs import EVERY_TINY_OP, GEMM, TINY_DOC, every_tiny_op, gemm, imported, op, tiny
from ..builders.tool import tool

# --- the vocabulary -----------------------------------------------------------------------------


def test_the_words_are_the_dialects():
    assert get_args(program.Kind) == tuple(dialect.MOVEMENTS)
    assert get_args(program.Unary) == dialect.UNARIES and get_args(program.Binary) == dialect.BINARIES
    tried = {o.name for o in read(EVERY_TINY_OP).walk()}
    assert {o.name for o in dialect.Tiny.operations} <= tried
    kinds = {o.kind.data for o in read(EVERY_TINY_OP).walk() if isinstance(o, dialect.MovementOp)}
    assert kinds == set(dialect.MOVEMENTS)


def test_element_types_are_those_of_the_contract_under_the_specs_names():
    assert len(get_args(program.Dtype)) == len(get_args(PtirDtype))
    assert {d: str(read_dtype(d)) for d in ("fp16", "bf16", "fp32", "fp64", "i1", "si4", "ui8", "i32", "cf64")} == {
        "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "i1": "i1", "si4": "si4", "ui8": "ui8", "i32": "i32",
        "cf64": "complex<f64>",
    }  # fmt: skip
    assert [write_dtype(read_dtype(d)) for d in get_args(program.Dtype)] == list(get_args(program.Dtype))


# --- the example of the spec --------------------------------------------------------------------

INFERRED = {"C0": ["M", "N"], "bias_mn": ["M", "N"], "C1": ["M", "N"]}


def test_the_example_of_the_spec_loads():
    module = imported(GEMM)
    (function,) = module.ops
    assert [a.name_hint for a in function.body.block.args] == ["A", "B", "bias"]
    assert [v.name_hint for v in function.body.block.last_op.operands] == ["C2"]
    p = json.loads(export_json(module))
    given = contracted(gemm())
    assert given["ops"] == p["ops"]
    assert p["values"] == {**given["values"], **{n: {"dtype": "fp16", "shape": s} for n, s in INFERRED.items()}}
    assert list(p) == ["ops", "values"]


def contracted(p: dict[str, Any]) -> dict[str, Any]:
    """Changes the example to the form that is written from IR: operands are cast, because products of fp16 are exact in fp32."""
    at = next(k for k, o in enumerate(p["ops"]) if o["name"] == "mul")
    p["ops"][at:at] = [
        {"op": "Unary", "name": name, "fn": "cast", "inputs": [x], "outputs": [name], "dtype": "fp32"}
        for name, x in (("0", "A_r"), ("1", "B_r"))
    ]
    p["ops"][at + 2]["inputs"] = ["0", "1"]
    next(o for o in p["ops"] if o["op"] == "Reduce")["accum"] = "fp32"
    p["values"]["T"]["dtype"] = "fp32"
    p["values"] |= {n: {"dtype": "fp32", "shape": p["values"][x]["shape"]} for n, x in (("0", "A_r"), ("1", "B_r"))}
    return p


def test_the_example_of_the_spec_computes_a_gemm():
    rng = np.random.default_rng(0)
    a, b, bias = (rng.integers(-8, 8, s).astype(np.float16) / 4 for s in ((5, 7), (7, 3), (3,)))
    want = np.maximum((a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16) + bias, 0)
    for text in (GEMM, export_json(imported(GEMM))):
        (got,) = ptir.reference(imported(text), a, b, bias)
        np.testing.assert_array_equal(got, want)
        assert got.dtype == np.float16


def test_the_sum_of_the_example_does_not_round_to_fp16_as_it_goes():
    a = np.full((1, 4096), 1, np.float16)
    (got,) = ptir.reference(imported(GEMM), a, a.T, np.zeros(1, np.float16))
    assert got.item() == 4096  # in fp16 it would stop at 2048


def test_other_readers_of_a_product_read_it_rounded_and_a_sum_may_too():
    """(1 + 2⁻¹⁰)² - (1 + 2⁻⁹) is 2⁻²⁰, but 0 if products are rounded to fp16."""
    a, b = np.array([1 + 2**-10, 1], np.float16), np.array([1 + 2**-10, -1 - 2**-9], np.float16)

    def total(outputs: list[str], **fields: str) -> float:
        p = {
            "inputs": ["a", "b"],
            "outputs": outputs,
            "ops": [
                {"op": "Binary", "fn": "mul", "inputs": ["a", "b"], "outputs": ["t"]},
                {
                    "op": "Reduce",
                    "fn": "sum",
                    "inputs": ["t"],
                    "outputs": ["s"],
                    "axes": [0],
                    "accum": "fp32",
                    **fields,
                },
            ],
            "values": {n: {"dtype": "fp16", "shape": [2]} for n in ("a", "b")} | {"s": {"dtype": "fp32", "shape": []}},
        }
        text = json.dumps(p)
        module = imported(text)
        assert export_json(imported(export_json(module))) == export_json(module)
        results = dict(zip(outputs, ptir.reference(module, a, b), strict=True))
        if "t" in outputs:
            assert results["t"].dtype == np.float16 and results["t"].sum() == 0
        return float(results["s"])

    for outputs in (["s"], ["s", "t"]):
        assert total(outputs) == total(outputs, products="exact") == 2**-20
        assert total(outputs, products="rounded") == 0


@pytest.mark.parametrize("sizes", [("?", "2", "?"), ("S", "?", "?"), ("2", "2", "2")])
def test_how_sizes_are_spelt_does_not_change_a_sum(sizes: tuple[str, ...]):
    ops = [op("Binary", "t", "a", "b", fn="mul"), op("Reduce", "s", "t", fn="sum", axes=[0], accum="fp32")]
    p = tiny(*ops)
    p["values"] = {n: {"dtype": "fp16", "shape": [size]} for n, size in zip("abt", sizes, strict=True)}
    module = imported(json.dumps(p))
    x = np.array([1 + 2**-10, 0], np.float16)
    assert ptir.reference(module, x, x)[0] == (1 + 2**-10) ** 2
    assert export_json(imported(export_json(module))) == export_json(module)


# --- there and back -----------------------------------------------------------------------------


def test_every_op_comes_back():
    module, text = read(EVERY_TINY_OP), every_tiny_op()
    again = imported(text)
    assert again.is_structurally_equivalent(module)
    assert export_json(again) == text
    assert read(str(again)).is_structurally_equivalent(module)


def test_lowered_programs_come_back_and_what_is_left_out_of_them_follows():
    """The types of leaves, which cannot be inferred, and of reductions, whose results may have any type, are kept."""
    ops = frozenset(
        f"ptir.{name}"
        for name in ("add", "mul", "compare", "select", "cast", "reshape", "transpose", "pad", "slice", "reduce")
    )
    tried = 0
    for index in range(40):
        module = generate(3, index, Options(ops, functions=1, length=(1, 5), dynamic=0.3, max_elements=60)).module
        PtirToTiny().apply(make_context(), module)
        try:
            text = export_json(module)
        except NotInTheForm:
            continue
        tried += 1
        assert imported(text).is_structurally_equivalent(module) and export_json(imported(text)) == text
        p = json.loads(text)
        follows = [o for o in p["ops"] if o["op"] in ("Movement", "Unary", "Binary") and o["outputs"][0] in p["values"]]
        for form in follows:
            rest = {name: value for name, value in p["values"].items() if name != form["outputs"][0]}
            assert imported(json.dumps({**p, "values": rest})).is_structurally_equivalent(module)
    assert tried > 20


def test_the_example_of_the_page_is_both_ways():
    text, ir = (re.search(rf"```{kind}\n(.*?)```", TINY_DOC, re.DOTALL)[1] for kind in ("json", "mlir"))
    assert export_json(read(ir)) == text
    assert str(imported(text)) + "\n" == ir


def test_another_spelling_of_the_same_program_is_the_same_program():
    p = json.loads(every_tiny_op())
    p["values"] = dict(sorted(p["values"].items()))
    for value in p["values"].values():
        value["shape"] = [int(s) if s.isdecimal() else s for s in value["shape"]]
    for o in p["ops"]:
        if "new_shape" in o.get("attrs", {}):
            del o["attrs"]["new_shape"]
        if o["op"] == "Reduce":
            o["axes"] = [str(a) for a in o["axes"]]
    assert imported(json.dumps(p)).is_structurally_equivalent(read(EVERY_TINY_OP))


def test_ops_may_stand_in_any_order():
    p = gemm()
    p["inputs"] = ["A", "B", "bias"]
    want = imported(GEMM)
    for seed in range(20):
        random.Random(seed).shuffle(p["ops"])
        module = imported(json.dumps(p))
        assert export_json(module).count('"op"') == 9
        (got,) = ptir.reference(module, *(np.eye(2, dtype=np.float16),) * 2, np.ones(2, np.float16))
        np.testing.assert_array_equal(got, np.eye(2) + 1)
    p["ops"] = list(reversed(gemm()["ops"]))
    p["outputs"] = ["C2"]
    assert [o["name"] for o in json.loads(export_json(imported(json.dumps(p))))["ops"]] != [o["name"] for o in p["ops"]]
    assert {type(o) for o in imported(json.dumps(p)).walk()} == {type(o) for o in want.walk()}


def test_an_order_that_can_be_computed_is_kept():
    p = gemm()
    p["ops"].insert(0, p["ops"].pop(4))
    p["inputs"] = ["A", "B", "bias"]
    names = [o["name"] for o in contracted(copy.deepcopy(p))["ops"]]
    assert [o["name"] for o in json.loads(export_json(imported(json.dumps(p))))["ops"]] == names


def entry(module: ModuleOp) -> FuncOp:
    return next(o for o in module.ops if isinstance(o, FuncOp))


def test_arguments_are_what_is_read_first_and_results_what_is_not_read():
    sub = op("Binary", "d", "b", "a", fn="sub")
    values = {n: {"dtype": "fp32", "shape": [2]} for n in ("a", "b", "unread")}
    p = {"ops": [sub, op("Unary", "n", "d", fn="neg"), op("Unary", "e", "a", fn="exp")], "values": values}
    del values["unread"]
    block = entry(imported(json.dumps(p))).body.block
    assert [a.name_hint for a in block.args] == ["b", "a"]
    assert [v.name_hint for v in block.last_op.operands] == ["n", "e"]
    values["unread"] = {"dtype": "fp32", "shape": [2]}
    p |= {"inputs": ["a", "unread", "b"], "outputs": ["d", "a", "d"]}
    block = entry(imported(json.dumps(p))).body.block
    assert [a.name_hint for a in block.args] == ["a", "unread", "b"]
    assert [v.name_hint for v in block.last_op.operands] == ["d", "a", "d"]
    again = json.loads(export_json(imported(json.dumps(p))))
    assert (again["inputs"], again["outputs"]) == (p["inputs"], p["outputs"])
    del p["inputs"]
    p["outputs"] = ["unread", "e"]
    block = entry(imported(json.dumps(p))).body.block
    assert [a.name_hint for a in block.args] == ["b", "a", "unread"]
    assert "inputs" not in json.loads(export_json(imported(json.dumps(p))))


def test_a_program_without_ops():
    text = export_json(read("func.func @main() { func.return }"))
    assert json.loads(text) == {"ops": [], "values": {}} and export_json(imported(text)) == text
    identity = export_json(read("func.func @main(%x: tensor<f32>) -> tensor<f32> { func.return %x : tensor<f32> }"))
    assert json.loads(identity) == {
        "outputs": ["x"], "ops": [], "values": {"x": {"dtype": "fp32", "shape": []}},
    }  # fmt: skip
    assert export_json(imported(identity)) == identity


def test_the_version_and_extensions_of_a_module_are_kept():
    ir = 'builtin.module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions} { func.func @main() { func.return } }'
    text = export_json(read(ir))
    assert json.loads(text)["spec_version"] == "ptir.v0.4" and json.loads(text)["extensions"] is True
    assert imported(text).is_structurally_equivalent(read(ir))


def test_names_of_ops_are_kept_where_they_say_something():
    names = [["same", "x"], ["other", "x"], [None, "x"]]
    ops = [{**op("Unary", f"y{k}", x, fn="neg"), **({"name": n} if n else {})} for k, (n, x) in enumerate(names)]
    ops[0]["outputs"] = ["same"]
    module = imported(json.dumps(tiny(*ops)))
    unary = [o for o in module.walk() if isinstance(o, dialect.UnaryOp)]
    assert [str(o.attributes.get("tiny.name")) for o in unary] == ["None", '"other"', "None"]
    assert [o["name"] for o in json.loads(export_json(module))["ops"]] == ["same", "other", "y2"]
    taken = tiny(op("Unary", "a", "x", fn="neg", name="b"), op("Unary", "b", "x", fn="neg"))
    text = export_json(imported(json.dumps(taken)))
    assert [o.get("name") for o in json.loads(text)["ops"]] == ["b", None]
    assert imported(text).is_structurally_equivalent(imported(json.dumps(taken)))


@pytest.mark.parametrize(
    ("of", "axes", "gives", "want"),
    [
        ("4x?xf32, #ptir.dims<_, M>", "1", "4xf32", ["M"]),
        ("4x?xf32, #ptir.dims<_, M>", "-1", "4xf32", [-1]),
        ("4x?xf32, #ptir.dims<_, M>", "1, 0", "f32", ["M", 0]),
        ("?x2x?xf32, #ptir.dims<K, _, K>", "2", "?x2xf32, #ptir.dims<K, _>", [2]),
        ("?x?xf32", "1", "?xf32", [1]),
    ],
)
def test_an_axis_is_named_where_that_says_which_it_is(of: str, axes: str, gives: str, want: list[Any]):
    ops = f"%0 = tiny.reduce max %x axes [{axes}] accum f32 : tensor<{of}> -> tensor<{gives}>"
    module = read(f"func.func @main(%x: tensor<{of}>) {{ {ops} func.return }}")
    text = export_json(module)
    assert json.loads(text)["ops"][0]["axes"] == want
    assert imported(text).is_structurally_equivalent(module)


def test_a_cast_says_its_type_for_those_who_read_no_declarations():
    p = json.loads(every_tiny_op())
    given = {o["fn"]: o["dtype"] for o in p["ops"] if "dtype" in o}
    assert given == {"cast": "fp16", "bitcast": "fp8e4m3"}


SUM = "%{} = tiny.reduce sum %x axes [0] accum f32 : tensor<4x2xf16> -> tensor<{}xf32> "
THEN = "%1 = tiny.unary {} %{} : tensor<{}xf32> -> tensor<{}> "


@pytest.mark.parametrize(
    ("ops", "result", "count"),
    [
        (SUM.format(0, 2) + THEN.format("cast", 0, 2, "2xf16"), "2xf16", 1),
        (SUM.format(0, 2) + THEN.format("cast", 0, 2, "?xf16"), "?xf16", 1),
        (SUM.format("named", 2) + THEN.format("cast", "named", 2, "2xf16"), "2xf16", 2),
        (SUM.format(0, 2) + THEN.format("cast", 0, 2, "2xf32"), "2xf32", 2),
        (SUM.format(0, 2) + THEN.format("cast", 0, 2, "2xsi32"), "2xsi32", 2),
        (SUM.format(0, 2) + THEN.format("bitcast", 0, 2, "2xsi32"), "2xsi32", 2),
        (SUM.format(0, "?") + THEN.format("cast", 0, "?", "2xf16"), "2xf16", 2),
        (SUM.format(0, 2) + "%n = tiny.iota axis 0 : tensor<3xf32> " + THEN.format("cast", 0, 2, "2xf16"), "2xf16", 3),
        (SUM.format(0, 2) + THEN.format("cast", 0, 2, "2xf16") + THEN.format("cast", 0, 2, "2xf16").replace("%1", "%2"), "2xf16", 3),
    ],
)  # fmt: skip
def test_a_fold_and_its_cast_are_one_op_exactly_where_reading_makes_two_of_one(ops: str, result: str, count: int):
    t = f"tensor<{result}>"
    ir = f"func.func @main(%x: tensor<4x2xf16>) -> {t} {{ {ops} func.return %1 : {t} }}"
    text = export_json(read(ir))
    assert len(json.loads(text)["ops"]) == count
    assert imported(text).is_structurally_equivalent(read(ir)) and export_json(imported(text)) == text


# --- what follows -------------------------------------------------------------------------------

X, H, B = ("fp32", [4, "M"]), ("fp16", [4, "M"]), ("i1", ["M"])


@pytest.mark.parametrize(
    ("form", "want"),
    [
        (op("Movement", "y", "x", kind="permute", attrs={"perm": [-1, 0]}), ("fp32", ["M", 4])),
        (op("Movement", "y", "x", kind="reshape", attrs={"new_shape": [2, 2, "M"]}), ("fp32", [2, 2, "M"])),
        (op("Movement", "y", "b", kind="expand", attrs={"new_shape": [3, "M"]}), ("i1", [3, "M"])),
        (op("Movement", "y", "x", kind="pad", attrs={"low": [1, 0], "high": [2, 0]}), ("fp32", [7, "M"])),
        (op("Movement", "y", "x", kind="shrink", attrs={"start": [1, 0], "new_shape": [2, "M"]}), ("fp32", [2, "M"])),
        (op("Movement", "y", "x", kind="view", attrs={"strides": [1], "new_shape": [3]}), ("fp32", [3])),
        (op("Unary", "y", "h", fn="gelu"), H),
        (op("Unary", "y", "h", fn="cast", dtype="bf16"), ("bf16", [4, "M"])),
        (op("Unary", "y", "h", fn="bitcast", dtype="ui16"), ("ui16", [4, "M"])),
        (op("Unary", "y", "h", fn="is_finite"), ("i1", [4, "M"])),
        (op("Binary", "y", "h", "h", fn="mul"), H),
        (op("Binary", "y", "x", "x", fn="le"), ("i1", [4, "M"])),
        (op("Binary", "y", "b", "x", "x", fn="where"), X),
        (op("Reduce", "y", "x", fn="max", axes=["M"]), ("fp32", [4])),
        (op("Reduce", "y", "x", fn="max", axes=[0]), ("fp32", ["M"])),
        (op("Reduce", "y", "x", fn="min", axes=["-2", "1"]), ("fp32", [])),
        (op("Reduce", "y", "h", fn="sum", axes=[1]), ("fp16", [4])),
        (op("Reduce", "y", "b", fn="max", axes=[0]), ("i1", [])),
    ],
)  # fmt: skip
def test_a_type_that_is_left_out_is_the_one_that_would_have_been_written(
    form: dict[str, Any], want: tuple[str, list[Any]]
):
    operands = {name: value for name, value in {"x": X, "h": H, "b": B}.items() if name in form["inputs"]}
    values = {name: {"dtype": dtype, "shape": shape} for name, (dtype, shape) in operands.items()}
    left_out = imported(json.dumps({"ops": [form], "values": values}))
    written = json.loads(export_json(left_out))["values"]["y"]
    assert written == {"dtype": want[0], "shape": [str(s) for s in want[1]]}
    declared = imported(json.dumps({"ops": [form], "values": {**values, "y": written}}))
    assert declared.is_structurally_equivalent(left_out)


ACCUMULATORS = [
    # fn, operand type, declared type, declared accum → accum of the op, whether a cast follows
    ("sum", "fp16", None, None, "f32", True), ("sum", "bf16", None, None, "f32", True), ("sum", "fp8e4m3", None, None, "f32", True),
    ("sum", "fp16", "fp32", None, "f32", False), ("sum", "fp16", "fp64", None, "f64", False), ("sum", "fp32", None, None, "f32", False),
    ("sum", "fp32", "fp16", None, "f32", True), ("sum", "fp64", None, None, "f64", False), ("sum", "fp16", None, "fp16", "f16", False),
    ("sum", "fp16", "fp16", "fp64", "f64", True), ("sum", "si8", None, None, "si8", False), ("sum", "si8", "si32", None, "si32", False),
    ("sum", "si8", None, "si32", "si32", True), ("sum", "cf32", None, None, "complex<f32>", False),
    ("max", "fp16", None, None, "f16", False), ("max", "bf16", "fp32", None, "f32", False), ("min", "i1", None, None, "i1", False),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "of", "declared", "said", "accum", "cast"), ACCUMULATORS)
def test_a_fold_rounds_to_what_is_said_or_to_the_default(
    fn: str, of: str, declared: Any, said: Any, accum: str, cast: bool
):
    fold = op("Reduce", "y", "x", fn=fn, axes=[0], **({"accum": said} if said else {}))
    values = {"x": {"dtype": of, "shape": [4]}, **({"y": {"dtype": declared, "shape": []}} if declared else {})}
    module = imported(json.dumps({"ops": [fold], "values": values}))
    made = [o for o in module.walk() if isinstance(o, dialect.ReduceOp | dialect.UnaryOp)]
    assert [type(o) for o in made] == [dialect.ReduceOp, *[dialect.UnaryOp] * cast]
    assert str(made[0].accum) == accum
    assert made[-1].results[0].type.element_type == read_dtype(declared or of)
    assert imported(export_json(module)).is_structurally_equivalent(module)


def test_a_declared_size_may_be_less_precise_than_what_follows():
    p = tiny(op("Unary", "y", "x", fn="neg"), values={"y": {"dtype": "fp32", "shape": ["?", "M"]}})
    assert json.loads(export_json(imported(json.dumps(p))))["values"]["y"]["shape"] == ["?", "M"]


# --- what words mean ----------------------------------------------------------------------------

A = np.array([[0.5, -2.0, 3.0], [4.0, 0.25, -6.0]], np.float32)
C = np.array([[1, 2, -3], [3, 5, 6]], np.float32)
N = np.array([[2, 0, 1], [7, 1, 0]], np.int32)
ODD = np.array([np.inf, 1, np.nan], np.float32)
UNARY: dict[str, Any] = {
    "neg": np.negative, "abs": np.abs, "exp": np.exp, "log": lambda x: np.log(np.abs(x)), "tanh": np.tanh, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "recip": np.reciprocal, "sin": np.sin, "cos": np.cos, "floor": np.floor, "ceil": np.ceil,
    "round": np.rint, "sign": np.sign, "log1p": np.log1p, "exp2": np.exp2, "expm1": np.expm1, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x / (1 + np.exp(-x)), "tf32": lambda x: x,
}  # fmt: skip
POSITIVE = ("log", "sqrt", "rsqrt", "log1p")
ERRORS = {
    "erf": [0.5204999, 0.9953223, 0.9999779],
    "erfc": [0.4795001, 0.0046777, 2.2090497e-05],
    "gelu": [0.3457312, 1.9544998, 2.9959502],
}
BINARY: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum, "remainder": np.fmod,
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "ge": np.greater_equal, "gt": np.greater, "ne": np.not_equal,
}  # fmt: skip
BITS: dict[str, Any] = {
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "shift_left": np.left_shift,
    "shift_right_arithmetic": np.right_shift, "shift_right_logical": lambda a, b: (a.astype(np.uint32) >> b.astype(np.uint32)).astype(np.int32),
    "pow": lambda a, b: a**b,
}  # fmt: skip
DTYPES = {"float32": "fp32", "float16": "fp16", "int32": "si32", "int64": "si64", "bool": "i1", "bfloat16": "bf16"}
ROWS = np.arange(24, dtype=np.float32).reshape(4, 6)
PADDED = np.full((5, 9), -1, np.float32)
PADDED[1:, 2:8] = ROWS


def move(kind: str, **attrs: Any) -> dict[str, Any]:
    return op("Movement", "y", "a", kind=kind, attrs=attrs)


def unary(fn: str, **more: Any) -> dict[str, Any]:
    return op("Unary", "y", "a", fn=fn, **more)


def binary(fn: str, *inputs: str) -> dict[str, Any]:
    return op("Binary", "y", *(inputs or ("a", "b")), fn=fn)


def fold(fn: str, *axes: Any) -> dict[str, Any]:
    return op("Reduce", "y", "a", fn=fn, axes=list(axes))


MEANINGS: list[tuple[dict[str, Any], list[Any], Any]] = [
    *((unary(w), [np.abs(A) if w in POSITIVE else A], f(np.abs(A) if w in POSITIVE else A)) for w, f in UNARY.items()),
    *((unary(w), [np.array([0.5, 2, 3], np.float32)], np.array(y, np.float32)) for w, y in ERRORS.items()),
    *((binary(w), [A, C], f(A, C)) for w, f in BINARY.items()),
    *((binary(w), [N, N[::-1] + 1], f(N, N[::-1] + 1)) for w, f in BITS.items()),
    *((fold(w, 1), [A], f(A, axis=1)) for w, f in {"sum": np.sum, "max": np.max, "min": np.min}.items()),
    (fold("sum", 0, -1), [A], A.sum()),
    (unary("not"), [N], ~N),
    (unary("is_finite"), [ODD], np.isfinite(ODD)),
    (unary("cast", dtype="si32"), [A], A.astype(np.int32)),
    (unary("bitcast", dtype="si32"), [A], A.view(np.int32)),
    (binary("where", "p", "a", "b"), [A > 0, A, C], np.where(A > 0, A, C)),
    *((binary(fn, "p", "a"), [np.inf > A, A], A) for fn in dialect.CHECKS),
    (binary("sub"), [A, C[0]], A - C[0]),
    (move("reshape", new_shape=[3, 8]), [ROWS], ROWS.reshape(3, 8)),
    (move("permute", perm=[1, 0]), [ROWS], ROWS.T),
    (move("expand", new_shape=[2, 4, 6]), [ROWS], np.broadcast_to(ROWS, (2, 4, 6))),
    (move("pad", low=[1, 2], high=[0, 1], value=-1), [ROWS], PADDED),
    (move("pad", low=[0, 0], high=[0, 1]), [ROWS], np.pad(ROWS, ((0, 0), (0, 1)))),
    (move("shrink", start=[1, 2], new_shape=[2, 3]), [ROWS], ROWS[1:3, 2:5]),
    (move("view", new_shape=[3, 4], strides=[7, 2], offset=1), [ROWS], ROWS.ravel()[1 + 7 * np.arange(3)[:, None] + 2 * np.arange(4)]),
    (move("view", new_shape=[4], strides=[6]), [ROWS], ROWS[:, 0]),
]  # fmt: skip


def test_every_word_has_a_meaning_that_is_tried():
    tried = {form.get("fn") or form["kind"] for form, *_ in MEANINGS}
    assert tried == {*dialect.UNARIES, *dialect.BINARIES, *dialect.MOVEMENTS, "sum"}


@pytest.mark.parametrize(
    ("form", "operands", "want"), MEANINGS, ids=lambda v: v.get("fn", v.get("kind")) if isinstance(v, dict) else ""
)
def test_words_mean_what_they_say(form: dict[str, Any], operands: list[Any], want: Any):
    """A table that confuses two of them would do so in both directions, so that results are compared with NumPy."""
    names = form["inputs"]
    types = {n: {"dtype": DTYPES[a.dtype.name], "shape": list(a.shape)} for n, a in zip(names, operands, strict=True)}
    want = np.asarray(want)
    types["y"] = {"dtype": DTYPES[want.dtype.name], "shape": list(want.shape)}
    with np.errstate(all="ignore"):
        module = imported(json.dumps({"ops": [form], "values": types}))
        (got,) = ptir.reference(module, *operands)
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_leaves():
    ops = [
        {"op": "Const", "outputs": ["two"], "value": 2},
        {"op": "Const", "outputs": ["row"], "value": {"bytes": "AACAPwAAAEA="}},
        {"op": "Const", "outputs": ["low"], "value": "-inf"},
        {"op": "Const", "outputs": ["yes"], "value": True},
        {"op": "Iota", "outputs": ["count"], "axis": 1},
    ]
    types = {
        "two": ("bf16", [2, 2]),
        "row": ("fp32", [2]),
        "low": ("fp16", []),
        "yes": ("i1", [3]),
        "count": ("si64", [2, 3]),
    }
    values = {name: {"dtype": dtype, "shape": shape} for name, (dtype, shape) in types.items()}
    got = ptir.reference(imported(json.dumps({"ops": ops, "values": values})))
    want = [
        np.full((2, 2), 2, ml_dtypes.bfloat16), np.array([1, 2], np.float32), np.array(-np.inf, np.float16),
        np.ones(3, bool), np.array([[0, 1, 2]] * 2),
    ]  # fmt: skip
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


# --- the tool -----------------------------------------------------------------------------------


@pytest.fixture
def translate(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Runs `ptir-translate` on a text. Returns exit status, stdout and stderr."""
    return tool(main, tmp_path / "in", capsys)


def test_the_tool_translates_both_ways(translate):
    status, text, err = translate(EVERY_TINY_OP, "--export-tiny-json")
    assert (status, text, err) == (0, every_tiny_op(), "")
    status, ir, err = translate(text, "--import-tiny-json")
    assert status == 0 and not err
    assert translate(ir, "--export-tiny-json") == (0, text, "")


def test_the_tool_refuses_what_does_not_go_together(translate):
    status, _, err = translate(EVERY_TINY_OP, "--export-tiny-json", "--byte-arrays")
    assert status == 1 and "--byte-arrays goes with --export-json" in err
    status, _, err = translate(EVERY_TINY_OP, "--export-tiny-json", "--export-json")
    assert status == 1 and "not allowed with" in err


def test_the_tool_verifies_what_it_reads(translate):
    ir = "func.func @f(%x: tensor<4xf32>) -> tensor<3xf32> { %0 = tiny.unary neg %x : tensor<4xf32> -> tensor<3xf32> func.return %0 : tensor<3xf32> }"
    status, out, err = translate(ir, "--export-tiny-json")
    assert status == 1 and not out and "error[PTIR0102]" in err
    status, out, err = translate(GEMM.replace('"axes":["K"]', '"axes":[7]'), "--import-tiny-json")
    assert status == 1 and not out and ":6:40: error[PTIR0105]: axis 7 is out of range" in err


def test_the_schema_of_the_form(translate):
    schemas = [json.loads(translate("", f"--json-schema={form}")[1]) for form in ("ptir", "tiny", "poly")]
    assert [s["$ref"].rpartition("/")[2] for s in schemas] == ["Program", "Program", "PolyView"]
    assert {"MovementForm", "UnaryForm", "BinaryForm", "ReduceForm", "ConstForm", "IotaForm"} <= schemas[1][
        "$defs"
    ].keys()
    assert schemas[1] == json.loads(json.dumps(msgspec.json.schema(program.Program)))
    status, _, err = translate("", "--json-schema=wide")
    assert status == 1 and "ptir" in err and "tiny" in err
