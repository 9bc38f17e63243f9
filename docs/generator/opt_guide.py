"""The guide to `ptir-opt`."""

from __future__ import annotations

import argparse
import dataclasses

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import ptir
from ptir.diagnostics.rendering import render_error
from ptir.dialects import tiny
from ptir.errors import PtirError
from ptir.passes.validation import Interpret, ValidatePasses
from ptir.tools.arguments import opt_arguments
from ptir.transforms.ptir_to_tiny import PtirToTiny

from .guides import guide
from .tables import table


def opt_guide() -> str:
    """Returns `ptir_opt.md.in` with the output of its commands, and the table of options."""
    text = guide("ptir_opt.md.in")
    return text.replace("{{options}}", opt_options()).replace("{{exchange}}", f"```console\n{wrong_pass()}```")


def opt_options() -> str:
    """Returns tables of all options of `ptir-opt`, by group."""
    parts: list[str] = []
    for group in opt_arguments(None, ["cse"])._action_groups:  # pyright: ignore[reportPrivateUsage]
        actions = [a for a in group._group_actions if a.help and a.help != argparse.SUPPRESS]  # pyright: ignore[reportPrivateUsage]
        rows: list[list[object]] = [[f"`{spelt(a)}`", (a.help or "").replace("\n", " ")] for a in actions]
        if rows:
            parts.append(table([group.title or "", ""], rows))
    return "\n\n".join(parts)


def spelt(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else "")
    names = ", ".join(action.option_strings)
    return f"{names}{'=' if names.startswith('--') and value else ' ' * bool(names and value)}{value}"


@dataclasses.dataclass(frozen=True)
class Exchange(ModulePass):
    """A wrong pass, which exchanges the operands of subtractions."""

    name = "exchange-operands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for sub in [o for o in op.walk() if isinstance(o, tiny.BinaryOp) and o.fn.data == "sub"]:
            sub.operands = (sub.operands[1], sub.operands[0])


def wrong_pass() -> str:
    """Returns the report of translation validation on the wrong pass `Exchange`."""
    module = ptir.parse(
        "func.func @residual(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
        "  %0 = ptir.sub %x, %y : tensor<2x2xf32>\n  func.return %0 : tensor<2x2xf32>\n}",
    )
    manager = ptir.PassManager([PtirToTiny(), Exchange()], instrumentations=[ValidatePasses([Interpret()])])
    try:
        manager.run(module)
    except PtirError as error:
        return render_error(error)
    raise RuntimeError("the validation did not detect the wrong pass")
