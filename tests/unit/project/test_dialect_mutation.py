"""The mutation tool for dialects: sites, weakened constraints, both ways to run a mutant, and a small campaign."""

from __future__ import annotations

import ast
import gc
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from xdsl.dialects.builtin import TensorType, f32, i32
from xdsl.irdl import VarConstraint, base
from xdsl.irdl.constraints import VerificationContext
from xdsl.utils.exceptions import VerifyException

from tests.dialect_mutation import server
from tests.dialect_mutation.baseline import Touched, Tracer, _digest, baseline  # pyright: ignore
from tests.dialect_mutation.campaign import Campaign
from tests.dialect_mutation.dialects import DIALECTS, ROOT, Dialect
from tests.dialect_mutation.lit import run_line, run_lines
from tests.dialect_mutation.report import page, to_dict
from tests.dialect_mutation.sites import lines_of, lines_of_statement, mutants
from tests.dialect_mutation.weaken import weak

TEXT = '''"""A dialect."""
from x import operand_def, traits_def, prop_def

KINDS = ("sum", "max")
ROWS = {"a": 1, "b": 2}


class AddOp(Op):
    """Adds."""

    name = "t.add"
    DOMAIN: ClassVar[str] = "float"
    lhs = operand_def(AnyTensor)
    kind = prop_def(StringAttr)
    traits = traits_def(Pure(), Extension())

    def verify_(self) -> None:
        super().verify_()
        if not self.kind or self.count < 2 and self.other:
            raise ValueError(f"{1 + 2}")
        self.require_shape(self.lhs, [3, *sizes], what="the result")
        return a if b == 3 else c + 1
'''


def found(kind: str) -> list[tuple[str, str]]:
    return [(" ".join(m.old.split()), m.new) for m in mutants("t.py", TEXT) if m.kind == kind]


def test_declarations_are_sites():
    assert [(old, new.startswith("__import__")) for old, new in found("constraint")] == [
        ("AnyTensor", True), ("StringAttr", True),
    ]  # fmt: skip
    assert found("trait") == [("Pure(),", ""), ("Extension()", "")]
    assert found("row") == [('"sum",', ""), ('"max"', ""), ('"a": 1,', ""), ('"b": 2', "")]
    assert ('"float"', '"any"') in found("constant")


def test_rules_are_sites():
    assert found("raise") == [('raise ValueError(f"{1 + 2}")', "pass")]
    assert [old for old, _ in found("check")] == [
        "super().verify_()",
        'self.require_shape(self.lhs, [3, *sizes], what="the result")',
    ]
    assert sorted(new for _, new in found("condition")) == [
        "((not self.kind))", "((self.count < 2 and self.other))", "((self.count < 2))", "((self.other))",
    ]  # fmt: skip
    assert [new.strip() for _, new in found("compare")] == ["<=", "!="]
    assert found("not") == [("not self.kind", "(self.kind)")]
    assert ("+", "-") in found("arithmetic")
    assert not [m for m in mutants("t.py", TEXT) if "{1 + 2}" in m.old and m.kind != "raise"]


def test_every_mutant_of_the_dialects_is_a_program():
    for dialect in DIALECTS.values():
        for path in dialect.source_files()[::9]:
            text = path.read_text("utf-8")
            for m in mutants(path.name, text):
                ast.parse(m.apply(text))
                assert m.apply(text) != text


def test_every_pattern_names_files():
    for dialect in DIALECTS.values():
        assert dialect.source_files() and dialect.test_files()
    with pytest.raises(FileNotFoundError, match=r"dialects/none/\*\.py matches no file"):
        Dialect(("dialects/none/*.py",), ()).source_files()


def test_a_weak_constraint_infers_and_refuses_nothing():
    strict = VarConstraint("T", base(TensorType))
    loose = weak(strict)
    context = VerificationContext()
    loose.verify(TensorType(f32, [2]), context)
    assert loose.infer(context) == TensorType(f32, [2])
    loose.verify(TensorType(f32, [3]), context)
    loose.verify(i32, context)
    with pytest.raises(VerifyException):
        strict.verify(i32, context)


def test_run_lines_run_here(tmp_path: Path):
    path = ROOT / "tests" / "filecheck" / "tiny" / "errors.mlir"
    assert run_lines("// RUN: a \\\n// RUN:   b\n// RUN: c") == ["a b", "c"]
    for line in run_lines(path.read_text("utf-8")):
        assert run_line(line, path, tmp_path / "t")[0] == 0
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text("// CHECK: nothing\nfunc.func @f() { func.return }")
    assert run_line("ptir-opt %s | filecheck %s", wrong, tmp_path / "t")[0] != 0
    assert run_line("not ptir-opt %s --nope 2>&1 | filecheck %s", wrong, tmp_path / "t")[0] != 0
    with pytest.raises(ValueError):
        run_line("ptir-opt < %s", wrong, tmp_path / "t")


def test_a_patch_exchanges_the_code_of_live_functions(tmp_path: Path):
    path = tmp_path / "m.py"
    text = "def outer(k):\n    def inner(x):\n        return x + k\n    return inner\n"
    names: dict[str, object] = {}
    exec(compile(text, str(path), "exec", dont_inherit=True), names)
    path.write_text(text)
    inner = names["outer"](1)  # type: ignore[operator]
    gc.freeze()  # as `conftest.py` does with what is collected
    functions = server.Functions([str(path)])
    gc.freeze()
    assert functions.patch(str(path), text.replace("x + k", "x - k"))
    assert (inner(5), names["outer"](2)(5)) == (4, 3)  # type: ignore[operator]
    assert not functions.patch(str(path), text.replace("return inner", "return inner\n\nlate = [x for x in ()]"))


def test_a_patch_may_remove_the_call_of_a_base(tmp_path: Path):
    """The code then captures no class, as the function does."""
    path = tmp_path / "m.py"
    text = "class A:\n    def f(self):\n        raise ValueError\nclass B(A):\n    def f(self):\n        super().f()\n        return 2\n"
    path.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec", dont_inherit=True), names)
    made = names["B"]()
    with pytest.raises(ValueError):
        made.f()
    assert server.Functions([str(path)]).patch(str(path), text.replace("super().f()", "pass"))
    assert made.f() == 2


def test_skipped_tests_exist():
    for dialect in DIALECTS.values():
        files = {str(path.relative_to(ROOT)) for path in dialect.test_files()}
        for test in dialect.skipped:
            file, name = test.split("::")
            assert file in files and f"def {name}(" in (ROOT / file).read_text("utf-8")


def test_what_a_test_covers_is_of_its_statement_or_its_lines():
    text = "def f(x):\n    if x:\n        return g(\n            1,\n            x + 2,\n        )\n    return 0\n"
    (one,) = (m for m in mutants("t.py", text) if m.old == "1")
    assert (list(lines_of(one, text)), list(lines_of_statement(one, text))) == ([4], [3, 4, 5, 6])
    tested = next(m for m in mutants("t.py", text) if m.kind == "branch")
    assert list(lines_of_statement(tested, text)) == [2]


def test_a_tracer_records_lines_of_functions(tmp_path: Path):
    path = tmp_path / "m.py"
    path.write_text("def f(x):\n    if x:\n        return 1\n    return 2\n\n\nONE = f(1)\n")
    with Tracer({str(path): "m"}) as tracer:
        exec(compile(path.read_text(), str(path), "exec"), {})
    assert tracer.lines == {"m": [1, 2, 3]}


def test_what_tests_cover_is_kept_until_a_file_changes(tmp_path: Path):
    runs: list[str] = []

    def run(item: Any) -> Touched:
        runs.append(item.nodeid)
        return Touched(seconds=1.0)

    def measured() -> list[str]:
        runs.clear()
        _digest.cache_clear()
        items = [SimpleNamespace(path=tmp_path / name, nodeid=name) for name in ("a.mlir", "b.mlir")]
        found = baseline(tmp_path, tmp_path / "kept", items, run, lambda name: None)  # pyright: ignore
        assert sorted(found) == ["a.mlir", "b.mlir"]
        return list(runs)

    for name in ("a.mlir", "b.mlir"):
        (tmp_path / name).write_text(name)
    assert (measured(), measured()) == (["a.mlir", "b.mlir"], [])
    (tmp_path / "b.mlir").write_text("changed")
    assert (measured(), measured()) == (["b.mlir"], [])


@pytest.mark.campaign
def test_a_campaign_judges_and_goes_on_where_it_was(tmp_path: Path):
    """A mutant without a tested rule is killed, and one without a test survives; both ways to run mutants are used."""
    dialect = Dialect(("dialects/tiny/*.py",), ("tests/filecheck/tiny/errors.mlir",))
    state = tmp_path / "journal"
    first = Campaign("tiny", dialect, limit=3, state=state, only="ReduceOp.verify_")
    results = list(first.run())
    assert len(results) == 3 and any(r.verdict == "killed" for r in results)
    second = Campaign("tiny", dialect, limit=3, state=state, only="ReduceOp.verify_")
    assert not second.left and [r.verdict for r in second.results] == [
        next(r.verdict for r in results if r.mutant == m) for m in second.every
    ]
    data = json.loads(json.dumps(to_dict(second, 1.0)))
    assert data["judged"] == 3 and data["dialect"] == "tiny" and "Mutants of the tiny dialect" in page(data)
