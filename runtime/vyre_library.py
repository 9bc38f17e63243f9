"""
The standard library of the `vyre` dialect: ops and programs that are composed in the IR itself, in `dialects/vyre/library/*.mlir`.

>>> sorted(FILES)
['arrays', 'bits', 'hashes', 'integers', 'sha256', 'text']
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ..dialects import vyre
from ..passes.environment import make_context
from ..text.parsing import parse_text

FOLDER = Path(vyre.__file__).parent / "library"
FILES = {path.stem: path for path in FOLDER.glob("*.mlir")}


def library(files: Sequence[str] = tuple(FILES)) -> ModuleOp:
    """Returns a new module with the ops and programs of these files of the library, by default of all. Raises `KeyError`."""
    parts = [parse_text(FILES[name].read_text("utf-8"), make_context(), f"{name}.mlir") for name in files]
    module = ModuleOp([])
    for part in parts:
        for op in list(part.ops):
            op.detach()
            module.body.block.add_op(op)
    return module
