"""Bugs seeded into the CUDA text of a kernel, and their detection by a fault of the emulator or by a wrong result."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ptir
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator.errors import EmulatorFault
from ptir.runtime.compile import Program
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.semantics.bounds import bounds, check
from ptir.targets.architectures import ARCHS

from .ptx_kernels.launch import virtual


@dataclass(frozen=True)
class Subject:
    """A compiled program `f`, its arguments and the bounds of its results."""

    program: Program
    inputs: Sequence[Any]
    wanted: Sequence[Any]

    @classmethod
    def of(cls, program: Program, source: str, inputs: Sequence[Any]) -> Subject:
        """Returns the subject whose bounds are those of the text `source`."""
        return cls(program, inputs, bounds(ptir.parse(source), "f", *inputs))

    @property
    def verdict(self) -> str:
        """`ok`, `bounds` if a result is wrong, or the class of the fault, which is `EmulatorFault` if an element is not stored."""
        try:
            got = execute(self.program, list(self.inputs), Emulator())
        except EmulatorFault as fault:
            return type(fault).__name__
        return "ok" if all(check(g, w).ok for g, w in zip(got, self.wanted, strict=True)) else "bounds"


@dataclass(frozen=True)
class Bug:
    """
    A seeded bug of the kernel called `kernel`: replaces `pattern` by `replacement`, `count` times (0: everywhere), in the kernel or,
    if it is not there, in the functions before it. `by` lists the verdicts that detect it.
    """

    kernel: str
    pattern: str
    replacement: str
    by: str = "bounds"
    count: int = 0

    def in_(self, cuda: str) -> str:
        """Returns the text with the bug."""
        at = cuda.index('extern "C"')
        head, body = cuda[:at], cuda[at:]
        changed, found = re.subn(self.pattern, self.replacement, body, count=self.count)
        if not found:
            head, found = re.subn(self.pattern, self.replacement, head, count=self.count)
        assert found and head + changed != cuda, f"{self.pattern} is not in\n{cuda}"
        return head + changed

    def is_caught(self, subject: Subject) -> bool:
        """Whether the emulator or a wrong result of the changed program reveals the bug, in one of the ways of `by`."""
        program = subject.program
        cuda = self.in_(program.cuda)
        binary = compile_cuda(cuda, virtual(ARCHS[program.arch].target))
        return replace(subject, program=replace(program, cuda=cuda, binary=binary)).verdict in self.by.split()


def stale(bugs: Mapping[str, Bug], kernel: Callable[[str], Subject]) -> list[str]:
    """Returns the bugs that their kernels have no place for any more."""

    def has_place(bug: Bug) -> bool:
        try:
            return bool(bug.in_(kernel(bug.kernel).program.cuda))
        except AssertionError:
            return False

    return [name for name, bug in bugs.items() if not has_place(bug)]
