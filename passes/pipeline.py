"""
Builds pass pipelines from text.

Both MLIR's and xDSL's notation are accepted, and may be mixed:

    builtin.module(ptir-to-tiny,func.func(cse,canonicalize),plan-regions{arch=sm80 stages=3})
    ptir-to-tiny,cse,plan-regions{arch="sm80" stages=3}

A name before a parenthesis is the name of an operation: the passes in the parentheses run on each such operation directly inside
the current one, in isolation. `any` stands for every operation that is isolated from above.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING
from types import NoneType, UnionType
from typing import Any, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from xdsl.context import Context
from xdsl.utils.arg_spec import ArgSpecConvertible
from xdsl.utils.lexer import Input, Span

from ..errors import InvalidAttributeValue
from ..text.suggest import did_you_mean, suggest_operation
from .environment import OUTSIDE, make_context
from .errors import (
    BadOptionValue,
    PipelineSyntax,
    ReachesOutside,
    Unavailable,
    UnknownAnchor,
    UnknownOption,
    UnknownPass,
    UnknownTarget,
)
from .mlir_names import help_for_pass
from .pipeline_elements import Nest, PassFactories, PipelineElement, option_name
from .pipeline_syntax import NestSyntax, OptionSyntax, OptionValue, PassSyntax, parse_pipeline
from .registry import PIPELINES, NamedPipeline


def build_pipeline(
    text: str, passes: PassFactories, name: str = "<pass-pipeline>", ctx: Context | None = None
) -> tuple[PipelineElement, ...]:
    """
    Returns the passes and nested pipelines of a pipeline. Anchors are operations that `ctx` knows, by default all registered ones.

    Raises `PipelineSyntax`, `UnknownPass`, `UnknownAnchor`, `UnknownOption` and `BadOptionValue`, each with the place in `text`.
    """
    return tuple(resolve(parse_pipeline(text, name), passes, ctx))


_Named = TypeVar("_Named", bound=ArgSpecConvertible)


def build_target(text: str, targets: Mapping[str, Callable[[], type[_Named]]], name: str = "<target>") -> _Named:
    """
    Returns the target that `text` names, such as `cuda` or `cuda{arch=sm80}`.

    Raises the errors of `build_pipeline`, and `UnknownTarget`.
    """
    match parse_pipeline(text, name):
        case (PassSyntax() as element,):
            if element.name not in targets:
                help = did_you_mean(element.name, targets, otherwise=f"targets: {', '.join(targets)}")
                raise UnknownTarget(element.span, name=element.name, help=help)
            return _instantiate(element, targets, "target")
        case _:
            raise PipelineSyntax(Span(0, len(text), Input(text, name)), message="expected one target")


# --- tree → passes ------------------------------------------------------------------------------


def resolve(
    elements: Iterable[PassSyntax | NestSyntax], passes: PassFactories, ctx: Context | None
) -> Iterator[PipelineElement]:
    """Yields the passes and nested pipelines of a syntax tree; expands named pipelines."""
    for element in elements:
        if isinstance(element, NestSyntax):
            _check_anchor(element, passes, ctx)
            yield Nest(element.anchor, tuple(resolve(element.body, passes, ctx)))
        elif element.name in PIPELINES:
            yield from resolve(_expand(element, PIPELINES[element.name]), passes, ctx)
        elif element.name in passes:
            yield _instantiate(element, passes, "pass")
        else:
            help = help_for_pass(element.name, [*passes, *PIPELINES], otherwise="--list-passes lists them")
            raise UnknownPass(element.span, name=element.name, help=help)


def _check_anchor(element: NestSyntax, passes: PassFactories, ctx: Context | None) -> None:
    name = element.anchor
    if name == "any":
        return
    if name in passes or name in PIPELINES:
        raise PipelineSyntax(element.span, message=f"'{name}' is a pass: its options go in braces, not (…)")
    if "." not in name:
        raise PipelineSyntax(element.span, message=f"'{name}' before '(' must be an operation such as func.func")
    ctx = make_context() if ctx is None else ctx
    if ctx.get_optional_op(name) is None:
        raise UnknownAnchor(element.span, name=name, help=suggest_operation(name, ctx))


def _expand(element: PassSyntax, pipeline: NamedPipeline) -> Iterator[PassSyntax]:
    for option in element.options:
        if option.name not in pipeline.forwards:
            _raise_unknown_option(element, option, pipeline.forwards, "pipeline")
    for stage in pipeline.stages:
        options = (
            dataclasses.replace(option, name=name)
            for option in element.options
            for receiver, name in pipeline.forwards[option.name]
            if receiver == stage
        )
        given = (
            OptionSyntax(name, (OptionValue(value, False, element.span),), element.span)
            for name, value in pipeline.given.get(stage, {}).items()
        )
        yield PassSyntax(stage, (*given, *options), element.span)


def _instantiate(element: PassSyntax, factories: Mapping[str, Callable[[], type[_Named]]], what: str) -> _Named:
    """Returns the pass or target that `element` names, with its options."""
    try:
        named_type = factories[element.name]()
    except (ImportError, AttributeError) as e:
        raise Unavailable(element.span, what=what, name=element.name, reason=str(e)) from e
    except PermissionError:
        raise ReachesOutside(element.span, name=element.name) from None
    fields = {f.name: f for f in dataclasses.fields(named_type) if f.init and f.name != "name"}
    names = {option_name(field): field for field in fields}
    hints = get_type_hints(named_type)
    arguments: dict[str, Any] = {}
    for option in element.options:
        if (name := names.get(option.name.replace("_", "-"))) is None:
            _raise_unknown_option(element, option, names, what)
        if name in arguments:
            _raise_bad_value(element, option, "is given twice")
        arguments[name] = value = _convert(element, option, hints[name])
        if element.name in OUTSIDE and name.endswith("_file") and not os.path.isfile(value):
            _raise_bad_value(element, option, f"is '{value}', which is not a file")
    for name, field in fields.items():
        if name in arguments or field.default is not MISSING or field.default_factory is not MISSING:
            continue
        if NoneType not in _alternatives(hints[name]):
            raise BadOptionValue(
                element.span, name=option_name(name), owner=element.name, problem="is required", help=""
            )
        arguments[name] = None
    try:
        return named_type(**arguments)
    except InvalidAttributeValue as e:
        for option in element.options:
            if option.name.replace("-", "_") == e.name:
                _raise_bad_value(element, option, str(e.problem), e.help)
        raise
    except (TypeError, ValueError) as e:
        raise PipelineSyntax(element.span, message=f"{what} '{element.name}': {e}") from e


def _raise_unknown_option(element: PassSyntax, option: OptionSyntax, valid: Collection[str], what: str) -> NoReturn:
    help = f"{did_you_mean(option.name, valid)} valid options: {', '.join(valid)}" if valid else "it takes no options"
    raise UnknownOption(option.span, what=what, owner=element.name, name=option.name, help=help.lstrip())


# --- option values ------------------------------------------------------------------------------

_INTEGER = re.compile(r"[-+]?[0-9]{1,4300}")  # `int` accepts at most 4300 digits
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_SHOWN = 60
"""Maximum number of characters of a value in a message."""

_BOOLEANS = {"true": True, "false": False}


def _convert(element: PassSyntax, option: OptionSyntax, hint: Any) -> Any:
    """Returns the value of an option, converted to the type `hint` of the pass's field. Raises `BadOptionValue`."""
    alternatives = _alternatives(hint)
    takes_list = any(get_origin(alternative) is tuple for alternative in alternatives)
    if takes_list and len(option.values) == 1 and (items := option.values[0].items) is not None:
        if not items:
            return ()
        option = dataclasses.replace(option, values=items)
    if not option.values and bool not in alternatives and NoneType not in alternatives:
        _raise_bad_value(element, option, f"needs a value ({_describe(hint)})")
    if not option.values:
        return True if bool in alternatives else None
    for alternative in alternatives:
        if get_origin(alternative) is tuple:
            items = get_args(alternative)
            variadic = len(items) == 2 and items[1] is Ellipsis
            kinds = [items[0]] * len(option.values) if variadic else list(items)
            if len(kinds) != len(option.values):
                continue
            values = [_scalar(value, _alternatives(kind)) for value, kind in zip(option.values, kinds, strict=True)]
            if None not in values:
                return tuple(values)
    if len(option.values) == 1 and (value := _scalar(option.values[0], alternatives)) is not None:
        return value
    text = ",".join(value.text for value in option.values)
    if str not in alternatives:
        shown = repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
        _raise_bad_value(element, option, f"is {shown}, expected {_describe(hint)}")
    return text  # an unquoted string with commas in it


def _scalar(value: OptionValue, kinds: Sequence[Any]) -> bool | int | float | str | None:
    """Returns the value converted to the first type in `kinds` that fits, or None."""
    if not value.quoted:
        if bool in kinds and value.text in _BOOLEANS:
            return _BOOLEANS[value.text]
        if int in kinds and _INTEGER.fullmatch(value.text):
            return int(value.text)
        if float in kinds and _NUMBER.fullmatch(value.text):
            return float(value.text)
    literals = [choice for kind in kinds for choice in get_args(kind) if get_origin(kind) not in (tuple, None)]
    if value.text in literals or str in kinds:
        return value.text
    return None


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _describe(hint: Any) -> str:
    words = {int: "an integer", float: "a number", bool: "true or false", str: "a string"}
    alternatives = [alternative for alternative in _alternatives(hint) if alternative is not NoneType]
    if len(alternatives) != 1:
        return " or ".join(map(_describe, alternatives))
    (alternative,) = alternatives
    if get_origin(alternative) is tuple:
        return f"a list, each item {_describe(get_args(alternative)[0])}"
    if choices := get_args(alternative):
        return f"one of {', '.join(map(str, choices))}"
    return words.get(alternative, str(alternative))


def _raise_bad_value(element: PassSyntax, option: OptionSyntax, problem: str, help: str = "") -> NoReturn:
    values = option.values
    span = Span(option.span.start, values[-1].span.end, option.span.input) if values else option.span
    raise BadOptionValue(span, name=option.name, owner=element.name, problem=problem, help=help)
