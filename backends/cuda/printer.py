"""
Prints `nv` kernels as CUDA C++ with inline PTX: one short method per op.

`CudaPrinter` prints a kernel's frame, control flow and index arithmetic. Each `*_printer.py` registers the methods
for its ops with `@prints`. The device functions that a kernel calls are in `prelude/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import ConstantLike
from xdsl.utils.hints import isa

from ...dialects import nv
from ...dialects.common.kernel import STATUS, UNROLL
from ...dialects.common.shapes import is_float, is_predicate
from ...dialects.common.syntax import ints
from ...dialects.nv.copies import PendingGroupsOp
from ...dialects.nv.roles import enclosing
from ...dialects.nv.types import constant_of
from ...dialects.nv.words import UNSIGNED
from ...dialects.plan.schedule import Schedule
from ...errors import Unsupported
from .array_printer import ArrayPrinter
from .column_printer import ColumnPrinter
from .conversion_printer import ConversionPrinter
from .fragment_printer import elements_of, is_spelled
from .identifiers import identifier
from .kernel_text import prints
from .mbarrier_printer import MbarrierPrinter
from .resources import plan_of
from .role_printer import RolePrinter
from .scalars import COMPARISONS, INDEX, LOGICAL, NARROW
from .splitk_printer import SplitKPrinter
from .tma_printer import TmaPrinter
from .wgmma_printer import WgmmaPrinter
from .word_printer import WordPrinter

WORD = re.compile(r"\w+")
CALLS: dict[type[Operation], str] = {
    nv.CommitGroupOp: "commit_group",
    nv.WaitGroupOp: "wait_group",
    nv.MbarrierInitFenceOp: "mbarrier_init_fence",
    nv.BulkCommitOp: "bulk_commit",
    nv.BulkWaitReadOp: "bulk_wait_read",
    nv.FenceAsyncOp: "fence_async",
    nv.WgmmaCommitOp: "wgmma_commit",
}
"""The device function of each op that is a call without arguments; the number of pending groups is a template argument."""

POSITIONS = {gpu.BlockIdOp: "blockIdx", gpu.ThreadIdOp: "threadIdx", gpu.GridDimOp: "gridDim"}
"""CUDA's variable of each position of a thread."""
ADDS = (arith.AddiOp, arith.SubiOp, arith.MinSIOp, arith.MaxSIOp, arith.SelectOp, nv.TmaLoadOp)
"""The ops that may have negative index constants as operands: those that add to an index, and coordinates of tensors."""
UNROLLED = 16
"""A loop in an epilogue's body is unrolled if its trip count, times those of the loops inside it, is at most this number."""


def unroll_factor(loop: scf.ForOp) -> int:
    """Returns the number of steps of a loop that are written out."""
    match loop.attributes.get(UNROLL):
        case None:
            return 1
        case IntegerAttr(value=factor) if factor.data > 0:
            return factor.data
        case other:
            raise Unsupported(loop, what=f"a loop with {UNROLL} = {other}", need="a number of at least 1")


def is_carried(t: Attribute) -> bool:
    """Returns whether loops outside of epilogues carry values of a type."""
    return isinstance(t, IndexType) or isa(t, IntegerType) or is_float(t) or is_spelled(t)


def iterations(loop: scf.ForOp) -> int | None:
    """Returns the iterations of a loop times those of the loops in it, or None if a bound is not a constant."""
    bounds = [ConstantLike.get_constant_value(v) for v in (loop.lb, loop.ub, loop.step)]
    inner = [iterations(op) for op in loop.body.block.ops if isinstance(op, scf.ForOp)]
    if not all(isinstance(b, IntegerAttr) for b in bounds) or None in inner:
        return None
    count = len(range(*(cast(IntegerAttr, b).value.data for b in bounds)))
    return count * max(1, sum(n for n in inner if n is not None))


def plan_constants(plan: Schedule) -> dict[str, int]:
    """Returns the plan's numbers by the names of the constants that stand for them in the text."""
    names = dict(zip(("BM", "BN", "BK"), plan.tile, strict=False))
    if isinstance(plan.stages, int):
        names |= {"STAGES": plan.stages, "WARP_M": plan.warp[0], "WARP_N": plan.warp[1]}
    return names | {"THREADS": plan.threads, "SPLIT": plan.split}


def launch_comment(launch: nv.LaunchOp) -> str:
    """Returns the comment that says how a kernel is launched."""
    grid, threads, blocks = (
        " x ".join(map(str, sizes)) for sizes in (ints(launch.grid), ints(launch.block), launch.cluster_sizes)
    )
    clusters, shared = "" if launch.cluster is None else f" in clusters of {blocks}", launch.shared.value.data
    return f"// launched on {grid} blocks{clusters} of {threads} threads, {shared} bytes of shared memory"


class CudaPrinter(
    WgmmaPrinter,
    TmaPrinter,
    ColumnPrinter,
    ConversionPrinter,
    SplitKPrinter,
    RolePrinter,
    MbarrierPrinter,
    WordPrinter,
    ArrayPrinter,
):
    """Prints one kernel."""

    def function(self, op: gpu.FuncOp, name: str, launches: Sequence[nv.LaunchOp]) -> str:
        self.at = op
        if len(op.body.blocks) != 1:
            raise Unsupported(op, what=f"a kernel of {len(op.body.blocks)} basic blocks", need="scf.for and scf.if")
        block = op.body.block
        plan = plan_of(op)
        self.constants = {} if plan is None else plan_constants(plan)
        self.taken |= self.constants.keys()
        self.written = written = nv.outputs(op)
        params: list[str] = []
        for arg in block.args:
            if isinstance(arg.type, nv.TensorMapType):
                self.used.add("tensor_map")
                params.append(f"const __grid_constant__ tensor_map {self.name(arg)}")
                continue
            if not isinstance(arg.type, MemRefType):
                params.append(self.scalar_parameter(arg, op))
                continue
            const = "" if arg in written else "const "
            dtype = cast("MemRefType[Attribute]", arg.type).element_type
            params.append(f"{const}{self.ctype(dtype, op)}* __restrict__ {self.name(arg)}")
        size = op.known_block_size
        bounds = f"__launch_bounds__({prod(ints(size))}, 1) " if size is not None else ""  # pyright: ignore[reportArgumentType]
        cluster = nv.cluster_of(op)
        if set(cluster) != {1}:
            bounds = f"__cluster_dims__({', '.join(map(str, cluster))}) {bounds}"
        self.line()
        for line in dict.fromkeys(map(launch_comment, launches)):  # equal layers have equal launches
            self.line(line)
        for arg in (arg for arg, purpose in written.items() if purpose == STATUS):
            self.line(f"// {self.name(arg)}: 0 at first, then the largest number of an op that has failed")
        with self.block(f'extern "C" __global__ void {bounds}{name}({", ".join(params)})'):
            head, lines = len(self.text.getvalue()), len(self.origins)
            shared = [o.result.type for o in op.walk() if isinstance(o, nv.SmemOp | nv.MbarrierOp | nv.SharedArrayOp)]
            if shared or any(isinstance(o, nv.ScratchOp) and o.scratch is not None for o in op.walk()):
                alignment = max([128, *(t.alignment for t in shared if isinstance(t, nv.SmemType))])
                self.line(f"extern __shared__ __align__({alignment}) u8 shared[];")
            self.number_warps(op)
            self.number_lanes(block.ops, op)
            self.body(block.ops)
        text = self.text.getvalue()
        # Only now it is known which constants the body uses; their declaration is inserted before it.
        if used := [f"{n} = {v}" for n, v in self.constants.items() if n in self.constants_used]:
            self.origins.insert(lines, op)
            return f"{text[:head]}  constexpr int {', '.join(used)};\n{text[head:]}"
        return text

    def scalar_parameter(self, arg: SSAValue, op: Operation) -> str:
        """Returns the parameter of a number. A narrow float is passed in the form that it has in memory."""
        if isinstance(arg.type, IndexType):
            return f"int {self.name(arg)}"
        if not (is_float(arg.type) or isa(arg.type, IntegerType)):
            raise Unsupported(op, what=f"a kernel argument of type {arg.type}", need="arrays, tensor maps and numbers")
        if (word := self.word(arg.type, op)) in NARROW:
            self.raw[arg] = self.fresh(identifier(arg.name_hint or "t"))
            return f"{word} {self.raw[arg]}"
        return f"{word} {self.name(arg)}"

    def print_other(self, op: Operation) -> None:
        """Prints the ops of `CALLS`, arithmetic on indices, logic on predicates, and scalars."""
        if (function := CALLS.get(type(op))) is not None:
            pending = f"<{op.pending.value.data}>" if isinstance(op, PendingGroupsOp) else ""
            self.print_call(function + pending)
            return
        result = op.results[0].type if op.results else None
        if isinstance(result, IndexType) and (form := INDEX.get(type(op))) is not None:
            self.index(op.results[0], form.format(*map(self.name, op.operands)), "int")
        elif result is not None and is_predicate(result) and (form := LOGICAL.get(type(op))) is not None:
            self.index(op.results[0], form.format(*map(self.name, op.operands)), "bool")
        else:
            self.print_scalar(op)

    # --- indices ----------------------------------------------------------------------------------

    @prints
    def index_constant(self, op: arith.ConstantOp) -> None:
        hint = op.result.name_hint or ""
        number = op.value.value.data if isinstance(op.value, IntegerAttr) else 0
        added = bool(op.result.uses) and all(isinstance(use.operation, ADDS) for use in op.result.uses)
        if isinstance(op.result.type, IndexType) and not (-(2**31) if added else 0) <= number < 2**31:
            raise Unsupported(op, what=f"the index {number}", need="indices from 0 to 2^31 - 1")
        if isinstance(op.value, IntegerAttr) and self.constants.get(hint) == op.value.value.data:
            self.names[op.result] = self.number(op.value.value.data, hint)
        else:
            self.print_scalar(op)

    @prints
    def index_comparison(self, op: arith.CmpiOp) -> None:
        if isinstance(op.lhs.type, IndexType):
            sign = COMPARISONS[arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]]
            self.index(op.result, f"{self.compared(op)} {sign} {self.name(op.rhs)}", "bool")
        else:
            self.print_scalar(op)

    @prints
    def block_or_thread_id(self, op: gpu.BlockIdOp | gpu.ThreadIdOp | gpu.GridDimOp) -> None:
        which = POSITIONS[type(op)]
        self.names[op.result] = f"(int){which}.{op.dimension.data.value}"

    @prints
    def pick(self, op: nv.PickOp) -> None:
        *firsts, chosen = map(self.name, op.choices)
        for number in reversed(range(len(firsts))):
            chosen = f"{self.name(op.member)} == {number} ? {firsts[number]} : {chosen}"
        if isinstance(op.result.type, nv.TensorMapType):
            kind = "const tensor_map&"
        else:
            const = "" if op.choices[0] in self.written else "const "
            dtype = op.result.type.element_type
            kind = f"{const}{self.ctype(dtype, op)}* __restrict__ const"
        self.line(f"{kind} {self.name(op.result)} = {chosen};")

    # --- control flow -----------------------------------------------------------------------------

    @prints
    def block_barrier(self, op: gpu.BarrierOp) -> None:
        self.line("__syncthreads();")

    @prints
    def terminator(self, op: gpu.ReturnOp | scf.YieldOp) -> None:
        pass

    @prints
    def loop(self, op: scf.ForOp) -> None:
        in_epilogue = enclosing(op, nv.ElementsOp) is not None
        counter, *carried = op.body.block.args
        if not isinstance(counter.type, IndexType) and UNSIGNED not in op.attributes:
            raise Unsupported(op, what=f"a loop over signed {counter.type}", need=f"use index, or give it {UNSIGNED}")
        if not in_epilogue and not all(is_carried(v.type) for v in op.iter_args):
            need = "carry indices, integers, floats, or fragments with a spelled layout: others are storage"
            raise Unsupported(op, what="a loop-carried value in a kernel", need=need)
        if (known := constant_of(op.step)) is not None and known < 1:
            raise Unsupported(op, what=f"a loop whose step is {known}", need="a step of at least 1")
        low, high, step = (self.name(v) for v in (op.lb, op.ub, op.step))
        for arg, start, result in zip(carried, op.iter_args, op.results, strict=True):
            if (count := elements_of(arg.type)) == 1:
                self.line(f"{self.variable_type(arg.type, op)} {self.name(arg)} = {self.name(start)};")
            else:
                self.line(f"{self.variable_type(arg.type, op)} {self.name(arg)}[{count}];")
                self.copy_elements(arg, start, count)
            self.names[result] = self.name(arg)
        name = self.name(counter)
        if any(isinstance(o, nv.HoldOp) for o in op.body.block.ops) and iterations(op) == 1:
            end = self.fresh("end")  # straight-line code would let ptxas overlap vector ops and spill
            self.line(f"const int {end} = {self.call('opaque', high)};")
            high = end
        if not in_epilogue:
            self.line(f"#pragma unroll {unroll_factor(op)}")
        elif (count := iterations(op)) is not None and count <= UNROLLED:
            self.line("#pragma unroll")
        else:  # several loads are in flight; left alone, NVRTC unrolls whole nests and spills
            nested = any(isinstance(o, scf.ForOp) for o in op.body.block.ops)
            self.line(f"#pragma unroll {1 if nested else 4}")
        advance = f"++{name}" if step == "1" else f"{name} += {step}"
        word = self.variable_type(counter.type, op)
        with self.block(f"for ({word} {name} = {low}; {name} < {high}; {advance})"):
            self.body(op.body.block.ops)
            pairs = list(zip(carried, cast(scf.YieldOp, op.body.block.last_op).operands, strict=True))
            single = [pair for pair in pairs if elements_of(pair[0].type) == 1]
            self.assign_carried([arg for arg, _ in single], [value for _, value in single])
            for arg, value in pairs:
                if (count := elements_of(arg.type)) > 1 and arg is not value:
                    if value in carried:
                        need = "a fragment of several elements computed in the loop"
                        raise Unsupported(op, what="a loop that passes on a fragment under another name", need=need)
                    self.copy_elements(arg, value, count)

    def copy_elements(self, to: SSAValue, value: SSAValue, count: int) -> None:
        """Prints the assignment of a fragment of several elements."""
        with self.unrolled(e=count):
            self.line(f"{self.name(to)}[e] = {self.name(value)}[e];")

    def assign_carried(self, carried: Sequence[SSAValue], next_values: Sequence[SSAValue]) -> None:
        """
        Assigns loop-carried values in an order in which no assignment overwrites a value that a later one reads.
        Values that depend on each other in a cycle are copied first.
        """
        steps = [(self.name(v), self.name(n)) for v, n in zip(carried, next_values, strict=True) if v is not n]
        reads = {name: set(WORD.findall(value)) for name, value in steps}
        while steps:
            free = next((s for s in steps if not any(s[0] in reads[n] for n, _ in steps if n != s[0])), None)
            if free is None:
                break
            steps.remove(free)
            self.line(f"{free[0]} = {free[1]};")
        types = {self.name(v): self.variable_type(v.type, cast(Operation, self.at)) for v in carried}
        copies = [(name, self.fresh("next"), value) for name, value in steps]
        for name, copy, value in copies:
            self.line(f"const {types[name]} {copy} = {value};")
        for name, copy, _ in copies:
            self.line(f"{name} = {copy};")

    @prints
    def conditional(self, op: scf.IfOp) -> None:
        if any(isinstance(r.type, nv.FragType) for r in op.results):
            raise Unsupported(op, what="an scf.if with fragments as results", need="store them in the branches instead")
        for result in op.results:
            self.line(f"{self.variable_type(result.type, op)} {self.name(result)};")
        with self.block(f"if ({self.name(op.cond)})"):
            self.branch(op, op.true_region.block)
        if op.false_region.blocks:
            with self.block("else"):
                self.branch(op, op.false_region.block)

    def branch(self, op: scf.IfOp, block: Block) -> None:
        """Prints a branch, which assigns the results."""
        self.body(block.ops)
        for result, value in zip(op.results, cast(scf.YieldOp, block.last_op).operands, strict=True):
            self.line(f"{self.name(result)} = {self.name(value)};")
