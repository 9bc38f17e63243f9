"""The reference pages of passes, pipelines, targets and rules."""

from __future__ import annotations

import importlib
import inspect
from pkgutil import resolve_name

from ptir.passes.pass_info import PassInfo, info_of_path
from ptir.passes.registry import PASSES, PIPELINES, TARGETS
from ptir.transforms.ptir_rules.table import render

from .tables import NOTICE, table


def passes_page() -> str:
    parts = [
        "# Passes, pipelines and targets",
        "In the order of the data flow. `ptir-opt --list-passes` lists them too.",
    ]
    for name, path in PASSES.items():
        parts += [
            f"## `{name}`",
            inspect.getdoc(importlib.import_module(path.split(":")[0])) or "",
            options(info_of_path(name, path)),
        ]
    parts.append("## Named pipelines")
    for name, pipeline in PIPELINES.items():
        stages = {option: [f"`{stage}`" for stage, _ in to] for option, to in pipeline.forwards.items()}
        taken = ", ".join(f"`{option}` goes to {' and '.join(to)}" for option, to in stages.items())
        parts.append(f"### `{name}`\n\n`{','.join(pipeline.stages)}`; option {taken}.")
    parts.append("## Targets")
    parts += [f"### `{name}`\n\n{inspect.getdoc(resolve_name(path))}" for name, path in TARGETS.items()]
    return NOTICE + "\n\n".join(part for part in parts if part) + "\n"


def rules_page() -> str:
    """Returns the page of all rules of `ptir-canonicalize`."""
    about = (
        "A rule applies to every operation and operand that it matches, for the kinds of element type that it names. The "
        "exact rules are proved for integers by an SMT solver and compared bit for bit on every float type. The other rules "
        "are used only by `ptir-canonicalize{fast=true}`, or if they are named: `{rules=…}`."
    )
    return f"{NOTICE}# The rules of `ptir-canonicalize`\n\n{about}\n\n```text\n{render().rstrip()}\n```\n"


def options(info: PassInfo) -> str:
    rows: list[list[object]] = [
        [f"`{o.name}`", f"`{o.type}`", "required" if o.default is None else f"`{o.default}`", o.doc]
        for o in info.options
    ]
    return table(["option", "type", "default", ""], rows) if rows else ""
