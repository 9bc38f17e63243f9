"""
`symbol-dce`: erases the symbols that nobody can refer to.

```
func.func @main() { call @a }                    func.func @main() { call @a }
func.func private @a() { … }              →      func.func private @a() { … }
func.func private @b() { call @c }
func.func private @c() { … }
```

What is alive is found from the roots: operations that are no symbols, and public symbols, which somebody outside may use.
Whatever they refer to is alive, and so on; a cycle of private symbols that nothing else refers to dies whole. A `nested`
symbol lives as a private one does: the whole module is seen. References count wherever they stand in an attribute
(`analysis/program/symbols.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..analysis.program.symbols import SymbolTables, is_symbol_table, references, symbol_name, visibility
from .errors import UnknownSymbolTable


@dataclass(frozen=True)
class SymbolDce(ModulePass):
    """Erases private symbols without references."""

    name = "symbol-dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        live = _live_symbols(op)
        dead = [symbol for symbol in op.walk() if _is_discardable(symbol) and symbol not in live]
        for symbol in dead:
            if (parent := symbol.parent) is not None:  # it went with a dead one around it
                parent.erase_op(symbol, safe_erase=False)
                count("symbols erased")


def _live_symbols(root: Operation) -> set[Operation]:
    """The discardable symbols that something refers to."""
    live: set[Operation] = set()
    tables = SymbolTables()
    reached = [root]
    while reached:
        for op in _walk_live(reached.pop()):
            for reference in references(op):
                found = [s for s in tables.resolve(op, reference) if _is_discardable(s) and s not in live]
                live.update(found)
                reached += found
    return live


def _walk_live(root: Operation) -> Iterator[Operation]:
    """`root` and what is inside of it, but for symbols that may turn out to be dead."""
    pending = [root]
    while pending:
        op = pending.pop()
        yield op
        if isinstance(op, UnregisteredOp) and len(op.regions) == 1:
            raise UnknownSymbolTable(op, name=op.op_name.data)
        pending += (o for region in op.regions for block in region.blocks for o in block.ops if not _is_discardable(o))


def _is_discardable(op: Operation) -> bool:
    parent = op.parent_op()
    return parent is not None and is_symbol_table(parent) and symbol_name(op) is not None and visibility(op) != "public"
