"""Reports a campaign as JSON and as a page of Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ptir.backends.cuda.nvrtc import nvrtc_version

from .campaign import Result, Tally
from .judge import UNCOUNTED
from .kernels import KERNELS


def to_dict(tallies: Iterable[Tally], seed: int, seconds: float) -> dict[str, Any]:
    tallies = list(tallies)
    return {
        "seed": seed,
        "nvrtc": nvrtc_version(),
        "seconds": round(seconds),
        "mutants": sum(len(t.results) for t in tallies),
        "counted": sum(len(t.counted) for t in tallies),
        "caught": sum(t.caught for t in tallies),
        "survivors": sum(len(t.survivors) for t in tallies),
        "unproved": sum(len(t.unproved) for t in tallies),
        "kernels": {t.kernel: _kernel(t) for t in tallies},
    }


def _kernel(t: Tally) -> dict[str, Any]:
    kernel = KERNELS[t.kernel]
    operators = sorted({r.mutant.operator for r in t.results})
    return {
        "shows": kernel.shows,
        "size": list(kernel.size),
        "dtype": kernel.dtype,
        "sites": t.mutants,
        "judged": len(t.results),
        "counted": len(t.counted),
        "caught": t.caught,
        "unproved": len(t.unproved),
        "share": round(t.share, 4),
        "verdicts": dict(t.verdicts.most_common()),
        "operators": {o: _split([r for r in t.results if r.mutant.operator == o]) for o in operators},
        "slower": [_place(r) | {"detail": r.detail} for r in _sorted(t.results) if r.verdict == "slower"],
        "survivors": [_place(r) | {"proof": t.proved(r)} for r in _sorted(t.survivors)],
    }


def _sorted(results: Iterable[Result]) -> list[Result]:
    return sorted(results, key=lambda r: (r.mutant.start, r.mutant.operator, r.mutant.new))


def _split(results: list[Result]) -> dict[str, int]:
    uncounted = sum(r.verdict in UNCOUNTED for r in results)
    alive = sum(r.verdict in ("alive", "same trace") for r in results)
    return {"uncounted": uncounted, "caught": len(results) - uncounted - alive, "survived": alive}


def _place(r: Result) -> dict[str, Any]:
    m = r.mutant
    return {"line": m.line, "function": m.function, "operator": m.operator, "changed": m.changed}


def write(path: Path, data: dict[str, Any]) -> None:
    """Writes the JSON to `path`, and the page to the same name with the suffix `.md`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page(data), encoding="utf-8")


def page(data: dict[str, Any]) -> str:
    rows = [
        "# Bugs at every site",
        "",
        f"`python -m tests.mutation --kernel all --seed {data['seed']}`: {data['mutants']:,} mutants in "
        f"{data['seconds'] / 60:.0f} min of judging (all processes together), NVRTC {data['nvrtc']}.",
        "",
        "| kernel | | sites | judged | not counted | caught | slower only | equivalent | unproved | caught of counted | of not equivalent |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, k in data["kernels"].items():
        size = " × ".join(map(str, k["size"]))
        proved = len(k["survivors"]) - k["unproved"]
        rows.append(
            f"| {name} | {size} {k['shows']} | {k['sites']:,} | {k['judged']:,} | {k['judged'] - k['counted']:,} | "
            f"{k['caught']:,} | {len(k['slower'])} | {proved} | {k['unproved']} | "
            f"{100 * k['caught'] / max(1, k['counted']):.1f} % | {100 * k['share']:.1f} % |"
        )
    rows += [
        "",
        "Not counted: mutants that do not compile, or whose PTX or SASS is that of the original. Slower only: caught by a",
        "counter (shared wavefronts, bank conflicts, sectors, bytes, copies in flight), the result is right. Equivalent: a",
        "survivor of which that is proved; `same trace`: every thread does the same to memory in the same order, whatever",
        "the data, and the results on random numbers, NaN and infinities are the same bit for bit.",
    ]
    for name, k in data["kernels"].items():
        rows += ["", f"## {name}", "", "| operator | not counted | caught | survived |", "| --- | ---: | ---: | ---: |"]
        rows += [f"| {o} | {s['uncounted']} | {s['caught']} | {s['survived']} |" for o, s in k["operators"].items()]
        rows += ["", "Verdicts: " + ", ".join(f"{v} {n}" for v, n in k["verdicts"].items()) + "."]
        if k["survivors"]:
            rows += ["", "Survivors:", ""]
        rows += [
            f"- line {s['line']}, {s['operator']}: {s['changed']}\n  {s['proof'] or 'UNPROVED'}" for s in k["survivors"]
        ]
        if k["slower"]:
            rows += ["", "Slower only, seen by counters:", ""]
        rows += [f"- line {s['line']}, {s['operator']}: {s['changed']} — {s['detail']}" for s in k["slower"]]
    return "\n".join(rows) + "\n"
