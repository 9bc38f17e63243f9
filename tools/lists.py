"""What `--list-passes`, `--list-pipelines` and `--show-dialects` print."""

from __future__ import annotations

from collections.abc import Iterator

from ..passes.environment import available_dialects, available_passes
from ..passes.registry import PIPELINES


def list_passes() -> Iterator[str]:
    """Every pass, what it is about, and its options."""
    from xdsl.passes import get_pass_option_infos

    for name, factory in sorted(available_passes().items()):
        try:
            kind = factory()
        except ImportError as e:
            yield f"{name:40} (cannot be loaded: {e})"
            continue
        yield f"{name:40} {_summary(kind.__doc__)}".rstrip()
        for option in get_pass_option_infos(kind):
            default = "" if option.default_value is None else f" = {option.default_value}"
            kind_of = option.expected_type.strip("'")
            yield f"    {option.name.replace('_', '-')}: {kind_of}{default}"


def _summary(doc: str | None) -> str:
    """The first line of a docstring; what `dataclass` writes where there is none says nothing."""
    lines = [line.strip() for line in (doc or "").strip().splitlines()]
    return "" if not lines or (lines[0].endswith(")") and "(" in lines[0].split()[0]) else lines[0]


def list_pipelines() -> Iterator[str]:
    """Every named pipeline and what it stands for."""
    for name, pipeline in sorted(PIPELINES.items()):
        options = " ".join(pipeline.forwards)
        yield f"{name}{f'{{{options}}}' if options else ''} = {','.join(pipeline.stages)}"


def list_dialects() -> Iterator[str]:
    """The name of every dialect."""
    yield from sorted(available_dialects())
