"""Failures of lowering: a program that verifies, but that a transform cannot take a level down."""

from __future__ import annotations

from ..errors import PtirError


class NoProductType(PtirError):
    code = "PTIR0202"
    template = "{what} multiplies {lhs} by {rhs} for {accum}, and no integer type holds the values of both"
    mend = "cast one operand to the type of the other first"


class NoTinyForm(PtirError):
    code = "PTIR0203"
    template = "'{name}' has no form in tiny{why}"
    mend = "{help}"


class NoSuchRule(PtirError):
    code = "PTIR0213"
    template = "no rule is called '{name}'"
    mend = "{help}"


class DoesNotSettle(PtirError):
    code = "PTIR0214"
    template = "ptir-canonicalize has not settled after {count} rewrites, the last of them by {names}"
    mend = "this is a bug of the rules: please report it with the program"


class NoSuchParameter(PtirError):
    code = "PTIR0215"
    template = "no function has an argument %{name}"
    mend = "arguments have these names: {known}"


class SymbolTaken(PtirError):
    code = "PTIR0216"
    template = "@{name} is taken"
    mend = "rename it, or inline what was split before"


class NotWhatItIsCalled(PtirError):
    code = "PTIR0217"
    template = "the composite is no '{name}': {problem}"
    mend = "ptir-inline-composites drops what it is called; ptir-recognize finds it anew"


class UnknownSymbolTable(PtirError):
    """An op that no dialect registers and whose region may be a symbol table."""

    code = "PTIR0050"
    template = "'{name}' may be a symbol table: which symbols are used cannot be told"
    mend = "no dialect registers the op; it would have to say whether names are looked up in its region"
