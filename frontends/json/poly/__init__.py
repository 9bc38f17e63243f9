"""
Poly-View JSON, the spec's form. It is written but never read, since views are recomputed.

`export_json` writes the only `poly.view` of a module; `docs/tiny_json.md` describes the form. Spec:
`tensor-compiler.ja §12.3`.
"""

from __future__ import annotations

from .view import json_schema as json_schema
from .writing import export_json as export_json
