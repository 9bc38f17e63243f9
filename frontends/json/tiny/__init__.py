"""
Tiny JSON, the spec's serialized form of tiny programs.

`import_json` and `export_json` convert between a text and a module; `docs/tiny_json.md` describes the form.
Spec: `tensor-compiler.ja §1.2`, `§12.1`.
"""

from __future__ import annotations

from .program import json_schema as json_schema
from .reading import import_json as import_json
from .writing import export_json as export_json
