"""The base of JSON readers: it gives ops the locations of their text, and reports problems there."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import FileLineColLoc, FunctionType, IntAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.utils.lexer import Span

from ....errors import SourceError, VerifyError
from .errors import BadLiteral, Contradiction, InvalidLiteral, Unrepresentable
from .places import Path, Places


class Reader:
    """Base class of the readers. A path leads to a part of the text: `["functions", 0, "name"]`."""

    def __init__(self, places: Places, file: StringAttr):
        self.places, self.file = places, file

    def finish_module(self, functions: Sequence[FuncOp], spec_version: str | None, extensions: bool) -> ModuleOp:
        """Returns the module of these functions with the attributes that both forms have."""
        attributes: dict[str, Attribute] = {}
        if spec_version is not None:
            attributes["ptir.spec_version"] = StringAttr(spec_version)
        if extensions:
            attributes["ptir.extensions"] = UnitAttr()
        module = ModuleOp(list(functions), attributes)
        module.location = self.location([])
        return module

    def finish_function(self, name: str, block: Block, results: Sequence[SSAValue], at: Path, end: Path) -> FuncOp:
        """Ends `block` with a return, located at `end`, and returns the function located at `at`."""
        last = ReturnOp(*results)
        last.location = self.location(end)
        block.add_op(last)
        t = FunctionType.from_lists([a.type for a in block.args], [v.type for v in results])
        function = FuncOp(name, t, Region(block))
        function.location = self.location(at)
        return function

    def contradiction(self, path: Path, message: str, help: str = "") -> Contradiction:
        return Contradiction(self.places.span(path), message=message, help=help)

    @contextmanager
    def errors_at(self, path: Path, rejected: type[SourceError] = BadLiteral) -> Generator[None]:
        """Reports errors of the `with` block at `path`; a `VerifyError` becomes an error of the class `rejected`."""
        try:
            yield
        except Unrepresentable as e:
            kind = BadLiteral if isinstance(e, InvalidLiteral) else Contradiction
            raise kind(self.places.span(path), message=str(e), help=e.hint) from None
        except VerifyError as e:
            raise rejected(self.places.span(path), message=e.message, help=e.help) from None

    def location(self, path: Path) -> FileLineColLoc:
        return self.location_of(self.places.span(path))

    def location_of(self, span: Span[str]) -> FileLineColLoc:
        line, column = self.places.position(span.start)
        return FileLineColLoc(self.file, IntAttr(line), IntAttr(column))
