"""Runs a tile program in the interpreter and checks each op by the oracle."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

from ptir.dialects import pto
from ptir.semantics.interpreter import call_on, interpreter

from .oracle import check


class Oracle(Interpreter.Listener):
    """Checks each op on tiles that is interpreted; `checked` has their names."""

    def __init__(self) -> None:
        self.args: PythonValues = ()
        self.checked: list[str] = []

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        self.args = args

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        makes_tile = bool(op.results) and isinstance(op.results[0].type, pto.TileType)
        if makes_tile and op.name.startswith("pto.tile.") and not isinstance(op, pto.LoadOp | pto.AssignOp):
            problem = check(op, self.args, results)
            assert problem is None, f"{op}: {problem}"
            self.checked.append(op.name)


def run(module: ModuleOp, args: tuple[Any, ...], name: str = "f") -> list[str]:
    """Runs a function, whose array arguments are written in place. Returns the names of the ops that were checked."""
    machine, oracle = interpreter(module), Oracle()
    machine.listeners = (*machine.listeners, oracle)
    call_on(machine, module, name, args)
    return oracle.checked
