"""
Sizes that are not numbers: `?`, and names for it.

`#ptir.dims<B, _>` is the encoding of a tensor type that names its dynamic dimensions, `_` those that have no name:

```mlir
func.func @f(%x: tensor<?x768xf16, #ptir.dims<B, _>>) -> tensor<?x768xf16, #ptir.dims<B, _>> {
  func.return %x : tensor<?x768xf16, #ptir.dims<B, _>>
}
```

Equal names are equal sizes: throughout a function, its regions included. What a verifier cannot tell (`?` beside a
number, a name beside a number) is checked when the program runs.

Spec: contract, *Shapes and dynamic dims*; DESIGN §4.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, NoneAttr, StringAttr, TensorType
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ..shapes import tensor

Size = int | str | None
"""A number, the name of a dynamic dimension, or None for one without a name."""


@irdl_attr_definition
class DimsAttr(ParametrizedAttribute):
    """The names of a tensor's dimensions, `_` for none."""

    name = "ptir.dims"
    names: ArrayAttr[StringAttr]

    def __init__(self, names: Sequence[str | None]):
        super().__init__(ArrayAttr(StringAttr(n or "_") for n in names))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        names = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_identifier)
        return [ArrayAttr(StringAttr(n) for n in names)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.names, lambda n: printer.print_string(n.data))


def sizes(value: SSAValue | Attribute) -> tuple[Size, ...]:
    """The sizes of a tensor, or of a tensor type."""
    t = tensor(value)
    shape = t.get_shape()
    names = [n.data for n in t.encoding.names] if isinstance(t.encoding, DimsAttr) else ["_"] * len(shape)
    return tuple(
        size if size != DYNAMIC_INDEX else name if name != "_" else None
        for size, name in zip(shape, names, strict=True)
    )


def tensor_type(dtype: Attribute, of: Sequence[Size]) -> TensorType[Attribute]:
    """The type of a tensor of these sizes."""
    names = [s if isinstance(s, str) else None for s in of]
    encoding = DimsAttr(names) if any(names) else NoneAttr()
    return TensorType(dtype, [s if isinstance(s, int) else DYNAMIC_INDEX for s in of], encoding)


def may_be_equal(a: Size, b: Size) -> bool:
    """Whether two sizes may be one: only two numbers, or two names, are known to differ."""
    return a == b or a is None or b is None or type(a) is not type(b)


def total(*parts: Size) -> Size:
    """The sum, where it is known."""
    return sum(p for p in parts if isinstance(p, int)) if all(isinstance(p, int) for p in parts) else None


def spell(of: Sequence[Size]) -> str:
    """`[B, ?, 3]`."""
    return "[" + ", ".join("?" if s is None else str(s) for s in of) + "]"
