"""
What the way to CUDA takes: `ptir-to-tiny` and the passes below it, asked about every op at once.

Each function is lowered to `tiny` op by op, on a copy; what has no row there, or cannot accumulate, is an objection. Of
what is left, the ops that a result needs are looked at as kernels will compute them: contractions by the
instructions that there are for their types, reductions that are no contraction, elementwise ops by the types that kernels
compute with. Whether a reduction is a contraction is known where all sizes are numbers.

How large a kernel's tiles and grid become is no question of legality: where no plan fits, `plan-regions` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ..analysis.program.legality import ConversionTarget
from ..analysis.regions.kernel_ops import foreign_op, guard_diagnostic, kernel_diagnostic, op_text
from ..dialects import tiny
from ..dialects.common.shapes import shape
from ..errors import PtirError, Unsupported, UnsupportedType
from ..targets.architectures import ARCHS, ArchName, arch_named
from ..text.literals import splat
from .ptir_inline_composites import inline_composites
from .ptir_to_tiny import LOWERINGS, is_ptir, rewrite

TINY = (tiny.ConstOp, tiny.IotaOp, tiny.MovementOp, tiny.UnaryOp, tiny.BinaryOp, tiny.ReduceOp)


@dataclass(frozen=True)
class CudaConversion(ConversionTarget):
    """The nv module that CUDA is printed from, for an architecture."""

    name = "cuda"
    arch: str = "sm80"

    def __post_init__(self) -> None:
        arch_named(self.arch)

    @property
    def pipeline(self) -> str:
        return f"ptir-to-cuda{{arch={self.arch}}}"

    def objections(self, module: ModuleOp) -> Iterator[PtirError]:
        arch = arch_named(self.arch).name
        twin = module.clone()
        origins = dict(zip(twin.walk(), module.walk(), strict=True))
        inline_composites(twin)
        for op in twin.body.block.ops:
            if isinstance(op, FuncOp) and not op.is_declaration:
                yield from _Function(op, arch, origins).objections()


@dataclass
class _Function:
    """A function of the copy, which is lowered as far as it goes. `origins` are the ops of the program."""

    function: FuncOp
    arch: ArchName
    origins: dict[Operation, Operation]
    vague: set[Operation] = field(default_factory=set[Operation])
    """Ops whose sizes, or those of what they are computed from, are not all numbers of at least 1."""

    def objections(self) -> Iterator[PtirError]:
        if len(self.function.body.blocks) != 1:
            need = "write it as one block of ptir ops"
            yield Unsupported(self.origin(self.function), what="control flow in a tensor program", need=need)
            return
        block = self.function.body.block
        yield from self.types(self.function, block.arg_types)
        yield from self.inside(block)

    def inside(self, block: Block) -> Iterator[PtirError]:
        """Objections to the ops of a block, and to those of the regions in it."""
        for op in list(block.ops):
            yield from self.types(op, op.result_types)
            yield from self.lower(op)
            for region in op.regions:
                for inner in region.blocks:
                    yield from self.inside(inner)
        yield from self.kernels(block)

    def origin(self, op: Operation) -> Operation:
        return self.origins[op]

    def types(self, op: Operation, types: Sequence[Attribute]) -> Iterator[PtirError]:
        from ..analysis.index.static_sizes import require_sizes

        for t in types:
            if not isinstance(t, TensorType):
                self.vague.add(op)
                what = f"a value of '{op_text(self.origin(op))}'"
                yield UnsupportedType(self.origin(op), what=what, got=t, want="kernels take ranked tensors")
                return
        try:
            require_sizes(op.results if op is not self.function else self.function.body.block.args, op)
        except PtirError as error:
            self.vague.add(op)
            error.op = self.origin(op)
            yield error

    def lower(self, op: Operation) -> Iterator[PtirError]:
        """The op in tiny, in its place; ops that stand for one have the same origin."""
        if isinstance(op, TINY) or (op.has_trait(IsTerminator) and op.next_op is None):
            return
        if not is_ptir(op):
            yield foreign_op(self.origin(op), "form-regions")
            return
        try:
            written = rewrite(op)
        except PtirError as error:
            error.op = self.origin(op)
            if op not in self.vague or type(op) not in LOWERINGS:  # its sizes have been objected to
                yield error
            return
        self.origins |= dict.fromkeys(written, self.origin(op))
        if op in self.vague:
            self.vague |= set(written)

    # --- what kernels compute ---------------------------------------------------------------------

    def kernels(self, block: Block) -> Iterator[PtirError]:
        """The ops that results need, each once, and each op of the program complained about once."""
        from ..analysis.index.book import IndexBook
        from ..analysis.regions.contraction import find_contraction

        clear: list[Operation] = []
        for op in block.ops:
            if isinstance(op, TINY) and op not in self.vague and self.is_clear(op):
                clear.append(op)
            else:
                self.vague.add(op)
        book = IndexBook(clear)
        todo: list[SSAValue] = list(block.last_op.operands) if block.last_op is not None else []
        seen: set[SSAValue] = set()
        told: set[Operation] = set()
        while todo:
            value = todo.pop()
            op = value.owner
            if value in seen or not isinstance(op, Operation):
                continue
            seen.add(value)
            found = find_contraction(op, book) if op not in self.vague else None
            if found is not None:
                todo += [found.lhs.value, found.rhs.value]
                guards = (guard_diagnostic(inner, self.origin(inner)) for inner in found.interior)
                error = next(filter(None, guards), None) or self.multiplication(found.dtypes, found.precision, op)
            else:
                todo += op.operands
                error = self.elementwise(op)
            if error is not None and self.origin(op) not in told:
                told.add(self.origin(op))
                yield error

    def is_clear(self, op: Operation) -> bool:
        """Whether the tiny ops that `op` reads have sizes; all else is a leaf, of which only the type counts."""
        owners = [v.owner for v in op.operands]
        if any(size < 1 for v in op.operands for size in shape(v)):
            return False
        return not any(owner in self.vague and isinstance(owner, TINY) for owner in owners)

    def multiplication(
        self, dtypes: tuple[Attribute, Attribute, Attribute], precision: str, op: Operation
    ) -> PtirError | None:
        from ..targets.mma import mma_for, unsupported_operands_help, wgmma_for

        by_warpgroups = ARCHS[self.arch].has_wgmma and wgmma_for(*dtypes, precision) is not None
        if by_warpgroups or mma_for(*dtypes, precision) is not None:
            return None
        left, right, accum = dtypes
        what = f"'{op_text(self.origin(op))}' as a contraction of {left} and {right} into {accum}"
        return Unsupported(self.origin(op), what=what, need=unsupported_operands_help(left, right, accum))

    def elementwise(self, op: Operation) -> PtirError | None:
        """What no kernel computes of an op that is no contraction."""
        if not isinstance(op, TINY) or (isinstance(op, tiny.ReduceOp) and op in self.vague):
            return None
        if isinstance(op, tiny.ConstOp) and splat(op.value) is None:
            return None
        return kernel_diagnostic(op, self.origin(op), self.arch)
