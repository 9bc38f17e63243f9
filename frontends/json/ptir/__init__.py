"""
PTIR as JSON: the serialized form of a program, in and out.

`import_json` makes a module of a text, `export_json` a text of a module; either way nothing is lost. The form is the
contract's `Program`, as serde writes it; `docs/ptir_json.md` describes it.
"""

from __future__ import annotations

from .program import json_schema as json_schema
from .reading import import_json as import_json
from .writing import export_json as export_json
