"""The guide to `vyre`."""

from __future__ import annotations

import re

from ptir.dialects.vyre.types import PLANNED
from ptir.runtime.vyre_library import FILES
from ptir.semantics.vyre.rules import TOTAL

from .guides import guide
from .tables import table


def vyre_guide() -> str:
    """Returns `vyre.md.in` with the tables of total rules, of planned types, and of the library."""
    rules = table(["", "result"], [list(row) for row in TOTAL])
    planned = table(
        ["planned type", "bytes", "WGSL", "not stable, because"],
        [[f"`{word}`", plan.min_bytes, f"`{plan.wgsl}`", plan.reason] for word, plan in PLANNED.items()],
    )
    rows: list[list[object]] = []
    for path in FILES.values():
        found = re.findall(r"((?:// .*\n)+)vyre\.(op|program) @(\w+)(.*) \{\n", path.read_text("utf-8"))
        for comment, kind, name, rest in found:
            about = " ".join(line.removeprefix("// ") for line in comment.splitlines())
            rows.append([f"`{name}`", kind, f"`{rest.replace('!vyre.', '').strip()}`", about])
    rows.sort(key=lambda row: str(row[0]))
    library = table(["name", "", "takes", ""], rows)
    parts = {"total": rules, "planned": planned, "library": library}
    text = guide("vyre.md.in")
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text
