"""
Runs a program whose sizes depend on data: the interpreter runs its control flow, and each part between is compiled once its sizes are
known.

```
%n, %y = ptir.while (%i, %x) … do (%j, %a) {        %a: tensor<?xf32>, twice as long in each iteration
  %one = ptir.constant dense<1>                 ┐
  %k = ptir.sub %j, %one                        │ a part: compiled for 3, 6, 12, … elements
  %c = ptir.concat %a, %a axis 0                ┘
  ptir.yield %k, %c
}
```

A part is a sequence of ops without control flow, or one op that has control flow or calls a function. The latter is compiled whole if its
sizes follow from those of its operands; otherwise its regions, or its callee, run in parts. Values stay on the device, except for predicates
and for the rows of a scan that runs in parts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import Any, Protocol

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.interpreter import PythonValues, register_impls
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ..analysis.program.signature import Signature
from ..dialects import ptir
from ..dialects.common.kernel import free_symbol
from ..dialects.common.shapes import element, is_tensor
from ..dialects.ptir.control import ControlOp
from ..dialects.ptir.dims import sizes, tensor_type
from ..dialects.ptir.tuples import leaves
from ..errors import PtirError
from ..semantics.arrays.scalars import numpy_dtype
from ..semantics.interpreter import interpreter, nested
from ..semantics.ptir.control import ControlFunctions
from ..semantics.sizes import SizedInterpreter, wanted
from ..semantics.tuples import leaf_values
from ..transforms.specialize_sizes import specialize
from .arrays import ordinal_of, shape_of
from .execute import CannotRecord
from .gpu import to_device
from .graphs import Graph
from .launch import Device
from .memory import DeviceArray
from .sizes import bound_sizes

ALONE = (ControlOp, CallOp, ptir.TupleOp, ptir.TupleElementOp)
"""Ops that are parts by themselves."""


class Program(Protocol):
    """A compiled part, which runs on `device`."""

    device: Device | None

    def __call__(self, *arrays: Any, out: Any = None, stream: object = None) -> tuple[Any, ...]: ...
    def close(self) -> None: ...


Run = Callable[[Program, Sequence[Any]], tuple[Any, ...]]
"""Runs a compiled part on the device and in the stream of a call."""


class InParts:
    """A function that is called as an `Executable` is. `compile` compiles a function, with static sizes, of a module."""

    def __init__(self, function: FuncOp, module: ModuleOp, compile: Callable[[ModuleOp, str], Program]):
        self.function = function
        self.name = function.sym_name.data
        self._module = module
        self._compile = compile
        self._compiled: dict[Hashable, Program | None] = {}

    def __call__(
        self, arrays: Sequence[Any], device: Device, *, out: Any = None, stream: object = None
    ) -> tuple[Any, ...]:
        """Runs the program as `Executable.__call__` does. On arrays of a GPU, it waits wherever the host needs a predicate."""
        types = [t for _, t in Signature.of(self.function).arguments]
        ordinal = next(map(ordinal_of, arrays), None)
        places = None
        if not all(isinstance(a, DeviceArray) or ordinal_of(a) is None for a in arrays):  # the host cannot read it
            pairs = zip(arrays, types, strict=True)
            places = [to_device(np.empty(shape_of(a), numpy_dtype(element(t))), ordinal_of(a) or 0) for a, t in pairs]
        arrays = self._copied(arrays, types, device, out=places, stream=stream)

        def run(program: Program, inputs: Sequence[Any]) -> tuple[Any, ...]:
            program.device = device
            return program(*(inputs if ordinal is None else _on_device(inputs, ordinal)), stream=stream)

        functions = ("xdsl.interpreters.func:FuncFunctions", "ptir.runtime.in_parts:DeviceControl")
        interpret = interpreter(self._module, functions, partial(_Interpreter, parts=self, run=run))
        inputs = nested(self.function.function_type.inputs, iter(arrays))
        results = tuple(leaf_values(interpret.call_op(self.name, inputs)))
        if ordinal is not None:
            results = _on_device(results, ordinal)
        if out is None:
            return results
        types = [t for _, t in Signature.of(self.function).results]
        return self._copied(results, types, device, out=out, stream=stream)

    def graph(self, arrays: Sequence[Any], device: Device, *, out: Any = None) -> Graph:
        """Raises `CannotRecord`."""
        help = "call it without a graph: kernels are compiled during the call"
        problem = "has sizes that depend on data, so its work is not a fixed sequence"
        raise CannotRecord(self.function, function=self.name, problem=problem, help=help)

    def close(self) -> None:
        """Frees the kernels of all parts."""
        for program in self._compiled.values():
            if program is not None:
                program.close()

    def compiled(self, part: Part, inputs: Sequence[Any], names: Mapping[str, int]) -> Program | None:
        """
        Returns a part, compiled for these inputs and sizes; None for control flow whose sizes do not follow from them. Raises the errors
        of `specialize` for a part without control flow.
        """
        known = {name: names[name] for name in part.names if name in names}
        shapes = tuple(shape_of(x) for x in inputs)
        key = (part.ops[0], shapes, tuple(known.items()))
        if key not in self._compiled:
            module = self._module.clone()
            function = part.function(free_symbol(module, f"{self.name}_part"))
            module.body.block.add_op(function)
            name = function.sym_name.data
            try:
                specialize(module, function, bound_sizes(function, shapes), known)
            except PtirError:
                if not isinstance(part.ops[0], ControlOp | CallOp):
                    raise
                self._compiled[key] = None
            else:
                self._compiled[key] = self._compile(module, name)
        return self._compiled[key]

    def _copied(
        self, arrays: Sequence[Any], types: Sequence[Attribute], device: Device, *, out: Any, stream: object
    ) -> tuple[Any, ...]:
        """
        Returns `arrays`, or copies them to `out` and returns these. They are checked, since a compiled function with the name of this one
        does it.
        """
        static = [tensor_type(element(t), shape_of(a)) for a, t in zip(arrays, types, strict=True)]
        if (program := self._compiled.get(key := tuple(static))) is None:
            function = FuncOp(self.name, (static, static))
            function.body.block.add_op(ReturnOp(*function.args))
            function.location = self.function.location
            program = self._compiled[key] = self._compile(ModuleOp([function]), self.name)
        program.device = device
        return program(*arrays, out=out, stream=stream)


@dataclass(frozen=True)
class Part:
    """Ops that follow each other in a block, the values that they take, and those that they make for later ops."""

    ops: Sequence[Operation]
    inputs: Sequence[SSAValue]
    outputs: Sequence[SSAValue]

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of sizes in its types, in order."""
        values = (v for op in self.ops for o in op.walk() for v in _defined(o))
        return list(dict.fromkeys(name for v in (*self.inputs, *values) for name in _names(v)))

    def function(self, name: str) -> FuncOp:
        """Returns a function of the ops."""
        out = FuncOp(name, ([v.type for v in self.inputs], [v.type for v in self.outputs]))
        values = dict[SSAValue, SSAValue](zip(self.inputs, out.args, strict=True))
        out.body.block.add_ops(op.clone(values) for op in self.ops)
        out.body.block.add_op(ReturnOp(*(values[v] for v in self.outputs)))
        out.location = self.ops[0].location
        return out


def parts_of(block: Block) -> Iterator[Part]:
    """Yields the parts of a block, without its terminator. A value in whose type a name occurs first is an output."""
    for alone, group in groupby(block.ops, lambda op: op is block.last_op or isinstance(op, ALONE)):
        ops = list(group)
        if alone:
            yield from (Part([op], op.operands, op.results) for op in ops if op is not block.last_op)
            continue
        inside = set(ops)
        inputs = list(dict.fromkeys(v for op in ops for v in op.operands if v.owner not in inside))
        names = {name for v in inputs for name in _names(v)}
        outputs: list[SSAValue] = []
        for value in (v for op in ops for v in op.results):
            if any(use.operation not in inside for use in value.uses) or not names.issuperset(_names(value)):
                outputs.append(value)
                names.update(_names(value))
        yield Part(ops, inputs, outputs)


def _defined(op: Operation) -> Iterator[SSAValue]:
    yield from op.results
    yield from (arg for region in op.regions for block in region.blocks for arg in block.args)


def _names(value: SSAValue) -> list[str]:
    arrays = [t for t in leaves([value.type]) if is_tensor(t)]
    return [size for t in arrays for size in sizes(t) if isinstance(size, str)]


class _Interpreter(SizedInterpreter):
    """Runs the parts of each block, compiled if possible."""

    def __init__(self, module: ModuleOp, parts: InParts, run: Run):
        super().__init__(module)
        self._in_parts, self._run_on_device = parts, run
        self._parts: dict[Block, Sequence[Part]] = {}

    def run_ssacfg_region(self, region: Region, args: PythonValues, name: str = "unknown") -> PythonValues:
        block = region.block
        if block not in self._parts:
            self._parts[block] = list(parts_of(block))
        with self.sizes.entering(region, args):
            values = dict[SSAValue, Any](zip(block.args, args, strict=True))
            for part in self._parts[block]:
                results = self._run(part, tuple(values[v] for v in part.inputs))
                values.update(zip(part.outputs, results, strict=True))
            return tuple(values[v] for v in block.last_op.operands) if block.last_op is not None else ()

    def _run(self, part: Part, inputs: PythonValues) -> PythonValues:
        arrays = tuple(leaf_values(inputs))
        names = {name: size for name, (size, _, _) in self.sizes.scope.names.items()}
        is_tuple = isinstance(part.ops[0], ptir.TupleOp | ptir.TupleElementOp)
        if is_tuple or (program := self._in_parts.compiled(part, arrays, names)) is None:
            return self._run_op(part.ops[0], inputs).values
        results = nested([v.type for v in part.outputs], iter(self._run_on_device(program, arrays)))
        for value, result in zip(part.outputs, results, strict=True):
            self.sizes.scope.check(value, wanted(value.type), result)
        return results


@register_impls
class DeviceControl(ControlFunctions):
    """Control flow on arrays of the host or of a GPU."""

    def is_true(self, op: Operation, predicate: Any) -> bool:
        return bool(_on_host(predicate))

    def join(self, function: Callable[..., Any], *values: Any) -> Any:
        return np.ascontiguousarray(function(*map(_on_host, values)))


def _on_host(array: Any) -> Any:
    return array.numpy() if isinstance(array, DeviceArray) else array


def _on_device(arrays: Sequence[Any], ordinal: int) -> tuple[Any, ...]:
    return tuple(a if isinstance(a, DeviceArray) else to_device(a, ordinal) for a in arrays)
