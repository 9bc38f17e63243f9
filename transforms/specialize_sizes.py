"""
`specialize-sizes`: replaces the dynamic sizes of a function by numbers.

```
specialize-sizes{sizes="B=8,y[1]=4"}

func.func @f(%x: tensor<?x16xf32, dims<B, _>>,         func.func @f(%x: tensor<8x16xf32>,
             %y: tensor<16x?xf32>) {                                %y: tensor<16x4xf32>) {
  %0 = ptir.dot_general %x, %y …                   →      %0 = ptir.dot_general %x, %y …
         -> tensor<?x?xf32, dims<B, _>>                          -> tensor<8x4xf32>
  %1 = ptir.dim_cast %0 : …                               func.return %0
         -> tensor<?x4xf32, dims<B, _>>                 }
  func.return %1
}
```

`sizes` has a number for each name of a size in the types of the arguments, and for each `?` without a name as `argument[axis]`.
Numbers are propagated from the operands of each op to its results: the op's verifier says which sizes are equal. Where operands
do not determine a size, the rules of the interpreter hold (`semantics/ptir/movement.py`): a reshape infers one size, a slice
extends to the end. A `ptir.dim_cast` is removed once it casts nothing. Callees are copied for the sizes of each call; the originals
stay until `symbol-dce` removes them. A size that contradicts a type, that no operand determines, or that depends on data (two
branches, iterations of a loop) is an error at the op.

Contract: *Shapes and dynamic dims*; DESIGN §10.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ..analysis.index.static_sizes import is_dynamic
from ..analysis.program.signature import NoEntry, Signature, entry_function
from ..analysis.program.statistics import count
from ..analysis.program.symbols import SymbolTables
from ..dialects.common.kernel import free_symbol
from ..dialects.common.shapes import is_tensor, shape
from ..dialects.ptir.dims import sizes
from ..dialects.ptir.signatures import is_instance
from ..dialects.ptir.tuples import leaves
from ..errors import Unsupported
from ..text.suggest import did_you_mean
from .errors import InvalidSizes
from .size_inference import SizeInference, with_sizes

_BINDING = re.compile(r"\s*([^=\s]+)\s*=\s*(\d{1,18})\s*")


@dataclass(frozen=True)
class SpecializeSizes(ModulePass):
    """Replaces the dynamic sizes of a function by numbers."""

    name = "specialize-sizes"
    preserves_meaning: ClassVar[bool] = False
    """A call with other sizes, which the function accepted before, is an error."""

    sizes: str = ""
    """A number for each size: `B=8,S=128` by its name, `x[1]=4` without a name by the argument and the axis."""
    entry: str | None = None
    """The function; if it is omitted, the one that `ptir.entry` names, or the only one."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            function = entry_function(op, self.entry)
        except NoEntry as error:
            error.op = op
            raise
        specialize(op, function, parse_sizes(function, self.sizes))


def parse_sizes(function: FuncOp, text: str) -> dict[str, int]:
    """Returns the sizes in a text such as `B=8,x[1]=4`. Raises `InvalidSizes`, located at the function."""
    out: dict[str, int] = {}
    for part in text.split(",") if text.strip() else ():
        if (found := _BINDING.fullmatch(part)) is None:
            help = "sizes are non-negative numbers by name: B=8,S=128, or x[1]=4 for an axis without a name"
            raise _invalid(function, f"'{part.strip()}' is no size", help)
        if found[1] in out:
            raise _invalid(function, f"{found[1]} is given twice", "leave one of them out")
        out[found[1]] = int(found[2])
    return out


def sizes_by_key(function: FuncOp) -> list[tuple[int, int, str]]:
    """
    Returns the dynamic sizes of the arguments, in which tuples are flattened: the number of the argument, the axis, and the key, which
    is the name of the size or else `argument[axis]`.
    """
    arguments = Signature.of(function).arguments
    names = [name for name, _ in arguments]
    return [
        (k, axis, size or f"{name if names.count(name) == 1 else f'arg{k}'}[{axis}]")
        for k, (name, t) in enumerate(arguments)
        if is_tensor(t)
        for axis, size in enumerate(sizes(t))
        if not isinstance(size, int)
    ]


def require_sizes(function: FuncOp, given: Mapping[str, object]) -> None:
    """Raises `InvalidSizes` unless `given` has a non-negative number for each dynamic size of the arguments, and no other key."""
    keys = list(dict.fromkeys(key for _, _, key in sizes_by_key(function)))
    takes = f"the sizes are {', '.join(keys)}" if keys else "all sizes of its arguments are static"
    for key, size in given.items():
        if key not in keys:
            raise _invalid(function, f"there is no size {key}", did_you_mean(key, keys, otherwise=takes))
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise _invalid(function, f"{key} is {size!r}", "a size is a number of at least 0")
    if missing := [key for key in keys if key not in given]:
        raise _invalid(function, f"the size {missing[0]} is missing", takes)


def _invalid(function: FuncOp, problem: str, help: str) -> InvalidSizes:
    return InvalidSizes(function, function=function.sym_name.data, problem=problem, help=help)


def specialize(
    module: ModuleOp, function: FuncOp, given: Mapping[str, int], known: Mapping[str, int] | None = None
) -> None:
    """
    Replaces `function` by a copy with static sizes. `given` has those of the arguments, and `known` may have those of other names. Raises
    `InvalidSizes` unless `given` has all sizes, and the errors of the inference at the op whose sizes cannot be known.
    """
    require_sizes(function, given)
    if any(map(is_dynamic, module.ops)):
        numbers = iter([given[key] for _, _, key in sizes_by_key(function)])
        types = [with_sizes(t, lambda _, __, ___: next(numbers)) for t in function.function_type.inputs]
        _Copies(module).copy(function, types, known or {})
        Rewriter.erase_op(function)


@dataclass
class _Copies:
    """The copies of callees: for a function and the types of its arguments, the copy, or None while it is made."""

    module: ModuleOp
    copies: dict[tuple[FuncOp, tuple[Attribute, ...]], FuncOp | None] = field(
        default_factory=dict[tuple[FuncOp, tuple[Attribute, ...]], FuncOp | None]
    )

    def copy(self, function: FuncOp, arguments: Sequence[Attribute], known: Mapping[str, int]) -> FuncOp:
        """Inserts a copy of `function` with these types of its arguments before it, and returns the copy."""
        if len(function.body.blocks) != 1:
            need = "write it as one block: sizes are inferred from op to op, not along branches"
            raise Unsupported(function, what="control flow in a function with dynamic sizes", need=need)
        out = function.clone()
        Rewriter.insert_op(out, InsertPoint.before(function))
        origins = dict(zip(out.walk(), function.walk(), strict=True))
        SizeInference(origins, self.call, dict(known)).region(out, out.body, arguments)
        out.update_function_type()
        count("functions specialized")
        return out

    def call(self, call: CallOp) -> Sequence[Attribute] | Callable[[], object]:
        """
        Lets `call` call a copy of its callee for the types of its operands, and returns the types of the results. If the callee has no
        body, returns the verifier of the call.
        """
        found = SymbolTables().resolve(call, call.callee)
        callee = found[-1] if found else None
        if not isinstance(callee, FuncOp) or callee.is_declaration:
            return partial(is_instance, call, callee)
        types = tuple(call.operand_types)
        if (callee, types) not in self.copies:
            self.copies[callee, types] = None
            copy = self.copy(callee, types, {})
            arrays = list(leaves(types))
            numbers = {key: shape(arrays[k])[axis] for k, axis, key in sizes_by_key(callee)}
            name = free_symbol(self.module, "_".join([callee.sym_name.data, *map(str, numbers.values())]))
            copy.properties |= {"sym_name": StringAttr(name), "sym_visibility": StringAttr("private")}
            self.copies[callee, types] = copy
        if (copy := self.copies[callee, types]) is None:
            need = "write the recursion as a loop, ptir.while or ptir.scan"
            raise Unsupported(call, what=f"the recursion of @{callee.sym_name.data} beside dynamic sizes", need=need)
        call.properties["callee"] = SymbolRefAttr(copy.sym_name)
        return copy.function_type.outputs.data
