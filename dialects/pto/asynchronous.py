"""Ops that may run asynchronously: they wait for events, and return one. Spec: `pto-ir.md §5`."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from functools import cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    base,
    operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from ...targets.pto import PIPE_OF
from ..common.checks import check, check_attribute, check_count, check_value
from ..common.ops import DialectOp, Parameter
from ..common.syntax import Keyword
from .indices import Index, Valid, checked, split
from .syntax import Bare, Waits
from .types import AnyTile, EventType, TileType

ValidAxes = Sequence[tuple[SSAValue, Sequence[int | None]]]


class InstructionOp(DialectOp, abc.ABC):
    """
    Base of ops that are instructions of the machine.

    Without `wait(…)` and without an event as last result, an op runs in the order of the program. An event is of the op's own opcode;
    other ops may wait for it. `valid` has the number of valid elements along each axis of the result, which are integers or values of
    type index; without it, the valid elements are those that are valid in all operands.
    """

    ON_VECTORS: ClassVar[bool] = False
    """Whether the op computes with tiles in Vec only."""
    waits = var_operand_def(base(EventType))
    valid = var_operand_def(IndexType)
    static_valid = opt_prop_def(DenseArrayBase.constr(i64))
    event = opt_result_def(base(EventType))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Bare, Keyword, Valid, Waits)

    def __init__(
        self,
        operands: Sequence[SSAValue | Sequence[SSAValue]],
        result_types: Sequence[Attribute],
        *,
        valid: Sequence[Index] = (),
        waits: Sequence[SSAValue] = (),
        event: EventType | None = None,
        **parameters: Parameter,
    ):
        static, values = split(valid)
        results = [*result_types, [] if event is None else [event]]
        super().__init__([*operands, waits, values], results, (), static_valid=static or None, **parameters)

    @property
    def opcode(self) -> str:
        """The name of the instruction, such as `TADD`."""
        return _opcode(self.name)

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The operands but events and valid extents, which come last."""
        return self.operands[: len(self.operands) - len(self.waits) - len(self.valid)]

    @property
    def is_asynchronous(self) -> bool:
        return bool(self.waits) or self.event is not None

    @property
    def valid_axes(self) -> ValidAxes:
        """
        The tiles whose valid regions determine that of the result, if there is no `valid`. Each is given with the axis of it that determines each
        axis of the result, or None; of several, the least extent is that of the result.
        """
        sizes = cast(TileType, self.results[0].type).sizes
        tiles = [(v, v.type.sizes) for v in self.operands if isinstance(v.type, TileType)]
        alike = [(v, own) for v, own in tiles if len(own) == len(sizes)]
        return [
            (v, [k if a == b else None for k, (a, b) in enumerate(zip(own, sizes, strict=True))]) for v, own in alike
        ]

    def verify_(self) -> None:
        own = (p for p in self.get_irdl_definition().properties if not p.startswith(("static_", "operandSegment")))
        for name in self.attributes:
            help = f"it has {', '.join((*own, 'valid'))}; attributes of other dialects have a prefix, like a.b"
            check_attribute(self, "." in name, name, "is no attribute of this op", help)
        tile = next((v.type for v in (*self.results, *self.operands) if isinstance(v.type, TileType)), None)
        check(self, self.static_valid is not None or not self.valid, "has values of 'valid', but no 'static_valid'")
        if self.static_valid is not None:
            check(self, tile is not None, "has no tile, and thus no valid region")
            self.check_valid(cast(TileType, tile), self.static_valid)
        for t in (v.type for v in (*self.results, *self.operands) if isinstance(v.type, TileType)):
            fits = not self.ON_VECTORS or t.loc == "Vec"
            check(self, fits, f"computes with vector tiles (loc=Vec), got {t}")
        is_known = not self.is_asynchronous or self.opcode in PIPE_OF
        check(self, is_known, "is no instruction of PTO, and has neither wait(...) nor an event")
        if self.event is not None:
            event = self.event.type
            own = event.producer.word == self.opcode
            check(self, own, f"returns an event of {event.producer.word}, but is itself a {self.opcode}")

    def check_valid(self, tile: TileType, static: DenseArrayBase[IntegerType]) -> None:
        valid, rank = checked(self, "valid", static, self.valid), len(tile.sizes)
        check_count(self, len(valid) == rank, "'valid'", f"one number for each axis ({rank})", len(valid))
        for v, size in zip(valid, tile.sizes, strict=True):
            fits = not isinstance(v, int) or (v > 0 and (v <= size or size == -1))
            check_value(self, fits, "valid", v, f"it is at least 1 and at most the size of {tile}")


@cache
def _opcode(name: str) -> str:
    return "T" + name.removeprefix("pto.tile.").replace(".", "_").upper()


WAITS = "custom<Waits>($waits, type($waits)) custom<Valid>($valid, $static_valid)"
"""The part of an assembly format that names the events to wait for, and the valid region."""
EVENT = "(`,` type($event)^)?"
"""The part of an assembly format that has the type of the event."""
_CONVERSION = f"$input {WAITS} attr-dict `:` custom<Bare>(type($input)) `->` custom<Bare>(type($result)) {EVENT}"


class ConversionOp(InstructionOp, abc.ABC):
    """Base of ops that make one tile from another."""

    input = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = _CONVERSION
