"""
`print-op-stats`: writes the number of operations of each name to stderr, like MLIR's pass of that name.

```
Operations encountered:
-----------------------
  builtin.module , 1
     func.func   , 1
     func.return , 1
     ptir.exp    , 2
```

`print-op-stats{json=true}` writes an object, `{"builtin.module" : 1, …}`. The program is not changed.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..text.op_names import op_name


@dataclass(frozen=True)
class PrintOpStats(ModulePass):
    """Writes the number of operations of each name to stderr."""

    name = "print-op-stats"

    json: bool = False
    """Write the counts as JSON."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        counts = sorted(Counter(map(op_name, op.walk())).items())
        sys.stderr.write(_as_json(counts) if self.json else _as_table(counts))


def _as_json(counts: list[tuple[str, int]]) -> str:
    return "{\n" + ",\n".join(f"  {json.dumps(name)} : {count}" for name, count in counts) + "\n}\n"


def _as_table(counts: list[tuple[str, int]]) -> str:
    """Returns a table in which the names are aligned at the dot."""
    rows = [(*(name.partition(".") if "." in name else ("", "", name)), count) for name, count in counts]
    left, right = (max(len(str(row[column])) for row in rows) for column in (0, 2))
    lines = [f"{dialect:>{left + 2}}{dot or ' '}{name:{right}} , {count}" for dialect, dot, name, count in rows]
    return "\n".join(["Operations encountered:", "-----------------------", *lines, ""])
