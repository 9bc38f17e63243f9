"""
PTIR JSON, the serialized form of a program.

`import_json` and `export_json` convert between a text and a module without loss. The form is the contract's `Program`, as
serde writes it; `docs/ptir_json.md` describes it.
"""

from __future__ import annotations

from .program import json_schema as json_schema
from .reading import import_json as import_json
from .writing import export_json as export_json
