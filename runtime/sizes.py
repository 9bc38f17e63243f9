"""
Binds the dynamic sizes of a function to those of the arrays of a call.

```
func.func @f(%x: tensor<?x16xf32, #ptir.dims<B, _>>, %y: tensor<16x?xf32>)   on arrays of 8x16 and 16x4     B=8, y[1]=4
```

The keys are those of the pass `specialize-sizes`, which then makes a function with static sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from xdsl.dialects.func import FuncOp

from ..analysis.program.signature import Signature
from ..errors import counted
from ..semantics.interpreter import nested
from ..semantics.sizes import Scope, wanted
from ..transforms.specialize_sizes import sizes_by_key
from .arrays import Unfit, shape_of
from .execute import BadArgument, require_count

Shape = tuple[int, ...]


def shapes_of(signature: Signature, arrays: Sequence[Any]) -> tuple[Shape, ...]:
    """Returns the shapes of the arguments. Raises `BadArgument` if there are too few or too many, and for anything but an array."""
    function, count = signature.function, len(signature.arguments)
    require_count(function, BadArgument, arrays, count, f"it takes {counted(count, 'array')}")
    shapes: list[Shape] = []
    for k, array in enumerate(arrays):
        try:
            shapes.append(shape_of(array))
        except Unfit as unfit:
            name, help = function.sym_name.data, unfit.help
            raise BadArgument(function, index=k, function=name, problem=unfit.problem, help=help) from unfit
    return tuple(shapes)


def bound_sizes(function: FuncOp, shapes: Sequence[Shape]) -> dict[str, int]:
    """
    Returns the number of each dynamic size of the arguments of `function`. Tuples are flattened. Raises `WrongShape` for a shape that
    contradicts its type, and `NameConflict` if sizes of one name differ.
    """
    scope, args = Scope(), function.body.block.args
    values = nested([arg.type for arg in args], iter([SimpleNamespace(shape=shape) for shape in shapes]))
    for arg, value in zip(args, values, strict=True):
        scope.check(arg, wanted(arg.type), value)
    return {key: shapes[k][axis] for k, axis, key in sizes_by_key(function)}
