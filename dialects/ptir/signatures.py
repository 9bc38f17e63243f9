"""
Calls of functions whose signatures have dimension names.

The names in a signature are local to the callee. A call binds each name to one size: the types of the call's operands and results
must be an instance of the signature.

```mlir
func.func @f(%a: tensor<?xf32, #ptir.dims<N>>, %b: tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>> { … }

%1 = func.call @f(%x, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>                 N is 3
%2 = func.call @f(%x, %z) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>                 error
```

If it is not known statically whether two sizes are equal, this is checked at run time: for operands when the callee is entered,
for results when it returns.

DESIGN §4.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TupleType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from ...errors import SizesDiffer, TypeMismatch
from ...text.known_sizes import Size, equate, may_be_equal, merge
from ..common.shapes import is_tensor
from .dims import sizes


def is_instance(call: CallOp, callee: Operation | None) -> bool:
    """
    Whether the types of a call are an instance of its callee's signature. False if there is no callee, or if the numbers of
    operands or results differ; xDSL's verifier reports these. Raises `TypeMismatch` or `SizesDiffer` for types that are no
    instance.
    """
    if not isinstance(callee, FuncOp):
        return False
    inputs, outputs = callee.function_type.inputs.data, callee.function_type.outputs.data
    if len(inputs) != len(call.arguments) or len(outputs) != len(call.results):
        return False
    bound: dict[str, Size] = {}
    for what, want, values in (("operand", inputs, call.arguments), ("result", outputs, call.results)):
        for index, (t, value) in enumerate(zip(want, values, strict=True)):
            for a, b in _pairs(call, t, value.type, f"{what} {index}"):
                _bind(call, callee, a, b, bound, f"{what} {index}")
    return True


def _pairs(call: CallOp, want: Attribute, got: Attribute, what: str) -> Iterator[tuple[Size, Size]]:
    """Returns the pairs of corresponding sizes of two types. Raises `TypeMismatch` if the types differ in more than sizes."""
    if is_tensor(want) and is_tensor(got):
        if want.element_type == got.element_type and len(want.shape) == len(got.shape):
            return zip(sizes(want), sizes(got), strict=True)
    elif isinstance(want, TupleType) and isinstance(got, TupleType) and len(want.types) == len(got.types):
        return (pair for a, b in zip(want.types, got.types, strict=True) for pair in _pairs(call, a, b, what))
    elif want == got:
        return iter(())
    raise TypeMismatch(call, what=what, got=got, want=want)


def _bind(call: CallOp, callee: FuncOp, want: Size, got: Size, bound: dict[str, Size], what: str) -> None:
    """Binds the size `want` of the signature to the size `got` of the call. Raises `SizesDiffer` if they contradict `bound`."""
    before = bound.get(want) if isinstance(want, str) else want
    if not may_be_equal(before, got):
        at = f"{what} of the call of @{callee.sym_name.data}"
        if isinstance(want, str):
            at = f"{at} ({want} of its signature)"
        raise SizesDiffer(call, what=at, a=before, b=got, notes=[(callee, "the signature")])
    if isinstance(want, str):
        bound[want] = merge(before, got)
    equate(call, before, got, what)
