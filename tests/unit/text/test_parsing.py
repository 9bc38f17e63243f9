"""The parser's fast paths do not change results, its limits are errors with a location, and large files are rejected."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, TensorType, i32
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from ptir.diagnostics.rendering import render_error
from ptir.errors import SourceError
from ptir.passes.environment import make_context
from ptir.text.errors import NotText, TooDeep, TooLarge, VerificationFailed
from ptir.text.lexing import QuickLexer
from ptir.text.parsing import MAX_DEPTH, parse_text
from ptir.text.sources import decode_source, read_source, read_stream
from ptir.text.style import Style
from ptir.text.verify import verify_module
from ptir.text.writing import print_module, write_module

from ..builders.amount import examples

ROOT = Path(__file__).parents[3]


def parse(text: str) -> ModuleOp:
    return parse_text(text, make_context(allow_unregistered=True), "m.mlir")


def message_of(text: str) -> str:
    with pytest.raises(SourceError) as caught:
        parse(text)
    return render_error(caught.value)


# --- the same tokens and the same modules as xDSL's ---------------------------------------------------


def tokens(lexer: MLIRLexer) -> tuple[list[tuple[object, ...]], int | None]:
    """Returns the kind, text and position of every token, and the position of the error that ends the list."""
    found: list[tuple[object, ...]] = []
    while True:
        before = lexer.pos
        try:
            token = lexer.lex()
        except ParseError:
            return found, before
        if token.kind is MLIRTokenKind.EOF:
            return found, None
        # xDSL treats characters that are not ASCII as bytes.
        kind = MLIRTokenKind.STRING_LIT if token.kind is MLIRTokenKind.BYTES_LIT else token.kind
        found.append((kind, token.text, token.span.start, token.span.end))


WORDS = """%a %0a %- #0 #-} #a-b {-# { - -> -1 0x 0x1F 0xg 00x1 4x?x8xf32 1. 1.e5 1.5e+ 1e5 ... .. . / /* @ @a ^bb0
    !t.x ^0 !0 a.b$c é aé ² : :: = | * \\ " "a" "\\0a" "\\ff" @"b" """
PIECES = st.one_of(
    st.sampled_from(WORDS.split()),
    st.sampled_from(["//c\n", "\r\n", "\t", "\f", " "]),
    st.text(max_size=3),
)


@pytest.mark.campaign
@settings(max_examples=examples(500))
@given(st.lists(PIECES, max_size=12))
def test_the_lexer_gives_the_tokens_of_xdsl(pieces: list[str]):
    text = "".join(pieces)
    ours, bad = tokens(QuickLexer(Input(text, "m.mlir")))
    if bad is not None:
        # xDSL's regular expression takes exponential time in the length of an unterminated string.
        # It also takes digits of other scripts for numbers.
        foreign = text[bad:][:1].isnumeric() and not text[bad].isascii()
        assert '"' in text[bad:] or foreign or tokens(MLIRLexer(Input(text, "m.mlir")))[1] is not None
        text = text[:bad]
    assert tokens(MLIRLexer(Input(text, "m.mlir"))) == (ours, None)


FILES = [p for p in sorted((ROOT / "tests" / "filecheck").glob("*/*.mlir")) if p.name != "unreadable.mlir"]
"""Files for the comparison with xDSL's parser. In the omitted one, an unterminated string takes xDSL exponential time."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_the_parser_gives_the_modules_of_xdsl(path: Path):
    for text in path.read_text().split("// -----\n"):
        ctx = make_context(allow_unregistered=True)
        try:
            theirs = Parser(ctx, text, "m.mlir").parse_module()
        except Exception:
            continue  # the file is an example of an error
        if any(words in text for words in ("0x", "is a property of", "__elided__")):
            continue  # ptir keeps bits and xDSL values; and some texts are rejected only by ptir
        assert print_module(parse(text), generic=True) == print_module(theirs, generic=True)


def test_a_type_seen_before_is_the_same_object_and_others_are_not_confused_with_it():
    text = "tensor<2xi32>, tensor<2xi64>, tensor<2xi32>, i32, i64, tensor<*xi32>, tensor<2xi32 >, tuple<() -> ()>"
    op = next(iter(parse(f'"test.op"() : () -> ({text}, tensor<2xtuple<i32>>, tensor<2xtuple<i64>>)').ops))
    types = [result.type for result in op.results]
    assert types[0] is types[2] and types[0] == TensorType(i32, [2]) == types[6]
    assert len(set(types)) == 8
    assert [str(t) for t in types[3:5]] == ["i32", "i64"]


def test_a_type_alias_may_differ_from_file_to_file():
    for width in (32, 64):
        op = next(iter(parse(f'!t = i{width}\n"test.op"() : () -> (tensor<2x!t>)').ops))
        assert str(op.results[0].type) == f"tensor<2xi{width}>"


def test_names_are_forgotten_at_the_end_of_their_region():
    body = '%a = "test.op"() : () -> i32\n"test.op"() ({\n  %b = "test.op"(%a) : (i32) -> i32\n}) : () -> ()\n'
    parse(f"func.func @f() {{\n{body}return\n}}\nfunc.func @g() {{\n{body}{body.replace('%a', '%c')}return\n}}")
    assert "use of undefined value %b" in message_of(f'{body}"test.op"(%b) : (i32) -> ()')


def test_places_are_right_after_a_step_back_and_on_long_lines():
    ops = "; ".join("x" for _ in range(3))
    text = f'// {ops}\n\n"test.op"() : () -> ()   "test.op"() : () -> ()\n  %0 = "test.op"() ({{\n  "test.op"() : () -> ()\n}}) : () -> i32\n'
    places = [str(op.location) for op in parse(text).walk()][1:]
    assert places == [f'loc("m.mlir":{line}:{column})' for line, column in ((3, 1), (3, 26), (4, 8), (5, 3))]


def test_block_arguments_know_their_place():
    text = (
        "func.func @f(%a: i32,\n             %b: i32 loc(unknown)) {\n  cf.br ^b(%a : i32)\n"
        '^b(%c: i32, %d: i32 loc("x":1:2)):\n  "test.op"() : () -> ()\n  return\n}\n"test.op"() : () -> ()'
    )
    module = parse(text)
    locations = [str(arg.location) for op in module.walk() for r in op.regions for b in r.blocks for arg in b.args]
    assert locations == ['loc("m.mlir":1:14)', "loc(unknown)", 'loc("m.mlir":4:4)', 'loc("x":1:2)']
    assert [op.location for op in module.walk()][-1] == FileLineColLoc(StringAttr("m.mlir"), IntAttr(8), IntAttr(1))
    assert "loc" not in print_module(module)


# --- what is said -----------------------------------------------------------------------------------------


def test_a_redefined_value_points_at_its_first_definition():
    text = 'func.func @f(%x: i32) {\n  "test.op"() ({\n    %y, %x = "test.op"() : () -> (i32, i32)\n  }) : () -> ()\n}'
    assert message_of(text).splitlines() == [
        "m.mlir:3:9: error[PTIR0001]: redefinition of value %x",
        '      %y, %x = "test.op"() : () -> (i32, i32)',
        "          ^~",
        "m.mlir:1:14: note: first defined here",
        "  func.func @f(%x: i32) {",
        "               ^~",
        "help: a name is defined once in a region and its nested regions",
    ]


def test_a_redefined_symbol_points_at_its_first_definition():
    module = parse("func.func @f() {\n  return\n}\nfunc.func @g() {\n  return\n}\n  func.func @f() {\n  return\n}")
    with pytest.raises(VerificationFailed) as caught:
        verify_module(module)
    assert [line for line in render_error(caught.value).splitlines() if "m.mlir" in line] == [
        "m.mlir:7:3: error[PTIR0196]: redefinition of symbol @f",
        "m.mlir:1:1: note: first defined here",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/* c */ func.func @f()", "1:1: error[PTIR0001]: /* */ comments are not supported"),
        ("func.func @f() {", "error[PTIR0001]: the file ends inside a region\n"),
        ("func.func @f() {\n", "m.mlir:1:16: note: this region is never closed"),
        ("func.func @f(", "the file ends too early"),
        ("%é = arith.constant 1 : i32", "1:1: error[PTIR0001]: expected a name of ASCII letters, digits and"),
        ("\0", r"1:1: error[PTIR0001]: unexpected character: \x00"),
        ("\ud800", r"1:1: error[PTIR0001]: unexpected character: \ud800"),
        ("((", "1:1: error[PTIR0001]: expected an operation"),
        ('"test.op"() {a = ' + "9" * 5000 + "} : () -> ()", "1:18: error[PTIR0001]: a number of more than 4300 digits"),
        ('"test.op"() {a = 1 : i16777216} : () -> ()', "1:22: error[PTIR0001]: integers have at most 16777215 bits"),
        ('"test.op"() {a = dense<[1, 2]> : tensor<3xi8>} : () -> ()', "of shape [2], but its type has shape [3]"),
        ('"test.op"() {a = dense<"0x0102"> : tensor<3xi8>} : () -> ()', "of 2 elements, but its type has 3"),
        ('"test.op"() {a = dense<"0102"> : tensor<2xi8>} : () -> ()', "hexadecimal digits after 0x"),
        ('"test.op"() {a = dense<> : tensor<2xi8>} : () -> ()', "of 0 elements, but its type has 2"),
        ('"test.op"() {a = dense<1.5> : tensor<2xi8>} : () -> ()', "1:24: error[PTIR0001]: expected integer value"),
        ('"test.op"() {a = dense<1000> : tensor<2xi8>} : () -> ()', "1:24: error[PTIR0001]"),
        ('"test.op"() {a = dense<1> : tensor<2xcomplex<f32>>} : () -> ()', "1:24: error[PTIR0001]: expected a complex"),
        (
            '"test.op"() {a = dense<(1, 2)> : tensor<2xf32>} : () -> ()',
            "the literal is complex, but the elements are not",
        ),
    ],
)
def test_what_is_said(text: str, said: str):
    assert said in message_of(text)


def test_only_some_of_many_undefined_values_are_shown():
    text = message_of("\n".join(f'"test.op"(%u{i}) : (i32) -> ()' for i in range(3000)))
    assert text.count("is not defined either") == 10


@pytest.mark.parametrize("before", ["日本", "e\u0301", "\U0001f44d", "x\u200b"])
def test_the_caret_stands_below_what_it_means(before: str):
    _, line, caret = message_of(f'"test.op"() {{a = "{before}"}} : () -> () ?').splitlines()[:3]
    columns = {"日本": 4, "e\u0301": 1, "\U0001f44d": 2, "x\u200b": 1}[before]
    assert caret.index("^") == line.index("?") + columns - len(before)


def test_colours_change_nothing_else():
    module = parse('%0 = "test.op"() {a = 0x7FC00001 : f32, b = dense<[0.0, -0.0]> : tensor<2xf32>} : () -> i32')
    out = StringIO()
    write_module(module, out, style=Style(syntax_highlight=True))
    assert "\x1b[" in out.getvalue() and "0x7FC00001" in out.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()) == print_module(module)


# --- limits -------------------------------------------------------------------------------------------------


def nest(before: str, inside: str, after: str, depth: int) -> str:
    return before * depth + inside + after * depth


NESTS = {
    "regions": lambda n: nest("builtin.module {\n", "", "}\n", n),
    "generic regions": lambda n: nest('"builtin.module"() ({\n', '"test.op"() : () -> ()', "}) : () -> ()\n", n),
    "tensors": lambda n: f'"test.op"() {{a = {nest("tensor<", "i32", ">", n)}}} : () -> ()',
    "functions": lambda n: f'"test.op"() {{a = {nest("(", "i32", ") -> ()", n)}}} : () -> ()',
    "arrays": lambda n: f'"test.op"() {{a = {nest("[", "1", "]", n)}}} : () -> ()',
    "dictionaries": lambda n: f'"test.op"() {{a = {nest("{a = ", "1", "}", n)}}} : () -> ()',
    "locations": lambda n: f'"test.op"() : () -> () loc({nest("fused[", "unknown", "]", n)})',
    "call sites": lambda n: f'"test.op"() : () -> () loc({nest("callsite(", "unknown", " at unknown)", n)})',
    "maps": lambda n: f'"test.op"() {{a = affine_map<(d0) -> ({nest("(d0 + ", "d0", ")", n)})>}} : () -> ()',
    "literals": lambda n: f'"test.op"() {{a = dense<{nest("[", "1", "]", n)}> : tensor<1xi32>}} : () -> ()',
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", NESTS)
def test_ten_thousand_levels_are_an_error_of_the_command_line(kind: str, tmp_path: Path):
    path = tmp_path / "m.mlir"
    path.write_text(NESTS[kind](10_000))
    run = subprocess.run([sys.executable, "-m", "ptir.tools.ptir_opt", str(path)], capture_output=True, text=True)
    assert run.returncode == 1
    assert "m.mlir:" in run.stderr and "error[PTIR0004]: nested too deeply to parse" in run.stderr
    assert "Traceback" not in run.stderr and len(run.stderr) < 1000


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", ["regions", "generic regions", "tensors", "functions", "arrays", "dictionaries"])
def test_what_parses_is_also_verified_and_printed_and_read_back(kind: str, tmp_path: Path):
    path = tmp_path / "m.mlir"
    for depth, status in ((MAX_DEPTH - 2, 0), (MAX_DEPTH + 5, 1)):
        path.write_text(NESTS[kind](depth))
        command = [sys.executable, "-m", "ptir.tools.ptir_opt", str(path), "--verify-roundtrip", "-p", "cse"]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == status, run.stderr[-500:]


def test_without_room_for_recursion_it_is_the_same_error():
    with pytest.raises(TooDeep):
        parse(NESTS["arrays"](MAX_DEPTH + 1))


@pytest.mark.parametrize("use", ["tuple<{0}, {0}>", "({0}, {0}) -> {0}"])
def test_aliases_do_not_explode(use: str):
    text = "!a0 = i32\n" + "".join(f"!a{i + 1} = {use.format(f'!a{i}')}\n" for i in range(60))
    assert "the expansion of nested aliases is too large" in message_of(text + '"test.op"() : () -> (!a60)')


def test_a_long_chain_of_aliases_is_too_deep():
    text = "#a0 = 1\n" + "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(3000))
    with pytest.raises(TooDeep) as caught:
        parse(text)
    assert "m.mlir:101:1:" in render_error(caught.value)


def test_a_thousand_branches_are_no_problem():
    blocks = "".join(f"^b{i}:\n  cf.cond_br %c, ^b{i + 1}, ^b{i // 2 + 1}\n" for i in range(1, 2000))
    module = parse(
        f'func.func @f(%c: i1) {{\n  %x = "test.op"() : () -> i32\n  cf.br ^b1\n{blocks}^b2000:\n'
        '  "test.op"(%x) : (i32) -> ()\n  return\n}'
    )
    verify_module(module)


# --- files --------------------------------------------------------------------------------------------------


def test_a_file_over_the_size_is_not_read(tmp_path: Path):
    path = tmp_path / "m.mlir"
    path.write_bytes(b"// " + b"x" * 997)
    assert len(read_source(path, 1000)) == 1000
    with pytest.raises(TooLarge, match=r"m\.mlir' is too large") as caught:
        read_source(path, 999)
    assert "--max-input-size" in render_error(caught.value)
    with open(path, "r+b") as f:
        f.truncate(1 << 31)  # sparse
    with pytest.raises(TooLarge, match="2048 MiB, but the limit is 1024 MiB"):
        read_source(path)


def test_a_stream_is_read_within_the_size_and_only_while_it_is_text():
    assert read_stream(io.BytesIO(b"abc"), "s", 3) == "abc"
    with pytest.raises(TooLarge):
        read_stream(io.BytesIO(b"abcd"), "s", 3)
    with pytest.raises(NotText, match="NUL"):
        read_source("/dev/zero")


def test_a_pipe_can_be_read(tmp_path: Path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"builtin.module {}\n",))
    writer.start()
    assert read_source(path) == "builtin.module {}\n"
    writer.join()


def test_byte_order_marks_and_line_ends_of_other_systems():
    assert decode_source("\ufeffa\r\nb".encode(), "m") == "a\r\nb"
    text = message_of('"test.op"() : () -> ()\r\n  "test.op"(%x) : (i32) -> ()\r\n')
    assert text.splitlines()[:2] == [
        "m.mlir:2:13: error[PTIR0005]: use of undefined value %x",
        '    "test.op"(%x) : (i32) -> ()',
    ]
