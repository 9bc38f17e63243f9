"""
The function to run, and the names by which Python calls and npz files refer to its arguments and results.

```
func.func @f(%x: tensor<4xf32>, %t: tuple<tensor<4xf32>, tensor<2xf32>>, %0: …)        x, t.0, t.1, arg2
  func.return %y, %3 : …                                                               y, r1
```
"""

from __future__ import annotations

from collections import Counter, namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import shorten
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr, TupleType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue

from ...dialects.ptir.module import ENTRY
from ...dialects.ptir.packed import seen_type
from ...errors import PtirError, counted
from ...text.suggest import did_you_mean

OPTIONS = ("arch", "device", "entry", "out", "stream")
"""Keywords of a call that are options rather than arguments of the function."""


class NoEntry(PtirError):
    code = "PTIR0531"
    template = "{problem}"
    hint = "the functions are: {functions}"


def entry_function(module: ModuleOp, entry: str | None) -> FuncOp:
    """
    Returns the function `entry` or, if it is None, the function that the module's attribute `ptir.entry` names, or the only
    function that no other calls. Raises `NoEntry`.
    """
    functions = {o.sym_name.data: o for o in module.ops if isinstance(o, FuncOp) and not o.is_declaration}
    listed = ", ".join(f"@{name}" for name in functions) or "none"
    named = module.attributes.get(ENTRY)
    if entry is None and isinstance(named, StringAttr):
        entry = named.data
    if entry is None:
        called = {op.callee.string_value() for f in functions.values() for op in f.walk() if isinstance(op, CallOp)}
        outer = [f for name, f in functions.items() if name not in called or len(functions) == 1]
        if len(outer) != 1:
            raise NoEntry(
                problem=f"the module has {counted(len(functions), 'function')}: give the name of one", functions=listed
            )
        return outer[0]
    if entry not in functions:
        declared = any(isinstance(o, FuncOp) and o.sym_name.data == entry for o in module.ops)
        problem = f"@{entry} is only declared" if declared else f"there is no function @{entry.removeprefix('@')}"
        raise NoEntry(problem=problem, functions=listed)
    return functions[entry]


class BadKeyword(PtirError):
    code = "PTIR0481"
    template = "argument '{name}' of @{function} {problem}"
    hint = "{help}"


@dataclass(frozen=True)
class Signature:
    """The name and type of each array that `function` takes and returns; the elements of a tuple are separate arrays."""

    function: FuncOp = field(repr=False)
    arguments: Sequence[tuple[str, Attribute]]
    results: Sequence[tuple[str, Attribute]]

    @classmethod
    def of(cls, function: FuncOp) -> Signature:
        blocks, seen = function.body.blocks, seen_type(function)
        arguments = blocks[0].args if blocks else ()
        ends = (end for block in blocks if isinstance(end := block.last_op, ReturnOp))
        returned = next((end.operands for end in ends), ())
        return cls(function, list(_arrays(arguments, seen.inputs, "arg")), list(_arrays(returned, seen.outputs, "r")))

    def in_order(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Returns the positional `arrays`, then the `named` ones in the order of the arguments. Raises `BadKeyword`."""
        names = [name for name, _ in self.arguments]
        if not named and not set(OPTIONS) & set(names[len(arrays) :]):
            return arrays
        count = Counter(names)
        for name in named:
            if name not in count:
                raise self._refused(name, "does not exist", did_you_mean(name, names))
            if count[name] > 1:
                problem = "is ambiguous: a trailing '_' and number are dropped"
                raise self._refused(name, problem, "give it by position")
            if name in names[: len(arrays)]:
                raise self._refused(name, "is given twice, by position and by name")
        for name in names[len(arrays) :]:
            if name not in named:
                option = f"'{name}' is an option of the call: give the argument by position" if name in OPTIONS else ""
                raise self._refused(name, "is missing", option)
        return [*arrays, *(named[name] for name in names[len(arrays) :])]

    def _refused(self, name: str, problem: str, help: str = "") -> BadKeyword:
        help = help or f"it takes {', '.join(name for name, _ in self.arguments) or 'nothing'}"
        return BadKeyword(self.function, function=self.function.sym_name.data, name=name, problem=problem, help=help)

    @cached_property
    def results_type(self) -> Any:
        """The named tuple of the results. Result k is `_k` if its name is not unique or not an identifier."""
        names = [name for name, _ in self.results]
        return namedtuple("Results", names, rename=True)  # pyright: ignore[reportUntypedNamedTuple]

    def __str__(self) -> str:
        """Returns `@f(x: tensor<4xf32>) -> (y: tensor<4xf32>)`, shortened if it is long."""
        lists = (", ".join(f"{name}: {t}" for name, t in arrays) for arrays in (self.arguments, self.results))
        return shorten(f"@{self.function.sym_name.data}({') -> ('.join(lists)})", 300, placeholder=" …")


def _arrays(values: Iterable[SSAValue], types: Iterable[Attribute], prefix: str) -> Iterator[tuple[str, Attribute]]:
    for k, (value, t) in enumerate(zip(values, types, strict=False)):
        yield from _leaves(value.name_hint or f"{prefix}{k}", t)


def _leaves(name: str, t: Attribute) -> Iterator[tuple[str, Attribute]]:
    if isinstance(t, TupleType):
        for k, element in enumerate(t.types):
            yield from _leaves(f"{name}.{k}", element)
    else:
        yield name, t
