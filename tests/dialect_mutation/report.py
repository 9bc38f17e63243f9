"""Reports a campaign as JSON and as a page of Markdown."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .campaign import Campaign, Result
from .equivalents import reason


def to_dict(campaign: Campaign, seconds: float) -> dict[str, Any]:
    counted = [r for r in campaign.results if r.verdict != "no program"]
    survivors = sorted((r for r in counted if r.verdict == "alive"), key=lambda r: (r.mutant.file, r.mutant.line))
    unexplained = [r for r in survivors if reason(r.mutant) is None]
    killed = len(counted) - len(survivors)
    kinds, files = Counter(r.mutant.kind for r in counted), Counter(r.mutant.file for r in counted)
    lost_kinds, lost_files = (
        Counter(f(r) for r in unexplained) for f in (lambda r: r.mutant.kind, lambda r: r.mutant.file)
    )
    return {
        "dialect": campaign.name,
        "options": campaign.options,
        "mutants": len(campaign.every),
        "judged": len(counted),
        "killed": killed,
        "equivalent": len(survivors) - len(unexplained),
        "score": round(killed / max(1, killed + len(unexplained)), 4),
        "seconds": round(seconds, 1),
        "items": campaign.items,
        "kinds": {k: [n - lost_kinds[k], n] for k, n in sorted(kinds.items())},
        "files": {f: [n - lost_files[f], n] for f, n in sorted(files.items())},
        "survivors": [_survivor(r) for r in survivors],
    }


def _survivor(r: Result) -> dict[str, Any]:
    m = r.mutant
    return {"place": f"{m.file}:{m.line}", "scope": m.scope, "kind": m.kind, "change": m.shown, "items": r.items,
            "equivalent": reason(m)}  # fmt: skip


def page(data: dict[str, Any]) -> str:
    out = [
        f"# Mutants of the {data['dialect']} dialect",
        "",
        f"`python -m tests.dialect_mutation {data['options']}`: {data['judged']} of {data['mutants']} mutants judged by "
        f"{data['items']} tests in {data['seconds'] / 60:.0f} minutes of one core; {data['killed']} killed, "
        f"{data['equivalent']} equivalent: **{data['score']:.1%}**.",
        "",
        "| kind | killed or equivalent | of |",
        "|---|--:|--:|",
        *(f"| {k} | {a} | {n} |" for k, (a, n) in data["kinds"].items()),
        "",
        "| file | killed or equivalent | of |",
        "|---|--:|--:|",
        *(f"| {f} | {a} | {n} |" for f, (a, n) in data["files"].items()),
    ]
    for title, kept in (("Survivors", False), ("Equivalent", True)):
        rows = [s for s in data["survivors"] if (s["equivalent"] is not None) == kept]
        if rows:
            out += ["", f"## {title}", ""]
            for s in rows:
                why = f" — {s['equivalent']}" if kept else f" ({s['items']} tests touch it)"
                out.append(f"- `{s['place']}` {s['scope']}, {s['kind']}: `{s['change'].replace('`', chr(39))}`{why}")
    return "\n".join([*out, ""])
