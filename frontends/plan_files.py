"""
Reads a file of Schedule Plans, as JSON or as statements.

```json
{"@f_0": {"arch": "sm80", "tile": [128, 64, 64], …}, "#3fa0…": {…}}
```

A plan is for the region `@f_0`, or for the one whose structural hash begins with `3fa0…` (`ptir-opt --explain-plan` prints it). A file
with one plan may leave this out: `{"tile": [128, 64, 64], …}`.
"""

from __future__ import annotations

import re
from typing import Any, cast

from ..dialects.common.schema import Path
from ..dialects.plan.given import GivenPlan
from ..errors import PlanSyntax
from .json.common.decoding import Form, decode
from .json.common.places import Places
from .plan_dsl import read_statements

_COMMENTS = re.compile(r"(?:\s*//[^\n]*\n)*\s*")
_FORM = Form(dict[str, Any], 'a plan is an object {"tile": [128, 64, 64], …}, or statements: split m 128; …')


def read_plans(text: str, name: str = "<plan>") -> list[GivenPlan]:
    """
    Reads the plans in `text`, the content of the file `name`. Comments at the beginning, such as those of `--dump=plan`, are skipped.
    Raises `SourceError` at what is invalid.
    """
    comments = _COMMENTS.match(text)
    start = 0 if comments is None else comments.end()
    if not text.startswith("{", start):
        return read_statements(text, name)
    return _read_json(re.sub(r"[^\n]", " ", text[:start]) + text[start:], name)


def _read_json(text: str, name: str) -> list[GivenPlan]:
    found, places = decode(text, name, _FORM)
    if not any(key.startswith(("@", "#")) for key in found):
        return [plan_at(found, places, ())]
    plans: list[GivenPlan] = []
    for key, fields in found.items():
        if not key.startswith(("@", "#")):
            help = 'each key is a region, "@f_0" or "#" and its hash'
            raise PlanSyntax(places.span((key,), key=True), problem=f"'{key}' is no region", help=help)
        if not isinstance(fields, dict):
            raise PlanSyntax(places.span((key,)), problem="expected the fields of a plan", help='{"tile": …}')
        plans.append(plan_at(cast(dict[str, Any], fields), places, (key,), key.removeprefix("@")))
    return plans


def plan_at(fields: dict[str, Any], places: Places, at: Path, region: str = "") -> GivenPlan:
    """Returns the plan with these fields at a path of a text, for a region. Raises `InvalidPlanText`."""
    plan = GivenPlan(fields, lambda path, is_key: places.span((*at, *path), key=is_key or not path), region)
    plan.check()
    return plan
