"""Executes an op for many inputs, on a backend: in a program that is made from its signature, or a program of the library as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.traits import SymbolTable

from ..dialects import vyre
from ..dialects.vyre.types import FLOATS, BufferType, DataType, u32
from ..runtime.vyre import PtxPrograms
from ..runtime.wgsl import NoAdapter, WgslProgram, device
from ..semantics.vyre import dispatch, find_program
from ..text.verify import verify_module

Array = npt.NDArray[Any]
Dispatch = Callable[[Mapping[str, Array], Sequence[int]], dict[str, Array]]
BackendName = Literal["interpreter", "ptx", "wgsl"]
BACKENDS: tuple[BackendName, ...] = ("interpreter", "ptx", "wgsl")
PROGRAM = "certified"
LANES = 64


@dataclass(frozen=True)
class Backend:
    """A backend that executes programs; `target` is the architecture, or the adapter."""

    name: BackendName
    target: str

    def load(self, module: ModuleOp, program: str) -> Dispatch:
        """Compiles a program of a verified module."""
        if self.name == "interpreter":
            found = find_program(module, program)
            return lambda buffers, groups: dispatch(found, buffers, groups)
        if self.name == "wgsl":
            return WgslProgram(module, program).dispatch
        compiled = PtxPrograms.compile(module, self.target)
        return lambda buffers, groups: compiled.dispatch(buffers, groups, program)


def backend(name: BackendName, arch: str = "sm80") -> Backend:
    """Returns a backend. Raises `NoAdapter`."""
    if name == "wgsl":
        info = device().adapter.info
        return Backend(name, f"{info['device']}, {info['description']} ({info['backend_type']})")
    return Backend(name, {"interpreter": "NumPy", "ptx": arch}[name])


def available(arch: str = "sm80") -> tuple[list[Backend], list[str]]:
    """Returns the backends that there are, and why others are missing."""
    found: list[Backend] = []
    missing: list[str] = []
    for name in BACKENDS:
        try:
            found.append(backend(name, arch))
        except NoAdapter as error:
            missing.append(f"{name}: {error.message}")
    return found, missing


def _data_type(t: Attribute) -> DataType:
    assert isinstance(t, DataType)
    return t


def program_of(op: vyre.OpOp) -> vyre.ProgramOp:
    """Returns a program in which an invocation calls an op with an element of each buffer. Floats are in buffers of their bits."""
    body = Block()

    def add(new: Any) -> SSAValue:
        body.add_op(new)
        return new.results[0]

    def stored(t: Attribute) -> DataType:
        return u32 if t in FLOATS else _data_type(t)

    types = [
        arg.type if isinstance(arg.type, BufferType) else BufferType(stored(arg.type), "read_only") for arg in op.inputs
    ]
    buffers = [add(vyre.BufferOp(f"x{k}", t, k)) for k, t in enumerate(types)]
    out = add(vyre.BufferOp("y", BufferType(stored(op.output), "read_write"), len(types)))
    i = add(vyre.PositionOp("global"))
    arguments: list[SSAValue] = []
    for arg, buffer in zip(op.inputs, buffers, strict=True):
        value = buffer if isinstance(arg.type, BufferType) else add(vyre.LoadOp(buffer, i))
        arguments.append(add(vyre.BitcastOp(value, arg.type)) if arg.type in FLOATS else value)
    result = add(vyre.CallOp([arguments], [op.output], callee=SymbolRefAttr(op.sym_name.data)))
    if op.output in FLOATS:
        result = add(vyre.BitcastOp(result, u32))
    body.add_op(vyre.StoreOp(result, out, i))
    return vyre.ProgramOp(PROGRAM, body, (LANES, 1, 1))


def reached(op: vyre.OpOp) -> list[vyre.OpOp]:
    """Returns an op and those that it calls, directly or indirectly."""
    found = [op]
    for caller in found:
        for call in caller.calls():
            callee = SymbolTable.lookup_symbol(call, call.callee)
            if isinstance(callee, vyre.OpOp) and callee not in found:
                found.append(callee)
    return found


class Function:
    """An op on one backend, as a function of columns of words."""

    def __init__(self, op: vyre.OpOp, where: Backend):
        module = ModuleOp([*(o.clone() for o in reached(op)), program_of(op)])
        verify_module(module)
        self.types = [arg.type for arg in op.inputs]
        self.words = _data_type(op.output).words
        self.dispatch = where.load(module, PROGRAM)

    def __call__(self, *columns: Array) -> Array:
        """Returns the words of the results, with a row for each input."""
        pairs = list(zip(columns, self.types, strict=True))
        count = next(len(c) for c, t in pairs if not isinstance(t, BufferType))
        if not count:
            return np.zeros((0, self.words), np.uint32)
        buffers = {f"x{k}": np.ascontiguousarray(c) for k, (c, _) in enumerate(pairs)}
        buffers["y"] = np.zeros(count * self.words, np.uint32)
        return self.dispatch(buffers, (-(-count // LANES),))["y"].reshape(count, self.words)
