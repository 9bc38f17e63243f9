"""Errors of reading and writing any JSON form. Codes 0640 to 0659."""

from __future__ import annotations

from ....errors import PtirError, SourceError


class Unrepresentable(Exception):
    """
    Raised for a value that the target of the conversion (JSON or IR) cannot represent. The message describes the value, `hint`
    says what to do. Readers and writers turn it into a diagnostic.
    """

    def __init__(self, message: str, hint: str = ""):
        super().__init__(message)
        self.hint = hint


class InvalidLiteral(Unrepresentable):
    """Internal: a literal that is not a value of its type; readers turn it into `BadLiteral`."""


class MalformedJson(SourceError):
    """The text is not JSON."""

    code = "PTIR0640"
    template = "this is not JSON: {problem}"
    hint = "{help}"


class SchemaViolation(SourceError):
    """The text is JSON, but does not match the schema."""

    code = "PTIR0641"
    hint = "{help}"


class UndefinedId(SourceError):
    """An id or a name without a definition."""

    code = "PTIR0643"
    template = "{what} {id} is not defined{where}"
    hint = "{help}"


class DuplicateId(SourceError):
    """An id, a name or a field with two definitions."""

    code = "PTIR0644"
    template = "{what} {id} is defined twice"


class BadLiteral(SourceError):
    """A literal in the JSON text is not a value of its element type."""

    code = "PTIR0645"
    hint = "{help}"


class Contradiction(SourceError):
    """Two parts of a program that contradict each other."""

    code = "PTIR0646"
    hint = "{help}"


class NotInTheForm(PtirError):
    """A part of a module that a JSON form cannot express."""

    code = "PTIR0647"
    template = "{what} cannot be written as {form}"
    hint = "{help}"


class TooDeep(SourceError):
    """Brackets that are nested too deeply to be decoded."""

    code = "PTIR0649"
    template = "nested too deeply to read"
    hint = "flatten the brackets: no program needs so many levels"
