"""The tile program of an elementwise region: loads, vector ops, stores."""

from __future__ import annotations

from xdsl.ir import Operation

from ...errors import Unsupported
from .program import TileProgram


class ElementwiseProgram(TileProgram):
    """Writes loads where vector ops ask for them: nothing stands before."""

    def begin(self) -> None:
        pass

    def unmapped(self, root: Operation) -> Unsupported:
        what = "a second output of an elementwise region"
        return Unsupported(root, what=what, need="give it a region of its own")
