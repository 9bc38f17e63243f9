"""
The attributes of a module of PTIR.

`ptir.spec_version` says which version of the contract the program is written in, and must say ours: a program of another
version is refused by every tool. A module without it is a fragment, as in tests and examples, and is read as ours; a program
that is stored or sent should say it, and PTIR JSON, which is for that, demands it. `ptir.extensions` admits ops that the
contract has not. `ptir.entry` names the function that is run where none is named and there are several.

```mlir
builtin.module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions, ptir.entry = "main"} {
  func.func @main() {
    func.return
  }
}
```

Contract: *Versioning*.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from ...errors import InvalidAttributeValue, UnknownSpecVersion

SPEC_VERSION = "ptir.v0.4"
ENTRY = "ptir.entry"


def verify_spec_version(op: Operation, version: Attribute) -> None:
    """A module that names its version must name ours."""
    _require_module(op, "ptir.spec_version")
    if version != StringAttr(SPEC_VERSION):
        got = version.data if isinstance(version, StringAttr) else str(version)
        raise UnknownSpecVersion(op, got=got, want=SPEC_VERSION)


def verify_extensions(op: Operation, value: Attribute) -> None:
    """The attribute is there or not: it has no value."""
    _require_module(op, "ptir.extensions")
    if not isinstance(value, UnitAttr):
        problem = f"has the value {value}"
        raise InvalidAttributeValue(op, name="ptir.extensions", problem=problem, help="leave the value out")


def verify_entry(op: Operation, entry: Attribute) -> None:
    """The module has a function of this name, with a body."""
    names = [f.sym_name.data for f in _require_module(op, ENTRY).ops if isinstance(f, FuncOp) and not f.is_declaration]
    if not isinstance(entry, StringAttr) or entry.data not in names:
        help = f"it is the name of a function that the module defines: {', '.join(names) or 'there is none'}"
        raise InvalidAttributeValue(op, name=ENTRY, problem=f"is {entry}", help=help)


def _require_module(op: Operation, name: str) -> ModuleOp:
    if not isinstance(op, ModuleOp):
        raise InvalidAttributeValue(op, name=name, problem=f"stands on {op.name}", help="it belongs on builtin.module")
    return op
