"""
Connects the ops to the simplification rules in `transforms/ptir_rules/`, which are imported when xDSL's `canonicalize`
asks for them. The dialect itself imports no algorithm.
"""

from __future__ import annotations

from pkgutil import resolve_name

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

PATTERNS = "ptir.transforms.ptir_rules.engine:patterns"
"""`module:function` that returns the patterns."""


class Simplifies(HasCanonicalizationPatternsTrait):
    """xDSL's `canonicalize` applies the rules of `ptir-canonicalize` to the op."""

    def verify(self, op: Operation) -> None:
        """Does nothing; the import of the rules would be expensive."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return resolve_name(PATTERNS)()
