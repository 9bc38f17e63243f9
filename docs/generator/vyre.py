"""The guide to `vyre`."""

from __future__ import annotations

import re

from ptir.runtime.vyre_library import FILES
from ptir.semantics.vyre.rules import TOTAL

from .guides import guide
from .tables import table


def vyre_guide() -> str:
    """Returns `vyre.md.in` with the table of total rules, and that of the library."""
    rules = table(["", "result"], [list(row) for row in TOTAL])
    rows: list[list[object]] = []
    for path in FILES.values():
        found = re.findall(r"((?:// .*\n)+)vyre\.(op|program) @(\w+)(.*) \{\n", path.read_text("utf-8"))
        for comment, kind, name, rest in found:
            about = " ".join(line.removeprefix("// ") for line in comment.splitlines())
            rows.append([f"`{name}`", kind, f"`{rest.replace('!vyre.', '').strip()}`", about])
    rows.sort(key=lambda row: str(row[0]))
    library = table(["name", "", "takes", ""], rows)
    return guide("vyre.md.in").replace("{{total}}", rules).replace("{{library}}", library)
