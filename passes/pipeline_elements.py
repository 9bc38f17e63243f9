"""
What a pipeline is made of: passes, and nests of them under operations; and how it is spelt.

`pipeline` builds one from text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.passes import ModulePass

PassFactories = Mapping[str, Callable[[], type[ModulePass]]]


@dataclass(frozen=True)
class Nest:
    """Passes to run on each `anchor` operation directly inside the current operation."""

    anchor: str
    body: tuple[ModulePass | Nest, ...]

    def __str__(self) -> str:
        return f"{self.anchor}({_joined(self.body)})"


PipelineElement = ModulePass | Nest


def format_pipeline(elements: Sequence[PipelineElement]) -> str:
    """The pipeline as text that `parse_pipeline` reads back."""
    match elements:
        case [Nest("builtin.module"), *_]:
            return dump_pipeline(elements)  # the outermost one is taken off in reading
        case _:
            return _joined(elements)


def _joined(elements: Sequence[PipelineElement]) -> str:
    return ",".join(str(element) if isinstance(element, Nest) else spell(element) for element in elements)


def spell(pass_: ModulePass) -> str:
    """A pass with those of its options that are not the default; quotes in strings are escaped."""
    spec = pass_.spec()
    options = [
        f"{name}={','.join(map(_literal, values))}" if values else name
        for name, values in ((key.replace("_", "-"), values) for key, values in spec.parameters.items())
    ]
    return f"{spec.name}{{{' '.join(options)}}}" if options else spec.name


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\v": "\\v"})


def _literal(value: bool | int | float | str) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value.translate(_ESCAPES)}"'
        case _:
            return str(value)


def dump_pipeline(elements: Sequence[PipelineElement]) -> str:
    """The whole pipeline with its anchor, as `--dump-pass-pipeline` prints it."""
    return f"builtin.module({_joined(elements)})"
