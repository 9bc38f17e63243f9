"""Locations of parsed operations, and the rendering of diagnostics."""

from __future__ import annotations

import logging
import threading
import time
import tracemalloc
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError, PassFailedException, VerifyException

from ptir.diagnostics.debug import DebugLog
from ptir.diagnostics.diagnostic import LogDiagnostics, diagnose, one_line, separator_warnings
from ptir.diagnostics.expected import check_expectations, find_expectations
from ptir.diagnostics.rendering import MAX_ERRORS, render, render_error
from ptir.errors import PtirError, ShapeMismatch, SourceError
from ptir.passes.environment import make_context
from ptir.passes.errors import PassCrashed
from ptir.text.errors import NotText, TooDeep, Unreadable, VerificationFailed
from ptir.text.parsing import parse_file, parse_text
from ptir.text.sources import decode_source, read_source, split_input
from ptir.text.verify import find_failures, verify_module


def parse(text: str, *, unregistered: bool = False, first_line: int = 1) -> ModuleOp:
    return parse_text(text, make_context(allow_unregistered=unregistered), "m.mlir", first_line=first_line)


def message_of(text: str, **options: bool) -> str:
    with pytest.raises(SourceError) as caught:
        parse(text, **options)
    return render_error(caught.value)


# --- reading ------------------------------------------------------------------------------------


def test_every_operation_knows_its_place():
    module = parse('func.func @f(%a: i32) -> i32 {\n  %0, %1 = "test.op"() : () -> (i32, i32)\n  return %0 : i32\n}')
    places = [str(op.location) for op in module.walk()]
    assert places == ["loc(unknown)", 'loc("m.mlir":1:1)', 'loc("m.mlir":2:12)', 'loc("m.mlir":3:3)']


def test_written_locations_win():
    module = parse('"test.op"() : () -> () loc("other.py":7:9)')
    assert str(next(iter(module.ops)).location) == 'loc("other.py":7:9)'


def test_a_piece_of_a_file_counts_lines_of_the_file():
    assert str(next(iter(parse('"test.op"() : () -> ()', first_line=12).ops)).location) == 'loc("m.mlir":12:1)'


@pytest.mark.parametrize("text", ["", "\n", "// only a comment"])
def test_nothing_is_an_empty_module(text: str):
    assert not list(parse(text).ops)


def test_undefined_value_is_shown_where_it_is_used():
    text = 'func.func @f(%arg: i32) {\n  "test.op"(%agr) : (i32) -> ()\n  "test.op"(%b) : (i32) -> ()\n  return\n}\n'
    assert message_of(text) == (
        "m.mlir:2:13: error[PTIR0005]: use of undefined value %agr\n"
        '    "test.op"(%agr) : (i32) -> ()\n'
        "              ^~~~\n"
        "m.mlir:3:13: note: %b is not defined either\n"
        '    "test.op"(%b) : (i32) -> ()\n'
        "              ^~\n"
        "help: did you mean 'arg'?\n"
    ).replace("'arg'", "%arg")


def test_unknown_operation():
    assert message_of("%0 = arith.constnat 1 : i32") == (
        "m.mlir:1:6: error[PTIR0003]: operation 'arith.constnat' is not registered\n"
        "  %0 = arith.constnat 1 : i32\n"
        "       ^~~~~~~~~~~~~~\n"
        "help: did you mean 'arith.constant'?\n"
    )


def test_unknown_dialect_and_type():
    assert "there is no dialect 'arit'; did you mean 'arith'?" in message_of('"arit.addi"() : () -> ()')
    text = message_of('"test.op"() : () -> (!foo.bar)')
    assert "1:22: error[PTIR0003]: type 'foo.bar' is not registered" in text


def test_an_unclosed_string_is_found_at_once():
    start = time.perf_counter()
    text = message_of('"test.op"() {a = "' + "x" * 5000 + "} : () -> ()\n")
    assert time.perf_counter() - start < 2
    assert "1:18: error[PTIR0001]: string is not closed" in text
    assert len(text) < 1000  # the line is shown in part


@pytest.mark.parametrize(
    "text", ['"a\\q"', "@", "%", "...", "é", "²", "{-#", "module {", "!a = ", "#x = 1 #x = 2", '""']
)
def test_nonsense_is_a_syntax_error(text: str):
    assert "error[PTIR000" in message_of(text)


def test_deep_nesting_is_an_error_not_a_crash():
    with pytest.raises(TooDeep):
        parse('"t.o"() ({\n' * 5000, unregistered=True)
    with pytest.raises(TooDeep):
        parse('"test.op"() {a = ' + "[" * 5000)


def test_an_attribute_that_does_not_verify_is_shown_where_it_is():
    text = message_of('"test.op"() {a = dense<[1, 2]> : tensor<3xi32>} : () -> ()')
    assert text.startswith("m.mlir:1:")


def test_files(tmp_path: Path):
    with pytest.raises(Unreadable, match="No such file"):
        read_source(tmp_path / "missing.mlir")
    with pytest.raises(Unreadable):
        read_source(tmp_path)
    with pytest.raises(NotText) as caught:
        decode_source(b"ab\n\xff\xfe", "x")
    assert render_error(caught.value).startswith("x:2:1: error[PTIR0002]: x is not UTF-8 text")
    with pytest.raises(NotText, match="NUL"):
        decode_source(b"a\0b", "x")
    path = tmp_path / "m.mlir"
    path.write_text("builtin.module {}\n")
    assert str(parse_file(path, make_context()).location) == f'loc("{path}":1:1)'


def test_a_source_error_is_a_parse_error_of_xdsl():
    with pytest.raises(ParseError, match="is not registered"):
        parse("nope.nope")


# --- verification -------------------------------------------------------------------------------


def test_a_failing_verifier_is_shown_with_its_function():
    module = parse("func.func @f() -> i32 {\n  func.return\n}")
    with pytest.raises(VerificationFailed) as caught:
        verify_module(module)
    lines = render_error(caught.value).splitlines()
    assert lines[0].startswith("m.mlir:2:3: error[PTIR0100]: 'func.return' ")
    assert lines[1:] == ["    func.return", "    ^~~~~~~~~~~", "  in @f"]


def test_errors_with_codes_keep_them():
    module = parse('"test.op"() : () -> ()\n"test.op"() : () -> ()')
    first, second = module.ops
    error = ShapeMismatch(second, what="operand #0", got="2x3", want="3x2", notes=[(first, "defined here")])
    assert render_error(error) == (
        "m.mlir:2:1: error[PTIR0102]: operand #0 has shape 2x3, expected 3x2\n"
        '  "test.op"() : () -> ()\n'
        "  ^~~~~~~~~\n"
        "m.mlir:1:1: note: defined here\n"
        '  "test.op"() : () -> ()\n'
        "  ^~~~~~~~~\n"
    )


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ('%0 = "test.op"(%1) : (i32) -> i32\n%1 = "test.op"() : () -> i32', [True]),
        ('%0 = "test.op"() ({\n "test.op"(%0) : (i32) -> ()\n "test.termop"() : () -> ()\n}) : () -> i32', [True]),
        ('"test.op"() ({\n %0 = "test.op"() : () -> i32\n "test.termop"() : () -> ()\n}) : () -> ()', []),
        ('cf.br ^b\n^c:\n%0 = arith.constant 1 : i32\ncf.br ^d\n^b:\ncf.br ^d\n^d:\n"test.op"(%0) : (i32) -> ()', [1]),
        ('%0 = arith.constant 1 : i32\ncf.br ^b\n^b:\n"test.op"(%0) : (i32) -> ()', []),
    ],
)
def test_dominance(body: str, bad: list[object]):
    module = parse("func.func @f() {\n" + body + "\nfunc.return\n}")
    assert [error.code for _, error in find_failures(module) if isinstance(error, PtirError)] == ["PTIR0198"] * len(bad)


def test_a_value_of_another_function_is_out_of_scope():
    text = 'func.func @f() {\n "test.op"(%x) : (i32) -> ()\n return\n}\nfunc.func @g(%x: i32) {\n return\n}'
    assert find_failures(parse(text))


def test_a_use_of_a_value_outside_an_isolated_operation_is_shown_where_it_is():
    text = '%o = "test.op"() : () -> i32\nfunc.func @f() {\n  "test.op"(%o, %o) : (i32, i32) -> ()\n  return\n}'
    with pytest.raises(VerificationFailed) as caught:
        verify_module(parse(text))
    assert render_error(caught.value).startswith(
        "m.mlir:3:3: error[PTIR0195]: operand #0 is defined outside of 'func.func', which is isolated from above\n"
        '    "test.op"(%o, %o) : (i32, i32) -> ()\n'
        "    ^~~~~~~~~\n"
        "  in @f\n"
        "m.mlir:1:6: note: defined here\n"
    )
    assert len(diagnose(caught.value)) == 2


def test_the_order_in_a_module_says_nothing():
    verify_module(parse('"test.op"(%x) : (i32) -> ()\n%x = "test.op"() : () -> i32'))


def test_a_crashing_verifier_is_reported():
    class Bad(test.TestOp):
        def verify_(self) -> None:
            raise IndexError("5")

    [(_, error)] = find_failures(ModuleOp([Bad()]))
    assert "verifier of 'test.op' crashed: IndexError: 5" in render_error(error)
    assert str(error) == (
        "error[PTIR0197]: the verifier of 'test.op' crashed: IndexError: 5\n"
        "  help: this is a bug in the dialect; --debug shows the traceback"
    )


# --- other exceptions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "start"),
    [
        (VerifyException("bad"), "error[PTIR0100]: bad"),
        (PassFailedException("bad"), "error[PTIR0600]: bad"),
        (FileNotFoundError(2, "No such file", "x"), "error[PTIR0002]: "),
        (RecursionError("deep"), "error[PTIR0004]: deep"),
        (MemoryError("no"), "error[PTIR0007]: no"),
        (KeyError("k"), "error[PTIR0699]: internal error: KeyError: 'k'"),
    ],
)
def test_codes_of_other_exceptions(error: Exception, start: str):
    assert render_error(error).startswith(start)


def test_messages_of_others_are_without_the_module_and_crashes_in_one_line():
    module = parse("func.func @f() {\n  return\n}")
    [diagnostic] = diagnose(PassFailedException(f"{module} could not find it"))
    assert diagnostic.message == "ModuleOp( builtin.module { …} ) could not find it"
    [diagnostic] = diagnose(PassCrashed(module, name="p", reason="ValueError: a\nb\n  c"))
    assert diagnostic.message == "pass 'p' crashed: ValueError: a b c"
    [diagnostic] = diagnose(KeyError("k" * 10_000))
    assert len(diagnostic.message) < 1000


@pytest.mark.campaign
def test_an_operation_is_printed_no_further_than_it_is_shown():
    module = parse("func.func @f() {\n" + '"test.op"() : () -> ()\n' * 20_000 + "return\n}")
    start = time.perf_counter()
    assert one_line(module) == '"builtin.module"() ({'
    assert time.perf_counter() - start < 0.05


@pytest.mark.sampled(1)
def test_many_failures_take_little_time_and_memory_and_are_counted():
    """This also holds for one long line, of which each diagnostic used to keep a copy."""
    count = 2000
    ops = " ".join(f'%c{i} = "arith.addi"(%c, %c) : (i32, i32) -> i64' for i in range(count))
    module = parse(f"func.func @f() {{ %c = arith.constant 1 : i32 {ops} return }}")
    with pytest.raises(VerificationFailed) as caught:
        verify_module(module)
    tracemalloc.start()
    assert len(diagnose(caught.value)) == count
    text = render_error(caught.value)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20
    assert text.count("error[PTIR0100]") == MAX_ERRORS
    assert text.endswith("… and 1,900 more errors\n")


def test_what_a_terminal_would_obey_is_shown_and_not_obeyed():
    text = message_of('"test.op"() {a = "\x1b[31m\x07\u202e"} : () -> () ;')
    assert '"␛[31m␇\ufffd"' in text and not set("\x1b\x07\u202e") & set(text)
    _, line, caret = text.splitlines()[:3]
    assert line.index(";") == caret.index("^")


def test_operations_without_a_place_are_printed():
    error = ShapeMismatch(test.TestOp(), what="it", got="1", want="2")
    assert render_error(error) == 'error[PTIR0102]: it has shape 1, expected 2\n  "test.op"() : () -> ()\n'


def test_colours():
    [diagnostic] = diagnose(VerifyException("bad"))
    assert "\x1b[1;31merror[PTIR0100]\x1b[0m: bad" in render(diagnostic, color=True)


def test_warnings_come_from_the_log():
    op = next(iter(parse('"test.op"() : () -> ()').ops))
    log = LogDiagnostics()
    with log.attached():
        logging.getLogger("ptir.transforms.x").warning("slow %s", "path", extra={"op": op})
        logging.getLogger("ptir.transforms.x").info("unrolled")
        logging.getLogger("ptir.transforms.x").debug("no match")
    assert [(d.severity, d.message) for d in log.found] == [("warning", "slow path"), ("remark", "unrolled")]
    assert str(log.found[0].place) == "m.mlir:1:1"


def test_each_thread_hears_its_own_warnings_and_the_level_is_put_back():
    root, logger = logging.getLogger("ptir"), logging.getLogger("ptir.x")
    before, handlers = root.level, list(root.handlers)
    inside, one_left = threading.Barrier(4, timeout=10), threading.Barrier(4, timeout=10)
    heard: dict[int, list[str]] = {}
    levels: list[int] = []

    def work(k: int) -> None:
        out = StringIO()
        with LogDiagnostics().attached() as log, DebugLog(out).attached():
            inside.wait()
            for _ in range(20):
                logger.warning("from %d", k)
                logger.debug("from %d", k)
            if k:
                one_left.wait()
        if not k:
            levels.append(logger.getEffectiveLevel())
            one_left.wait()
        heard[k] = [d.message for d in log.found] + out.getvalue().splitlines()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {k: [f"from {k}"] * 20 + [f"debug[x]: from {k}"] * 20 for k in range(4)}
    assert levels == [logging.DEBUG]
    assert (root.level, root.handlers) == (before, handlers)


# --- expected diagnostics -----------------------------------------------------------------------


def problems(text: str) -> list[str]:
    produced = []
    try:
        verify_module(parse(text))
    except (PtirError, ParseError) as e:
        produced = diagnose(e)
    expectations, malformed = find_expectations(text, "m.mlir")
    return [d.message for d in [*malformed, *check_expectations(expectations, produced)]]


BAD = "func.func @f() -> i32 {\n%s\n  func.return %s\n%s\n}"


@pytest.mark.parametrize(
    ("before", "beside", "after"),
    [
        ("// expected-error @+1 {{func.return}}", "", ""),
        ("// expected-error @below {{func.return}}", "", ""),
        ("// expected-error@+1 {{PTIR0100}}", "", ""),
        ("// expected-error-re @+1 {{'func.{{ret[a-z]+}}'}}", "", ""),
        ("// expected-error-re @+1 {{{{func}}.return}}", "", ""),
        ("", "// expected-error {{func.return}}", ""),
        ("", "", "// expected-error @-1 {{func.return}}"),
        ("", "", "// expected-error @above {{func.return}}"),
    ],
)
def test_expected_errors_are_met(before: str, beside: str, after: str):
    assert problems(BAD % (before, beside, after)) == []


@pytest.mark.parametrize(
    ("before", "count", "text"),
    [
        ("", 1, "unexpected error"),
        ("// expected-error @+1 {{other}}", 2, "was not produced"),
        ("// expected-warning @+1 {{func.return}}", 2, "was not produced"),
        ("// expected-error {{func.return}}", 2, "was not produced"),
        ("// expected-error @+1 {{func}} expected-error @+1 {{func}}", 1, "was not produced"),
        ("// expected-error @+1 {func}", 2, "malformed"),
        ("// expected-error-re @+1 {{{{(}}}}", 2, "regular expression"),
        # Regular expressions need the suffix -re.
        ("// expected-error @+1 {{'func.{{ret[a-z]+}}'}}", 2, "was not produced"),
        ("// expected-errors @+1 {{func}}", 2, "malformed"),
        ("// exepcted-error @+1 {{func}}", 2, "malformed"),
        ("// expected-eror {{func}}", 2, "malformed"),
        ("// what is expected: an expected-value, a {{", 1, "unexpected"),
        ("// expected-error 2 @+1 {{func}}", 2, "malformed"),  # clang's syntax for counts is not supported
        ("// expected-error @+1 {{func.return}} expected-note @+1 {x}", 1, "malformed"),
        ("// expected-error @unknown {{func.return}}", 2, "was not produced"),
        ("// expected-error @+99 {{func.return}}", 2, "was not produced"),
        ("// expected-error @-99 {{func.return}}", 2, "was not produced"),
    ],
)
def test_unmet_and_unexpected_are_problems(before: str, count: int, text: str):
    found = problems(BAD % (before, "", ""))
    assert len(found) == count and any(text in message for message in found)


def test_notes_must_be_expected_too():
    text = (
        "func.func @f() {\n"
        "  // expected-error @+1 {{does not dominate}}\n"
        '  "test.op"(%0) : (i32) -> ()\n'
        '  %0 = "test.op"() : () -> i32 // expected-note {{defined here}}\n'
        "  return\n}"
    )
    assert problems(text) == []
    assert problems(text.replace("// expected-note {{defined here}}", "")) == ["unexpected note: defined here"]


def test_splitting_only_at_whole_lines():
    text = 'a "// -----"\n// -----\nb // -----\n // -----\nc\n// -----\n'
    assert [(c.text, c.first_line) for c in split_input(text)] == [
        ('a "// -----"\n', 1),
        ("b // -----\n // -----\nc\n", 3),
        ("", 7),
    ]


def test_near_separators_are_warned_of():
    text = "a\n//-----\n// -----\n// ----\n // -----  \n// ------------\n// - - -\n//------ x\n"
    warnings = separator_warnings(text, "m.mlir")
    assert [str(w.place) for w in warnings] == ["m.mlir:2:1", "m.mlir:4:1", "m.mlir:5:1"]
    assert {w.severity for w in warnings} == {"warning"}
