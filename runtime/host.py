"""The host function of a compiled program as data: its buffers and its kernel launches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from xdsl.dialects import gpu, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue

from ..backends.cuda.identifiers import kernel_names
from ..dialects import nv, region
from ..dialects.common.kernel import SCRATCH, STATUS
from ..dialects.common.shapes import memref_of
from ..dialects.common.syntax import ints
from ..dialects.nv.tma import tensor_map
from ..dialects.ptir.packed import packed_array, seen_type
from ..errors import WrongLevel
from ..semantics.arrays.scalars import Array, dense_array, numpy_dtype
from .launch import Launch
from .tensor_maps import TensorMapSpec


@dataclass(frozen=True)
class Buffer:
    """An argument, the result of `memref.alloc` (`fresh`) or `region.zeros` (`zeros`), or a constant with its `value`."""

    kind: Literal["argument", "fresh", "zeros", "constant"]
    type: MemRefType[Attribute]
    value: Array | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.get_shape()

    @property
    def dtype(self) -> np.dtype[Any]:
        return numpy_dtype(self.type.element_type)

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


@dataclass(frozen=True)
class Step:
    """A launch and the buffer numbers of its arguments. A tensor map has the number of the buffer that it describes."""

    launch: Launch
    buffers: tuple[int, ...]
    op: nv.LaunchOp


@dataclass(frozen=True)
class Host:
    """
    A host function: its buffers, arguments first; its launches in order; the numbers of the buffers that it returns; and that of
    the status word, which is checked after the launches, if it has one.
    """

    function: FuncOp
    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    status: int | None = None

    @property
    def name(self) -> str:
        return self.function.sym_name.data

    @property
    def arguments(self) -> int:
        return len(self.function.body.block.args)

    @cached_property
    def packed(self) -> tuple[TensorType[Attribute] | None, ...]:
        """For each argument and then each result, the type of the array of 4-bit integers that the buffer holds packed, or None."""
        seen, own = seen_type(self.function), self.function.function_type
        pairs = zip((*seen.inputs, *seen.outputs), (*own.inputs, *own.outputs), strict=True)
        return tuple(packed_array(*pair) for pair in pairs)

    @property
    def outputs(self) -> tuple[int, ...]:
        """The numbers of the buffers that a call allocates and returns."""
        return tuple(dict.fromkeys(b for b in self.results if self.buffers[b].kind in ("fresh", "zeros")))

    @property
    def scratch(self) -> tuple[int, ...]:
        """The numbers of the buffers that are allocated but not returned, which calls can share."""
        kinds = enumerate(b.kind for b in self.buffers)
        return tuple(k for k, kind in kinds if kind in ("fresh", "zeros") and k not in self.outputs)

    @property
    def cleared(self) -> tuple[int, ...]:
        """The numbers of the `zeros` buffers that must be cleared before each call. (Counters are zero again after a call.)"""
        touched = {b for s in self.steps for k, b in enumerate(s.buffers) if k not in s.launch.counters}
        zeros = (k for k, b in enumerate(self.buffers) if b.kind == "zeros")
        return tuple(k for k in zeros if k in touched or k in self.outputs)


def read_host(module: ModuleOp, function: FuncOp) -> Host:
    """Returns the contents of a host function. Raises `WrongLevel` at an operation that is not of the nv level."""
    buffers = [Buffer("argument", memref_of(arg)) for arg in function.body.block.args]
    number: dict[SSAValue, int] = {arg: k for k, arg in enumerate(function.body.block.args)}
    globals_ = {o.sym_name.data: o for o in module.ops if isinstance(o, memref.GlobalOp)}
    steps: list[Step] = []
    results: tuple[int, ...] = ()
    status: int | None = None

    def add(value: SSAValue, buffer: Buffer) -> None:
        number[value] = len(buffers)
        buffers.append(buffer)

    for op in function.body.block.ops:
        match op:
            case memref.AllocOp():
                add(op.memref, Buffer("fresh", memref_of(op.memref)))
            case region.ZerosOp():
                add(op.result, Buffer("zeros", memref_of(op.result)))
            case memref.GetGlobalOp():
                value = cast(DenseIntOrFPElementsAttr, globals_[op.name_.root_reference.data].initial_value)
                add(op.memref, Buffer("constant", memref_of(op.memref), np.asarray(dense_array(value), order="C")))
            case nv.TensorMapOp():
                number[op.result] = number[op.memref]
            case nv.LaunchOp():
                steps.append(Step(launch_of(module, op), tuple(number[v] for v in op.arguments), op))
            case region.CheckOp():
                status = number[op.status]
            case ReturnOp():
                results = tuple(number[v] for v in op.operands)
            case _:
                raise WrongLevel(
                    op, name=op.name, stage="the host", need="run the whole pipeline: ptir-to-cuda{arch=sm80}"
                )
    return Host(function, tuple(buffers), tuple(steps), results, status)


def launch_of(module: ModuleOp, op: nv.LaunchOp) -> Launch:
    """Returns the launch that an `nv.launch` op describes, and how its kernel uses the arguments."""
    kernel = op.kernel.nested_references.data[0].data
    function = next(o for o in module.walk() if isinstance(o, gpu.FuncOp) and _name(o) == kernel)
    outs = nv.outputs(function)
    written, workspace, counters, status = (
        frozenset(k for k, arg in enumerate(function.body.block.args) if outs.get(arg) == purpose)
        for purpose in ("result", *SCRATCH, STATUS)
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
        _three(op.cluster_sizes),
        {k: spec_of(v.owner) for k, v in enumerate(op.arguments) if isinstance(v.owner, nv.TensorMapOp)},
    )


def spec_of(op: nv.TensorMapOp) -> TensorMapSpec:
    t = tensor_map(op.result)
    dtype, offset = numpy_dtype(t.element_type), op.offset.value.data
    return TensorMapSpec(
        tuple(ints(op.sizes)), tuple(ints(op.strides)), t.sizes, dtype, t.panel, offset, op.tf32 is not None
    )


def _three(sizes: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = sizes
    return x, y, z


def _name(function: gpu.FuncOp) -> str:
    return cast(Any, function.sym_name).data
