"""The target of a module of tile programs. Spec: `pto-ir.md §7`."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ...dialects import pto
from ...errors import InvalidAttributeValue
from ...targets.pto.machine import PtoMachine
from ...targets.pto.machines import MACHINES, machine_named

TARGET = "pto.target"


def target_of(module: ModuleOp, asked: str | None = None) -> PtoMachine:
    """
    Returns the target that is `asked` for or, without one, that of the module's attribute `pto.target`. Raises
    `InvalidAttributeValue` if neither says it, or if they differ.
    """
    own = module.attributes.get(TARGET)
    if own is not None and not isinstance(own, pto.TargetAttr):
        raise InvalidAttributeValue(module, name=TARGET, problem=f"is {own}", help="write #pto.target<a3>")
    if own is None and asked is None:
        help = f"write {{target=a3}} after the name of the pass, or -t 'pto-cpp{{target=a3}}', or module attributes {{{TARGET} = #pto.target<a3>}}"
        raise InvalidAttributeValue(module, name="target", problem="is not given", help=help)
    if own is not None and asked is not None and own.word != asked:
        problem = f"is '{asked}', but the module is for {own.word}"
        raise InvalidAttributeValue(module, name="target", problem=problem, help="leave one of the two out")
    return MACHINES[own.word] if own is not None else machine_named(asked or "")
