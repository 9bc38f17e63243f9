"""Parses a command line as LLVM's tools do: the parser, the types of values, and LLVM's spellings of options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.rendering import render, stderr_has_color
from ..passes.mlir_names import OPTIONS, PASSES
from ..text.suggest import did_you_mean
from .output import Output

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class ArgumentParser(argparse.ArgumentParser):
    """
    A parser that accepts LLVM's spellings (`normalize`), and each option with a value at most once. Exits with status 1 on bad
    arguments, as LLVM's tools do, and suggests options for a misspelled one. `names` are the passes and pipelines, which are
    options too.
    """

    def __init__(self, *, names: Collection[str] = (), **kwargs: Any):
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawTextHelpFormatter, **kwargs)
        self.register("action", None, _Once)
        self.names = names

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Returns the parsed `argv`. Exits if an argument is invalid."""
        argv = normalize(argv, self)
        found, extra = self.parse_known_args(argv)
        files = argv[argv.index("--") + 1 :] if "--" in argv else ()
        if extra and (extra[0] in files or not extra[0].startswith("-")):
            self.error(f"only one input file is allowed, and {extra[0]!r} is another")
        if extra:
            name = re.sub("^--?", "--", extra[0].partition("=")[0])
            options = [*self.options, *(f"--{name}" for name in self.names)]
            help = OPTIONS.get(name) or PASSES.get(name[2:]) if self.names else None
            help = help or did_you_mean(name, [o for o in options if o.startswith("--")])
            self.error(f"unrecognized arguments: {' '.join(extra)}\n{help}")
        return found

    def error(self, message: str) -> NoReturn:
        """Prints the first line of `message` as an error and the other lines as its help, and exits."""
        message, _, help = message.partition("\n")
        text = render(Diagnostic("error", message, "PTIR0612", help=help), color=stderr_has_color())
        self.exit(1, f"{self.prog}: {text}")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Prints the help and the list of passes. Raises `Unwritable` if that fails; argparse would ignore the failure."""
        text = self.format_help()
        if self.names:
            from .lists import help_on_passes

            text += f"\n{help_on_passes()}"
        (file or Output(None)).write(text)

    @property
    def options(self) -> Mapping[str, argparse.Action]:
        """Maps each spelling of an option to its action."""
        return {spelling: action for action in self._actions for spelling in action.option_strings}


class _Once(argparse.Action):
    """Stores the value of an option; a second value is an error."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        given: set[str] = vars(namespace).setdefault("given", set())
        if self.dest in given and option is not None:
            raise argparse.ArgumentError(self, "given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class AddPasses(argparse.Action):
    """Appends `(option, text)` to the list of pipelines, which several options share."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), (option, values)])


# --- types of values ------------------------------------------------------------------------------


def natural(text: str) -> int:
    """Returns the number that `text` spells, which must not be negative."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is negative")
    return number


def positive(text: str) -> int:
    """Returns the number that `text` spells, which must be at least 1."""
    if (number := natural(text)) == 0:
        raise argparse.ArgumentTypeError("0 is too few: give at least 1")
    return number


def workgroups(text: str) -> tuple[int, ...]:
    """Returns the numbers of workgroups along x, y and z of `4`, `4,2` or `4,2,1`."""
    counts = tuple(int(part) for part in text.split(","))
    if len(counts) > 3 or min(counts) < 0 or prod(counts) >= 1 << 31:
        raise argparse.ArgumentTypeError("give one to three numbers of workgroups, less than 2147483648 in all")
    return counts


def file(text: str) -> str:
    """Returns the name of a file, which must not be empty."""
    if not text:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return text


def npz(text: str) -> str:
    """Returns the name of an npz file. It must not be `-`: arrays cannot go to standard output, where text is printed."""
    if text == "-":
        raise argparse.ArgumentTypeError("standard output is for text: give the name of a file")
    return file(text)


def names_of(what: str, known: Callable[[], Collection[str]]) -> Callable[[str], list[str]]:
    """Returns the converter of a comma-separated list of names, which must be in `known()`."""

    def split(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",") if name.strip()]
        if not names:
            raise argparse.ArgumentTypeError(f"names no {what}")
        for name in names:
            if name not in known():
                raise argparse.ArgumentTypeError(f"there is no {what} '{name}'\n{did_you_mean(name, known())}")
        return names

    return split


# --- LLVM's spellings -----------------------------------------------------------------------------

PASS_FLAG = "--pass-flag"
"""The internal option whose value is a pass that was given as a flag."""

_BOOLEANS = {
    **dict.fromkeys(("", "true", "True", "TRUE", "1"), True),
    **dict.fromkeys(("false", "False", "FALSE", "0"), False),
}


def normalize(argv: Sequence[str], parser: ArgumentParser) -> list[str]:
    """
    Converts LLVM's spellings of arguments to those of argparse.

    - One dash before a long option.
    - A flag with a Boolean value: `--verify-each=false`.
    - An option with an optional value, which is the next word only if that is a valid value:
      `--verify-diagnostics m.mlir`, `--mlir-print-ir-after cse m.mlir`.
    - A pass as a flag: `--cse`, `--plan-regions="arch=sm80"`.
    """
    options = parser.options
    result: list[str] = []
    rest = list(argv)
    while rest:
        arg = rest.pop(0)
        if arg == "--":
            return [*result, arg, *rest]
        match = re.fullmatch(r"--?([A-Za-z][\w-]+)(?:=(.*))?", arg, re.DOTALL)
        name, value = (f"--{match[1]}", match[2]) if match is not None else ("", None)
        action = options.get(name)
        if action is None and name[2:] in parser.names:
            result.append(f"{PASS_FLAG}={arg}")
        elif action is None:
            result.append(arg)
        elif action.nargs == 0:
            _switch(result, name, value, parser)
        else:
            if value is None and action.nargs == "?":
                value = rest.pop(0) if rest and _is_value(rest[0], action, parser) else str(action.const)
            result.append(name if value is None else f"{name}={value}")
    return result


def _is_value(word: str, action: argparse.Action, parser: ArgumentParser) -> bool:
    known = parser.names if action.choices is None else action.choices
    return all(part in known for part in word.split(","))


def _switch(result: list[str], name: str, value: str | None, parser: ArgumentParser) -> None:
    """Adds a flag to `result`, or removes it."""
    if value is None or _BOOLEANS.get(value):
        result.append(name)
    elif value not in _BOOLEANS:
        help = "the only separator of pieces is a line `// -----`" if name == "--split-input-file" else ""
        parser.error(f"argument {name}: '{value}' is neither true nor false\n{help}")
    elif (negation := f"--no-{name[2:]}") in parser.options:
        result.append(negation)
    else:
        result[:] = [arg for arg in result if arg != name]
