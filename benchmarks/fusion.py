"""
Fusion of the networks of `examples/models`: kernels, bytes through global memory and estimated time under each strategy of
`form-regions`, and under emulations of what XLA and Inductor choose; no GPU is needed.

    python benchmarks/fusion.py --out benchmarks/results/DATE-fusion.json

All share the templates, the legality and the cost model of ptir, so that only the choices differ. The emulations are written from the
peers' documentation and code, as far as they are known:

- **XLA**: contractions are calls of a library, alone but for attention. Of the rest, a producer is fused into all of its users or into
  none, the one that saves most time first; then kernels that share an operand are merged into one of several results, as long as that
  saves time (priority fusion, multi-output fusion).
- **Inductor**: contractions are calls of a library. The other ops start apart, and pairs of kernels are merged, the pair that shares most
  bytes first, as long as a kernel can compute both; nothing is computed twice.

All kernels are those of the blocks that `form-regions` cuts, after the passes of `ptir-to-cuda` before it: equal layers are one function,
which counts as often as it is called. Times are the model's, of the real sizes of each network with weights of bf16. `seconds` are those of
the processor for the choice itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

from report import publish, table
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block

import ptir
from ptir.analysis.program.signature import entry_function
from ptir.analysis.regions.candidates import Candidates
from ptir.analysis.regions.fusion import Fusion
from ptir.analysis.regions.fusion_graph import bits
from ptir.analysis.regions.kernel import Kernel
from ptir.passes.environment import make_context
from ptir.planning.fusion.columns import Column, FusionModel, fixed_columns, in_order
from ptir.planning.fusion.exact import exact
from ptir.planning.fusion.greedy import greedy
from ptir.planning.fusion.strategies import apart, maximal, without_epilogues
from ptir.runtime.compile import keep_only, to_regions
from ptir.targets.machines import machine_of
from ptir.transforms.specialize_sizes import SpecializeSizes, sizes_by_key

sys.path.append(str(Path(__file__).resolve().parent.parent))
from examples.models import NETWORKS, network

ARCHS = ("sm80", "sm90")
WAYS = ("none", "XLA", "Inductor", "greedy", "maximal", "exact")


def lowered(name: str, arch: str, choose: Callable[[Fusion], list[Kernel] | None]) -> None:
    """Runs the passes of `ptir-to-cuda` on a network of its last configuration, up to `form-regions`, whose kernels `choose` chooses."""
    built = network(name)
    config = built.CONFIGS[list(built.CONFIGS)[-1]]
    config = replace(config, dtype="bf16")
    module, inputs = ptir.parse(str(built.build(config))), built.inputs(config, 1)
    function = entry_function(module, None)
    if keys := sizes_by_key(function):
        hints = [a.name_hint or "" for a in function.body.block.args]
        text = ",".join(dict.fromkeys(f"{key}={inputs[hints[k]].shape[axis]}" for k, axis, key in keys))
        ptir.PassManager([SpecializeSizes(text, function.sym_name.data)], make_context()).run(module)
        keep_only(module, function.sym_name.data)
    with patch("ptir.transforms.form_regions.choice", lambda *_: choose):
        ptir.PassManager(to_regions(arch)).run(module)


def calls_of(block: Block) -> int:
    """Returns how often the program calls the function of a block, 1 for its own: equal layers are one function."""
    function = block.parent_op()
    module = function.parent_op() if isinstance(function, FuncOp) else None
    if module is None or not isinstance(function, FuncOp):
        return 1
    calls = [o for o in module.walk() if isinstance(o, CallOp) and o.callee.string_value() == function.sym_name.data]
    return max(1, len(calls))


def is_call(model: FusionModel, nodes: int) -> bool:
    """Whether a set of nodes is computed by a call of a library."""
    return any(nodes >> n & 1 for n in model.graph.anchors)


def legal(model: FusionModel, nodes: int, stored: int) -> Column | None:
    """Returns the kernel of a peer, or None: it is a call of one op, or has none."""
    return None if nodes & (nodes - 1) and is_call(model, nodes) else model.column(nodes, stored)


def xla(model: FusionModel) -> list[Column]:
    """Returns the kernels that XLA would choose."""
    graph = model.graph
    apart_ = {c.stored.bit_length() - 1: c for c in apart(model) if c.stored.bit_count() == 1}
    kept = sum(1 << n for n in apart_)
    made = dict(apart_)
    while True:
        best: tuple[float, int, dict[int, Column]] | None = None
        for node in bits(kept & ~graph.required):
            users = {n: c for n, c in made.items() if c.read >> node & 1}
            new: dict[int, Column] = {}
            for user in users:
                nodes = graph.slice_of(1 << user, kept & ~(1 << node) & ~(1 << user))
                if (column := legal(model, nodes, 1 << user)) is None:
                    break
                new[user] = column
            if not users or len(new) < len(users):
                continue
            saved = made[node].time + sum(c.time for c in users.values()) - sum(c.time for c in new.values())
            if saved > 1e-9 and (best is None or (saved, node) > best[:2]):
                best = saved, node, new
        if best is None:
            break
        kept &= ~(1 << best[1])
        del made[best[1]]
        made |= best[2]
    return merged(model, [*made.values(), *fixed_columns(model)], lambda a, b, c: a.time + b.time - c.time)


def inductor(model: FusionModel) -> list[Column]:
    """Returns the kernels that Inductor would choose."""

    def size(c: Column) -> float:
        found = model.terms(c.nodes, c.stored)
        return inf if isinstance(found, str) else found.bytes

    return merged(model, apart(model), lambda a, b, c: size(a) + size(b) - size(c))


def merged(
    model: FusionModel, kernels: Sequence[Column], score: Callable[[Column, Column, Column], float]
) -> list[Column]:
    """Merges the pair of kernels with the highest positive score until there is none."""
    graph, out = model.graph, list(kernels)
    known: dict[tuple[Column, Column], Column | None] = {}
    while True:
        best: tuple[float, Column, Column, Column] | None = None
        for a, b in combinations(out, 2):
            near = 0
            for node in bits(a.nodes):
                near |= graph.near[node] | 1 << node
            if not near & b.nodes:
                continue
            needed = graph.required
            for c in out:
                needed |= c.read if c is not a and c is not b else 0
            stored = (a.stored | b.stored) & needed
            if (a, b) not in known or (known[a, b] is not None and known[a, b].stored != stored):  # pyright: ignore[reportOptionalMemberAccess]
                known[a, b] = legal(model, a.nodes | b.nodes, stored) if stored else None
            if (c := known[a, b]) is None or (gain := score(a, b, c)) <= 1e-9 or (best and gain <= best[0]):
                continue
            if not in_order([*(k for k in out if k is not a and k is not b), c])[1]:
                best = gain, a, b, c
        if best is None:
            return in_order(out)[0]
        out = [k for k in out if k is not best[1] and k is not best[2]] + [best[3]]


def measure(name: str, arch: str) -> dict[str, Any]:
    """Returns the kernels, bytes, times and seconds of a network in each way."""
    machine = machine_of(arch)
    row: dict[str, Any] = {"network": name, "arch": arch, "blocks": 0, "nodes": 0, "complete": True}
    row |= {f"{way} {what}": 0 for what in ("kernels", "MB", "us", "seconds") for way in WAYS}

    def choose(fusion: Fusion) -> None:
        """Adds a block to the row; the kernels of `maximal` go on."""
        count = calls_of(fusion.block)
        complete = True

        def exactly(model: FusionModel) -> list[Column]:
            nonlocal complete
            known = maximal(model)
            solution = exact(model, [*known, *without_epilogues(model, known)])
            complete = solution.complete
            return list(solution.columns)

        ways: dict[str, Callable[[FusionModel], list[Column]]] = {
            "none": apart,
            "XLA": xla,
            "Inductor": inductor,
            "greedy": greedy,
            "maximal": maximal,
            "exact": exactly,
        }
        for way, chosen in ways.items():
            start = time.process_time()
            model = FusionModel(Candidates(fusion, whole=way == "none"), machine)
            columns = chosen(model)
            row[f"{way} seconds"] += time.process_time() - start
            terms = [model.terms(c.nodes, c.stored) for c in columns]
            row[f"{way} kernels"] += count * len(columns)
            row[f"{way} MB"] += count * sum(0 if isinstance(t, str) else t.bytes for t in terms) / 1e6
            row[f"{way} us"] += count * sum(c.time for c in columns)
            if way == "exact":
                row["blocks"] += len(model.graph) > 0
                row["nodes"] += len(model.graph)
        row["complete"] &= complete

    lowered(name, arch, choose)
    return {k: round(v, 2) if isinstance(v, float) else v for k, v in row.items()}


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as tables."""
    lines = [
        "# Fusion by strategy",
        "",
        "By `benchmarks/fusion.py`: networks of their real sizes, weights of bf16; times by the cost model of `planning/fusion/cost.py`. "
        "XLA and Inductor are emulations with the templates of ptir, described in the script. Loops count once, equal layers as often as they are.",
    ]
    for what, title in (
        ("us", "Estimated time, µs"),
        ("kernels", "Kernels"),
        ("MB", "Bytes through global memory, MB"),
    ):
        lines += ["", f"## {title}", ""]
        lines += table(
            ("network", "arch", *WAYS),
            [[r["network"], r["arch"], *(r[f"{way} {what}"] for way in WAYS)] for r in report["rows"]],
        )
    lines += ["", "## Seconds of the processor to choose", ""]
    names = ("greedy", "exact")
    lines += table(
        ("network", "arch", "blocks", "nodes", *names, "all candidates"),
        [
            [
                r["network"],
                r["arch"],
                r["blocks"],
                r["nodes"],
                *(r[f"{n} seconds"] for n in names),
                "yes" if r["complete"] else "no",
            ]
            for r in report["rows"]
        ],
    )
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description="Kernels, bytes and estimated time of networks under each strategy of fusion."
    )
    parser.add_argument("--out", type=Path, help="the JSON to write; tables go beside it")
    parser.add_argument("--network", choices=NETWORKS, help="only this one")
    options = parser.parse_args(argv)
    rows = [measure(name, arch) for name in NETWORKS if options.network in (None, name) for arch in ARCHS]
    report: dict[str, Any] = {"rows": rows}
    publish(report, markdown(report), options.out)


if __name__ == "__main__":
    main()
