"""Errors of the analyses, with codes 023x, 025x, 046x and 047x; `errors.py` says which package has which codes."""

from __future__ import annotations

from ..errors import PtirError


class TooComplex(PtirError):
    """Index arithmetic that exceeds a limit on its cost."""

    code = "PTIR0230"
    template = "{what} is too complex: more than {bound}"
    hint = "store an intermediate value, or replace symbolic sizes by numbers"


class FillsDiffer(PtirError):
    """Two consecutive pads have different values: a single access cannot express both."""

    code = "PTIR0231"
    template = "consecutive pads have the values {a} and {b}, but one access has one pad value"
    hint = "pad with one value, or store the value between the two pads"


class MissingDivisionGuard(PtirError):
    """A division without a guard that bounds its remainder. Spec: `tensor-compiler.ja §13`."""

    code = "PTIR0232"
    template = "the index rule of '{name}' divides without a guard: {guard} is missing"
    hint = "set `guards=division_guards(map)` in the rule's IndexInfo"


class BrokenIndexInfo(PtirError):
    """An index rule whose result breaks an invariant. Spec: `tensor-compiler.ja §1.3`."""

    code = "PTIR0233"
    template = "the index rule of '{name}': {problem}"
    hint = "{help}"


class CallOfDeclaration(PtirError):
    """A call of a function without a body in a program that is to be compiled."""

    code = "PTIR0470"
    template = "'{name}' calls @{callee}, which is only declared"
    hint = "give the function a body, or call a Python function by ptir.custom_call"


class InvalidTile(PtirError):
    """A tile names an axis that its consumer does not have, or has an invalid size."""

    code = "PTIR0250"
    template = "the tile {problem}"
    hint = "give a size of at least 1 for any of {axes}"


class NeedsSize(PtirError):
    """A query whose answer should be a number, but depends on a symbolic size."""

    code = "PTIR0251"
    template = "{what} grows with {sizes}"
    hint = "{help}"


class UnknownValue(PtirError):
    """A query about a value that is not a tensor of the program."""

    code = "PTIR0252"
    template = "'{name}' does not name exactly one tensor of the program"
    hint = "the values are {names}"


class TooMuchMemory(PtirError):
    """A value or an arena that is larger than the address space of a process."""

    code = "PTIR0460"
    template = "{what} would take {bytes} bytes, and no process addresses more than 2^47"
    hint = "make it smaller, or compute it in parts"


class NotAffineBetween(PtirError):
    """A producer, a consumer or a value between them whose indices depend on data."""

    code = "PTIR0253"
    template = "{name} is not affine: {why}"
    hint = "store its operands and its result"


class ReducesAcrossTiles(PtirError):
    """A producer reduces an axis that the consumer's tiles cut, but every tile needs the same elements of the producer."""

    code = "PTIR0254"
    template = "{producer} reduces all of {axis}, but tiles along {cut} cut it, and all of them need the same elements of {producer}"
    hint = "leave {cut} whole, or store {producer}"


class NoDependence(PtirError):
    """A consumer that does not depend on the producer, directly or indirectly."""

    code = "PTIR0255"
    template = "{consumer} does not depend on {producer}"


class KernelsWait(PtirError):
    """Kernels that cannot be ordered, since each waits for a result of another one."""

    code = "PTIR0256"
    template = "{kernels} kernels wait for each other, one of them for this op"
    hint = "form regions with strategy=none, and report this program"


class NotComputed(PtirError):
    """A sum of products whose kernel cannot compute its left factors, as the program asks."""

    code = "PTIR0257"
    template = "the kernel of this product is asked to compute its left factors, but {problem}"
    hint = "leave out fused, or plan.computes_lhs: an earlier kernel stores them then"


class NoAsynchronousForm(PtirError):
    """A program whose order on the pipes of a core is not defined, or not known."""

    code = "PTIR0240"
    template = "the order of pipes is not known here: {problem}"
    hint = "write the function with instructions of PTO, scf.for, scf.if, and arithmetic on indices"


class NoStaticAddress(PtirError):
    """An address that is a value, or beyond all memories."""

    code = "PTIR0242"
    template = "the address of this tile is no number below 2^24"
    hint = "write a number, or let pto-bufferize choose it"
