"""
Every way in which a user's input can fail, one class a kind.

A class carries its stable code (`PTIR0123`), the template of its message and the template of the
`help:` line that says how to mend it. Raise it with the operation at fault and the template's fields:

>>> raise NotStaticallyShaped(op, type=t)          # doctest: +SKIP
m.mlir:3:8: error[PTIR0201]: tensor<?x4xf32> has a dynamic dimension
  help: give the dimension a size

Codes by room: 00xx reading, 01xx verification, 02xx lowering, 03xx planning, 04xx printing and
compiling, 05xx running, 06xx the drivers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, VerifyException


class PtirError(DiagnosticException):
    """A failure with a code. `op` is where it happened; `notes` are other places involved."""

    code: ClassVar[str] = "PTIR0000"
    template: ClassVar[str] = "{message}"
    mend: ClassVar[str] = ""

    def __init__(
        self,
        op: Operation | None = None,
        *,
        notes: Sequence[tuple[Operation | None, str]] = (),
        **fields: Any,
    ):
        self.op = op
        self.notes = tuple(notes)
        self.message = self.template.format(**fields)
        self.help = self.mend.format(**fields)
        super().__init__(self.message)


class VerifyError(PtirError, VerifyException):
    """An operation that breaks a rule of its dialect."""

    code = "PTIR0100"


# --- 01xx: verification -------------------------------------------------------------------------


class InvalidAttributeValue(VerifyError):
    code = "PTIR0101"
    template = "'{name}' {problem}"
    mend = "{help}"


class ShapeMismatch(VerifyError):
    code = "PTIR0102"
    template = "{what} has shape {got}, expected {want}"


class DtypeMismatch(VerifyError):
    code = "PTIR0103"
    template = "{what} has element type {got}, expected {want}"
    mend = "insert a cast: there is no implicit promotion"


class RankMismatch(VerifyError):
    code = "PTIR0104"
    template = "{what} has rank {got}, expected {want}"


class AxisOutOfRange(VerifyError):
    code = "PTIR0105"
    template = "axis {axis} is out of range for rank {rank}"
    mend = "axes run from {low} to {high}"


class DuplicateAxis(VerifyError):
    code = "PTIR0106"
    template = "axis {axis} is given twice in {what}"


class NotBroadcastable(VerifyError):
    code = "PTIR0107"
    template = "shape {got} does not broadcast to {want}: sizes {a} and {b} differ and neither is 1"


class ElementCountMismatch(VerifyError):
    code = "PTIR0108"
    template = "{what} holds {got} elements, expected {want}"


class UnsupportedType(VerifyError):
    code = "PTIR0109"
    template = "{what} is {got}; {want}"


class OperandCountMismatch(VerifyError):
    code = "PTIR0110"
    template = "{what} takes {want} operands, got {got}"


class ExtensionNotEnabled(VerifyError):
    code = "PTIR0111"
    template = "'{name}' is an extension of PTIR v0.4"
    mend = "write module attributes {{ptir.extensions}} around the program to allow extensions"


# --- 02xx: lowering -----------------------------------------------------------------------------


class Unsupported(PtirError):
    """Legal input for which no lowering exists yet."""

    code = "PTIR0210"
    template = "{what} is not supported yet"
    mend = "{need}"


class WrongLevel(PtirError):
    """An op of another level stands where a pass expects its own input level."""

    code = "PTIR0211"
    template = "'{name}' does not belong in the input of {stage}"
    mend = "{need}"


class StaleView(PtirError):
    """A `poly.view` that contradicts the function it describes."""

    code = "PTIR0212"
    template = "the view of @{function} contradicts its function at {block}: it says {got}, the IR says {want}"
    mend = "run build-poly-view again, or remove the view"


# --- 03xx: planning -----------------------------------------------------------------------------


class PlanMissing(PtirError):
    code = "PTIR0301"
    template = "@{kernel} has no plan"
    mend = "run plan-regions{{arch=sm80}} first, or write plan #plan.schedule<{{…}}> on the kernel"


class PlanMismatch(PtirError):
    code = "PTIR0302"
    template = "the plan of @{kernel} does not fit it: {problem}"
    mend = "{help}"


class NoPlanFits(PtirError):
    code = "PTIR0303"
    template = "no plan of @{kernel} fits {arch}: {problem}"
    mend = "{help}"
