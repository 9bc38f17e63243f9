"""
Counts of the kernels of attention on sm90 and sm80: registers, spills, and the instructions of the loops over keys, from SASS.

    python -m venv /tmp/triton && /tmp/triton/bin/pip install triton
    python benchmarks/attention_quality.py --triton /tmp/triton/bin/python --out benchmarks/results/DATE-attention-quality.json

compiles the programs of `tests/unit/builders/attention_cases.py` for 4096 queries and keys, and writes the JSON and, beside it, a table. A
score is an element of q · k; each thread of a consumer warpgroup has half a row of a tile's scores. A row of a table is a loop over tiles
of keys: those that a mask leaves whole come first, then those that it cuts. Instructions are those of one iteration, by the scores of a
thread; on sm90, the exponentials between the two waits run under the second product. Bank conflicts and sectors are those of the
same plan for `SMALL` queries and keys of one head in the emulator, which counts them; the least sectors are those of the arrays, of
which each tile of queries reads the keys and values again. With `--triton`, the loops stand beside those of Triton's kernels
(`triton_attention.py`).
"""

from __future__ import annotations

import argparse
import base64
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.dialects.plan.schedule import Schedule
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.targets.architectures import WARP

sys.path.insert(0, str(Path(__file__).parent))

from attentions import TRITON, Attention
from plans import pin, regions
from report import publish, table
from row_comparison import registers
from triton_server import Triton

LENGTH, SMALL = 4096, 256
HEADS = 64
"""The number of heads, on which plans depend: with few blocks, they divide the keys."""
CASES = [
    *(Attention(LENGTH, LENGTH, size=size, mask=mask) for size in (64, 128, 256) for mask in ("none", "causal")),
    Attention(LENGTH, LENGTH, size=128, mask="window", window=1024),
    Attention(LENGTH, LENGTH, size=128, mask="documents"),
    Attention(LENGTH, LENGTH, size=128, mask="lengths"),
    Attention(LENGTH, LENGTH, size=128, mask="causal", bias="alibi"),
    Attention(LENGTH, LENGTH, size=128, bias="tensor"),
    Attention(LENGTH, LENGTH, size=128, mask="causal", cap=30.0),
]
COLUMNS = {
    "size": "head size",
    "scores": "scores",
    "tile": "tile",
    "registers": "registers",
    "spill_bytes": "spilled",
    "shared_bytes": "shared bytes",
    "conflicts": "bank conflicts",
    "sectors": "sectors",
    "least": "least",
    "remarks": "remarks of ptxas",
    "instructions": "instructions an iteration",
    "per_score": "instructions a score",
    "under": "under the second product",
    "after": "under no product",
    "hgmma": "HGMMA",
    "exponentials": "EX2 before, between and after the waits",
}
COUNTED = {"hmma": "HMMA", "ldmatrix": "LDSM", "exponentials": "MUFU", "copies": "LDGSTS", "shuffles": "SHFL"}
"""The instructions that are counted in a loop on sm80."""
COLUMNS_SM80 = {
    "size": "head size",
    "scores": "scores",
    "tile": "tile",
    "warp_tile": "of a warp",
    "registers": "registers",
    "spill_bytes": "spilled",
    "shared_bytes": "shared bytes",
    "conflicts": "bank conflicts",
    "sectors": "sectors",
    "least": "least",
    "instructions": "instructions an iteration",
    "per_score": "instructions a score",
    "seldom": "without rescaling",
    **COUNTED,
}


def scheduled(program: Program) -> Schedule:
    """Returns the plan of the only kernel."""
    return next(op for op in program.module.walk() if "nv.plan" in op.attributes).attributes["nv.plan"].schedule()


def head(case: Attention, program: Program) -> dict[str, Any]:
    """Returns what the rows of one kernel have in common."""
    (used,) = program.binary.kernels.values()
    (launch,) = (op for op in program.module.walk() if op.name == "nv.launch")
    scores = [case.mask, *([case.bias] if case.bias != "none" else []), *(["cap"] if case.cap else [])]
    return {
        "size": case.size,
        "scores": " ".join(scores),
        "tile": "x".join(map(str, scheduled(program).tile)),
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
        "shared_bytes": launch.properties["shared"].value.data + used.static_shared,  # pyright: ignore[reportAttributeAccessIssue]
        **moved(case, scheduled(program)),
    }


def moved(case: Attention, plan: Schedule) -> dict[str, int]:
    """Returns the bank conflicts and sectors of the plan for `SMALL` queries and keys of one head, and the sectors of its arrays."""
    small, device = replace(case, queries=SMALL, keys=SMALL, heads=1), Emulator()
    module = pin(regions(small.text, plan.arch), plan)
    data = small.operands(0)
    (result,) = execute(compile_module(module, plan.arch), data, device)
    (report,) = device.reports
    return {
        "conflicts": report.conflicts,
        "sectors": report.global_bytes // 32,
        "least": sum(-(-a.nbytes // 32) for a in (*data, result)),
    }


def measure_sm80(case: Attention) -> list[dict[str, Any]]:
    """Returns the rows of one kernel, one for each loop over keys."""
    program = compile_module(ptir.parse(replace(case, heads=HEADS).text), "sm80")
    (function,) = sass.instructions(program.binary.cubin).values()
    plan = scheduled(program)
    scores = plan.warp[0] * plan.tile[2] / WARP
    loops = sorted((loop for loop in sass.loops(function) if sass.by_name(loop)["HMMA"]), key=len)
    return [
        {
            **head(case, program),
            "warp_tile": plan.warp_tile,
            "instructions": len(loop),
            "per_score": round(len(loop) / scores, 2),
            "seldom": round((len(loop) - under_vote(loop)) / scores, 2),
            **{key: sass.by_name(loop)[name] for key, name in COUNTED.items()},
        }
        for loop in loops
    ]


def under_vote(loop: Sequence[sass.Instruction]) -> int:
    """Returns the number of instructions that a warp skips after a vote: the products of accumulators with factors of 1."""
    votes = [k for k, i in enumerate(loop) if i.name == "VOTE"]
    for k in votes:
        for branch in loop[k:]:
            if branch.target is not None and branch.address < branch.target <= loop[-1].address:
                return sum(branch.address < i.address < branch.target for i in loop)
    return 0


def measure(case: Attention) -> list[dict[str, Any]]:
    """Returns the rows of one kernel, one for each loop over keys."""
    program = compile_module(ptir.parse(replace(case, heads=HEADS).text), "sm90")
    (function,) = sass.instructions(program.binary.cubin).values()
    return [
        {
            **head(case, program),
            "remarks": len(program.binary.remarks),
            "instructions": len(loop.instructions),
            "per_score": round(len(loop.instructions) / (scheduled(program).tile[-1] / 2), 2),
            "under": loop.last_wait - loop.first_wait,
            "after": len(loop.after),
            "hgmma": sass.by_name(loop.instructions)["HGMMA"],
            "exponentials": " ".join(map(str, loop.exponentials)),
        }
        for loop in sass.product_loops(function)
    ]


def innermost(function: Sequence[sass.Instruction]) -> list[list[sass.Instruction]]:
    """Returns the loops with products and exponentials, of overlapping ones the shortest: ptxas moves waits to a function's end."""
    found: list[list[sass.Instruction]] = []
    for loop in sorted(sass.loops(function), key=len):
        names = sass.by_name(loop)
        apart = all(loop[-1].address < o[0].address or o[-1].address < loop[0].address for o in found)
        if names["HMMA"] + names["HGMMA"] and exponentials(loop) and apart:
            found.append(loop)
    return found


def exponentials(loop: Sequence[sass.Instruction]) -> int:
    return sum(i.opcode.startswith("MUFU.EX2") for i in loop)


def beside(kernel: str, cubin: bytes, scores: float, facts: dict[str, Any]) -> dict[str, Any]:
    """Returns the row of a kernel in the comparison; a thread has `scores` scores of a tile. The first loop is over whole tiles."""
    (function,) = sass.instructions(cubin).values()
    local = sum(i.name in ("LDL", "STL") for i in function)
    row = {"kernel": kernel, **facts, "registers": registers(cubin), "local": local}
    for name, loop in zip(("whole", "cut"), innermost(function), strict=False):
        row |= {name: round(len(loop) / scores, 2), f"{name}_ex2": round(exponentials(loop) / scores, 2)}
    return row


def compared(triton: Triton, arch: str, case: Attention) -> list[dict[str, Any]]:
    """Returns the rows of this project's kernel and of Triton's."""
    program = compile_module(ptir.parse(replace(case, heads=HEADS).text), arch)
    plan, what = scheduled(program), {"arch": arch, "size": case.size, "scores": case.mask}
    rows = plan.tile[0] // plan.consumers // 4 if plan.warp_specialized else plan.warp[0]
    facts = what | {"tile": f"{plan.tile[0]}x{plan.tile[2]}", "warps": plan.tile[0] // rows}
    ours = beside("ours", program.binary.cubin, rows * plan.tile[2] / WARP, facts)
    best = TRITON[arch, case.size]
    answer = triton.compile(arch=int(arch[2:]), size=case.size, causal=case.mask == "causal", **asdict(best))
    facts = what | {"tile": "x".join(map(str, best.tile)), "warps": best.warps}
    scores = best.tile[0] * best.tile[1] / (WARP * best.warps)
    return [ours, beside(f"Triton's, {best.form}", base64.b64decode(answer["cubin"]), scores, facts)]


COMPARED = {
    "arch": "arch",
    "size": "head size",
    "scores": "scores",
    "kernel": "kernel",
    "tile": "queries x keys",
    "warps": "warps that multiply",
    "registers": "registers",
    "local": "accesses to local memory",
    "whole": "instructions a score",
    "whole_ex2": "EX2 a score",
    "cut": "in cut tiles",
    "cut_ex2": "EX2 in cut tiles",
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Counts of the kernels of attention on sm90 and sm80.")
    parser.add_argument("--triton", help="the Python of an environment that has Triton")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    options = parser.parse_args(argv)
    report: dict[str, Any] = {"nvrtc": nvrtc_version()}
    lines: list[str] = []
    if options.triton:
        triton = Triton(options.triton, "triton_attention.py")
        report["triton"] = triton.version
        cases = [(arch, case) for arch in ("sm80", "sm90") for case in CASES if not case.cap and case.bias == "none"]
        rows = [row for arch, case in cases if case.mask in ("none", "causal") for row in compared(triton, arch, case)]
        report["compared"] = rows
        lines += [
            "# Attention and Triton's",
            "",
            f"Triton {triton.version} with tiles that the tutorial tries, chosen by hand.",
            "",
            *table(list(COMPARED.values()), ([row.get(key, "") for key in COMPARED] for row in rows)),
            "",
        ]
    for arch, of, columns in (("sm90", measure, COLUMNS), ("sm80", measure_sm80, COLUMNS_SM80)):
        rows = [row for case in CASES for row in of(case)]
        report["kernels" if arch == "sm90" else "kernels_sm80"] = rows
        lines += [
            f"# Attention on {arch}",
            "",
            f"By `benchmarks/attention_quality.py` with NVRTC {nvrtc_version()}: {LENGTH} queries and keys, bf16, {HEADS} heads.",
            "",
            *table(list(columns.values()), ([row[key] for key in columns] for row in rows)),
            "",
        ]
    publish(report, "\n".join(lines), options.out)


if __name__ == "__main__":
    main()
