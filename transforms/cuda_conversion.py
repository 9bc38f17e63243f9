"""
The conversion target `cuda`: reports every op that `ptir-to-tiny` or a later pass would reject.

A copy of the program is lowered to `tiny` op by op; ops without a lowering are reported. Then the tiny ops on which a result
depends are checked: a contraction is legal if an instruction multiplies its types, other reductions and elementwise ops are legal
if kernels can compute with their types. Whether a reduction is a contraction is known only if all sizes are static.

The sizes of tiles and grids are not part of legality: `plan-regions` reports a kernel that no plan fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ..analysis.index.book import IndexBook
from ..analysis.index.static_sizes import blocks_of, require_sizes
from ..analysis.program.legality import ConversionTarget
from ..analysis.regions.contraction import Contraction, find_contraction
from ..analysis.regions.kernel_ops import HOST_OPS, foreign_op, is_tensor_op, kernel_diagnostic, op_text, require_body
from ..dialects import tiny
from ..dialects.common.shapes import shape
from ..errors import PtirError, Unsupported, UnsupportedType
from ..semantics.sizes import MAX_RANK
from ..targets.architectures import ARCHS, ArchName, arch_named
from ..targets.mma import mma_for, wgmma_for
from ..text.literals import splat
from .ptir_flatten_tuples import flatten_tuples
from .ptir_inline_composites import inline_composites
from .ptir_to_tiny import LOWERINGS, is_ptir, rewrite
from .tiny_emulate_int4 import emulate_int4, emulated_functions
from .tiny_fold_empty import fold_empty


@dataclass(frozen=True)
class CudaConversion(ConversionTarget):
    """The conversion to the nv level, from which CUDA is printed, for an architecture."""

    name = "cuda"
    arch: str = "sm80"

    def __post_init__(self) -> None:
        arch_named(self.arch)

    @property
    def pipeline(self) -> str:
        return f"ptir-to-cuda{{arch={self.arch}}}"

    def diagnostics(self, module: ModuleOp) -> Iterator[PtirError]:
        arch = arch_named(self.arch).name
        twin = module.clone()
        origins = dict(zip(twin.walk(), module.walk(), strict=True))
        inline_composites(twin)
        for old, new in flatten_tuples(twin):
            origins[new] = origins[old]
        found = [o for o in twin.body.block.ops if isinstance(o, FuncOp) and not o.is_declaration]
        functions = [_Function(op, arch, origins) for op in found]
        for function in functions:
            yield from function.check_lowering()
        for emulated in emulated_functions(twin):
            for op, written in emulate_int4(emulated):
                origins |= dict.fromkeys(written, origins[op])
        for function in functions:
            yield from function.check_kernels()


@dataclass
class _Function:
    """
    The checks of one function of the copy, which is lowered as far as possible. `origins` maps ops of the copy to the ops of the
    program that they come from.
    """

    function: FuncOp
    arch: ArchName
    origins: dict[Operation, Operation]
    vague: set[Operation] = field(default_factory=set[Operation])
    """Ops with a dynamic size, and ops that depend on them. They are not checked as parts of a kernel."""

    def check_lowering(self) -> Iterator[PtirError]:
        """Lowers the ops of all blocks to `tiny`, and yields an error for each op that is illegal."""
        if len(self.function.body.blocks) != 1:
            need = "write it as one block of ptir ops, with ptir.cond, ptir.while and ptir.scan"
            yield Unsupported(self.origins[self.function], what="control flow between blocks", need=need)
            return
        yield from self.check_types(self.function, self.function.body.block.args)
        for op in list(self.function.body.walk()):
            yield from self.check_types(op, op.results)
            yield from self.lower(op)

    def check_kernels(self) -> Iterator[PtirError]:
        """Yields errors for the ops on which the results of the blocks depend."""
        if len(self.function.body.blocks) == 1:
            for block in list(blocks_of(self.function)):
                yield from self.check_block(block)

    def check_types(self, op: Operation, values: Sequence[SSAValue]) -> Iterator[PtirError]:
        """Yields an error if `values`, which `op` defines, are not all tensors with static sizes."""
        origin = self.origins[op]
        odd = next((v.type for v in values if not isinstance(v.type, TensorType)), None)
        if odd is not None:
            self.vague.add(op)
            yield UnsupportedType(
                origin, what=f"a value of '{op_text(origin)}'", got=odd, want="kernels take ranked tensors"
            )
            return
        try:
            require_sizes(values, op)
            if not is_tensor_op(op):
                _require_ranks(values, origin)
        except PtirError as error:
            self.vague.add(op)
            error.op = origin
            yield error

    def lower(self, op: Operation) -> Iterator[PtirError]:
        """Replaces `op` by its tiny ops, which get the same origin, or yields an error."""
        origin = self.origins[op]
        if is_tensor_op(op) or isinstance(op, HOST_OPS) or (op.has_trait(IsTerminator) and op.next_op is None):
            try:
                require_body(op)
            except PtirError as error:
                error.op = origin
                yield error
            return
        if not is_ptir(op):
            yield foreign_op(origin, "form-regions")
            return
        try:
            written = rewrite(op)
        except PtirError as error:
            error.op = origin
            if op not in self.vague or type(op) not in LOWERINGS:  # its sizes have been reported
                yield error
            return
        self.origins |= dict.fromkeys(written, origin)
        if op in self.vague:
            self.vague |= set(written)

    # --- the ops of kernels -----------------------------------------------------------------------

    def check_block(self, block: Block) -> Iterator[PtirError]:
        """Yields errors for the ops on which the block's results depend, at most one for each op of the program."""
        for op, written in fold_empty(block):
            self.origins |= dict.fromkeys(written, self.origins[op])
        clear: list[Operation] = []
        for op in block.ops:
            if is_tensor_op(op) and op not in self.vague and self.is_clear(op):
                clear.append(op)
            else:
                self.vague.add(op)
        book = IndexBook(clear)
        todo: list[SSAValue] = list(block.last_op.operands) if block.last_op is not None else []
        seen: set[SSAValue] = set()
        reported: set[Operation] = set()
        while todo:
            value = todo.pop()
            op = value.owner
            if value in seen or not isinstance(op, Operation):
                continue
            seen.add(value)
            found = find_contraction(op, book) if op not in self.vague else None
            if found is not None and self.multiplies(found):
                todo += [found.lhs.value, found.rhs.value]
                continue
            todo += op.operands
            error = self.check_elementwise(op)
            if error is not None and self.origins[op] not in reported:
                reported.add(self.origins[op])
                yield error

    def is_clear(self, op: Operation) -> bool:
        """
        Returns whether no operand of `op` is the result of a vague tiny op. Results of other ops are inputs of kernels, and only
        their types matter.
        """
        owners = [v.owner for v in op.operands]
        return not any(owner in self.vague and is_tensor_op(owner) for owner in owners)

    def multiplies(self, found: Contraction) -> bool:
        """Returns whether an instruction multiplies the operands of a contraction."""
        (left, right, accum), precision = found.dtypes, found.precision
        by_warpgroups = ARCHS[self.arch].has_wgmma and wgmma_for(left, right, accum, precision) is not None
        return by_warpgroups or mma_for(left, right, accum, precision) is not None

    def check_elementwise(self, op: Operation) -> PtirError | None:
        if not is_tensor_op(op):
            return None
        if isinstance(op, tiny.ConstOp) and splat(op.value) is None:
            return None
        return kernel_diagnostic(op, self.origins[op])


def _require_ranks(values: Sequence[SSAValue], op: Operation) -> None:
    """Raises `Unsupported` for the first value that `op` defines and no library has an array for."""
    for value in values:
        if (rank := len(shape(value))) > MAX_RANK:
            need = f"arrays have at most {MAX_RANK}: merge some with ptir.reshape"
            raise Unsupported(op, what=f"a tensor of {rank} axes", need=need)
