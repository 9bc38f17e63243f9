"""The output of `--list-passes`, `--list-pipelines` and `--show-dialects`, and the passes in `--help`."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from ..passes.environment import available_dialects, available_passes
from ..passes.pass_info import info_of_class, info_of_path
from ..passes.registry import PASSES, PIPELINES

WIDTH = 40
"""Width of the column of pass names, in characters."""


def list_passes() -> Iterator[str]:
    """Yields the lines on all passes."""
    for name in sorted(available_passes()):
        yield from describe_pass(name)


def describe_pass(name: str) -> list[str]:
    """Returns the lines on one pass and its options."""
    if name in PASSES:
        return info_of_path(name, PASSES[name]).lines(WIDTH)
    try:
        return info_of_class(name, available_passes()[name]()).lines(WIDTH)
    except ImportError as e:
        return [f"{name:{WIDTH}}  (cannot be loaded: {e})"]


def list_pipelines() -> Iterator[str]:
    """Yields each named pipeline and its passes."""
    for name, pipeline in sorted(PIPELINES.items()):
        options = " ".join(pipeline.forwards)
        yield f"{name}{f'{{{options}}}' if options else ''} = {','.join(pipeline.stages)}"


def list_dialects() -> Iterator[str]:
    """Yields the names of all dialects."""
    yield from sorted(available_dialects())


def help_on_passes() -> str:
    """Returns the end of `--help`: ptir's passes with their options, named pipelines, and the names of xDSL's passes."""
    lines = ["passes of ptir:"]
    for name, path in PASSES.items():
        lines += (f"  {line}" for line in info_of_path(name, path).lines(26))
    lines += ["", "named pipelines:", *(f"  {line}" for line in list_pipelines())]
    others = sorted(set(available_passes()) - set(PASSES) - set(PIPELINES))
    names = fill(", ".join(others), 110, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join([*lines, "", "passes of xDSL (--list-passes has their options):", names, ""])
