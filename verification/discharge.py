"""Decides the obligations of a function: by comparing polynomials, or by z3 if that is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from xdsl.ir import SSAValue

from ..dialects import intent
from ..dialects.intent import symbols
from .obligations import Obligation, Verdict, obligations
from .report import Layer

BUDGET = 2_000_000
"""Resources of one query, in z3's units: about two seconds."""


def discharge(function: intent.FuncOp, layer: Layer) -> None:
    """Decides all obligations of a function. The layer fails if one is refuted."""
    verdicts = decide(function, list(obligations(function)))
    counts = {status: sum(v.status == status for v in verdicts) for status in ("PASS", "FAIL", "UNKNOWN")}
    layer.evidence.append(f"{counts['PASS']} of {len(verdicts)} proved" if verdicts else "nothing to prove")
    if seconded := sum(v.seconded for v in verdicts):
        layer.evidence.append(f"{seconded} confirmed by bitwuzla for small sizes")
    for verdict in verdicts:
        if verdict.status != "PASS" and len(layer.evidence) < 6:
            layer.evidence.append(f"{verdict.status} {verdict.obligation.text()} ({verdict.why})")
    refuted = "FAIL" if function.level == "FULL" else "UNKNOWN"  # an assumption may be missing
    layer.status = refuted if counts["FAIL"] else "UNKNOWN" if counts["UNKNOWN"] else "PASS"


def decide(function: intent.FuncOp, found: Sequence[Obligation]) -> list[Verdict]:
    """Returns the verdict on each obligation."""
    open_ = [o for o in found if not _is_plain(o)]
    if not open_:
        return [Verdict(o, "PASS") for o in found]
    if find_spec("z3") is None:
        return [
            Verdict(o, "PASS") if _is_plain(o) else Verdict(o, "UNKNOWN", "z3 is not installed: ptir[smt]")
            for o in found
        ]
    from .smt import Prover

    prover = Prover(function, BUDGET)
    return [Verdict(o, "PASS") if _is_plain(o) else prover.verdict(o) for o in found]


def _is_plain(o: Obligation) -> bool:
    """Whether an obligation is an equality of equal polynomials."""
    return o.relation == "==" and not isinstance(o.left, SSAValue) and symbols.are_equal(o.left, o.right) is True
