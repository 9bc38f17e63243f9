"""
The `poly` dialect: an analysis to look at, beside the function that it describes.

Blocks with isl domains and access maps, and the dependences between them. Sets and maps are canonical isl
*text*. `form-regions` recomputes everything that a view says and stops if the two differ.

```mlir
poly.view @f {
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] : 0 <= i0 <= 3 and 0 <= i1 <= 1 and 0 <= i2 <= 7 }">
    reads ["x", "w"] by [#poly.map<"{ [i0, i1, i2] -> [(i0), (i2)] }">, #poly.map<"{ [i0, i1, i2] -> [(i2), (i1)] }">]
    pattern {pattern = "matmul", reduce_idx = ["i2"]}
}
```

Spec: `tensor-compiler.ja §1.4`, `§12.3`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, SymbolNameConstraint
from xdsl.ir import Attribute, Block, Dialect, ParametrizedAttribute, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, SymbolOpInterface

from ..errors import InvalidAttributeValue, OperandCountMismatch, VerifyError
from .syntax import Keyword

KINDS = ("ewise", "reduce", "movement_affine", "contraction_pattern")


class _Text(ParametrizedAttribute):
    """
    An attribute that is one string of isl's syntax. Each subclass names `source` itself: xDSL compares
    attributes by the fields of the defined class alone, and would find all texts equal.
    """

    source: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (StringAttr(parser.parse_str_literal()),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.source.data)


@irdl_attr_definition
class SetAttr(_Text):
    """A set of integer tuples: `#poly.set<"{ [i0] : 0 <= i0 <= 7 }">`."""

    name = "poly.set"
    source: StringAttr

    def __init__(self, source: str | StringAttr):
        super().__init__(source if isinstance(source, StringAttr) else StringAttr(source))


@irdl_attr_definition
class MapAttr(_Text):
    """A quasi-affine map: `#poly.map<"{ [i0, i1] -> [(i1)] }">`."""

    name = "poly.map"
    source: StringAttr

    def __init__(self, source: str | StringAttr):
        super().__init__(source if isinstance(source, StringAttr) else StringAttr(source))


@irdl_op_definition
class BlockOp(IRDLOperation):
    """One statement: its kind, its domain, and which values it reads where."""

    name = "poly.block"
    sym_name = prop_def(SymbolNameConstraint())
    kind = prop_def(StringAttr)
    domain = prop_def(SetAttr)
    tensors = prop_def(ArrayAttr[StringAttr])
    maps = prop_def(ArrayAttr[MapAttr])
    pattern = opt_prop_def(DictionaryAttr)
    traits = traits_def(SymbolOpInterface())
    custom_directives = (Keyword,)
    assembly_format = (
        "$sym_name custom<Keyword>($kind) $domain `reads` $tensors `by` $maps (`pattern` $pattern^)? attr-dict"
    )

    def __init__(
        self,
        name: str,
        kind: str,
        domain: str,
        reads: Sequence[tuple[str, str]],
        pattern: Mapping[str, Attribute] | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "kind": StringAttr(kind),
                "domain": SetAttr(domain),
                "tensors": ArrayAttr([StringAttr(t) for t, _ in reads]),
                "maps": ArrayAttr([MapAttr(m) for _, m in reads]),
                "pattern": DictionaryAttr(dict(pattern)) if pattern is not None else None,
            }
        )

    def verify_(self) -> None:
        if self.kind.data not in KINDS:
            raise InvalidAttributeValue(
                self, name="kind", problem=f"is '{self.kind.data}'", help=f"one of {', '.join(KINDS)}"
            )
        if len(self.tensors) != len(self.maps):
            raise OperandCountMismatch(
                self, what="'by'", want=f"{len(self.tensors)} maps, one a tensor,", got=len(self.maps)
            )
        if (self.pattern is not None) != (self.kind.data == "contraction_pattern"):
            raise VerifyError(self, message="a pattern belongs to a contraction_pattern block, and only there")


@irdl_op_definition
class EdgeOp(IRDLOperation):
    """
    A dependence of `target` on `source`: which points of `target` use which points of `source` (true), and
    the anti and output dependences, which pure SSA has none of.
    """

    name = "poly.edge"
    source = prop_def(StringAttr)
    target = prop_def(StringAttr)
    true = prop_def(MapAttr, prop_name="true_dependence")
    assembly_format = "$source `to` $target `by` $true_dependence attr-dict"

    def __init__(self, source: str, target: str, true: str):
        super().__init__(
            properties={
                "source": StringAttr(source),
                "target": StringAttr(target),
                "true_dependence": MapAttr(true),
            }
        )


@irdl_op_definition
class ViewOp(IRDLOperation):
    """The view of the function of the same name."""

    name = "poly.view"
    function = prop_def(SymbolNameConstraint())
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$function attr-dict-with-keyword $body"

    def __init__(self, function: str, ops: Sequence[IRDLOperation]):
        super().__init__(properties={"function": StringAttr(function)}, regions=[Region(Block(ops))])

    def verify_(self) -> None:
        names: set[str] = set()
        for op in self.body.block.ops:
            if isinstance(op, BlockOp):
                names.add(op.sym_name.data)
            elif isinstance(op, EdgeOp):
                for end in (op.source.data, op.target.data):
                    if end not in names:
                        raise VerifyError(op, message=f"no block '{end}' stands before this edge")
            else:
                raise VerifyError(op, message=f"'{op.name}' does not belong in a poly.view")


Poly = Dialect("poly", [BlockOp, EdgeOp, ViewOp], [SetAttr, MapAttr])
