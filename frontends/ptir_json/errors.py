"""What can be wrong with a program as JSON, and with a module that shall become one. Codes 0640 to 0649."""

from __future__ import annotations

from ...errors import PtirError, SourceError


class MalformedJson(SourceError):
    """The text is not JSON."""

    code = "PTIR0640"
    template = "this is not JSON: {problem}"
    mend = "{help}"


class SchemaViolation(SourceError):
    """The text is JSON, but not of this form."""

    code = "PTIR0641"
    mend = "{help}"


class WrongVersion(SourceError):
    """A program of another version of the contract."""

    code = "PTIR0642"
    template = "spec_version is '{got}', and '{want}' is read here"
    mend = "export the program again, from a producer of {want}"


class UndefinedId(SourceError):
    """A number or a name that nothing has."""

    code = "PTIR0643"
    template = "{what} {id} is not defined{where}"
    mend = "{help}"


class DuplicateId(SourceError):
    """A number, a name or a field that two things have."""

    code = "PTIR0644"
    template = "{what} {id} is defined twice"


class BadLiteral(SourceError):
    """Bytes or a number that are no value of their type."""

    code = "PTIR0645"
    mend = "{help}"


class Contradiction(SourceError):
    """Two places of a program that say different things."""

    code = "PTIR0646"
    mend = "{help}"


class NotInTheForm(PtirError):
    """Something in a module for which programs as JSON have no place."""

    code = "PTIR0647"
    template = "{what} cannot be written as PTIR JSON"
    mend = "{help}"


class NotReadYet(SourceError):
    """A legal part of a program that has no counterpart in the dialect, or unfolds to too much."""

    code = "PTIR0648"
    mend = "{help}"


class TooDeep(SourceError):
    """More nesting than a program has."""

    code = "PTIR0649"
    template = "nested too deeply to read"
    mend = "nothing but tuple types nests in a program"
