"""The pass instrumentations that the arguments of `ptir-opt` ask for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ShrinkException

from ..passes.errors import LevelsNotReached
from ..passes.instrumentation import ALL, PrintIR
from ..passes.levels import Levels
from ..passes.manager import Instrumentation
from ..passes.pipeline_elements import PipelineElement, dump_pipeline
from ..passes.reproducer import Reproducers, is_bug
from ..passes.statistics import Statistics
from .arguments import style_of
from .output import numbered


class Instruments:
    """The instrumentations for piece `number` of the input. `around_passes` lists those to give to the `PassManager`."""

    def __init__(
        self,
        args: argparse.Namespace,
        number: int,
        program: str,
        elements: Sequence[PipelineElement],
        statistics: Statistics,
    ):
        self._program, self._elements = program, elements
        self.levels = Levels(args.dump or (), _print_cuda, style_of(args))
        self._reproducers = Reproducers(
            program,
            elements,
            path=None if args.reproducer is None else Path(numbered(args.reproducer, number)),
            local=args.mlir_pass_pipeline_local_reproducer,
            verify_each=args.verify_each,
            allow_unregistered=args.allow_unregistered_dialect,
        )
        self.around_passes: list[Instrumentation] = [*_print_ir(args)]
        if args.mlir_pass_statistics:
            self.around_passes.append(statistics)
        if self.levels.wanted:
            self.around_passes.append(self.levels)
        self.around_passes += _validation(args)
        self.around_passes.append(self._reproducers)

    def failed(self, error: Exception) -> None:
        """Writes a reproducer for a bug that only shows after the passes, unless one is already written."""
        if self._reproducers.written is None and is_bug(error) and not isinstance(error, ShrinkException):
            self._reproducers.write(error)

    def require_levels(self) -> None:
        """Raises `LevelsNotReached` if a level of `--dump` was not reached."""
        if self.levels.missing:
            raise LevelsNotReached(levels=", ".join(self.levels.missing), pipeline=dump_pipeline(self._elements))


def _print_ir(args: argparse.Namespace) -> Iterator[PrintIR]:
    after = list(args.mlir_print_ir_after)
    alone = args.mlir_print_ir_after_change or (args.mlir_print_ir_tree_dir and not args.mlir_print_ir_before)
    if args.print_between_passes or (alone and not after and not args.mlir_print_ir_after_failure):
        after.append(ALL)
    dump = PrintIR(
        sys.stderr,
        before=frozenset(args.mlir_print_ir_before),
        after=frozenset(after),
        after_change=args.mlir_print_ir_after_change,
        after_failure=args.mlir_print_ir_after_failure,
        module_scope=args.mlir_print_ir_module_scope,
        tree=None if args.mlir_print_ir_tree_dir is None else Path(args.mlir_print_ir_tree_dir),
        style=style_of(args),
    )
    if dump.wanted:
        yield dump


def _validation(args: argparse.Namespace) -> Iterator[Instrumentation]:
    if args.validate_passes:
        from ..passes.validation import ValidatePasses
        from ..runtime.validate import executors

        yield ValidatePasses(executors(), args.validate_seed, args.validate_samples)


def _print_cuda(module: ModuleOp) -> str:
    from ..backends.cuda.emit import print_cuda

    return print_cuda(module)
