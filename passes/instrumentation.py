"""Prints the IR between passes, to a stream as `mlir-opt` does, or to one file for each pass."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ..text.printing import ExactPrinter
from ..text.style import PLAIN, Style
from ..text.writing import printer
from .errors import Unwritable
from .manager import Instrumentation, scope_name
from .pipeline_elements import Nest

ALL = "*"
"""Stands for all passes in a set of pass names."""


@dataclass
class PrintIR(Instrumentation):
    """
    Prints the operation that a pass transforms, before the passes `before` and after the passes `after`, as `mlir-opt` does.

    - `after_change`: print after a pass only if it changed something.
    - `after_failure`: print after a pass that failed.
    - `module_scope`: print the whole module, even for a nested pass.
    - `tree`: a folder to write files to instead of `out`. `DIR/builtin_module_NAME/func_func_f/1_0_cse.mlir` is `@f` after the
      first pass of the pipeline's second element.
    """

    out: IO[str]
    before: Collection[str] = ()
    after: Collection[str] = ()
    after_change: bool = False
    after_failure: bool = False
    module_scope: bool = False
    tree: Path | None = None
    style: Style = PLAIN
    _numbers: list[int] = field(default_factory=lambda: [-1])
    _nest: Nest | None = None
    _outer: list[Operation] = field(default_factory=list[Operation])
    _fingerprint: bytes = b""
    _printed: bool = False

    @property
    def wanted(self) -> bool:
        """Whether anything is printed."""
        return bool(self.before or self.after or self.after_failure)

    def before_pipeline(self, nest: Nest, scope: Operation) -> None:
        if nest is not self._nest:  # otherwise the same element of the pipeline runs on the next operation
            self._numbers[-1] += 1
        self._nest = None
        self._outer.append(scope)
        self._numbers.append(-1)

    def after_pipeline(self, nest: Nest, scope: Operation) -> None:
        self._outer.pop()
        self._numbers.pop()
        self._nest = nest

    def before_pass(self, pass_: ModulePass, scope: Operation) -> None:
        self._printed, self._nest = False, None
        self._numbers[-1] += 1
        if ALL in self.before or pass_.name in self.before:
            self._dump("Before", pass_, scope)
        if self.after_change:
            self._fingerprint = self._hash(scope)

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        asked = ALL in self.after or pass_.name in self.after
        if asked and not (self.after_change and self._hash(scope) == self._fingerprint):
            self._dump("After", pass_, scope)
            self._printed = True

    def after_failed_pass(self, pass_: ModulePass, scope: Operation, error: BaseException) -> None:
        if not self._printed and (self.after_failure or ALL in self.after or pass_.name in self.after):
            self._dump("After", pass_, scope, failed=True)

    def _dump(self, when: str, pass_: ModulePass, scope: Operation, *, failed: bool = False) -> None:
        shown = _module_around(scope) if self.module_scope else scope
        where = f" ('{scope.name}' operation: {scope_name(scope) or '?'})" if self._outer else ""
        title = f"// -----// IR Dump {when} {pass_.name}{' Failed' if failed else ''}{where} //----- //"
        with self._stream(when, pass_, scope) as out:
            out.write(f"{title}\n")
            printer(out, self.style.as_generic() if failed else self.style).print_op(shown)
            out.write("\n\n")
            out.flush()

    @contextmanager
    def _stream(self, when: str, pass_: ModulePass, scope: Operation) -> Generator[IO[str]]:
        if self.tree is None:
            yield self.out
            return
        folder = self.tree
        for op in (_module_around(scope), *self._outer):
            symbol = scope_name(op).removeprefix("@") or f"no-symbol-name{_number(op)}"
            folder /= re.sub(r"[^\w.-]", "_", f"{op.name.replace('.', '_')}_{symbol}")
        numbers = "_".join(map(str, self._numbers))
        before = "-before" if when == "Before" else ""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / f"{numbers}_{pass_.name}{before}.mlir").open("w", encoding="utf-8") as out:
                yield out
        except OSError as e:
            raise Unwritable(path=folder, reason=e.strerror or str(e)) from e

    @staticmethod
    def _hash(scope: Operation) -> bytes:
        """Returns a hash of an operation that does not depend on names of values and on locations."""
        stream = _HashStream()
        ExactPrinter(stream=stream, print_generic_format=True).print_op(scope)  # pyright: ignore[reportArgumentType]
        return stream.digest()


class _HashStream:
    """A stream that only keeps the hash of the text."""

    def __init__(self) -> None:
        import hashlib  # loads OpenSSL, 4 MiB

        self._hash = hashlib.blake2b(digest_size=16)

    def write(self, text: str) -> int:
        self._hash.update(text.encode())
        return len(text)

    def digest(self) -> bytes:
        return self._hash.digest()


def _number(op: Operation) -> str:
    """Returns a suffix that distinguishes operations of the same kind without a symbol; it is empty for the first."""
    alike = (o for o in (op.parent.ops if op.parent else ()) if o.name == op.name and not scope_name(o))
    before = next((k for k, o in enumerate(alike) if o is op), 0)
    return f"_{before}" if before else ""


def _module_around(op: Operation) -> Operation:
    while (parent := op.parent_op()) is not None and not (isinstance(op, ModuleOp) and scope_name(op)):
        op = parent
    return op
