"""
Makes the anchor of an optional group in an assembly format mandatory once the group has begun.

In ``(`accum` $type^)?``, xDSL 0.74 parses the attribute after `accum` as optional, so it accepts and drops an `accum` without
a type; MLIR reports an error. xDSL has no hook to change this, so `parsing.py` replaces the method of xDSL's class.
"""

from __future__ import annotations

from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    OptionalGroupDirective,
    OptionalOperandVariable,
    ParsingState,
)
from xdsl.parser import Parser

_parse = OptionalGroupDirective.parse


def _parse_with_anchor(self: OptionalGroupDirective, parser: Parser, state: ParsingState) -> None:
    begin = parser.pos
    _parse(self, parser, state)
    if parser.pos == begin:
        return
    match self.anchor:
        case AttributeVariable() as anchor:
            given = anchor.name in (state.properties if anchor.is_property else state.attributes)
            what = f"the attribute '{anchor.name}'"
        case OptionalOperandVariable() as anchor:
            given, what = bool(state.operands[anchor.index]), f"the operand '{anchor.name}'"
        case _:
            return
    if not given:
        parser.raise_error(f"expected {what}")


def require_anchors() -> None:
    """Makes xDSL's parser of optional groups require their anchors."""
    OptionalGroupDirective.parse = _parse_with_anchor
