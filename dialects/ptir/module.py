"""
The attributes of a PTIR module.

- `ptir.spec_version` is the version of the contract. Only the supported version is accepted. A module without this attribute,
  as in tests and examples, is read as the supported version. Stored programs should have it, and PTIR JSON requires it.
- `ptir.extensions` allows ops that are extensions of the contract.
- `ptir.entry` names the function to run if there are several functions and the caller selects none.
- `ptir.strict_floats` gives every float operation one result, to the bit (`dialects/tiny/strict.py`).

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
    """Checks that `version` is the supported version."""
    require_module(op, "ptir.spec_version")
    if version != StringAttr(SPEC_VERSION):
        got = version.data if isinstance(version, StringAttr) else str(version)
        raise UnknownSpecVersion(op, got=got, want=SPEC_VERSION)


def verify_extensions(op: Operation, value: Attribute) -> None:
    """Checks that `value` is a unit attribute."""
    require_module(op, "ptir.extensions")
    is_unit = isinstance(value, UnitAttr)
    check_attribute(op, is_unit, "ptir.extensions", f"has the value {value}", "leave the value out")


def verify_entry(op: Operation, entry: Attribute) -> None:
    """Checks that `entry` is the name of a function of the module that has a body."""
    names = [f.sym_name.data for f in require_module(op, ENTRY).ops if isinstance(f, FuncOp) and not f.is_declaration]
    help = f"it is the name of a function that the module defines: {', '.join(names) or 'there is none'}"
    check_value(op, isinstance(entry, StringAttr) and entry.data in names, ENTRY, entry, help)


def require_module(op: Operation, name: str) -> ModuleOp:
    """Returns `op` as a module. Raises `InvalidAttributeValue` if the attribute `name` is on another op."""
    if not isinstance(op, ModuleOp):
        raise InvalidAttributeValue(op, name=name, problem=f"is set on {op.name}", help="it belongs on builtin.module")
    return op
