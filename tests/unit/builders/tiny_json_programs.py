"""Handwritten tiny programs as JSON, and functions to import and build such programs."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.lexer import Input

from ptir.frontends.json.tiny import export_json, import_json
from ptir.text.sources import file_name
from ptir.text.verify import verify_module

from .json_programs import ROOT, read

TINY_DOC = (ROOT / "docs" / "tiny_json.md").read_text("utf-8")
EVERY_TINY_OP = (ROOT / "tests" / "filecheck" / "tiny_json" / "every_op.mlir").read_text("utf-8")

GEMM = """{
  "ops": [
    {"op":"Movement","name":"a_reshape","kind":"reshape","inputs":["A"],"outputs":["A_r"],"attrs":{"new_shape":["M","K","1"]}},
    {"op":"Movement","name":"b_reshape","kind":"reshape","inputs":["B"],"outputs":["B_r"],"attrs":{"new_shape":["1","K","N"]}},
    {"op":"Binary","name":"mul","fn":"mul","inputs":["A_r","B_r"],"outputs":["T"]},
    {"op":"Reduce","name":"sum_k","fn":"sum","inputs":["T"],"outputs":["C0"],"axes":["K"]},
    {"op":"Movement","name":"bias_expand","kind":"expand","inputs":["bias"],"outputs":["bias_mn"],"attrs":{"new_shape":["M","N"]}},
    {"op":"Binary","name":"bias_add","fn":"add","inputs":["C0","bias_mn"],"outputs":["C1"]},
    {"op":"Unary","name":"relu","fn":"relu","inputs":["C1"],"outputs":["C2"]}
  ],
  "values": {
    "A":{"dtype":"fp16","shape":["M","K"]},
    "B":{"dtype":"fp16","shape":["K","N"]},
    "bias":{"dtype":"fp16","shape":["N"]},
    "A_r":{"dtype":"fp16","shape":["M","K","1"]},
    "B_r":{"dtype":"fp16","shape":["1","K","N"]},
    "T":{"dtype":"fp16","shape":["M","K","N"]},
    "C2":{"dtype":"fp16","shape":["M","N"]}
  }
}
"""
"""The example of the spec, `tensor-compiler.ja §1.2`, verbatim."""


def imported(text: str) -> ModuleOp:
    module = import_json(text, file_name(Input(text, "p.json")))
    verify_module(module)
    return module


@cache
def every_tiny_op() -> str:
    return export_json(read(EVERY_TINY_OP))


def gemm() -> dict[str, Any]:
    return json.loads(GEMM)


def tiny(*ops: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns a program with the input `x: fp32[4, M]` and these ops."""
    return {"ops": list(ops), "values": {"x": {"dtype": "fp32", "shape": [4, "M"]}, **more.pop("values", {})}, **more}


def op(form: str, out: str, *inputs: str, **fields: Any) -> dict[str, Any]:
    return {"op": form, "inputs": list(inputs), "outputs": [out], **fields}
