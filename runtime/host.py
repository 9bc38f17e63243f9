"""The host function of a compiled program as data: its buffers and its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Literal, cast

import numpy as np
from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.traits import SymbolTable

from ..backends.cuda.identifiers import kernel_names
from ..dialects import nv, region
from ..dialects.common.kernel import SCRATCH, STATUS, UPDATED
from ..dialects.common.shapes import memref_of
from ..dialects.common.syntax import ints
from ..dialects.nv.tma import tensor_map
from ..dialects.ptir.packed import packed_array, seen_type
from ..errors import Unsupported, WrongLevel
from ..semantics.arrays.scalars import Array, dense_array, numpy_dtype
from .launch import Launch
from .steps import Allocate, AnyStep, Body, Call, Copy, CustomCall, For, If, Number, Read, Row, Step, While
from .tensor_maps import TensorMapSpec


@dataclass(frozen=True)
class Buffer:
    """
    A memref of a host function: an argument; the result of `memref.alloc` (`fresh`) or `region.zeros` (`zeros`); a constant with its
    `value`; or a `name` for the memory of others: a row, or what a block or a call passes on.
    """

    kind: Literal["argument", "fresh", "zeros", "constant", "name"]
    type: MemRefType[Attribute]
    value: Array | None = None

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return self.type.get_shape()

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        return numpy_dtype(self.type.element_type)

    @cached_property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class Host:
    """
    A host function. `buffers` has the memref of each numbered value, or None for a scalar; arguments come first. `fixed` are the numbers
    of constants, of counters, which are zero between launches, and of the status word. `functions` has this function and all others
    that it may call.
    """

    function: FuncOp
    buffers: tuple[Buffer | None, ...]
    body: Body
    fixed: tuple[int, ...] = ()
    status: int | None = None
    functions: dict[str, Host] = field(default_factory=dict[str, "Host"], repr=False)

    def __post_init__(self) -> None:
        self.functions[self.name] = self

    @property
    def name(self) -> str:
        return self.function.sym_name.data

    @property
    def arguments(self) -> int:
        return len(self.body.parameters)

    @property
    def results(self) -> tuple[int, ...]:
        """The numbers of the buffers that it returns."""
        return self.body.results

    def buffer(self, number: int) -> Buffer:
        (found,) = self.buffers_of((number,))
        return found

    def buffers_of(self, numbers: Sequence[int]) -> list[Buffer]:
        return [buffer for n in numbers if (buffer := self.buffers[n]) is not None]

    @cached_property
    def packed(self) -> tuple[TensorType[Attribute] | None, ...]:
        """For each argument and then each result, the type of the array of 4-bit integers that the buffer holds packed, or None."""
        seen, own = seen_type(self.function), self.function.function_type
        pairs = zip((*seen.inputs, *seen.outputs), (*own.inputs, *own.outputs), strict=True)
        return tuple(packed_array(*pair) for pair in pairs)

    @cached_property
    def outputs(self) -> tuple[int, ...]:
        """
        The numbers of the buffers that a call allocates for its caller: those that it makes and returns, or that a function that it
        calls makes and returns.
        """
        return self._outputs(frozenset())

    def _outputs(self, callers: frozenset[str]) -> tuple[int, ...]:
        made, callers = set[int](), callers | {self.name}
        for step in self.body.steps:
            if isinstance(step, Allocate):
                made.update(step.makes)
            elif isinstance(step, Call) and step.function not in callers:
                callee = self.functions[step.function]
                places = dict(zip(callee.results, step.makes, strict=True))  # of a buffer that is returned twice, one
                made.update(places[r] for r in callee._outputs(callers))
        return tuple(dict.fromkeys(b for b in self.results if b in made))

    @cached_property
    def steps(self) -> tuple[AnyStep, ...]:
        """The steps of all functions, those of blocks included."""
        return tuple(step for host in self.functions.values() for step in host.body.walk())


def read_host(module: ModuleOp, function: FuncOp) -> Host:
    """Returns the contents of a host function. Raises `WrongLevel` at an operation that is not of the nv level."""
    functions: dict[str, Host] = {}
    constants: dict[str, Array] = {}
    todo = [function]
    while todo:
        reader = _Reader(module, todo.pop(), constants)
        reader.host(functions)
        todo += [f for f in reader.called if f.sym_name.data not in functions and f not in todo]
    return functions[function.sym_name.data]


@dataclass
class _Reader:
    """Numbers the values of one function, and reads its steps. `constants` has the values of globals that have been read."""

    module: ModuleOp
    function: FuncOp
    constants: dict[str, Array]
    buffers: list[Buffer | None] = field(default_factory=list["Buffer | None"])
    number: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    fixed: list[int] = field(default_factory=list[int])
    status: int | None = None
    called: list[FuncOp] = field(default_factory=list[FuncOp])
    launches: dict[Operation, Launch] = field(default_factory=dict[Operation, Launch])

    def host(self, functions: dict[str, Host]) -> Host:
        body = self.body(self.function.body.block, "argument")
        return Host(self.function, tuple(self.buffers), body, tuple(self.fixed), self.status, functions)

    def body(self, block: Block, kind: Literal["argument", "name"] = "name") -> Body:
        parameters = tuple(self.add(arg, kind) for arg in block.args)
        steps = [step for op in block.ops if (step := self.step(op)) is not None]
        last = block.last_op
        return Body(parameters, tuple(steps), self.numbers(last.operands if last is not None else ()))

    def add(
        self,
        value: SSAValue,
        kind: Literal["argument", "fresh", "zeros", "constant", "name"],
        held: Array | None = None,
    ) -> int:
        is_array = isinstance(value.type, MemRefType)
        if kind == "argument" and not is_array:
            need = "pass arrays only: ptir-run and runtime/tiles.py run the tile program from which the function is lowered"
            raise Unsupported(
                self.function, what=f"running a function with an argument of type {value.type}", need=need
            )
        self.number[value] = number = len(self.buffers)
        self.buffers.append(Buffer(kind, memref_of(value), held) if is_array else None)
        if kind == "constant":
            self.fixed.append(number)
        return number

    def numbers(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        return tuple(self.number[v] for v in values)

    def step(self, op: Operation) -> AnyStep | None:
        """Returns the step of an op; None for an op that a call does not execute."""
        match op:
            case memref.AllocOp():
                return Allocate(makes=(self.add(op.memref, "fresh"),))
            case region.ZerosOp():
                return self.zeros(op)
            case memref.GetGlobalOp():
                self.add(op.memref, "constant", self.constant(op.name_.root_reference.data))
            case arith.ConstantOp(value=IntegerAttr() as value):
                return Number(makes=(self.add(op.result, "name"),), value=value.value.data)
            case nv.TensorMapOp():
                self.number[op.result] = self.number[op.memref]
            case nv.LaunchOp():
                return Step(reads=self.numbers(op.arguments), launch=self.launch(op), op=op)
            case region.RowOp():
                return Row(reads=self.numbers(op.operands), makes=(self.add(op.result, "name"),))
            case region.ReadOp():
                return Read(reads=self.numbers(op.operands), makes=(self.add(op.result, "name"),))
            case memref.CopyOp():
                return Copy(reads=self.numbers(op.operands))
            case region.CustomCallOp():
                return CustomCall(reads=self.numbers(op.operands), op=op)
            case scf.IfOp() | scf.WhileOp() | scf.ForOp():
                kind = {scf.IfOp: If, scf.WhileOp: While, scf.ForOp: For}[type(op)]
                reads, bodies = (
                    self.numbers(op.operands),
                    tuple(self.body(r.block) if r.blocks else Body((), (), ()) for r in op.regions),
                )
                return kind(reads=reads, bodies=bodies, makes=tuple(self.add(r, "name") for r in op.results))
            case CallOp():
                callee = SymbolTable.lookup_symbol(op, op.callee)
                if isinstance(callee, FuncOp) and not callee.is_declaration:
                    self.called.append(callee)
                    makes = tuple(self.add(r, "name") for r in op.results)
                    return Call(reads=self.numbers(op.operands), makes=makes, function=callee.sym_name.data)
                raise self.wrong_level(op)
            case region.CheckOp():
                self.status = self.number[op.status]
            case ReturnOp() | scf.YieldOp() | scf.ConditionOp():
                pass
            case _:
                raise self.wrong_level(op)
        return None

    def launch(self, op: nv.LaunchOp) -> Launch:
        if op not in self.launches:
            self.launches[op] = launch_of(self.module, op)
        return self.launches[op]

    def wrong_level(self, op: Operation) -> WrongLevel:
        return WrongLevel(op, name=op.name, stage="the host", need="run the whole pipeline: ptir-to-cuda{arch=sm80}")

    def zeros(self, op: region.ZerosOp) -> Allocate | None:
        """
        Reads a buffer of zeros. Counters are zero again after each launch, and a program has one status word: they are made once.
        """
        number = self.add(op.result, "zeros")
        if all(self.is_fixed(use) for use in op.result.uses):
            self.fixed.append(number)
            return None
        return Allocate(makes=(number,), zero=True)

    def is_fixed(self, use: Use) -> bool:
        op = use.operation
        if isinstance(op, nv.LaunchOp):
            launch = self.launch(op)
            return use.index in launch.counters | launch.status
        return isinstance(op, region.CheckOp)

    def constant(self, name: str) -> Array:
        if name not in self.constants:
            stored = SymbolTable.lookup_symbol(self.module, name)
            value = cast(
                DenseIntOrFPElementsAttr, stored.initial_value if isinstance(stored, memref.GlobalOp) else None
            )
            self.constants[name] = np.asarray(dense_array(value), order="C")
        return self.constants[name]


def launch_of(module: ModuleOp, op: nv.LaunchOp) -> Launch:
    """Returns the launch that an `nv.launch` op describes, and how its kernel uses the arguments."""
    kernel = op.kernel.nested_references.data[0].data
    function = next(o for o in module.walk() if isinstance(o, gpu.FuncOp) and _name(o) == kernel)
    outs = nv.outputs(function)
    written, workspace, counters, status, updated = (
        frozenset(k for k, arg in enumerate(function.body.block.args) if outs.get(arg) == purpose)
        for purpose in ("result", *SCRATCH, STATUS, UPDATED)
    )
    return Launch(
        kernel_names(module)[kernel],
        _three(ints(op.grid)),
        _three(ints(op.block)),
        op.shared.value.data,
        written,
        workspace,
        counters,
        status,
        updated,
        _three(op.cluster_sizes),
        {k: spec_of(v.owner) for k, v in enumerate(op.arguments) if isinstance(v.owner, nv.TensorMapOp)},
    )


def spec_of(op: nv.TensorMapOp) -> TensorMapSpec:
    t = tensor_map(op.result)
    dtype, offset = numpy_dtype(t.element_type), op.offset.value.data
    return TensorMapSpec(
        tuple(ints(op.sizes)), tuple(ints(op.strides)), t.sizes, dtype, t.panel, offset, op.tf32 is not None, op.corners
    )


def _three(sizes: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = sizes
    return x, y, z


def _name(function: gpu.FuncOp) -> str:
    return cast(Any, function.sym_name).data
