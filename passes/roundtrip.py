"""
Printing and parsing again must give the same program: `--verify-roundtrip`.

Programs are compared as text in the generic form, which shows everything there is; `==` on attributes
would call two NaNs different and two equal texts with different values the same.
"""

from __future__ import annotations

from io import StringIO
from itertools import zip_longest

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from ..errors import PtirError
from .errors import RoundTripFailed
from .parsing import parse_text


def check_round_trip(module: ModuleOp, ctx: Context) -> None:
    """Raise `RoundTripFailed` if the custom or the generic form of `module` reads back differently."""
    want = print_module(module, generic=True)
    for form, generic in (("generic", True), ("custom", False)):
        text = print_module(module, generic=generic)
        try:
            again = parse_text(text, ctx, f"<{form} form>")
        except PtirError as e:
            raise RoundTripFailed(form=form, problem=f"it does not parse:\n{e}") from e
        if (got := print_module(again, generic=True)) != want:
            raise RoundTripFailed(form=form, problem=f"the first difference is\n{_first_difference(want, got)}")
        if not generic and (got := print_module(again, generic=False)) != text:
            raise RoundTripFailed(form=form, problem=f"the first difference is\n{_first_difference(text, got)}")


def print_module(module: ModuleOp, *, generic: bool = False) -> str:
    """The text of a module, with a newline at the end."""
    out = StringIO()
    Printer(stream=out, print_generic_format=generic).print_op(module)
    return out.getvalue() + "\n"


def _first_difference(want: str, got: str) -> str:
    for before, after in zip_longest(want.splitlines(), got.splitlines(), fillvalue="(nothing)"):
        if before != after:
            return f"  printed: {before.strip()}\n  parsed:  {after.strip()}"
    return "  (white space only)"
