"""Failures of interpretation: a program that verifies, run on values that it has no meaning for."""

from __future__ import annotations

from xdsl.utils.exceptions import InterpretationError

from ..errors import PtirError


class Violation(PtirError):
    """Values that the program has no meaning on, where it may have one on others."""


class DivisionByZero(Violation):
    code = "PTIR0540"
    template = "integer division by zero"
    hint = "guard the divisor with a select: the contract gives no value for x / 0"


class NameConflict(Violation):
    code = "PTIR0561"
    template = "the name {name} stands for {a} in {first}, and for {b} in {second}"
    hint = "equal names are equal sizes: give arrays whose sizes agree, or the dimensions different names"


class WrongShape(Violation):
    code = "PTIR0562"
    template = "{what} has shape {got}, its type is {want}"


class UnknownSize(Violation):
    code = "PTIR0563"
    template = "axis {axis} of {what} is {problem}, and its operands do not determine it"
    hint = "name the dimension of {type} after one of an argument, or give it a size"


class OperandShapesDiffer(Violation):
    code = "PTIR0564"
    template = "the operands of {name} have the shapes {got}"
    hint = "elementwise ops do not broadcast: insert a ptir.broadcast_to"


class NotInterpreted(PtirError, InterpretationError):
    """An op, or a function that is only declared, that no interpreter knows."""

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
    hint = "the guard box must keep the map inside of the memref"


class ChannelMisuse(PtirError):
    code = "PTIR0545"
    template = "{problem}"
    hint = "{help}"


class ChannelDeadlock(PtirError):
    code = "PTIR0546"
    template = "the tile stops here: {problem}"
    hint = "deepen the ring, or interleave the channels in the same order on both sides"


class StoreConflict(PtirError):
    code = "PTIR0547"
    template = "element {index} is written twice: {problem}"
    hint = "tiles run in any order, so each element belongs to one of them"


class NoMaximum(Violation):
    code = "PTIR0565"
    template = "axis {axis} has no elements in this run, so none of them is the largest"
    hint = "the contract gives argmax no value there"


class SizeMismatch(Violation):
    code = "PTIR0566"
    template = "{what} has sizes {got} in this run, expected {want}"
    hint = "the type leaves the size open: what runs must be of one size all the same"


class TooFewElements(Violation):
    code = "PTIR0567"
    template = "the axis has {size} elements in this run, {k} are asked for"
    hint = "pad the axis, or ask for fewer"


class InvalidZeroPoint(Violation):
    code = "PTIR0568"
    template = "zero point {value} is not a value of {storage}"
    hint = "a zero point is the code of 0: one of {low} to {high}"


class IndexOutOfRange(Violation):
    code = "PTIR0570"
    template = "the index {value} at {position} of {what} is out of range: axis {axis} has {extent} elements"
    hint = "clamp the indices, or pad what they point into"


class WindowOutside(Violation):
    code = "PTIR0571"
    template = "a window of {size} from {start} on leaves axis {axis}, which has {extent} elements in this run"


class CannotReshape(Violation):
    code = "PTIR0572"
    template = "{count} elements do not make up {want}"
    hint = "the product of the sizes is the number of elements"


class BrokenPromise(Violation):
    code = "PTIR0573"
    template = "{what} are not {promise}: {value} at {position} follows {before}"
    hint = "leave '{promise}' out: it is a promise that the op relies on"


class CannotBroadcast(Violation):
    code = "PTIR0574"
    template = "{got} does not broadcast to {want} in this run: axis {axis} has {size} elements"
    hint = "a size is 1, or that of the result"


class TooManyRounds(Violation):
    code = "PTIR0576"
    template = "the loop goes on after {rounds} rounds"
    hint = "it may never end on these values; ptir.reference and ptir-run wait for it"


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
    template = "custom call '{target}' returned {got}, the program declares {want}"


class TooLarge(PtirError):
    code = "PTIR0582"
    template = "{what} is too large for the interpreter: {why}"
    hint = "compile the program, or run it on smaller sizes"


class ViewOutside(Violation):
    code = "PTIR0581"
    template = "a view of shape {shape} reads element {last} of an operand that holds {count} in this run"
    hint = "pad the operand first, or give its dimensions sizes"
