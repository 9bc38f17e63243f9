"""
`pto-to-nv`: lowers tile programs to GPU kernels.

A function of tile ops, in a module whose `pto.target` is sm80 or sm90, becomes the launch of a kernel of one block. Tiles are arrays in shared
memory, which share it if they are used at different times; if they do not fit, elementwise ops compute in place. Each op is a loop over the
elements of its valid region, which the threads divide, and a barrier: slow, and right for every op but `assign` and `matmul.mx`. Events and waits
order nothing more. Indices have 32 bits, and arrays do not overlap. Tiles that need more than the shared memory of a block are an error (PTIR0280).

```
func.func @f(%x: !pto.memref<16x64xf32>, …) {      gpu.func @f(%x: memref<16x64xf32>, …) {
  %t = pto.tile.load %x[0, 0]                        %t = nv.shared_array at 0
  %u = pto.tile.exp %t                        →      scf.for %e = thread to 1024 step 256 {
  …                                                    %v = nv.load_element %t[%e]
                                                       nv.store_element (exp %v), %u[%e] }
                                                     gpu.barrier
```

A `pto.kernel` has a plan, which selects the template:

```
multistage: plans without roles                               transforms/pto_to_nv/multistage/
pto.tiles        →   one block per tile; the block's number gives the offsets, by the plan's bind
channel, process →   a ring in shared memory, cp.async groups:
                       for s < stages-1: copy slot s; commit              prologue
                       for each step: wait_group stages-2; barrier        the oldest slot has landed
                                      copy step+stages-1; commit          into the slot freed one step ago
                                      for kk < BK/16: ldmatrix; mma_sync
vector ops       →   one nv.epilogue on the fragments

warp_specialized: plans with roles                            transforms/pto_to_nv/warp_specialized/
pto.tiles        →   persistent clusters, which loop over tiles in the plan's order
channel          →   a ring of slots with full and empty mbarriers
process          →   a producer warpgroup: TMA loads, multicast if blocks of a cluster share a tile; its threads copy
                     operands whose rows are not multiples of 16 bytes
the loop over k  →   consumer warpgroups: start wgmma on a slot, then release the previous slot
vector ops       →   nv.epilogue on the accumulator; stmatrix and TMA stores, or stores directly from registers

chained products: plans with algo_choice.attention            transforms/pto_to_nv/chained/
vector ops       →   nv.map and nv.row_reduce on accumulators
with roles                                                    transforms/pto_to_nv/warp_specialized/chained/
channels         →   a ring each; one producer warpgroup
the loop of keys →   pipelined: the second product of a tile of keys under the vector ops of the next one
without roles                                                 transforms/pto_to_nv/multistage/chained.py
channels         →   rings of cp.async; each warp has some rows of the queries
the loop of keys →   wait for a tile, refill the slots freed before, multiply, vector ops, multiply
```

Spec: `tensor-compiler.ja §1.7` (plan to code), `§1.8`; DESIGN §5.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, gpu
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from ...dialects import nv, pto
from ...dialects.common.kernel import free_symbol
from ...dialects.region import LaunchOp
from ...errors import PtirError, Unsupported
from ..input_level import require_level
from .columns import ColumnKernel
from .functions import FunctionKernel, target_machine, top_level_tile_functions
from .groups import join
from .multistage import MultistageKernel
from .multistage.chained import ChainedMultistageKernel
from .rows import RowKernel
from .vocabulary import expand
from .warp_specialized import WarpSpecializedKernel
from .warp_specialized.chained import ChainedKernel
from .warp_specialized.tma import TensorMap

KERNELS = "kernels"
Kernel = MultistageKernel | ChainedMultistageKernel | RowKernel | ColumnKernel | WarpSpecializedKernel | ChainedKernel


@dataclass(frozen=True)
class PtoToNv(ModulePass):
    """Lowers each `pto.kernel` to a function of one `gpu.module`; launches get their grid, block and shared memory."""

    name = "pto-to-nv"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_level(op, "pto.kernel", self.name)
        lower_functions(op)
        kernels = [o for o in op.body.block.ops if isinstance(o, pto.PtoKernelOp)]
        if not kernels:
            return
        for program in kernels:
            expand(program)
        lowered: dict[Operation | None, Kernel] = {k: _template(k) for k in kernels}
        functions = [_built(kernel) for kernel in lowered.values()]
        name = free_symbol(op, KERNELS)
        module = gpu.ModuleOp.create(properties={"sym_name": StringAttr(name)}, regions=[Region(Block(functions))])
        module.location = kernels[0].location
        op.body.block.insert_op_before(module, kernels[0])
        groups: dict[gpu.FuncOp, dict[object, list[nv.LaunchOp]]] = {f: {} for f in functions}
        function_of = dict(zip(kernels, functions, strict=True))
        for launch in [o for o in op.walk() if isinstance(o, LaunchOp)]:
            kernel = lowered.get(SymbolTable.lookup_symbol(launch, launch.kernel))
            if kernel is None:  # its kernel is on another level, or in another module
                continue
            roles = isinstance(kernel, WarpSpecializedKernel | ChainedKernel)
            new = nv.LaunchOp(
                SymbolRefAttr(name, [launch.kernel.string_value()]),
                kernel.grid,
                (kernel.plan.threads, 1, 1),
                kernel.shared,
                [_passed(p, launch) for p in kernel.passed] if roles else launch.operands,
                kernel.cluster,
            )
            new.location = launch.location
            key = new if launch.group is None else (launch.parent_block(), launch.group)
            groups[function_of[kernel.kernel]].setdefault(key, []).append(new)
            Rewriter.replace_op(launch, new)
        for function, found in groups.items():
            if found:
                join(function, list(found.values()))
        for kernel in kernels:
            Rewriter.erase_op(kernel, safe_erase=False)


def lower_functions(module: ModuleOp) -> None:
    """Lowers each function of tile ops to a kernel, which it launches."""
    if not (functions := top_level_tile_functions(module)):
        return
    names = {f.sym_name.data for f in functions}
    for op in module.walk():
        if isinstance(op, func.CallOp) and op.callee.string_value() in names:
            raise Unsupported(op, what="a call of a function of tile ops for a GPU", need="run inline first")
    machine, name = target_machine(module), free_symbol(module, KERNELS)
    kernels = [FunctionKernel(function, machine) for function in functions]
    gpu_module = gpu.ModuleOp.create(
        properties={"sym_name": StringAttr(name)}, regions=[Region(Block([k.build() for k in kernels]))]
    )
    gpu_module.location = functions[0].location
    module.body.block.insert_op_before(gpu_module, functions[0])
    for kernel in kernels:
        kernel.call(name)


def _template(kernel: pto.PtoKernelOp) -> Kernel:
    """
    Returns the lowering that a kernel's plan selects: for chained products if it names an algorithm for attention; warp-specialized if
    it has roles; rows if it holds rows; or multistage.
    """
    plan = None if kernel.plan is None else kernel.plan.schedule()
    if plan is None:
        return MultistageKernel(kernel)
    if "attention" in plan.algo_choice:
        return (ChainedKernel if plan.warp_specialized else ChainedMultistageKernel)(kernel)
    if plan.warp_specialized:
        return WarpSpecializedKernel(kernel)
    return (ColumnKernel if plan.reduces_columns else RowKernel if plan.holds_rows else MultistageKernel)(kernel)


def _passed(argument: int | TensorMap | Operation, launch: LaunchOp) -> SSAValue:
    """Returns an argument of a launch: one of its operands, or a tensor map or buffer that is created before the launch."""
    match argument:
        case int():
            return launch.operands[argument]
        case TensorMap(array=array, type=t):
            memref = launch.operands[array.memref.index]
            op = nv.TensorMapOp(memref, array.offset, array.sizes, array.strides, t, argument.tf32, array.corners)
            op.result.name_hint = argument.argument.name_hint
        case _:
            op = argument.clone()
    op.location = launch.location
    Rewriter.insert_op(op, InsertPoint.before(launch))
    return op.results[0]


def _built(kernel: Kernel) -> gpu.FuncOp:
    """Lowers a kernel. An error without an op, which the verifier of a type may raise, gets the op that is being lowered."""
    try:
        return kernel.build()
    except PtirError as error:
        error.op = error.op or kernel.at
        raise
