"""
Fusion by cost: the exact strategy against enumeration, its determinism, and the results of programs under each strategy.

The enumeration shares legality and times with the strategy, but neither how candidates grow nor the integer program.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache
from math import inf
from os import environ
from pathlib import Path
from random import Random

import pytest
from xdsl.dialects.func import FuncOp

from examples.models import network
from ptir.analysis.errors import KernelsWait
from ptir.analysis.poly.answers import ComputeAt
from ptir.analysis.poly.core import PolyCore
from ptir.analysis.regions.candidates import Candidates
from ptir.analysis.regions.fusion import Fusion
from ptir.analysis.regions.fusion_graph import bits
from ptir.analysis.regions.kernel import Kernel
from ptir.dialects import tiny
from ptir.errors import Unsupported
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.planning.fusion import strategies
from ptir.planning.fusion.columns import Column, FusionModel, grown, in_order
from ptir.planning.fusion.exact import exact, solve
from ptir.planning.fusion.explain import fusion_explanation
from ptir.planning.fusion.greedy import Growth, greedy
from ptir.planning.fusion.strategies import apart, maximal, optimal
from ptir.targets.machines import MACHINES
from ptir.text.parsing import parse_text
from tests.fusion_orders.answer import answer
from tests.random_programs import affine
from tests.random_programs.check import Checker
from tests.random_programs.generator import generate
from tests.random_programs.partitions import random_partition, random_partitions

ARCH = "arch=sm80"


def lowered(text: str) -> FuncOp:
    module = PassManager("ptir-to-tiny,cse").run(parse_text(text, make_context()))
    return next(o for o in module.ops if isinstance(o, FuncOp))


def model(function: FuncOp, machine: str = "a100", *, whole: bool = False) -> FusionModel:
    return FusionModel(Candidates(Fusion(function), whole), MACHINES[machine])


def time(columns: list[Column]) -> float:
    return sum(c.time for c in columns)


# --- enumeration ------------------------------------------------------------------------------------


def kernels(m: FusionModel, *, convex: bool = True) -> Iterator[Column]:
    """Yields a column for each set of nodes and each choice of what it stores, whether it could have grown or not."""
    graph = m.graph
    for count in range(1, len(graph) + 1):
        for nodes in (sum(1 << n for n in c) for c in itertools.combinations(range(len(graph)), count)):
            if (not convex or graph.hull(nodes) == nodes) and connected(m, nodes):
                for stored in m.choices(nodes):
                    if (c := m.column(nodes, stored)) is not None:
                        yield c


def connected(m: FusionModel, nodes: int) -> bool:
    part, before = nodes & -nodes, 0
    while part != before:
        before = part
        for node in bits(part):
            part |= m.graph.near[node] & nodes
    return part == nodes


def fastest(m: FusionModel, *, convex: bool = True) -> float:
    """Returns the time of the fastest kernels, by search over all choices of them."""
    makers: dict[int, list[Column]] = {}
    for c in kernels(m, convex=convex):
        for node in bits(c.stored):
            makers.setdefault(node, []).append(c)
    best = inf

    def search(needed: int, have: int, spent: float, chosen: list[Column]) -> None:
        nonlocal best
        if spent >= best:
            return
        if not needed:
            if not in_order(chosen)[1]:
                best = spent
            return
        for c in makers[needed.bit_length() - 1]:
            if not c.stored & have:
                search((needed | c.read) & ~(have | c.stored), have | c.stored, spent + c.time, [*chosen, c])

    search(m.graph.required, 0, 0.0, [])
    return best


def program(seed: int) -> str:
    """Returns a random program of elementwise ops, reductions, broadcasts and products of 64×64 arrays, of which several values are results."""
    rng = Random(seed)
    t, row = "tensor<256x256xf32>", "tensor<256x1xf32>"
    lines, wide, rows = list[str](), ["%x", "%y"], list[str]()
    for k in range(rng.randint(3, 6)):
        name, kind = f"%v{k}", rng.choice(("unary", "binary", "binary", "sum", "wide", "dot"))
        a, b = rng.choice(wide), rng.choice(wide)
        match kind:
            case "unary":
                lines.append(f"{name} = ptir.exp {a} : {t}")
            case "binary":
                lines.append(f"{name} = ptir.mul {a}, {b} : {t}")
            case "sum":
                lines.append(f"{name} = ptir.reduce sum {a} axes [1] keepdims accum f32 out f32 : {t} -> {row}")
                rows.append(name)
                continue
            case "wide" if rows:
                lines.append(f"{name}b = ptir.broadcast_to {rng.choice(rows)} : {row} -> {t}")
                lines.append(f"{name} = ptir.sub {a}, {name}b : {t}")
            case _:
                half = "tensor<256x256xbf16>"
                lines += [f"{name}{s} = ptir.cast {v} : {t} -> {half}" for s, v in (("l", a), ("r", b))]
                lines.append(
                    f"{name} = ptir.dot_general {name}l, {name}r contract [1] x [0] accum f32 out f32 : ({half}, {half}) -> {t}"
                )
        wide.append(name)
    results = list(dict.fromkeys([wide[-1], rng.choice(wide[2:] or wide)]))
    if results[0] in ("%x", "%y"):
        lines, results = [f"%v = ptir.exp %x : {t}"], ["%v"]
    types = ", ".join(t for _ in results)
    body = "\n".join([*lines, f"func.return {', '.join(results)} : {types}"])
    return f"func.func @f(%x: {t}, %y: {t}) -> ({types}) {{\n{body}\n}}"


@pytest.mark.parametrize("seed", range(12))
def test_the_exact_strategy_finds_the_optimum(seed: int):
    m = model(lowered(program(seed)), whole=seed % 2 == 1)
    if len(m.graph) > 12:
        pytest.skip("too many sets to enumerate")
    found = exact(m)
    assert found.complete
    assert found.time == pytest.approx(fastest(m), abs=1e-4)
    for way in (greedy, maximal, apart):
        columns = list(way(m))
        assert time(columns) >= found.time - 1e-4
        assert columns and not m.graph.required & ~sum(c.stored for c in columns)


@pytest.mark.parametrize("axis", [0, 1])
def test_reductions_whose_results_are_moved_share_a_kernel(axis: int):
    """No template stores a reduction and the movement of another one: growth adds a reduction and its movement at once."""
    x, reduced = "tensor<128x128xf32>", ("tensor<1x128xf32>", "tensor<128x1xf32>")[axis]
    m = model(
        lowered(f"""
        func.func @f(%x: {x}, %y: {x}) -> ({x}, {reduced}, {reduced}) {{
          %e = ptir.exp %y : {x}
          %a = ptir.reduce max %x axes [{axis}] keepdims : {x} -> {reduced}
          %b = ptir.reduce max %e axes [{axis}] keepdims : {x} -> {reduced}
          func.return %e, %a, %b : {x}, {reduced}, {reduced}
        }}""")
    )
    found = exact(m)
    assert found.time == pytest.approx(fastest(m), abs=1e-4)
    assert found.time < time(maximal(m)) - 1


@pytest.mark.parametrize("length", [2, 3, 6])
def test_of_a_cycle_of_kernels_one_is_replaced_by_a_slower_one(length: int):
    wide, row = "tensor<8x256xf32>", "tensor<8xf32>"
    args = ", ".join(f"%x{k}: {wide}" for k in range(6))
    body = " ".join(f"%{k} = ptir.reduce sum %x{k} axes [1] : {wide} -> {row}" for k in range(6))
    results, types = ", ".join(f"%{k}" for k in range(6)), ", ".join([row] * 6)
    graph = model(lowered(f"func.func @f({args}) -> ({types}) {{ {body} func.return {results} : {types} }}")).graph
    assert graph.required == graph.every == 0b111111
    waiting = [Column(graph.every, 1 << k, 1 << (k + 1) % length, 1.0) for k in range(length)]
    slower = [Column(graph.every, 1 << k, 0, 5.0 + k) for k in range(length)]
    rest = graph.every & ~((1 << length) - 1)
    others = [Column(graph.every, rest, 0, 1.0)] if rest else []
    assert {*solve(graph, [*waiting, *slower, *others])} == {*others, slower[0], *waiting[1:]}


def test_a_search_of_too_many_nodes_ends_with_other_kernels(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr("ptir.planning.fusion.exact.MAX_NODES", 0)
    m = model(crossed())
    with caplog.at_level("INFO"):
        assert optimal(m) == greedy(m)
    assert "has ended after 0 nodes: those of strategy=greedy are taken" in caplog.text


def test_few_optima_are_not_convex():
    """Candidates are convex sets. Of these programs, one has faster kernels of which one computes a value that another, between its ops, does too."""
    models = {seed: model(lowered(program(seed)), whole=seed % 2 == 1) for seed in range(10, 30)}
    small = {seed: m for seed, m in models.items() if len(m.graph) <= 12}
    assert len(small) == 20
    assert [seed for seed, m in small.items() if fastest(m, convex=False) < fastest(m) - 1e-4] == [17]


# --- determinism ------------------------------------------------------------------------------------


def block_of(name: str) -> FuncOp:
    built = network(name)
    module = PassManager("ptir-to-tiny,cse").run(built.build(built.CONFIGS["tiny"]))
    return next(o for o in module.ops if isinstance(o, FuncOp))


in_program_order = cache(lambda: answer("mamba", "exact", 0))


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(1, 21))
def test_the_order_of_ops_does_not_matter(seed: int):
    """A sample of `python -m tests.fusion_orders`: kernels, their plans, and how often each is launched."""
    assert answer("mamba", "exact", seed) == in_program_order()


def test_a_kernel_does_not_wait_for_a_call_that_reads_its_result():
    x = "tensor<256x256xf32>"
    m = model(
        lowered(f"""
        func.func @f(%x: {x}) -> {x} {{
          %a = ptir.exp %x : {x}
          %r = func.call @g(%a) : ({x}) -> {x}
          %b = ptir.mul %x, %r : {x}
          func.return %b : {x}
        }}
        func.func @g(%x: {x}) -> {x} {{
          %0 = ptir.neg %x : {x}
          func.return %0 : {x}
        }}""")
    )
    assert len(m.graph) == 2 and not isinstance(m.terms(0b11, 0b11), str)
    assert m.column(0b11, 0b11) is None
    assert len(optimal(m)) == 2 and len(greedy(m)) == 2


def test_equal_layers_are_judged_once(monkeypatch: pytest.MonkeyPatch):
    """Candidates of equal form have equal times, and those of later layers have the forms of the first."""
    x, row, layers = "tensor<256x256xf32>", "tensor<256x1xf32>", list[str]()
    for k in range(4):
        layers += [f"%e{k} = ptir.exp %x{k} : {x}", f"%s{k} = ptir.reduce sum %e{k} axes [1] keepdims : {x} -> {row}"]
        layers += [f"%b{k} = ptir.broadcast_to %s{k} : {row} -> {x}", f"%x{k + 1} = ptir.div %e{k}, %b{k} : {x}"]
    function = lowered("\n".join([f"func.func @f(%x0: {x}) -> {x} {{", *layers, f"func.return %x4 : {x} }}"]))
    m, apart = model(function), model(function)
    grown(m, m.graph.every, 200)
    monkeypatch.setattr(apart.candidates, "form", lambda *_: None)
    for (nodes, stored), found in m.times.items():
        want = apart.terms(nodes, stored)
        assert found == want if isinstance(want, str) else getattr(found, "total", None) == pytest.approx(want.total)
    assert len({m.candidates.form(*key) for key in m.times}) < 0.8 * len(m.times)


def test_other_ops_have_another_form():
    x = "tensor<256x256xf32>"
    ops = f"%a = ptir.exp %x : {x} %b = ptir.neg %x : {x} func.return %a, %b : {x}, {x}"
    m = model(lowered(f"func.func @f(%x: {x}) -> ({x}, {x}) {{ {ops} }}"))
    assert m.candidates.form(0b01, 0b01) != m.candidates.form(0b10, 0b10)


def test_empty_arrays_take_no_time_to_read():
    x = "tensor<0x4xf32>"
    m = model(lowered(f"func.func @f(%x: {x}) -> {x} {{ %0 = ptir.exp %x : {x} func.return %0 : {x} }}"))
    found = m.terms(1, 1)
    assert not isinstance(found, str) and found.memory == 0


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(1, 6))
def test_hash_seeds_do_not_matter(seed: int, tmp_path: Path):
    (path := tmp_path / "f.mlir").write_text(program(11))
    passes = "ptir-to-tiny,form-regions{arch=sm80}"
    command = [sys.executable, "-m", "ptir.tools.ptir_opt", path, "-p", passes]
    hashed = environ | {"PYTHONHASHSEED": str(seed)}
    output = subprocess.run(command, capture_output=True, text=True, env=hashed, check=True).stdout
    here = PassManager(passes).run(parse_text(program(11), make_context()))
    assert output.strip() == str(here).strip()


# --- results ----------------------------------------------------------------------------------------

STRATEGIES = ("none", "greedy", "exact")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("strategy", [*STRATEGIES, "random"])
def test_programs_have_the_same_results(strategy: str):
    """`make campaign` checks 300 programs of each strategy."""
    name = "greedy" if strategy == "random" else strategy
    pipeline = (
        f"ptir-flatten-tuples,ptir-to-tiny,tiny-emulate-int4,tiny-fold-empty,form-regions{{{ARCH} strategy={name}}}"
    )
    checker = Checker({strategy: pipeline}, quick=True)
    with random_partitions(1) if strategy == "random" else nullcontext():
        for index in range(4):
            case = generate(7, index, affine.OPTIONS, affine.ROWS)
            assert not checker.check(case)


def test_random_partitions_differ():
    m = model(lowered(program(4)))
    found = {tuple(random_partition(m, Random(seed))) for seed in range(6)}
    assert len(found) > 1
    assert all(not m.graph.required & ~sum(c.stored for c in columns) for columns in found)


def test_strategies_fuse_more_and_more():
    m = model(block_of("gpt2"))
    none, greedily, exactly = (list(way(m)) for way in (apart, greedy, optimal))
    assert len(none) > 2 * len(greedily) and len(greedily) >= len(exactly)
    assert time(none) > time(greedily) >= time(exactly)


def test_what_each_threshold_costs():
    """Each threshold of §4.2 is a penalty with its name, if the kernel exceeds it, and none otherwise."""
    wide, half = "tensor<256x256xf32>", "tensor<256x256xbf16>"
    dot = f"ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : ({half}, {half}) -> {wide}"
    reads = "\n".join(f"%s{k + 1} = ptir.add %s{k}, %r{k} : {wide}" for k in range(4))
    more = ", ".join(f"%r{k}: {wide}" for k in range(4))
    epilogue = (
        f"func.func @f(%a: {half}, %b: {half}, {more}) -> {wide} {{ %s0 = {dot}\n{reads}\nfunc.return %s4 : {wide} }}"
    )
    computed = (
        f"func.func @f(%x: {wide}, %y: {wide}) -> {wide} {{ %a = ptir.cast %x : {wide} -> {half}\n"
        f"%b = ptir.cast %y : {wide} -> {half}\n%s = {dot}\nfunc.return %s : {wide} }}"
    )
    row = "tensor<4x100000xf32>"
    rows = (
        f"func.func @f(%x: {row}) -> {row} {{ %s = ptir.reduce sum %x axes [1] keepdims accum f32 out f32 : {row} -> tensor<4x1xf32>\n"
        f"%w = ptir.broadcast_to %s : tensor<4x1xf32> -> {row}\n%d = ptir.sub %x, %w : {row}\nfunc.return %d : {row} }}"
    )
    turned = (
        f"func.func @f(%x: {wide}, %y: {wide}) -> {wide} {{ %t = ptir.transpose %x [1, 0] : {wide} -> {wide}\n"
        f"%d = ptir.add %t, %y : {wide}\nfunc.return %d : {wide} }}"
    )
    cases = {"registers": epilogue, "tma_wgmma": computed, "shared_memory": rows, "vector_width": turned}
    for name, text in cases.items():
        m = model(lowered(text), "h100")
        whole = m.terms(m.graph.every, m.graph.required)
        assert not isinstance(whole, str)
        assert [p.name for p in whole.penalties] == [name]
        assert all(p.time > 0 and p.value > p.limit for p in whole.penalties)
        assert not [
            p
            for k in range(len(m.graph))
            if not isinstance(t := m.terms(1 << k, 1 << k), str) and len(m.graph) > 1
            for p in t.penalties
        ]


def product(*after: str, result: str = "tensor<256x256xf32>") -> FusionModel:
    """Returns the model of a product %0 and what follows it."""
    half = "tensor<256x256xbf16>"
    dot = f"ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : ({half}, {half}) -> tensor<256x256xf32>"
    return model(lowered("\n".join([f"func.func @f(%a: {half}, %b: {half}) -> {result} {{ %0 = {dot}", *after, "}"])))


def test_a_value_is_a_node_where_the_fewest_bytes_are_stored():
    wide = "tensor<256x256xf32>"
    narrow, wider = (f"tensor<256x256x{t}>" for t in ("bf16", "f64"))
    for result, count in ((narrow, 1), (wider, 2)):
        m = product(f"%1 = ptir.cast %0 : {wide} -> {result}", f"func.return %1 : {result}", result=result)
        assert len(m.graph) == count
        assert [list(bits(c.stored)) for c in optimal(m)] == [[count - 1]]


def test_what_no_kernel_computes():
    """A product that is read at two indices of a result, or only in part, is stored."""
    wide = "tensor<256x256xf32>"
    turned = product(
        f"%1 = ptir.transpose %0 [1, 0] : {wide} -> {wide}",
        f"%2 = ptir.add %0, %1 : {wide}",
        f"func.return %2 : {wide}",
    )
    assert turned.terms(turned.graph.every, turned.graph.required) == "the contraction is not read one-to-one"
    assert len(optimal(turned)) == 2


def test_few_rows_are_slow():
    """Blocks of few rows have too few loads in flight."""

    def occupancy(rows: int) -> float:
        t, out = f"tensor<{rows}x4096xf32>", f"tensor<{rows}xf32>"
        reduce = f"ptir.reduce sum %x axes [1] accum f32 out f32 : {t} -> {out}"
        m = model(lowered(f"func.func @f(%x: {t}) -> {out} {{ %0 = {reduce}\nfunc.return %0 : {out} }}"))
        found = m.terms(m.graph.every, m.graph.required)
        assert not isinstance(found, str)
        return found.occupancy

    assert occupancy(2) > 0 == occupancy(4096)


def test_few_sums_that_one_thread_each_computes_are_slow():
    """Their addresses divide, so that no block shares the work: what they read is stored in one piece first."""
    x, y, six, wide, z, c = (
        f"tensor<2x{sizes}xf32>" for sizes in ("8x8x8", "4x4x24", "4x1x4x1x24", "4x2x4x2x24", "8x8x24", "8x8x32")
    )
    m = model(
        lowered(f"""
        func.func @f(%x: {x}, %y: {y}) -> tensor<2xf32> {{
          %0 = ptir.reshape %y : {y} -> {six}
          %1 = ptir.broadcast_to %0 : {six} -> {wide}
          %2 = ptir.reshape %1 : {wide} -> {z}
          %c = ptir.concat %x, %2 axis 3 : ({x}, {z}) -> {c}
          %m = ptir.reduce sum %c axes [1, 2, 3] : {c} -> tensor<2xf32>
          func.return %m : tensor<2xf32>
        }}""")
    )
    whole = m.terms(m.graph.every, m.graph.required)
    assert not isinstance(whole, str) and whole.occupancy > 50
    assert len(optimal(m)) == 2


@pytest.mark.parametrize("layers", [1, 2])
def test_one_kernel_is_not_searched_where_none_is_faster(layers: int, monkeypatch: pytest.MonkeyPatch):
    """A softmax is one kernel. Two products are two, which could be others."""
    searched: list[FusionModel] = []
    monkeypatch.setattr(strategies, "exact", lambda m, known: searched.append(m) or exact(m, known))
    t = "tensor<64x64xbf16>"
    dot = f"ptir.dot_general %{{}}, %w contract [1] x [0] accum f32 out bf16 : ({t}, {t}) -> {t}"
    body = "\n".join(f"%{k + 1} = {dot.format(k)}" for k in range(layers))
    text = f"func.func @f(%0: {t}, %w: {t}) -> {t} {{ {body}\nfunc.return %{layers} : {t} }}"
    PassManager("ptir-to-tiny,form-regions{arch=sm80}").run(parse_text(text, make_context()))
    assert len(searched) == layers - 1


def crossed() -> FuncOp:
    """Returns a function of two results, each computed from both of two large intermediate values."""
    x = "tensor<512x512xf32>"
    return lowered(f"""
        func.func @f(%x: {x}, %y: {x}) -> ({x}, {x}) {{
          %a = ptir.exp %x : {x}
          %b = ptir.exp %y : {x}
          %r = ptir.sub %a, %b : {x}
          %s = ptir.div %b, %a : {x}
          func.return %r, %s : {x}, {x}
        }}""")


def nodes_of(m: FusionModel, fn: str) -> dict[str, int]:
    """Returns the nodes of the ops of a function, by its name and, if there are several, their numbers."""
    ops = [(n, v.owner) for n, v in enumerate(m.graph.values)]
    found = [n for n, op in ops if isinstance(op, tiny.UnaryOp | tiny.BinaryOp) and op.fn.data == fn]
    return {fn + (str(k) if k else ""): n for k, n in enumerate(found)}


def test_a_greedy_kernel_does_not_wait_for_one_that_waits_for_it():
    m = model(crossed())
    number, exps = nodes_of(m, "sub") | nodes_of(m, "div"), list(nodes_of(m, "exp").values())
    first = m.column(1 << number["div"] | 1 << exps[0], 1 << number["div"] | 1 << exps[0])
    assert first is not None
    growth = Growth(m, number["sub"], [first])
    nodes = 1 << number["sub"] | 1 << exps[1]
    assert growth.waits(nodes, nodes) and not growth.waits(1 << number["sub"], 1 << number["sub"])
    assert not in_order(greedy(m))[1]


def test_kernels_that_wait_for_each_other_are_an_error():
    """A strategy that chose them has no other one in its place."""
    function = crossed()
    m = model(function)
    number, exps = nodes_of(m, "sub") | nodes_of(m, "div"), list(nodes_of(m, "exp").values())
    pairs = [1 << number["div"] | 1 << exps[0], 1 << number["sub"] | 1 << exps[1]]
    columns = [c for p in pairs if (c := m.column(p, p)) is not None]
    with pytest.raises(KernelsWait) as raised:
        Fusion(function, choose=lambda _: [m.kernel(c) for c in columns])
    assert "error[PTIR0256]: 2 kernels wait for each other, one of them for this op" in str(raised.value)


SOFTMAX = """
func.func @f(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = ptir.reduce max %x axes [1] keepdims : tensor<64x256xf32> -> tensor<64x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<64x1xf32> -> tensor<64x256xf32>
  %2 = ptir.sub %x, %1 : tensor<64x256xf32>
  func.return %2 : tensor<64x256xf32>
}"""


def test_what_poly_core_refuses_is_not_fused_and_the_explanation_says_so(monkeypatch: pytest.MonkeyPatch):
    m = model(lowered(SOFTMAX))
    assert len(optimal(m)) == 1
    refused = ComputeAt(False, "because the test says so")
    monkeypatch.setattr(PolyCore, "refusal", lambda *_: Unsupported(None, what="this", need="a test"))
    monkeypatch.setattr(PolyCore, "can_compute_at", lambda *_: refused)
    m = model(lowered(SOFTMAX))
    assert m.terms(0b11, 0b10) == "because the test says so"
    columns = optimal(m)
    assert len(columns) == 2
    (edge,) = [e for e in fusion_explanation(m, columns, "exact").edges if not e.fused]
    assert (edge.stop, edge.why) == (2, "because the test says so")


def fusable_groups(m: FusionModel) -> list[int]:
    """Returns the nodes of each fusable group of Poly Core that has several."""
    core, number = m.edges.core, m.graph.number
    groups = [{number[v] for v in map(core.value, names) if v in number} for names in core.make_fusable_groups()]
    return [sum(1 << node for node in group) for group in groups if len(group) > 1]


def test_fusable_groups_are_candidates_and_no_bound():
    """The search tries each group of Poly Core that a template computes, and is not confined to them: a softmax crosses them."""
    columns, complete, count = list[Column](), True, 0
    for m in (model(block_of("gpt2")), model(lowered(program(11)), whole=True), model(lowered(program(3)), whole=True)):
        columns, complete = grown(m, m.graph.every, 5000)
        assert complete
        for nodes in fusable_groups(m):
            if (want := m.column(nodes, m.must_store(nodes) | nodes & m.graph.required)) is not None:
                count += 1
                assert want in columns
    assert count > 3
    x, row = "tensor<64x256xf32>", "tensor<64x1xf32>"
    softmax = f"""func.func @f(%x: {x}) -> {x} {{
      %0 = ptir.exp %x : {x}
      %1 = ptir.reduce sum %0 axes [1] keepdims : {x} -> {row}
      %2 = ptir.broadcast_to %1 : {row} -> {x}
      %3 = ptir.div %0, %2 : {x}
      func.return %3 : {x}
    }}"""
    m = model(lowered(softmax), whole=True)
    (kernel,) = optimal(m)
    assert all(kernel.nodes & ~nodes for nodes in fusable_groups(m))


def test_rows_that_compute_a_halo_again_take_longer():
    """Each row of the sum reads 8 numbers of which its tile owns 1."""
    x, y = "tensor<512x8xf32>", "tensor<512x8x8xf32>"
    m = model(
        lowered(f"""
        func.func @f(%x: {x}) -> {x} {{
          %e = ptir.exp %x : {x}
          %a = ptir.reshape %e : {x} -> tensor<512x8x1xf32>
          %b = ptir.broadcast_to %a : tensor<512x8x1xf32> -> {y}
          %c = ptir.reshape %e : {x} -> tensor<512x1x8xf32>
          %d = ptir.broadcast_to %c : tensor<512x1x8xf32> -> {y}
          %m = ptir.mul %b, %d : {y}
          %0 = ptir.reduce sum %m axes [2] : {y} -> {x}
          func.return %0 : {x}
        }}"""),
    )
    every = m.graph.every
    kernel = m.candidates.kernel(every, m.graph.required)
    assert isinstance(kernel, Kernel) and kernel.reduces_rows
    halo = m.edges.judged(kernel, every)
    assert isinstance(halo, int) and halo > 0 and not halo % (512 * 8 * 7)
    found = m.terms(every, m.graph.required)
    assert not isinstance(found, str) and found.arithmetic > m.estimate(kernel).arithmetic
