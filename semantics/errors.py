"""Errors of interpretation."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from ..errors import PtirError


class Violation(PtirError):
    """Base class of errors that depend on the inputs: the program is undefined on these, but may be defined on others."""


class DivisionByZero(Violation):
    code = "PTIR0540"
    template = "integer division by zero"
    hint = "guard the divisor with a select: x / 0 is undefined in the contract"


class NameConflict(Violation):
    code = "PTIR0561"
    template = "the name {name} is {a} in {first}, but {b} in {second}"
    hint = "equal names are equal sizes: pass arrays of equal sizes, or rename a dimension"


class WrongShape(Violation):
    code = "PTIR0562"
    template = "{what} has shape {got}, but its type is {want}"


class UnknownSize(Violation):
    code = "PTIR0563"
    template = "axis {axis} of {what} is {problem}, and its operands do not determine it"
    hint = "name the dimension of {type} after one of an argument, or give it a size"


class OperandShapesDiffer(Violation):
    code = "PTIR0564"
    template = "the operands of {name} have the shapes {got}"
    hint = "elementwise ops do not broadcast: insert a ptir.broadcast_to"


class NotInterpreted(PtirError, InterpretationError):
    """An op or an external function without an interpreter."""

    code = "PTIR0482"
    template = "{reason}"
    hint = "--target reference, --compare and ptir.reference take programs at the level of ptir, tiny, region or pto"


class NoSuchFunction(PtirError):
    code = "PTIR0541"
    template = "the module has no function @{name}"
    hint = "it has {known}"


class ArgumentMismatch(PtirError):
    code = "PTIR0542"
    template = "@{name} takes {want}, got {got}"
    hint = "{help}"


class NoBounds(PtirError):
    code = "PTIR0543"
    template = "no error bound is known for {what}"


class IndexOutsideMemref(PtirError):
    code = "PTIR0544"
    template = "the access reaches {index} of {memref}"
    hint = "the guard box must keep the map inside the memref"


class ChannelMisuse(PtirError):
    code = "PTIR0545"
    template = "{problem}"
    hint = "{help}"


class ChannelDeadlock(PtirError):
    code = "PTIR0546"
    template = "the tile cannot make progress here: {problem}"
    hint = "increase the channel's depth, or access the channels in the same order on both sides"


class StoreConflict(PtirError):
    code = "PTIR0547"
    template = "element {index} is written twice: {problem}"
    hint = "tiles run in any order, so each element must be written by one of them"


class Hazard(Violation):
    """Two instructions on different pipes that access the same memory, and whose order no event determines."""

    code = "PTIR0590"
    template = "{what} in an order that is not determined ({kind})"
    hint = "let this op wait for an event, or run pto-insert-events"


class UnspecifiedElement(Violation):
    code = "PTIR0548"
    template = "element {index} of the tile is unspecified, but is used here"
    hint = "give the op a smaller 'valid', or compute the element"


class InvalidValidRegion(Violation):
    code = "PTIR0549"
    template = "'valid' is {valid} along axis {axis} in this run"
    hint = "it is at least 1 and at most {size}, the size of the tile"


class NoMaximum(Violation):
    code = "PTIR0565"
    template = "axis {axis} has no elements in this run, so it has no largest element"
    hint = "argmax of an empty axis is undefined in the contract"


class SizeMismatch(Violation):
    code = "PTIR0566"
    template = "{what} has size {got} in this run, expected {want}"
    hint = "the type does not determine the size, but it must agree at run time"


class TooFewElements(Violation):
    code = "PTIR0567"
    template = "the axis has {size} in this run, but {k} are requested"
    hint = "pad the axis, or request fewer"


class InvalidZeroPoint(Violation):
    code = "PTIR0568"
    template = "zero point {value} is not a value of {storage}"
    hint = "a zero point is the code of 0: one of {low} to {high}"


class IndexOutOfRange(Violation):
    code = "PTIR0570"
    template = "{index} is out of range{bound}"
    hint = "clamp the indices, or pad the indexed tensor"


class WindowOutside(Violation):
    code = "PTIR0571"
    template = "a window of size {size} at offset {start} exceeds axis {axis}, which has {extent} in this run"


class CannotReshape(Violation):
    code = "PTIR0572"
    template = "{count} cannot have the shape {want}"
    hint = "the product of the sizes is the number of elements"


class BrokenPromise(Violation):
    code = "PTIR0573"
    template = "{what} are not {promise}{where}"
    hint = "remove '{promise}': the op relies on it"


class CannotBroadcast(Violation):
    code = "PTIR0574"
    template = "{got} does not broadcast to {want} in this run: axis {axis} has {size}"
    hint = "each size must be 1 or that of the result"


class TooManyIterations(Violation):
    code = "PTIR0576"
    template = "the loop does not end within {iterations} iterations"
    hint = "it may not terminate on these values; ptir.reference and ptir-run have no limit"


class Unimplemented(PtirError):
    code = "PTIR0577"
    template = "custom call '{target}' is not implemented here"
    hint = "register it with ptir.register_custom_call; registered: {known}"


class TargetTaken(PtirError):
    code = "PTIR0578"
    template = "custom call '{target}' is registered already"
    hint = "remove the other registration first, or give this one another version"


class CustomCallFailed(PtirError):
    code = "PTIR0579"
    template = "custom call '{target}' failed: {reason}"


class WrongResult(PtirError):
    code = "PTIR0580"
    template = "custom call '{target}' returned {got}, but the program declares {want}"


class TooLarge(PtirError):
    code = "PTIR0582"
    template = "{what} is too large for the interpreter: {why}"
    hint = "compile the program, or run it on smaller sizes"


class ViewOutside(Violation):
    code = "PTIR0581"
    template = "a view of shape {shape} reads element {last} of an operand with {count} in this run"
    hint = "pad the operand first, or give its dimensions sizes"


def violation(failure: str, op: Operation) -> Violation:
    """
    Returns the error of an op that fails as `failure` says, which is one of `dialects.common.report.FAILURES`. A kernel tells neither
    the value that is at fault nor its position.
    """
    match failure:
        case "division":
            return DivisionByZero(op)
        case "index":
            return IndexOutOfRange(op, index="an index", bound=" (ptir.reference tells which)")
        case promise:
            return BrokenPromise(op, what="the indices", promise=promise, where=" (ptir.reference tells where)")
