"""
The rewrite pattern that applies all rules to an op.

Structural rules come first, then constant folding, then the algebraic rules. The first rule that fires is taken; the reasons why
the rules before it do not fire are logged. A rule never changes a type, including the names of sizes.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ...dialects import ptir
from ...dialects.ptir.indexing import DynamicSliceOp
from ...dialects.ptir.movement import CountOp
from ...dialects.ptir.names import bound, introduced, names
from ...dialects.ptir.random import RngOp
from ..op_writer import Declined
from .constants import Constants
from .folding import fold
from .matching import Matcher, by_root
from .table import EXACT, structural_rules
from .terms import Rule
from .write import Writer

log = logging.getLogger(__name__)

FOLD_LIMIT = 1024
"""Maximum number of elements of a literal that folding creates."""

SIZED_BY_TYPE = (ptir.BroadcastToOp, ptir.SliceOp, DynamicSliceOp, CountOp, RngOp)
"""Ops whose result type has sizes that are not determined by their operands."""

Outcome = SSAValue | Sequence[SSAValue] | str


@dataclass
class Simplify(RewritePattern):
    """
    Applies the structural rules and the algebraic `rules` to `ptir` ops. Stops after `budget` rewrites. `last` has the names of
    the rules that fired most recently.
    """

    rules: tuple[Rule, ...] = EXACT
    fold_limit: int = FOLD_LIMIT
    budget: int | None = None
    count: int = 0
    last: deque[str] = field(default_factory=lambda: deque[str](maxlen=8))

    def __post_init__(self) -> None:
        self._constants = Constants(self.fold_limit)
        self._matcher = Matcher(by_root(self.rules), self._constants)

    @property
    def exhausted(self) -> bool:
        return self.budget is not None and self.count > self.budget

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not op.name.startswith("ptir.") or self.exhausted:
            return
        if is_trivially_dead(op):
            rewriter.erase(op)
            return
        write = Writer(op, self._constants)
        for name, attempt in self._attempts(op, write):
            try:
                outcome = attempt()
            except Declined as reason:
                outcome = str(reason)
            values = [outcome] if isinstance(outcome, SSAValue) else outcome
            if not isinstance(values, str) and [v.type for v in values] != list(op.result_types):
                values = "the type would change"
            elif not isinstance(values, str) and _unbinds(op, write.ops):
                values = "a name that it binds would be unbound"
            if isinstance(values, str):
                write.drop()
                if log.isEnabledFor(logging.DEBUG):
                    log.debug("%s: %s does not fire: %s", op.name, name, values, extra={"op": op})
                continue
            self.count += 1
            self.last.append(name)
            rewriter.replace(op, write.ops, values)
            return

    def _attempts(self, op: Operation, write: Writer) -> Iterator[tuple[str, Callable[[], Outcome]]]:
        for rule in structural_rules(type(op)):
            yield rule.__name__.replace("_", "-"), partial(rule, op, write)
        if self.fold_limit:
            yield "fold", partial(fold, op, write)
        yield from self._matcher.attempts(op, write)


def _unbinds(op: Operation, instead: Sequence[Operation]) -> bool:
    """
    Returns whether `op` binds a name that its replacement `instead` would leave unbound, as the first op of `instead` with that
    name does not determine the size.
    """
    for name in bound(op):
        first = next((new for new in instead if name in names(new.results)), None)
        if first is None or isinstance(first, SIZED_BY_TYPE) or len(introduced(first)) > 1:
            return True
    return False


def patterns() -> tuple[RewritePattern, ...]:
    """Returns the patterns for xDSL's `canonicalize`, which calls this function for every op, so that no state is shared."""
    return (Simplify(),)
