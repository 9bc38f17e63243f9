"""
The programs that the fuzzer mutates: every valid program of the repository, and its IR after each stage of `ptir-to-cuda` or `ptir-to-pto`.

The programs are the parts between `// -----` of all `.mlir` files, if they parse and verify. The IR after the stages gives the
lower levels valid input, too. Each program is in the custom and in the generic form. The order is that of the file names; the
corpus does not depend on time, machine or chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ptir.errors import PtirError
from ptir.passes.environment import make_context
from ptir.passes.manager import Instrumentation, PassManager
from ptir.passes.registry import PIPELINES
from ptir.text.parsing import parse_text
from ptir.text.sources import split_input
from ptir.text.verify import verify_module
from ptir.text.writing import print_module

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("tests/filecheck", "examples", "docs")
PTO_FOLDERS = ("tests/filecheck/pto", "tests/filecheck/pto_[bcilp]*", "tests/filecheck/region_to_pto")
"""The folders of programs of the instructions of `pto`, and of kernels that are legalized to them."""
LONGEST = 20_000
"""Maximum length of a text, in characters. Longer ones take more time without finding more."""


@dataclass(frozen=True)
class Program:
    """A valid text and its origin. Mutants are compared with `generic`, its generic form, to see whether they differ."""

    name: str
    text: str
    generic: str


def load_corpus(
    root: Path = ROOT, folders: Sequence[str] = FOLDERS, every: int = 1, pipeline: str = "ptir-to-cuda"
) -> tuple[Program, ...]:
    """
    Returns the programs of every `every`-th chunk of the files, and their IR after the stages of `pipeline`, in a fixed order, without
    duplicates. A folder may be a glob pattern.
    """
    ctx = make_context()
    programs: dict[str, Program] = {}
    for name, text in islice(_chunks(root, folders), 0, None, every):
        for program in _with_products(name, _without_comments(text), ctx, pipeline):
            for form in (program, Program(f"{program.name}, generic", program.generic, program.generic)):
                if len(form.text) <= LONGEST:
                    programs.setdefault(form.text, form)
    return tuple(programs.values())


def digest(programs: Sequence[Program]) -> str:
    """Returns a digest of the corpus: if it changes, mutant *i* is another one."""
    return sha256("\0".join(program.text for program in programs).encode()).hexdigest()[:16]


def _chunks(root: Path, folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in sorted(root.glob(f"{folder}/**/*.mlir")):
            try:
                text = path.read_text("utf-8")
            except UnicodeDecodeError:  # this test is about files that are not text
                continue
            for chunk in split_input(text):
                yield f"{path.relative_to(root).as_posix()}:{chunk.first_line}", chunk.text


def _with_products(name: str, text: str, ctx: Context, pipeline: str) -> list[Program]:
    module = _valid(text, ctx)
    if module is None or module.body.block.first_op is None:
        return []
    found = [Program(name, text, print_module(module, generic=True))]

    class Collect(Instrumentation):
        def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
            if (text := print_module(module)) != found[-1].text:
                found.append(Program(f"{name} after {pass_.name}", text, print_module(module, generic=True)))

    stages = ",".join(PIPELINES[pipeline].stages)
    with suppress(PtirError):
        PassManager(stages, ctx, verify_input=False, instrumentations=[Collect()]).run(module)
    return found


def _valid(text: str, ctx: Context) -> ModuleOp | None:
    try:
        module = parse_text(text, ctx)
        verify_module(module)
    except PtirError:
        return None
    return module


def _without_comments(text: str) -> str:
    """Returns the text without comment lines, on which mutations would be wasted."""
    return "".join(line for line in text.splitlines(keepends=True) if not re.match(r"\s*(//.*)?$", line))
