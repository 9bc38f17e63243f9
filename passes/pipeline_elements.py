"""The elements of a pipeline: passes, and pipelines nested under operations. `passes/pipeline.py` parses their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ParameterType

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
    """Returns a text that `parse_pipeline` reads as this pipeline."""
    match elements:
        case [Nest("builtin.module"), *_]:
            return dump_pipeline(elements)  # the parser strips the outermost builtin.module
        case _:
            return _joined(elements)


def _joined(elements: Sequence[PipelineElement]) -> str:
    return ",".join(str(element) if isinstance(element, Nest) else pass_text(element) for element in elements)


def pass_text(pass_: ModulePass) -> str:
    """Returns the text of a pass with the options that differ from their defaults."""
    return spec_text(pass_.spec())


def option_name(field: str) -> str:
    """Returns the name of the option that a field of a pass is; a field that would be a keyword of Python ends with `_`."""
    return field.removesuffix("_").replace("_", "-")


def spec_text(spec: ArgSpec) -> str:
    """Returns the text of a pass name with options. (xDSL's `str(spec)` does not escape quotes in strings.)"""
    options = [
        option_name(key) + (f"={','.join(map(_literal, values))}" if values else "")
        for key, values in spec.parameters.items()
    ]
    return f"{spec.name}{{{' '.join(options)}}}" if options else spec.name


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\v": "\\v"})


def _literal(value: ParameterType) -> str:
    if isinstance(value, str):
        return f'"{value.translate(_ESCAPES)}"'
    return str(value).lower() if isinstance(value, bool) else str(value)


def dump_pipeline(elements: Sequence[PipelineElement]) -> str:
    """Returns the text of a pipeline with its anchor, as `--dump-pass-pipeline` prints it."""
    return f"builtin.module({_joined(elements)})"
