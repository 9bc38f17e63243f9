"""
`--verify-roundtrip`: checks that printing and parsing returns the same program.

Programs are compared as text in the generic form, which shows where they differ. Then their attributes are compared, since
equal texts may be parsed to different bits.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from itertools import zip_longest

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ..errors import PtirError
from .errors import RoundTripFailed
from .literals import compact
from .parsing import parse_text
from .writing import print_module


def check_round_trip(module: ModuleOp, ctx: Context) -> None:
    """Raises `RoundTripFailed` if the custom or the generic form of `module` parses to a different program."""
    want = print_module(module, generic=True)
    for form, generic in (("generic", True), ("custom", False)):
        text = print_module(module, generic=generic)
        try:
            with _own_resources(ctx):
                again = parse_text(text, ctx, f"<{form} form>")
        except PtirError as e:
            raise RoundTripFailed(form=form, problem=f"it does not parse:\n{e}") from e
        if (got := print_module(again, generic=True)) != want:
            raise RoundTripFailed(form=form, problem=f"the first difference is\n{_first_difference(want, got)}")
        for op, read in zip(module.walk(), again.walk(), strict=True):
            if any(
                _bits(a) != _bits(b) for a, b in ((op.properties, read.properties), (op.attributes, read.attributes))
            ):
                raise RoundTripFailed(op, form=form, problem="its attributes parse to different bits")
        if not generic and (got := print_module(again, generic=False)) != text:
            raise RoundTripFailed(form=form, problem=f"the first difference is\n{_first_difference(text, got)}")


@contextmanager
def _own_resources(ctx: Context) -> Generator[None]:
    """Hides the resources that `ctx` has already read: the parser would rename resources of the same name in the new text."""
    interfaces = [found for d in ctx.loaded_dialects if (found := d.get_interface(OpAsmDialectInterface))]
    blobs = [(interface, interface._blob_storage) for interface in interfaces]  # pyright: ignore[reportPrivateUsage]
    for interface in interfaces:
        interface._blob_storage = {}  # pyright: ignore[reportPrivateUsage]
    try:
        yield
    finally:
        for interface, kept in blobs:
            interface._blob_storage = kept  # pyright: ignore[reportPrivateUsage]


def _bits(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Returns the attributes with normalized splats, so that `==` compares the bits of literals."""
    return {k: compact(v) if isa(v, DenseIntOrFPElementsAttr) else v for k, v in attributes.items()}


def _first_difference(want: str, got: str) -> str:
    for before, after in zip_longest(want.splitlines(), got.splitlines(), fillvalue="(nothing)"):
        if before != after:
            return f"  printed: {before.strip()}\n  parsed:  {after.strip()}"
    return "  (white space only)"
