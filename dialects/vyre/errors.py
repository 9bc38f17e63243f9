"""The errors of the dialect. Their messages read `problem. Fix: action.`, as the specification's do."""

from __future__ import annotations

from xdsl.ir import Operation

from ...errors import VerifyError


class VyreError(VerifyError):
    """A rule of the dialect is broken. `problem` and `fix` are sentences without their full stops."""

    code = "PTIR0170"
    template = "{problem}. Fix: {fix}."

    def __init__(self, op: Operation | None = None, *, problem: str, fix: str):
        super().__init__(op, problem=problem, fix=fix)


class PlannedType(VyreError):
    """A type that is specified but not yet stable."""

    code = "PTIR0171"


class InvalidDeclaration(VyreError):
    """A program or a buffer is declared with values that no backend can have."""

    code = "PTIR0172"


class AccessDenied(VyreError):
    """An access that the kind of the buffer does not allow."""

    code = "PTIR0173"


class WrongDataType(VyreError):
    """An op is not defined on the types of its operands."""

    code = "PTIR0174"


class ConventionBroken(VyreError):
    """The buffers of a program are not those of its calling convention or of its signature."""

    code = "PTIR0175"


class InvalidCall(VyreError):
    """A call that names no op, passes other types, or is recursive."""

    code = "PTIR0176"


def require(op: Operation | None, holds: bool, kind: type[VyreError], problem: str, fix: str) -> None:
    """Raises an error of a kind unless `holds`."""
    if not holds:
        raise kind(op, problem=problem, fix=fix)
