"""
Random programs (`python -m tests.random_programs`): every op on every element type that it accepts is compared with an oracle;
short campaigns; and tests of the generator, the shrinker and the checker.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ptir.dialects.ptir import PTIR
from ptir.passes.environment import make_context
from ptir.semantics.arrays import scalars
from ptir.text.parsing import parse_text
from ptir.text.verify import verify_module
from ptir.text.writing import print_module
from tests.random_programs import branching
from tests.random_programs.campaign import Campaign, OtherCampaign
from tests.random_programs.check import Checker, Watch, run, same
from tests.random_programs.dtypes import ALL, ATTRIBUTES, FLOATS, NUMPY, integer_range
from tests.random_programs.generator import Case, Options, generate
from tests.random_programs.opsets import OPSETS
from tests.random_programs.oracle.numbers import nearest, wrapped
from tests.random_programs.oracle.table import ORACLES
from tests.random_programs.rows.control import ROWS as CONTROL
from tests.random_programs.rows.table import ROWS
from tests.random_programs.shrinker import shrink, text_of

WITH_OTHERS = {"ptir.yield", "ptir.tuple_element"}
"""Ops that the rows of other ops add."""


def failures(checker: Checker, cases: list[Case]) -> str:
    return "\n".join(f"{p.kind}: {p.detail}\n{print_module(c.module)}" for c in cases for p in checker.check(c)[:1])


# --- every op -----------------------------------------------------------------------------------


def test_every_op_has_a_row_and_an_oracle():
    names = {op.name for op in PTIR.operations}
    assert names == (set(ROWS) - {"func.call"}) | WITH_OTHERS
    assert names == set(ORACLES)


@pytest.mark.sampled(108)
@pytest.mark.parametrize("name", ROWS)
def test_each_op_on_each_element_type(name: str):
    """The op runs at least once on each type that its row accepts, and every run agrees with the oracle."""
    checker, row = Checker(), ROWS[name]
    if name in CONTROL:
        options = Options(frozenset({name, "ptir.add", "ptir.tanh", "ptir.compare", "ptir.select"}), length=(2, 6))
        cases = [generate(index, index, options) for index in range(12)]
        assert not failures(checker, cases)
        assert name == "func.call" or any(op == name for op, _ in checker.watch.ran)
        return
    for dtype in row.dtypes:
        options = Options(frozenset({name}), (dtype,), functions=1, length=(1, 3), dynamic=0.2, max_elements=60)
        assert not failures(checker, [generate(17, 0, options)])
        assert checker.watch.ran[name, dtype], f"{name} did not run on {dtype}"


@pytest.mark.parametrize("name", [n for n in ROWS if n not in CONTROL])
def test_a_row_admits_just_what_the_verifier_does(name: str):
    """On a type that is not in its row, the op does not verify: rows are complete."""
    for dtype in [d for d in ALL if d not in ROWS[name].dtypes]:
        extensions = not name.startswith("ptir.rng")  # their operand, a seed, does not have the op's element type
        dtypes = (ROWS[name].dtypes[0],)
        options = Options(frozenset({name}), dtypes, extensions=extensions, functions=1, length=(1, 1), dynamic=0)
        op = next(op for op in generate(3, 0, options).module.walk() if op.name == name)
        changed: dict[Any, Any] = {}
        old = (op.operands or op.results)[0].type.element_type  # pyright: ignore
        for value in [*op.operands, *op.results]:
            if value.type.element_type == old:  # pyright: ignore
                value._type = changed.setdefault(value, type(value.type)(ATTRIBUTES[dtype], value.type.get_shape()))  # pyright: ignore
        with pytest.raises(
            Exception, match=r"defined on|indices are|complex|must be|of the codes|i1|no order|element type|kind"
        ):
            op.verify()


# --- campaigns ----------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_short_campaign_finds_nothing(seed: int):
    checker = Checker()
    assert not failures(checker, [generate(seed, i) for i in range(12)])


@pytest.mark.campaign
def test_what_is_left_unguarded_ends_in_a_coded_error():
    checker = Checker()
    assert not failures(checker, [generate(38, i, Options(violations=0.5)) for i in range(10)])
    assert {"PTIR0540", "PTIR0570"} <= set(checker.errors)


def test_programs_keep_their_meaning_canonicalised():
    """Bit for bit. Program 0 has a region of constants whose `ptir.yield` was once folded away."""
    checker = Checker({"ptir-canonicalize": "ptir-canonicalize"}, quick=True)
    assert not failures(checker, [generate(3, i) for i in range(10)])


def test_windows_over_padding_in_a_type_without_infinity():
    """Program 19 has a maximum in f8E4M3FN, to which padding once brought a NaN."""
    assert not failures(Checker(quick=True), [generate(3, 19)])


@pytest.mark.campaign
def test_programs_keep_their_meaning_in_tiny():
    """Bit for bit. Program 11 has products of bf16 beyond the range of f32."""
    checker = Checker({"ptir-to-tiny": "ptir-to-tiny"})
    options = Options(OPSETS["tiny"](), ("f32", "bf16", "i32", "i1"), extensions=False, dynamic=0, closed=True)
    assert not failures(checker, [generate(8, i, options) for i in (0, 11)])
    assert not checker.errors


def test_what_the_oracle_knows_of_f64():
    """Factors are cast to the accumulator, and products of f64 are rounded to f64: the sum of exact products is another one."""
    program = """func.func @f(%x: tensor<2x16xf64>, %a: tensor<1x2xf64>, %b: tensor<2x1xf64>) {
      %0 = ptir.reduce mul %x axes [0] accum bf16 : tensor<2x16xf64> -> tensor<16xf64>
      %1 = ptir.dot_general %a, %b contract [1] x [0] : (tensor<1x2xf64>, tensor<2x1xf64>) -> tensor<1x1xf64>
      func.return
    }"""
    x = np.random.default_rng(0).standard_normal((2, 16))
    a, b = (
        np.array([[-50.17878110519667, 0.10123855245822883]]),
        np.array([[0.03151808285770468], [0.013161623982012692]]),
    )
    run(parse_text(program, make_context()), "f", (x, a, b), watch := Watch())
    assert not watch.problems and sum(watch.ran.values()) == 2


# --- the generator ------------------------------------------------------------------------------


def test_a_program_depends_on_seed_index_and_options_alone():
    texts = [print_module(generate(4, i).module) for i in range(8)]
    assert [print_module(generate(4, i).module) for i in reversed(range(8))] == texts[::-1]
    assert print_module(generate(5, 0).module) != texts[0]


def test_options_hold():
    options = Options(
        frozenset({"ptir.add", "ptir.exp"}), ("f16",), extensions=False, dynamic=0, empty=False, max_rank=2
    )
    for i in range(10):
        case = generate(1, i, options)
        verify_module(case.module)
        ops = {op.name for op in case.module.walk()}
        assert ops <= {"builtin.module", "func.func", "func.return", "ptir.add", "ptir.exp", "ptir.constant"}
        assert all(a.dtype == np.float16 and a.ndim <= 2 and a.size for arrays in case.inputs.values() for a in arrays)
        assert "ptir.extensions" not in case.module.attributes


def test_programs_are_varied():
    modules = [generate(2, i).module for i in range(60)]
    text = "\n".join(map(print_module, modules))
    assert "#ptir.dims<" in text and "?" in text and "x0x" in text
    names = {op.name for m in modules for op in m.walk()}
    assert len(names & set(ROWS)) > len(ROWS) * 0.8


def test_packed_values_change_nothing():
    """Control flow and functions take and return the same values in tuples, some of which are elements of others."""
    options = replace(branching.SMALL, violations=0)
    texts: list[str] = []
    for index in range(40):
        plain, packed = (generate(6, index, replace(options, packed=share), branching.ROWS) for share in (0, 1))
        verify_module(packed.module)
        texts.append(print_module(packed.module))
        for name, arrays in plain.inputs.items():
            assert same(run(plain.module, name, arrays), run(packed.module, name, arrays))
    text = "\n".join(texts)
    assert "tuple<tuple<" in text
    for op in ("cond", "while", "scan", "composite"):
        assert re.search(rf"ptir\.{op} .*tuple<", text)
    assert re.search(r"func\.func .*tuple<", text) and re.search(r"func\.call .*tuple<", text)


# --- the checker --------------------------------------------------------------------------------


def test_it_sees_a_wrong_op_and_makes_the_program_small(monkeypatch: pytest.MonkeyPatch):
    wrong = {**scalars.FUNCTIONS, "mul": lambda a, b: scalars.FUNCTIONS["add"](a, b)}
    monkeypatch.setattr("ptir.semantics.values.FUNCTIONS", wrong)
    checker = Checker()

    def fails(case: Case) -> bool:
        return any(p.kind == "oracle: ptir.mul" for p in checker.check(case))

    options = Options(frozenset({"ptir.mul", "ptir.add", "ptir.exp", "ptir.transpose", "ptir.cond", "ptir.reduce"}))
    case = next(c for i in range(200) if fails(c := generate(0, i, options)))
    small = shrink(case, fails)
    ops = [op.name for op in small.module.walk() if op.name.startswith("ptir.")]
    assert ops.count("ptir.mul") == 1 and set(ops) <= {"ptir.mul", "ptir.constant"} and fails(small)
    assert len(text_of(small).splitlines()) <= 9


def test_it_sees_what_reads_back_otherwise_or_does_not_verify():
    from xdsl.dialects.builtin import StringAttr

    case = generate(0, 1, Options(frozenset({"ptir.exp"}), ("f32",), functions=1))
    op = next(op for op in case.module.walk() if op.name == "ptir.exp")
    op.results[0]._type = generate(0, 2).module.body.block.first_op.function_type  # pyright: ignore
    assert Checker().check(case)[0].kind.startswith("verify")
    case = generate(0, 1, Options(frozenset({"ptir.exp"}), ("f32",), functions=1))
    next(op for op in case.module.walk() if op.name == "ptir.exp").attributes["note"] = StringAttr("x")
    assert not Checker().check(case)


def test_it_sees_another_meaning_after_a_pass(monkeypatch: pytest.MonkeyPatch):
    from ptir.dialects.ptir import ExpOp
    from ptir.transforms.ptir_to_tiny import elementwise

    monkeypatch.setitem(elementwise.WORDS, ExpOp, "neg")  # pyright: ignore
    case = generate(0, 1, Options(frozenset({"ptir.exp"}), ("f32",), functions=1, empty=False, dynamic=0))
    assert [p.kind for p in Checker({"down": "ptir-to-tiny"}, quick=True).check(case)] == ["down: other results"]


def test_it_counts_what_ran():
    case = generate(0, 1, Options(frozenset({"ptir.exp"}), ("f32",), functions=1, dynamic=0))
    watch = Watch()
    run(case.module, "f0", case.inputs["f0"], watch)
    assert watch.ran["ptir.exp", "f32"] and not watch.problems


def test_a_stopped_campaign_goes_on(tmp_path: Path):
    options = Options(frozenset({"ptir.exp"}), ("f32",))
    journal = tmp_path / "journal"
    first = Campaign(1, options, Checker(), journal)
    for _ in range(3):
        first.step()
    second = Campaign(1, options, Checker(), journal)
    assert (second.next_index, second.ops, second.ran) == (3, first.ops, first.ran)
    with pytest.raises(OtherCampaign):
        Campaign(2, options, Checker(), journal)


# --- the numbers of the oracles -----------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
def test_nearest_is_what_the_type_does(name: str):
    """Every value of the small types and its neighbourhood, against the type's own conversion from f32 and f64."""
    kind = NUMPY[name]
    values = (
        np.arange(2 ** (8 * kind.itemsize), dtype=f"u{kind.itemsize}").view(kind).astype(np.float64)
        if kind.itemsize <= 2
        else np.random.default_rng(0).standard_normal(500) * np.exp2(np.arange(-250, 250))
    )
    with np.errstate(all="ignore"):
        finite = values[np.isfinite(values)]
        got = nearest(finite, name)
        want = finite.astype(np.float32).astype(kind) if kind.itemsize <= 4 else finite
        np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64))
        between = np.unique(finite)
        ties = (between[:-1] + between[1:]) / 2 if kind.itemsize <= 2 else np.zeros(0)
        np.testing.assert_array_equal(
            nearest(ties, name).astype(np.float64), ties.astype(np.float32).astype(kind).astype(np.float64)
        )


def test_wrapped_is_modulo_the_width():
    assert wrapped(np.array([127, 128, -129, 300], object), "si8").tolist() == [127, -128, 127, 44]
    assert wrapped(np.array([16, -1], object), "ui4").tolist() == [0, 15]
    assert integer_range("i4") == (-8, 7) and integer_range("ui64") == (0, 2**64 - 1)
