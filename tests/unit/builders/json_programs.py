"""Handwritten programs as JSON, and functions to import and build such programs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.lexer import Input

from ptir.frontends.json.ptir import export_json, import_json
from ptir.passes.environment import make_context
from ptir.text.parsing import parse_text
from ptir.text.sources import file_name
from ptir.text.verify import verify_module

ROOT = Path(__file__).resolve().parents[3]
EVERY_OP = (ROOT / "tests" / "filecheck" / "ptir_json" / "every_op.mlir").read_text("utf-8")
DOC = (ROOT / "docs" / "ptir_json.md").read_text("utf-8")
VERSION = 'ptir.spec_version = "ptir.v0.4"'


def read(text: str) -> ModuleOp:
    module = parse_text(text, make_context(), "m.mlir")
    verify_module(module)
    return module


def imported(text: str) -> ModuleOp:
    module = import_json(text, file_name(Input(text, "p.json")))
    verify_module(module)
    return module


@cache
def every_op() -> str:
    return export_json(read(EVERY_OP))


def f32(*sizes: int) -> dict[str, Any]:
    return tensor("F32", *sizes)


def tensor(dtype: str, *sizes: int | str) -> dict[str, Any]:
    dims = [{"Static": s} if isinstance(s, int) else {"Dynamic": s} for s in sizes]
    return {"Tensor": {"dtype": dtype, "shape": {"dims": dims}}}


def instruction(id: int, op: Any, *operands: Any, output: Any = None, **more: Any) -> dict[str, Any]:
    named = [{"Value": o} if isinstance(o, int) else o for o in operands]
    return {"id": id, "op": op, "operands": named, "output": output or f32(4), **more}


def program(
    *body: dict[str, Any],
    parameters: Any = None,
    results: Any = None,
    result_ids: Any = None,
    regions: Any = (),
    **more: Any,
) -> dict[str, Any]:
    parameters = [f32(4)] if parameters is None else parameters
    function = {
        "name": "f",
        "parameters": parameters,
        "parameter_ids": list(range(len(parameters))),
        "results": [body[-1]["output"]] if results is None else results,
        "body": list(body),
        "result_ids": [body[-1]["id"]] if result_ids is None else result_ids,
    }
    return {"spec_version": "ptir.v0.4", "entry": "f", "functions": [function], "regions": list(regions), **more}
