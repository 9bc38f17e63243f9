"""
What can be wrong with a program as JSON, and with a module that shall become one, whichever form of JSON it is.
Codes 0640 to 0659.
"""

from __future__ import annotations

from ....errors import PtirError, SourceError


class MalformedJson(SourceError):
    """The text is not JSON."""

    code = "PTIR0640"
    template = "this is not JSON: {problem}"
    hint = "{help}"


class SchemaViolation(SourceError):
    """The text is JSON, but not of this form."""

    code = "PTIR0641"
    hint = "{help}"


class UndefinedId(SourceError):
    """A number or a name that nothing has."""

    code = "PTIR0643"
    template = "{what} {id} is not defined{where}"
    hint = "{help}"


class DuplicateId(SourceError):
    """A number, a name or a field that two things have."""

    code = "PTIR0644"
    template = "{what} {id} is defined twice"


class BadLiteral(SourceError):
    """Bytes or a number that are no value of their type."""

    code = "PTIR0645"
    hint = "{help}"


class Contradiction(SourceError):
    """Two places of a program that say different things."""

    code = "PTIR0646"
    hint = "{help}"


class NotInTheForm(PtirError):
    """Something in a module for which a form of JSON has no place."""

    code = "PTIR0647"
    template = "{what} cannot be written as {form}"
    hint = "{help}"


class TooDeep(SourceError):
    """More nesting than a program has."""

    code = "PTIR0649"
    template = "nested too deeply to read"
    hint = "no program needs as many brackets in each other"
