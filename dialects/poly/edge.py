"""Dependences between the statements of a view."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def

from ..common.checks import check, check_attribute, check_rank
from .attributes import MapAttr
from .block import BlockOp
from .text import read_relation


@irdl_op_definition
class EdgeOp(IRDLOperation):
    """
    Dependences of `target` on `source`, as relations.

    - `true`: from the points of `target` to the elements of `source` that they read.
    - `anti`: from the elements that `target` writes to the points of `source` that read the previous contents.
    - `output`: from the elements that `target` writes to the elements of `source` that it overwrites.

    Pure SSA has true dependences only; the others appear once values share memory.
    """

    name = "poly.edge"
    source = prop_def(StringAttr)
    target = prop_def(StringAttr)
    true = opt_prop_def(ArrayAttr[MapAttr], prop_name="true_dependence")
    anti = opt_prop_def(ArrayAttr[MapAttr], prop_name="anti_dependence")
    output = opt_prop_def(ArrayAttr[MapAttr], prop_name="output_dependence")
    assembly_format = "$source `to` $target (`true` $true_dependence^)? (`anti` $anti_dependence^)? (`output` $output_dependence^)? attr-dict"

    def __init__(
        self, source: str, target: str, true: Sequence[str] = (), anti: Sequence[str] = (), output: Sequence[str] = ()
    ):
        def maps(sources: Sequence[str]) -> ArrayAttr[MapAttr] | None:
            return ArrayAttr([MapAttr(s) for s in sources]) if sources else None

        super().__init__(
            properties={
                "source": StringAttr(source),
                "target": StringAttr(target),
                "true_dependence": maps(true),
                "anti_dependence": maps(anti),
                "output_dependence": maps(output),
            }
        )

    def dependences(self) -> dict[str, list[str]]:
        """Returns the relations as isl text, by kind."""
        kinds = {"true": self.true, "anti": self.anti, "output": self.output}
        return {kind: [m.source.data for m in maps or ()] for kind, maps in kinds.items()}

    def verify_(self) -> None:
        check(self, any(self.dependences().values()), "needs at least one dependence")
        for source in chain(*self.dependences().values()):
            problem, help = f"is not a relation in isl's syntax: {source}", "for example { [i0] -> [i0 - 1] : 1 <= i0 }"
            check_attribute(self, read_relation(source) is not None, "dependence", problem, help)

    def verify_ranks(self, source: BlockOp, target: BlockOp) -> None:
        """Checks that the domain of each relation has the rank of the target, and its range the rank of the source."""
        ranks = {
            "true": (target.rank, source.outputs),
            "anti": (target.outputs, source.rank),
            "output": (target.outputs, source.outputs),
        }
        for kind, relations in self.dependences().items():
            for parsed in (s for text in relations if (s := read_relation(text)) is not None):
                for end, got, want in zip(
                    ("target", "source"), (len(parsed.axes), parsed.outputs), ranks[kind], strict=True
                ):
                    check_rank(self, f"the {end} of '{kind}'", got, want)
