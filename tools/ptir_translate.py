"""
`ptir-translate`: translates programs between IR and other forms. For people who know `mlir-translate`.

    ptir-translate --import-json program.json -o program.mlir
    ptir-translate --export-json program.mlir | jq .entry
    ptir-opt program.mlir -p ptir-to-tiny | ptir-translate --export-tiny-json
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .console import run_command

if TYPE_CHECKING:
    import argparse

    from ..diagnostics.diagnostic import Diagnostic
    from ..text.sources import Chunk


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the command line. Never ends in a traceback without `--debug`."""
    run_command(_run, argv)


def _run(argv: Sequence[str]) -> int:
    from ..diagnostics.rendering import report
    from ..text.parsing import allow_deep_nesting
    from .arguments import translate_arguments
    from .output import Output

    parser = translate_arguments(__doc__)
    args = parser.parse(argv)
    if args.byte_arrays and not args.export_json:
        parser.error("--byte-arrays goes with --export-json")
    allow_deep_nesting()
    output = Output(args.output_file)
    ok = True
    if args.json_schema:
        output.write(_schema(args.json_schema))
    else:
        for number, chunk in enumerate(_chunks(args)):
            text, found = _translate(args, chunk)
            output.write("// -----\n" * bool(number) + text)
            report(found)
            ok = ok and not found
    if ok:
        output.commit()
    return 0 if ok else 1


def _chunks(args: argparse.Namespace) -> list[Chunk]:
    from ..text.sources import Chunk, split_input
    from .output import read_input

    text = read_input(args.input_file, args.max_input_size)
    return split_input(text) if args.split_input_file else [Chunk(text, 1)]


def _translate(args: argparse.Namespace, chunk: Chunk) -> tuple[str, Sequence[Diagnostic]]:
    """Returns the other form of a piece of the input, and its diagnostics."""
    from ..diagnostics.diagnostic import diagnose
    from ..diagnostics.expected import verify_diagnostics
    from .output import shown

    text = ""
    found: list[Diagnostic] = []
    try:
        imports = args.import_json or args.import_tiny_json or args.import_region_json or args.import_intent_json
        text = _import(args, chunk) if imports else _export(args, chunk)
    except BrokenPipeError:
        raise
    except Exception as error:
        if args.debug:
            traceback.print_exception(error)
        found = diagnose(error)
    return text, verify_diagnostics(chunk, shown(args.input_file), found) if args.verify_diagnostics else found


def _import(args: argparse.Namespace, chunk: Chunk) -> str:
    from io import StringIO

    from xdsl.utils.lexer import Input

    from ..frontends.json import intent as intent_json
    from ..frontends.json import ptir as ptir_json
    from ..frontends.json import region as region_json
    from ..frontends.json import tiny as tiny_json
    from ..passes.environment import make_context
    from ..text.sources import file_name
    from ..text.style import Style
    from ..text.verify import verify_module
    from ..text.writing import write_module
    from .output import shown

    # Blank lines in front of the piece make its line numbers those of the whole file.
    text = "\n" * (chunk.first_line - 1) + chunk.text
    form = tiny_json if args.import_tiny_json else intent_json if args.import_intent_json else ptir_json
    read = region_json.import_json if args.import_region_json else form.import_json
    module = read(text, file_name(Input(text, shown(args.input_file))))
    verify_module(module)
    output = StringIO()
    write_module(module, output, make_context(), Style(args.print_op_generic, debuginfo=args.print_debuginfo))
    return output.getvalue()


def _export(args: argparse.Namespace, chunk: Chunk) -> str:
    from ..frontends.json import intent as intent_json
    from ..frontends.json import poly as poly_json
    from ..frontends.json import ptir as ptir_json
    from ..frontends.json import region as region_json
    from ..frontends.json import tiny as tiny_json
    from ..passes.environment import make_context
    from ..text.parsing import parse_text
    from ..text.verify import verify_module
    from .output import shown

    module = parse_text(
        chunk.text,
        make_context(allow_unregistered=args.allow_unregistered_dialect),
        shown(args.input_file),
        first_line=chunk.first_line,
        allow_implicit_module=not args.no_implicit_module,
    )
    verify_module(module)
    if args.export_tiny_json:
        return tiny_json.export_json(module)
    if args.export_intent_json:
        return intent_json.export_json(module)
    if args.export_poly_json:
        return poly_json.export_json(module)
    if args.export_region_json:
        return region_json.export_json(module)
    return ptir_json.export_json(module, byte_arrays=args.byte_arrays)


def _schema(form: str) -> str:
    import msgspec

    from ..frontends.json import intent as intent_json
    from ..frontends.json import poly as poly_json
    from ..frontends.json import ptir as ptir_json
    from ..frontends.json import region as region_json
    from ..frontends.json import tiny as tiny_json

    forms = {"ptir": ptir_json, "tiny": tiny_json, "poly": poly_json, "region": region_json, "intent": intent_json}
    schema = forms[form].json_schema()
    return msgspec.json.format(msgspec.json.encode(schema)).decode() + "\n"


if __name__ == "__main__":
    main()
