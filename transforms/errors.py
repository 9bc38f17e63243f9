"""Errors of transforms: a program that verifies, but cannot be rewritten or lowered."""

from __future__ import annotations

from ..errors import PtirError


class NoTinyForm(PtirError):
    code = "PTIR0203"
    template = "'{name}' has no form in tiny{why}"
    hint = "{help}"


class NoSuchRule(PtirError):
    code = "PTIR0213"
    template = "no rule is called '{name}'"
    hint = "{help}"


class DoesNotSettle(PtirError):
    code = "PTIR0214"
    template = "ptir-canonicalize has not converged after {count} rewrites; the last ones are by the rules {names}"
    hint = "this is a bug in the rules: please report it with the program"


class NoSuchParameter(PtirError):
    code = "PTIR0215"
    template = "no function has an argument %{name}"
    hint = "{help}"


class ChangesStrictFloats(PtirError):
    """A rewrite on request that changes roundings, in a program whose roundings are specified."""

    code = "PTIR0221"
    template = "{what} changes roundings, but the program's floats are strict"
    hint = "{help}"


class SymbolTaken(PtirError):
    code = "PTIR0216"
    template = "there is already a symbol @{name}"
    hint = "rename it, or inline the functions of an earlier split"


class CompositeMismatch(PtirError):
    code = "PTIR0217"
    template = "the composite is not a valid '{name}': {problem}"
    hint = "run ptir-inline-composites to drop the name, and ptir-recognize to find the pattern again"


class InvalidSizes(PtirError):
    """Numbers for the sizes of a function that do not match its arguments."""

    code = "PTIR0218"
    template = "sizes of @{function}: {problem}"
    hint = "{help}"


class SizeDependsOnData(PtirError):
    """An op with regions whose results have sizes that are not the same in each branch or iteration."""

    code = "PTIR0219"
    template = "the sizes of '{name}' depend on data: {got} in {place}, but {want}"
    hint = (
        "kernels are compiled for fixed sizes; ptir.compile runs the program in parts, and compiles these during a call"
    )


class UnknownSymbolTable(PtirError):
    """An unregistered op has a region, which may be a symbol table."""

    code = "PTIR0050"
    template = "'{name}' may be a symbol table: which symbols are used is not known"
    hint = "register the dialect of the op, which says whether its region is a symbol table, or remove the op"


class NoAlgorithm(PtirError):
    """A convolution cannot be computed by the algorithm that the program asks for."""

    code = "PTIR0220"
    template = "{algorithm} is asked for, but {problem}"
    hint = "{help}"


class MemoryTooSmall(PtirError):
    """Tiles that do not fit into a memory. Spec: `pto-ir.md §8`."""

    code = "PTIR0280"
    template = "the tiles in {loc} need {need:,} bytes, but {target} has {limit:,}: {excess:,} too many ({live:,} are live at one time)"
    hint = "choose smaller tiles, or fewer stages"


class NoCopy(PtirError):
    """A tile that would have to be copied, or that has no storage of its own."""

    code = "PTIR0281"
    template = "{problem}"
    hint = "{help}"


class LocationsDiffer(PtirError):
    """A tile that two ops need in different memories."""

    code = "PTIR0282"
    template = "{type} must be in {loc} for this op"
    hint = "move the tile with pto.tile.mov, which copies it to another memory"
