"""The base class of lowerings that write a new kernel op by op, into a block with the arguments of the old kernel."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ..dialects.common.kernel import KernelOp


class KernelWriter:
    """Writes the ops of a new kernel. Each added op gets the location of `at`, the op that is being lowered."""

    def __init__(self, kernel: KernelOp | FuncOp, types: Sequence[Attribute] | None = None):
        """`types` are those of the new kernel's arguments, if they have others than the old ones."""
        self.at: Operation = kernel
        self.block = Block(arg_types=types or [a.type for a in kernel.body.block.args])
        for new, old in zip(self.block.args, kernel.body.block.args, strict=True):
            new.name_hint = old.name_hint or None
        self.builder = Builder(InsertPoint.at_end(self.block))

    def add(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Inserts an op, names its results `hint`, and returns the first result."""
        op.location = self.at.location
        self.builder.insert(op)
        for result in op.results:
            result.name_hint = hint
        return op.results[0] if op.results else cast(SSAValue, None)

    def add_argument(self, t: Attribute, hint: str) -> BlockArgument:
        """Adds an argument to the kernel."""
        argument = self.block.insert_arg(t, len(self.block.args))
        argument.name_hint = hint
        return argument

    @contextmanager
    def within(self, body: Block) -> Generator[None]:
        """A context manager that inserts at the end of `body` inside of the `with`."""
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(body))
        yield
        self.builder = outside
