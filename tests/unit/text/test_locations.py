"""Locations: all forms of MLIR round-trip and are shown in diagnostics; none makes a tool open a file."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from ptir.diagnostics.diagnostic import place_of
from ptir.diagnostics.rendering import render_error
from ptir.errors import SourceError
from ptir.passes.environment import make_context
from ptir.text.errors import VerificationFailed
from ptir.text.parsing import parse_text
from ptir.text.style import Style
from ptir.text.verify import verify_module
from ptir.text.writing import write_module
from ptir.tools.ptir_opt import main as opt_main
from ptir.tools.ptir_run import main as run_main
from ptir.tools.ptir_translate import main as translate_main

SOUND = "ptir.neg %x : tensor<4xf32>"
BROKEN = '"ptir.neg"(%x) : (tensor<4xf32>) -> tensor<5xf32>'


def program(location: str, op: str = BROKEN, aliases: str = "") -> str:
    return f"func.func @f(%x: tensor<4xf32> {location}) {{\n  %0 = {op} {location}\n  func.return\n}}\n{aliases}"


def parsed(text: str, name: str = "m.mlir") -> ModuleOp:
    return parse_text(text, make_context(), name)


def printed(module: ModuleOp, *, generic: bool = False) -> str:
    out = StringIO()
    write_module(module, out, style=Style(debuginfo=True, generic=generic))
    return out.getvalue()


# --- round trip ---------------------------------------------------------------------------------

METADATA = ("", '<"meta">', "<{a = 1 : i32, b = loc(unknown)}>", '<loc("c":1:2)>', "<[unit, f32]>")


def random_location(rng: Random, depth: int = 3) -> str:
    """Returns a random location of any kind, nested at most `depth` levels."""
    name = rng.choice(['""', '"a.py"', '"m.mlir"', r'"\"\\"', '"a b"', '"/dev/zero"'])
    a, b, c, d = (rng.choice([0, 1, 7, 2**32 - 1]) for _ in range(4))
    inner = [random_location(rng, depth - 1) for _ in range(2)] if depth else ["unknown", name]
    kinds = [
        "unknown",
        name,
        f"{name}:{a}",
        f"{name}:{a}:{b}",
        f"{name}:{a}:{b} to :{c}",
        f"{name}:{a}:{b} to {c}:{d}",
        f"{name}({inner[0]})",
        f"callsite({inner[0]} at {inner[1]})",
        f"fused{rng.choice(METADATA)}[{', '.join(inner[: rng.randrange(3)])}]",
    ]
    return rng.choice(kinds)


def test_every_location_round_trips():
    rng = Random(36)
    for _ in range(150):
        location, generic = random_location(rng), rng.random() < 0.5
        is_alias = rng.random() < 0.5
        aliases = f"#a = loc({location})\n#b = loc(#a)\n" if is_alias else ""

        module = parsed(program("loc(#b)" if is_alias else f"loc({location})", SOUND, aliases))
        text = printed(module, generic=generic)
        again = parsed(text)
        assert [op.location for op in again.walk()][1:] == [op.location for op in module.walk()][1:], location
        assert printed(again, generic=generic) == text
        assert place_of(next(op for op in again.walk() if op.name == "ptir.neg"))


def test_any_text_is_a_location_or_an_error_with_a_place():
    rng = Random(3)
    for _ in range(150):
        text = random_location(rng)
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice('"abc#:<>[](),01 \\') + text[at + rng.randrange(2) :]
        with pytest.raises((SourceError, VerificationFailed)) as found:
            verify_module(parsed(program(f"loc({text})")))
        assert "PTIR0699" not in render_error(found.value)


@pytest.mark.parametrize(
    ("location", "aliases", "message"),
    [
        ("loc(#a)", "", "the location #a is never defined"),
        ("loc(#loc11)", "#loc1 = loc(unknown)", "did you mean '#loc1'?"),
        ("loc(#a)", "#a = 1 : i32", "#a is not a location"),
        ("loc(fused[#a])", "#a = loc(unknown)", "undefined symbol alias '#a'"),  # MLIR rejects it, too
        ("loc(#a)", "#a = loc(unknown)\n#a = loc(unknown)", "re-declaration"),
        ('loc("f":4294967296:1)', "", "the line of a location must fit in 32 bits"),
        ('loc("f":1:1 to 2)', "", "before the column where a location ends"),
        (f'loc("f":{"9" * 5000}:1)', "", "a number of more than 4300 digits"),
        (f'loc("f":0x{"f" * 4000}:1)', "", "a number of more than 4300 digits"),
    ],
)
def test_bad_locations(location: str, aliases: str, message: str):
    with pytest.raises(SourceError) as found:
        parsed(program(location, aliases=aliases))
    assert message in render_error(found.value)


def test_aliases_used_before_their_definition_do_not_unfold_to_everything():
    aliases = ["#a0 = loc(fused[unknown, unknown])"]
    aliases += [f"#a{k + 1} = loc(fused[#a{k}, #a{k}])" for k in range(16)]
    uses = "\n".join('"builtin.unregistered"() : () -> () loc(#a16)' for _ in range(40))
    text = uses.replace("builtin.unregistered", "test.op") + "\n" + "\n".join(aliases)
    with pytest.raises(SourceError, match="the expansion of nested aliases is too large"):
        parse_text(text, make_context(allow_unregistered=True))


def test_aliases_without_an_implicit_module():
    text = "#a = loc(unknown)\nmodule {\n} loc(#b)\n#b = loc(#a)\n"
    assert "loc(unknown)" in printed(parse_text(text, make_context(), allow_implicit_module=False))
    for wrong in ("#a = loc(unknown)\nfunc.func @f() {\n func.return\n}", "module {\n} nonsense"):
        with pytest.raises(SourceError):
            parse_text(wrong, make_context(), allow_implicit_module=False)


# --- what is shown, and what is opened ----------------------------------------------------------


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ('loc("m.mlir":1:6)', "func.func @f(%x: tensor<4xf32>"),  # the input itself
        ('loc(callsite("g" at "m.mlir":4:1))', "m.mlir:4:1"),
        ('loc(fused<"m">["a"("m.mlir":4:1), "m.mlir":1:1])', "m.mlir:4:1"),
        ('loc("m.mlir":1:6 to :15)', "^~~~~~~~~\n"),
        ('loc("other.mlir":1:1)', "other.mlir:1:1: error"),
    ],
)
def test_a_diagnostic_is_at_the_location(location: str, shown: str):
    with pytest.raises(VerificationFailed) as found:
        verify_module(parsed(program(location)))
    assert shown in render_error(found.value)


@pytest.fixture
def opened() -> list[str]:
    """Records the files that are opened, by an audit hook. Python has no way to remove such a hook."""
    found: list[str] = []

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], str):
            found.append(args[0])

    sys.addaudithook(watch)
    return found


@pytest.mark.parametrize("kind", ["file", "fifo", "device", "folder"])
def test_no_tool_opens_what_a_location_names(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], opened: list[str]
):
    named = tmp_path / "named"
    if kind == "file":
        named.write_text("a secret\n")
    elif kind == "fifo":
        os.mkfifo(named)
    elif kind == "folder":
        named.mkdir()
    else:
        named.symlink_to("/dev/zero")
    opened.clear()
    for main, options in (
        (opt_main, ["--mlir-print-ir-after-failure"]),
        (opt_main, ["--verify-diagnostics"]),
        (opt_main, ["-p", "canonicalize", "--debug"]),
        (run_main, ["--random", "0"]),
        (translate_main, ["--export-json"]),
    ):
        for text in (program(f'loc("{named}":1:1)'), program(f'loc("{named}":1:1)', SOUND)):
            path = tmp_path / "m.mlir"
            path.write_text(text)
            with suppress(SystemExit):
                main([str(path), *options])
            out, err = capsys.readouterr()
            assert "a secret" not in out + err
    assert str(named) not in opened
