"""
The attributes of a PTIR module.

`ptir.spec_version` is the version of the contract; every tool refuses other versions than the supported one. A module without
it is a fragment, as in tests and examples, and is read as the supported version; stored programs should have it, and PTIR
JSON requires it. `ptir.extensions` admits ops that the contract lacks. `ptir.entry` names the function that is run if there
are several and none is named.

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
from ..common.checks import check_attribute, check_value

SPEC_VERSION = "ptir.v0.4"
ENTRY = "ptir.entry"


def verify_spec_version(op: Operation, version: Attribute) -> None:
    """Requires the supported version."""
    _require_module(op, "ptir.spec_version")
    if version != StringAttr(SPEC_VERSION):
        got = version.data if isinstance(version, StringAttr) else str(version)
        raise UnknownSpecVersion(op, got=got, want=SPEC_VERSION)


def verify_extensions(op: Operation, value: Attribute) -> None:
    """Requires a unit attribute."""
    _require_module(op, "ptir.extensions")
    is_unit = isinstance(value, UnitAttr)
    check_attribute(op, is_unit, "ptir.extensions", f"has the value {value}", "leave the value out")


def verify_entry(op: Operation, entry: Attribute) -> None:
    """Requires a function of this name, with a body."""
    names = [f.sym_name.data for f in _require_module(op, ENTRY).ops if isinstance(f, FuncOp) and not f.is_declaration]
    help = f"it is the name of a function that the module defines: {', '.join(names) or 'there is none'}"
    check_value(op, isinstance(entry, StringAttr) and entry.data in names, ENTRY, entry, help)


def _require_module(op: Operation, name: str) -> ModuleOp:
    if not isinstance(op, ModuleOp):
        raise InvalidAttributeValue(op, name=name, problem=f"is set on {op.name}", help="it belongs on builtin.module")
    return op
