"""`inline`, `symbol-dce` and `sccp` on generated programs, and the functions that they use."""

from __future__ import annotations

import random
from itertools import product
from pkgutil import resolve_name

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.traits import SymbolTable

import ptir
from ptir.analysis.program.symbols import SymbolTables, references
from ptir.errors import InvalidAttributeValue
from ptir.passes import mlir_names
from ptir.passes.environment import available_passes
from ptir.passes.pass_info import info_of_class, info_of_path
from ptir.passes.registry import PASSES, PIPELINES
from ptir.passes.validation import Interpret, ValidatePasses
from ptir.targets.architectures import ARCH_NAMES, arch_name
from ptir.text.verify import verify_module
from ptir.transforms.inline import GROWTH, Inline, components
from ptir.transforms.plan_regions import PlanRegions
from ptir.transforms.sccp import Sccp

from ..builders.amount import examples

GRAPHS = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4), max_size=8)


def reached(graph: dict[int, list[int]], start: int) -> set[int]:
    found: set[int] = set()
    ahead = list(graph.get(start, ()))
    while ahead:
        node = ahead.pop()
        if node not in found:
            found.add(node)
            ahead += graph.get(node, ())
    return found


@given(GRAPHS)
def test_components_are_what_reaches_itself_in_the_order_of_need(graph: dict[int, list[int]]):
    order = list(components(range(8), lambda n: graph.get(n, ())))
    assert sorted(node for component in order for node in component) == list(range(8))
    where = {node: k for k, component in enumerate(order) for node in component}
    for a, b in product(range(8), repeat=2):
        together = a == b or (b in reached(graph, a) and a in reached(graph, b))
        assert (where[a] == where[b]) == together
        assert b not in reached(graph, a) or where[b] <= where[a]


def program(seed: int) -> str:
    """Returns functions that call each other with constants, some in cycles that a branch never enters."""
    draw = random.Random(seed)
    functions: list[str] = []
    count = 5
    for k in range(count):
        lines = ["%c = ptir.constant dense<[1, -2, 3]> : tensor<3xi32>", "%p = ptir.constant dense<true> : tensor<i1>"]
        values = ["%a", "%c"]
        for n in range(draw.randint(1, 5)):
            x, y, new = draw.choice(values), draw.choice(values), f"%v{n}"
            match draw.randrange(4):
                case 0 if k + 1 < count:
                    callee = draw.randrange(k + 1, count)
                    lines.append(f"{new} = func.call @f{callee}({x}) : (tensor<3xi32>) -> tensor<3xi32>")
                case 1:
                    p = "%p" if draw.random() < 0.5 else "%q"
                    regions = " else ".join(
                        f"(%s{n}, %t{n}) {{\n ptir.yield {draw.choice('st').join(['%', str(n)])} : tensor<3xi32>\n}}"
                        for _ in range(2)
                    )
                    lines.append(
                        f"{new} = ptir.cond {p} ({x}, {y}) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32> then {regions}"
                    )
                case _:
                    lines.append(f"{new} = ptir.{draw.choice(['add', 'sub', 'mul'])} {x}, {y} : tensor<3xi32>")
            values.append(new)
        body = "\n".join(
            [
                "%zero = ptir.constant dense<0> : tensor<3xi32>",
                "%less = ptir.compare lt %a, %zero : tensor<3xi32> -> tensor<3xi1>",
                "%q = ptir.reduce any %less axes [0] accum i1 out i1 : tensor<3xi1> -> tensor<i1>",
                *lines,
            ]
        )
        visibility = "" if k == 0 or draw.random() < 0.2 else "private "
        functions.append(
            f"func.func {visibility}@f{k}(%a: tensor<3xi32>) -> tensor<3xi32> {{\n{body}\n"
            f"func.return {draw.choice(values)} : tensor<3xi32>\n}}"
        )
    return "builtin.module attributes {ptir.extensions} {\n" + "\n".join(functions) + "\n}"


PIPELINE = ("inline", "sccp", "symbol-dce", "sccp,inline,symbol-dce", "sccp,canonicalize,inline,sccp,symbol-dce,cse")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("pipeline", PIPELINE)
@settings(max_examples=examples(8))
@given(seed=st.integers(0, 10**6))
def test_a_program_means_the_same_afterwards(pipeline: str, seed: int):
    module = ptir.parse(program(seed))
    ptir.PassManager(pipeline, instrumentations=[ValidatePasses([Interpret()], samples=2)]).run(module)
    tables = SymbolTables()
    for op in module.walk():
        assert all(tables.resolve(op, reference) for reference in references(op))
    if pipeline == PIPELINE[-1]:
        assert not any(op.name == "func.call" for op in module.walk())


def test_calls_that_double_and_double_do_not_grow_without_measure():
    links = [
        f"func.func private @f{k}(%a: tensor<i32>) -> tensor<i32> {{\n"
        f"%0 = func.call @f{k + 1}(%a) : (tensor<i32>) -> tensor<i32>\n"
        f"%1 = func.call @f{k + 1}(%0) : (tensor<i32>) -> tensor<i32>\nfunc.return %1 : tensor<i32>\n}}"
        for k in range(40)
    ]
    last = "func.func private @f40(%a: tensor<i32>) -> tensor<i32> {\n%0 = ptir.neg %a : tensor<i32>\nfunc.return %0 : tensor<i32>\n}"
    module = ptir.parse("\n".join([*links, last]))
    ptir.PassManager([Inline()], verify="never").run(module)
    assert 1_000 < sum(1 for _ in module.walk()) < 2 * GROWTH


@pytest.mark.parametrize(
    "op",
    [
        "%r = arith.shli %a, %b : i64",
        "%r = arith.shrsi %a, %b : i64",
        "%i = arith.index_cast %a : i64 to index\n%r = arith.addi %i, %i : index",
        "%i = arith.index_cast %a : i64 to index\n%r = arith.muli %i, %i : index",
        "%r = arith.trunci %a : i64 to i0",
    ],
)
def test_constants_of_no_sensible_size_are_not_computed(op: str):
    text = f"%a = arith.constant {2**63 - 1} : i64\n%b = arith.constant {2**40} : i64\n{op}\n"
    module = ptir.parse(f'func.func @f() {{\n{text}%s = "test.op"(%r) : ({op.split()[-1]}) -> i1\nfunc.return\n}}')
    ptir.PassManager([Sccp()]).run(module)
    assert op.split("= ")[-1].split()[0] in {o.name for o in module.walk()}


def test_calls_are_verified_without_looking_at_each_function():
    links = [
        f"func.func private @f{k}(%a: i32) -> i32 {{\n%0 = func.call @f{k + 1}(%a) : (i32) -> i32\nfunc.return %0 : i32\n}}"
        for k in range(500)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SymbolTable, "lookup_symbol", lambda *_: pytest.fail("each call looks through the module"))
        verify_module(ptir.parse("\n".join([*links, "func.func private @f500(i32) -> i32"])))


def test_a_long_chain_of_calls_is_inlined():
    links = [
        f"func.func private @f{k}(%a: tensor<i32>) -> tensor<i32> {{\n"
        f"%0 = func.call @f{k + 1}(%a) : (tensor<i32>) -> tensor<i32>\nfunc.return %0 : tensor<i32>\n}}"
        for k in range(400)
    ]
    module = ptir.parse(
        "\n".join(
            [*links, "func.func private @f400(%a: tensor<i32>) -> tensor<i32> {\nfunc.return %a : tensor<i32>\n}"]
        )
    )
    ptir.PassManager("inline").run(module)
    assert not any(op.name == "func.call" for op in module.walk())


# --- names ----------------------------------------------------------------------------------------


def test_no_pass_of_mlirs_is_explained_away_that_is_here():
    assert not set(mlir_names.PASSES) & {*available_passes(), *PIPELINES}


def test_every_pass_says_what_it_does_and_every_option_what_it_is_for():
    for name, path in PASSES.items():
        info = info_of_path(name, path)
        assert info.summary, name
        assert all(option.doc for option in info.options), name
        imported = info_of_class(name, resolve_name(path))
        assert [(o.name, o.default is None) for o in info.options] == [
            (o.name, o.default is None) for o in imported.options
        ], name


def test_the_pass_has_the_options_of_the_pipeline():
    for name, pipeline in PIPELINES.items():
        info = info_of_class(name, available_passes()[name]())
        assert {option.name for option in info.options} == set(pipeline.forwards)


@pytest.mark.parametrize("name", ARCH_NAMES)
def test_architectures_in_any_spelling(name: str):
    for spelling in (name, name.upper(), name.replace("sm", "sm_"), name.replace("sm", "SM_")):
        assert arch_name(spelling) == name
    assert arch_name("SM90a") == arch_name("sm_90a") == "sm90"
    assert arch_name("sm80a") is arch_name("80") is arch_name("sm") is None


def test_an_unknown_architecture_is_refused():
    with pytest.raises(InvalidAttributeValue, match="'arch' is 'sm70'"):
        ptir.PassManager([PlanRegions(arch="sm70")]).run(ptir.parse(""))
