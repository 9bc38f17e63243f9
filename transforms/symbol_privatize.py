"""
`symbol-privatize{exclude=main}`: makes every symbol of the module private, except for those in `exclude`.

```
func.func @main() { … }             func.func @main() { … }
func.func @helper() { … }     →     func.func private @helper() { … }
```

Run it before `symbol-dce` to keep only what the excluded symbols need. Symbols in nested symbol tables are not changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.passes import ModulePass

from ..analysis.program.symbols import symbol_name


@dataclass(frozen=True)
class SymbolPrivatize(ModulePass):
    """Makes all symbols of the module private, except for the excluded ones."""

    name = "symbol-privatize"

    exclude: tuple[str, ...] = ()
    """Symbols that keep their visibility."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for symbol in op.body.ops:
            name = symbol_name(symbol)
            if name is not None and name not in self.exclude:
                _attributes_of(symbol)["sym_visibility"] = StringAttr("private")


def _attributes_of(symbol: Operation):
    """Returns the dictionary that holds the op's visibility: its properties if the op defines the property, else its attributes."""
    known = isinstance(symbol, IRDLOperation) and "sym_visibility" in symbol.get_irdl_definition().properties
    return symbol.properties if known else symbol.attributes
