"""Failures of the analyses, 023x to 025x and 046x: codes by room are in `errors.py`."""

from __future__ import annotations

from ..errors import PtirError


class TooComplex(PtirError):
    """Index arithmetic that would take longer than it may."""

    code = "PTIR0230"
    template = "{what} is too complex: more than {bound}"
    hint = "store a value on the way, or give sizes that are names a number"


class FillsDiffer(PtirError):
    """Two pads, one after the other, of different values: no one access says what is read where."""

    code = "PTIR0231"
    template = "one access cannot be filled with {a} here and with {b} there"
    hint = "pad with one value, or store what lies between the two pads"


class MissingDivisionGuard(PtirError):
    """tensor-compiler.ja §13: a division without what holds of its remainder."""

    code = "PTIR0232"
    template = "the index rule of '{name}' divides without a guard: {guard} is missing"
    hint = "let the rule give `guards=division_guards(map)` in its IndexInfo"


class BrokenIndexInfo(PtirError):
    """tensor-compiler.ja §1.3: an invariant that what a rule says does not keep."""

    code = "PTIR0233"
    template = "the index rule of '{name}': {problem}"
    hint = "{help}"


class CallBetweenKernels(PtirError):
    """A call in a tensor program: kernels are formed within one function."""

    code = "PTIR0470"
    template = "'{name}' of @{callee} in a tensor program is not supported yet"
    hint = "run the passes inline,symbol-dce first: kernels are formed within one function"


class InvalidTile(PtirError):
    """A tile that does not fit the consumer that it is to cut."""

    code = "PTIR0250"
    template = "the tile {problem}"
    hint = "give a size of at least 1 for any of {axes}"


class NeedsSize(PtirError):
    """A number that depends on a size which is a name."""

    code = "PTIR0251"
    template = "{what} grows with {sizes}"
    hint = "{help}"


class UnknownValue(PtirError):
    """A value that is asked about and is none of the program's tensors."""

    code = "PTIR0252"
    template = "'{name}' names no one tensor of the program"
    hint = "the values are {names}"


class TooMuchMemory(PtirError):
    code = "PTIR0460"
    template = "{what} would take {bytes} bytes, and no process addresses more than 2^47"
    hint = "make it smaller, or compute it in parts"


class NotAffineBetween(PtirError):
    """A producer, a consumer or a value between them whose indices only the data tells."""

    code = "PTIR0253"
    template = "{name} is not affine: {why}"
    hint = "store what it reads, and what it computes"


class FoldsAcrossTiles(PtirError):
    """A reduction along an axis that the tiles cut, of which they all need the same."""

    code = "PTIR0254"
    template = "{producer} folds all of {row}, and tiles along {cut}, which cut it, all need the same of {producer}"
    hint = "leave {cut} whole, or store {producer}"


class NoDependence(PtirError):
    """A consumer that does not read the producer, by whatever way."""

    code = "PTIR0255"
    template = "{consumer} does not depend on {producer}"
