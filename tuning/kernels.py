"""
The kernels of a program that can be tuned: each as a module of its own, with its structure, its sizes and how often it is requested.

A program with dynamic sizes is lowered for each of the requested sets of sizes. Kernels that differ in their sizes only have one
structure, so that their plans can be shared (`planning/shape_sets.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from ..analysis.program.structural_hash import structure_hash
from ..analysis.regions.kernel_space import kernel_space
from ..dialects.common.kernel import UPDATED
from ..dialects.common.shapes import memref_of
from ..dialects.common.strict import is_strict, make_strict
from ..dialects.region import LaunchOp, RegionKernelOp
from ..passes.manager import PassManager
from ..planning.given import region_hash, unplanned
from ..planning.shape_sets import Sizes
from ..planning.template import Request
from ..runtime.compile import keep_only, to_regions
from ..targets.machines import Machine
from ..targets.mma import element_bytes
from ..text.verify import verify_module
from ..transforms.specialize_sizes import specialize
from .store import Key

ENTRY = "f"
"""The function that launches the kernel of a module that `isolated` returns."""


@dataclass(frozen=True, eq=False)
class Tunable:
    """A kernel without a plan, and how often it is requested. `op` is in a module of its own."""

    op: RegionKernelOp
    key: Key
    sizes: Sizes
    region: str
    """The structural hash with sizes."""
    requests: int

    def request(self, machine: Machine) -> Request:
        return Request(self.op, machine.limits, machine)

    @property
    def module(self) -> ModuleOp:
        found = self.op.parent_op()
        assert isinstance(found, ModuleOp)
        return found


def tunable_kernels(
    module: ModuleOp, function: FuncOp, requests: Sequence[tuple[Mapping[str, int], int]], machine: Machine
) -> tuple[list[Tunable], dict[str, str]]:
    """
    Returns the kernels of `function` for the requested sizes, each with the number of requests; those of one structure and the same sizes
    are one. Also returns why others are not tuned, by their names. `module` does not change. Raises the errors of the passes.
    """
    found: dict[str, Tunable] = {}
    skipped: dict[str, str] = {}
    for sizes, count in requests:
        for kernel in _regions(module, function.sym_name.data, sizes, machine):
            if (why := _untunable(kernel)) is not None:
                skipped[kernel.sym_name.data] = why
                continue
            alone = isolated(kernel)
            digest = region_hash(alone)
            known = found[digest].requests if digest in found else 0
            found[digest] = Tunable(alone, key_of(alone, machine), kernel_space(alone).sizes, digest, known + count)
    return list(found.values()), skipped


def key_of(kernel: RegionKernelOp, machine: Machine) -> Key:
    """Returns the key of a kernel's tuned plans."""
    copy = unplanned(kernel)
    ins, outs = (",".join(str(memref_of(arg).element_type) for arg in args) for args in (kernel.inputs, kernel.outputs))
    return Key(structure_hash(copy), f"{ins}->{outs}", machine.name)


def _regions(module: ModuleOp, name: str, sizes: Mapping[str, int], machine: Machine) -> list[RegionKernelOp]:
    static = module.clone()
    if not any(isinstance(op, RegionKernelOp) for op in static.ops):
        if sizes:
            specialize(static, next(o for o in static.ops if isinstance(o, FuncOp) and o.sym_name.data == name), sizes)
        keep_only(static, name)
        PassManager(to_regions(machine.arch)).run(static)
    verify_module(static)
    return [op for op in static.ops if isinstance(op, RegionKernelOp)]


def _untunable(kernel: RegionKernelOp) -> str | None:
    if kernel.plan is not None:
        return "it has a plan"
    if any(kernel.purpose(out) == UPDATED for out in kernel.outputs):
        return "it updates elements of an array that other kernels make"
    if not all(prod(memref_of(arg).get_shape()) for arg in (*kernel.inputs, *kernel.outputs)):
        return "an array is empty"
    return None


def isolated(kernel: RegionKernelOp) -> RegionKernelOp:
    """
    Returns a copy of a kernel in a module of its own, in which `@f` allocates its outputs, launches it and returns them:

    ```mlir
    func.func @f(%x: memref<4x8xf32>) -> memref<4x8xf32> {
      %0 = memref.alloc() : memref<4x8xf32>
      region.launch @k ins(%x : memref<4x8xf32>) outs(%0 : memref<4x8xf32>)
      func.return %0 : memref<4x8xf32>
    }
    ```
    """
    copy = kernel.clone()
    ins, outs = [memref_of(a) for a in kernel.inputs], [memref_of(a) for a in kernel.outputs]
    block = Block(arg_types=ins)
    for arg, named in zip(block.args, kernel.inputs, strict=True):
        arg.name_hint = named.name_hint
    buffers = [memref.AllocOp([], [], t) for t in outs]
    results = [buffer.memref for buffer in buffers]
    block.add_ops([*buffers, LaunchOp(kernel.sym_name.data, block.args, results), ReturnOp(*results)])
    module = ModuleOp([copy, FuncOp(ENTRY, (ins, outs), Region(block))])
    if is_strict(kernel):
        make_strict(module)
    return copy


def operations_and_bytes(kernel: RegionKernelOp) -> tuple[float, float]:
    """
    Returns the number of arithmetic operations (two for each multiply-add of a contraction, else one for each point of the kernel and
    reduced element), and the number of bytes of the arrays that it reads and writes.
    """
    space = kernel_space(kernel)
    points = prod(space.sizes) * (2 if space.contraction is not None or space.chained else 1)
    return float(points), float(moved_bytes(kernel))


def moved_bytes(kernel: RegionKernelOp) -> int:
    """Returns the number of bytes of the arrays that a kernel reads and writes."""
    types = [memref_of(arg) for arg in (*kernel.inputs, *kernel.outputs)]
    return sum(prod(t.get_shape()) * element_bytes(t.element_type) for t in types)
