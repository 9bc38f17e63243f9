"""
A plan that was read from a text: the fields that the text gives, and their places in it.

A text may leave out fields. `schedule` completes them, and an error in the plan is at the place of the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_type_hints

import msgspec
from xdsl.utils.lexer import Span

from ...errors import InvalidPlanText, PlanRefused, PtirError
from ..common.schema import Path, first_named, mismatch, words
from .schedule import Schedule

GivenFields = msgspec.defstruct(
    "GivenFields",
    [
        (name, kind | msgspec.UnsetType, msgspec.UNSET)
        for name, kind in get_type_hints(Schedule, include_extras=True).items()
        if name in Schedule.__struct_fields__
    ],
    kw_only=True,
    forbid_unknown_fields=True,
)
"""The fields of a `Schedule`, each of which may be missing."""


@dataclass(frozen=True)
class GivenPlan:
    """
    The `fields` of a plan, as JSON values, and the function that returns the span of a value, or of a key, by its path. `region` is the
    name of the region that the plan is for, without `@`, or digits of its structural hash after `#`; empty if the text does not say it.
    """

    fields: Mapping[str, Any]
    span: Callable[[Path, bool], Span[str]] = field(repr=False)
    region: str = ""

    def check(self) -> None:
        """Raises `InvalidPlanText` at a field that no plan has, or at a value that a field cannot have."""
        self._converted(GivenFields, dict(self.fields))

    def schedule(self, added: Mapping[str, Any]) -> Schedule:
        """Returns the plan with the fields of the text and those of `added` that it lacks. Raises `InvalidPlanText`."""
        return self._converted(Schedule, {**added, **self.fields})

    def _converted(self, kind: type[Any], fields: Mapping[str, Any]) -> Any:
        try:
            return msgspec.convert(fields, kind)
        except msgspec.ValidationError as error:
            found = mismatch(error, Schedule, fields)
            where = ".".join(map(str, found.path[: len(found.path) - found.is_field]))
            problem = found.problem if where in found.problem else f"{where}: {found.problem}"
            raise InvalidPlanText(
                self.span(found.path, found.is_field),
                message=f"invalid plan: {problem}",
                help=found.help(words(Schedule)),
            ) from None

    def refused(self, error: PtirError) -> PlanRefused:
        """Returns the error that a region has with this plan, at the place of the first field that it names."""
        path = first_named(error.message, self.fields) or first_named(error.help, self.fields)
        return PlanRefused(self.span(path, False), error=error)
