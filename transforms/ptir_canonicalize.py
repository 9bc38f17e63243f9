"""
`ptir-canonicalize`: simplifies `ptir` programs until nothing changes.

```
%0 = ptir.transpose %w [1, 0]                   %0 = ptir.dot_general %x, %w contract [1] x [1]
%1 = ptir.dot_general %x, %0 contract [1] x [0]
%2 = ptir.constant dense<1.0>              →
%3 = ptir.mul %1, %2                            return %0
return %3
```

It applies the rules of `ptir_rules/` (a table of algebra, structural rules for movement, casts, reductions, contractions and
control flow), constant folding, common subexpression elimination and dead code elimination. Results stay the same bit for
bit, except for NaN payloads and the order in which a reduction combines its elements, which the contract leaves open; strict floats
keep that order, too.
Violations of the contract are not preserved: an unused division by zero is erased.

- `fast`: also applies inexact rules, which round differently or ignore NaN, infinities and the sign of zero.
- `rules`: applies only the named inexact rules: `rules=fast-div-constant,fast-mul-exps`.
- `fold_limit`: maximum number of elements of a literal that folding creates; 0 turns folding off.

Dynamic sizes of the same name are equal; nothing else is assumed of dynamic sizes, and a rule that needs to know more does not
apply (`ptir_rules/checks.py`). An op that binds a name stays as long as a type has the name (`dialects/ptir/names.py`). The
reason why a rule does not apply is logged at debug level.

xDSL's `canonicalize` applies the exact rules too (`dialects/ptir/base.py`).

Spec: contract, *Elementwise ops*, *Shape and layout ops*; facts: broadcast, reshape, transpose, slice, cast, CSE, DCE.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.transforms.common_subexpression_elimination import cse
from xdsl.transforms.dead_code_elimination import region_dce

from ..dialects.common.strict import is_strict
from ..errors import InvalidAttributeValue
from .errors import ChangesStrictFloats, DoesNotSettle, NoSuchRule
from .ptir_rules.engine import FOLD_LIMIT, Simplify
from .ptir_rules.inexact import INEXACT
from .ptir_rules.table import EXACT, ROWS
from .ptir_rules.terms import Rule

REWRITES_PER_OP = 100
"""Maximum number of rewrites per op of the program; if it is exceeded, rules probably undo each other."""


def simplify(module: ModuleOp, rules: tuple[Rule, ...] = EXACT, fold_limit: int = FOLD_LIMIT) -> None:
    """Applies rules, folding, CSE and DCE to a fixed point. Raises `DoesNotSettle` if there is none."""
    pattern = Simplify(rules, fold_limit, budget=REWRITES_PER_OP * (_count(module) + 10))
    while True:
        PatternRewriteWalker(pattern, walk_regions_first=True).rewrite_module(module)
        if pattern.exhausted:
            raise DoesNotSettle(module, count=pattern.count, names=", ".join(pattern.last))
        before = _count(module)
        region_dce(module.body)
        cse(module)
        if _count(module) == before:
            return


def _count(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


@dataclass(frozen=True)
class PtirCanonicalize(ModulePass):
    """Applies rules, constant folding, CSE and DCE to a fixed point."""

    name = "ptir-canonicalize"

    fast: bool = False
    """Apply inexact rules too, which round differently or ignore NaN, infinities and the sign of zero."""
    rules: tuple[str, ...] = ()
    """Apply the inexact rules of these names."""
    fold_limit: int = FOLD_LIMIT
    """Maximum number of elements of a literal that folding creates; 0 turns folding off."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for name in self.rules:
            if name not in ROWS:
                close = difflib.get_close_matches(name, ROWS, 3)
                help = f"did you mean {', '.join(close)}?" if close else "docs/reference/rules.md lists the rules"
                raise NoSuchRule(op, name=name, help=help)
        if self.fold_limit < 0:
            problem = f"is {self.fold_limit}"
            raise InvalidAttributeValue(op, name="fold_limit", problem=problem, help="0 turns folding off")
        if (self.fast or self.rules) and is_strict(op):
            what = "ptir-canonicalize{fast}" if self.fast else f"the rule {self.rules[0]}"
            raise ChangesStrictFloats(op, what=what, help="ptir-canonicalize without options keeps every bit")
        asked = INEXACT if self.fast else tuple(rule for rule in INEXACT if rule.name in self.rules)
        simplify(op, EXACT + asked, self.fold_limit)
