"""
`symbol-dce`: erases private symbols without live references.

```
func.func @main() { call @a }                    func.func @main() { call @a }
func.func private @a() { … }              →      func.func private @a() { … }
func.func private @b() { call @c }
func.func private @c() { … }
```

Liveness starts at the roots: operations that are not symbols, and public symbols, which other modules may use. The
symbols to which a live operation refers are live; a cycle of private symbols without other references is dead. A `nested`
symbol is treated like a private one, as the whole module is known. A reference counts wherever it is in an attribute
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
            if (parent := symbol.parent) is not None:  # None if an enclosing dead symbol has been erased
                parent.erase_op(symbol, safe_erase=False)
                count("symbols erased")


def _live_symbols(root: Operation) -> set[Operation]:
    """Returns the live symbols among those that are not public."""
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
    """Yields `root` and the nested ops, except for symbols that are not public and their contents. Raises `UnknownSymbolTable`."""
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
