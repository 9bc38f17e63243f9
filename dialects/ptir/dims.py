"""
Dynamic sizes: `?`, and names for them.

`#ptir.dims<B, _>` is an encoding of tensor types. It names the dynamic dimensions; `_` stands for a dimension without a name:

```mlir
func.func @f(%x: tensor<?x768xf16, #ptir.dims<B, _>>) -> tensor<?x768xf16, #ptir.dims<B, _>> {
  func.return %x : tensor<?x768xf16, #ptir.dims<B, _>>
}
```

A dimension whose size is a number has no name, and an encoding has at least one name. So two types are equal exactly if their
element types and `sizes` are equal. Equal names mean equal sizes throughout a function, including its regions. If an op
requires two sizes to be equal and this is not known statically (such as `?` and 4, or `B` and 4), it is checked at run time.

Verifiers use `sizes` and `tensor_type` to convert types to sizes and back, `may_be_equal` and `TensorOp.require_shape` to
compare sizes, `merge` for the most precise of equal sizes, and `total` and `product` for arithmetic.

Spec: contract, *Shapes and dynamic dims*; DESIGN §4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, NoneAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ...errors import InvalidDims, counted
from ...text.known_sizes import Size as Size
from ...text.known_sizes import may_be_equal as may_be_equal
from ...text.known_sizes import merge as merge
from ..common.checks import check_attribute
from ..common.shapes import tensor

UNNAMED = "_"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


@irdl_attr_definition
class DimsAttr(ParametrizedAttribute):
    """The names of a tensor's dimensions; `_` stands for a dimension without a name."""

    name = "ptir.dims"
    names: ArrayAttr[StringAttr]

    def __init__(self, names: Sequence[str | None]):
        super().__init__(ArrayAttr(StringAttr(n or UNNAMED) for n in names))

    def verify(self) -> None:
        for name in self.names:
            named, problem = _IDENTIFIER.fullmatch(name.data), f"names a dimension '{name.data}'"
            check_attribute(None, named is not None, self.name, problem, "names are identifiers, or _ for none")

    def verify_encoding(self, of: TensorType[Attribute], op: Operation | None = None) -> None:
        """Checks that the names fit the tensor type `of`, which has this encoding. Errors are located at `op`."""
        shape, names = of.get_shape(), [n.data for n in self.names]

        def refuse(problem: str, help: str) -> InvalidDims:
            return InvalidDims(op, type=of, problem=problem, help=help)

        if len(names) != len(shape):
            problem = f"{counted(len(names), 'name')} for {counted(len(shape), 'dimension')}"
            raise refuse(problem, "give a name for each dimension, _ where it has none")
        for axis, (name, size) in enumerate(zip(names, shape, strict=True)):
            if name != UNNAMED and size != DYNAMIC_INDEX:
                raise refuse(f"dimension {axis} is {size} and is named {name}", "only ? has a name: write ? or _")
        if all(name == UNNAMED for name in names):
            raise refuse("no dimension has a name", "leave the encoding out")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        names = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_identifier)
        return [ArrayAttr(StringAttr(n) for n in names)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.names, lambda n: printer.print_string(n.data))


def sizes(value: SSAValue | Attribute) -> tuple[Size, ...]:
    """Returns the sizes of a tensor value or type. Raises `InvalidDims` if the encoding does not fit the type."""
    t = tensor(value)
    shape = t.get_shape()
    if DYNAMIC_INDEX not in shape:
        return shape
    if not isinstance(t.encoding, DimsAttr):
        return tuple(None if s == DYNAMIC_INDEX else s for s in shape)
    if len(t.encoding.names) != len(shape):
        t.encoding.verify_encoding(t)
    names = [None if n.data == UNNAMED else n.data for n in t.encoding.names]
    return tuple(n if s == DYNAMIC_INDEX else s for s, n in zip(shape, names, strict=True))


def tensor_type(dtype: Attribute, of: Sequence[Size]) -> TensorType[Attribute]:
    """Returns the type of a tensor with element type `dtype` and the sizes `of`."""
    names = [s if isinstance(s, str) else None for s in of]
    encoding = DimsAttr(names) if any(names) else NoneAttr()
    return TensorType(dtype, [s if isinstance(s, int) else DYNAMIC_INDEX for s in of], encoding)


def total(*parts: Size) -> Size:
    """Returns the sum, or None if it is not known."""
    return sum(cast("Sequence[int]", parts)) if all(isinstance(p, int) for p in parts) else None


def product(*factors: Size) -> Size:
    """Returns the product, or None if it is not known. It is known for numbers, if a factor is 0, and for a name times ones."""
    numbers = prod(f for f in factors if isinstance(f, int))
    rest = [f for f in factors if not isinstance(f, int)]
    if not rest or numbers == 0:
        return numbers
    return rest[0] if numbers == 1 and len(rest) == 1 else None


def known_sizes(of: Sequence[Size]) -> tuple[int, ...] | None:
    """Returns the sizes if all are numbers, else None."""
    known = tuple(s for s in of if isinstance(s, int))
    return known if len(known) == len(of) else None


def sizes_text(of: Sequence[Size]) -> str:
    """Returns sizes as text, such as `[B, ?, 3]`."""
    return "[" + ", ".join("?" if s is None else str(s) for s in of) + "]"
