"""
Where the rules are that simplify the ops of the dialect: `transforms/ptir_rules/`, looked up when xDSL's `canonicalize`
asks for them. The dialect itself imports no algorithm.
"""

from __future__ import annotations

from pkgutil import resolve_name

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

PATTERNS = "ptir.transforms.ptir_rules.engine:patterns"
"""`module:function` that gives the patterns."""


class Simplifies(HasCanonicalizationPatternsTrait):
    """xDSL's `canonicalize` applies to the op what `ptir-canonicalize` always does."""

    def verify(self, op: Operation) -> None:
        """There is nothing to ask, and it is not worth an import."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return resolve_name(PATTERNS)()
