"""
The attributes of a module of PTIR.

`ptir.spec_version` says which version of the contract the program is written in, and must say ours: a program of another
version is refused by every tool. A module without it is a fragment, as in tests and examples, and is read as ours; a program
that is stored or sent should say it, and PTIR JSON, which is for that, demands it. `ptir.extensions` admits ops that the contract has not.

```mlir
builtin.module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions} {
}
```

Contract: *Versioning*.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation

from ...errors import InvalidAttributeValue, UnknownSpecVersion

SPEC_VERSION = "ptir.v0.4"


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


def _require_module(op: Operation, name: str) -> None:
    if not isinstance(op, ModuleOp):
        raise InvalidAttributeValue(op, name=name, problem=f"stands on {op.name}", help="it belongs on builtin.module")
