"""Contractions. Contract: *Linear algebra*."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from ...errors import InvalidAttributeValue, ShapeMismatch
from ...text.known_sizes import equate
from ..common.shapes import are_paired, element, normalize_axes, require_precision, shape
from ..common.syntax import axes_attr, ints, parse_ints
from .base import AnyTensor, TensorOp, default_accum
from .dims import Size, may_be_equal, merge, sizes, tensor_type
from .domains import require_castable, require_domain, require_kind


@irdl_op_definition
class DotGeneralOp(TensorOp):
    """
    A contraction over the contract axes. The result's axes are the batch axes, then the free axes of lhs, then those of
    rhs. Contract: *DotGeneral*.

    Products of the input type are exact; the sum rounds in `accum` (default: f32 for floats up to f32, else the input type);
    the result is cast to `out` (default: the input type), which the result type repeats. Integers wrap. Paired axes have
    equal sizes; those that are not known statically are checked at run time.

    Operands of two types are an extension of the contract: fp8 of both kinds, or integers of one width, one of them
    unsigned. They require explicit `accum` and `out`. This extension and the next do not need `ptir.extensions`.

    `precision tf32` is an extension of the contract for f32 operands with an f32 accumulator: each operand is first rounded
    to 8 bits of exponent and 10 of fraction, to nearest with ties away from zero, as `cvt.rna.tf32.f32` does (PTX ISA
    §9.7.9.21); TMA on sm90 also rounds to nearest, and `ptir.bounds` allows either direction for its ties. Without it f32
    operands are never rounded.

    ```mlir
    %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32
       : (tensor<3x4x8xbf16>, tensor<3x8x2xbf16>) -> tensor<3x4x2xf32>
    %1 = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 precision tf32
       : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
    """

    name = "ptir.dot_general"
    lhs = operand_def(AnyTensor)
    rhs = operand_def(AnyTensor)
    batch_lhs = prop_def(DenseArrayBase.constr(i64), default_value=axes_attr(()))
    batch_rhs = prop_def(DenseArrayBase.constr(i64), default_value=axes_attr(()))
    contract_lhs = prop_def(DenseArrayBase.constr(i64))
    contract_rhs = prop_def(DenseArrayBase.constr(i64))
    accum_dtype = opt_prop_def(TypeAttribute)
    out_dtype = opt_prop_def(TypeAttribute)
    precision = opt_prop_def(StringAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        contract: tuple[Sequence[int], Sequence[int]],
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
        accum: Attribute | None = None,
        out: Attribute | None = None,
        result_type: Attribute | None = None,
        precision: str | None = None,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "batch_lhs": axes_attr(batch[0]),
                "batch_rhs": axes_attr(batch[1]),
                "contract_lhs": axes_attr(contract[0]),
                "contract_rhs": axes_attr(contract[1]),
                "accum_dtype": accum,
                "out_dtype": out,
                "precision": None if precision is None else StringAttr(precision),
            },
            result_types=[result_type or lhs.type],
        )
        if result_type is None:
            self.results[0]._type = tensor_type(out or element(lhs), self.result_sizes())  # pyright: ignore[reportPrivateUsage]

    @property
    def accum(self) -> Attribute:
        return self.accum_dtype or default_accum(element(self.lhs))

    def axes(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Normalized batch axes (lhs, rhs) and contract axes (lhs, rhs)."""
        left, right = len(shape(self.lhs)), len(shape(self.rhs))
        return (
            normalize_axes(self, ints(self.batch_lhs), left, "batch of lhs"),
            normalize_axes(self, ints(self.batch_rhs), right, "batch of rhs"),
            normalize_axes(self, ints(self.contract_lhs), left, "contract of lhs"),
            normalize_axes(self, ints(self.contract_rhs), right, "contract of rhs"),
        )

    def free_axes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The axes of lhs and of rhs that are neither batch nor contracted, in order."""
        bl, br, cl, cr = self.axes()
        return (
            tuple(a for a in range(len(shape(self.lhs))) if a not in bl + cl),
            tuple(a for a in range(len(shape(self.rhs))) if a not in br + cr),
        )

    def result_sizes(self) -> list[Size]:
        """The sizes of the batch axes, of the free axes of lhs and of those of rhs."""
        bl, br, _, _ = self.axes()
        fl, fr = self.free_axes()
        left, right = sizes(self.lhs), sizes(self.rhs)
        batch = [merge(left[a], right[b]) for a, b in zip(bl, br, strict=True)]
        return [*batch, *(left[a] for a in fl), *(right[b] for b in fr)]

    @classmethod
    def parse(cls, parser: Parser) -> DotGeneralOp:
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()

        def pair() -> tuple[list[int], list[int]]:
            left = parse_ints(parser)
            parser.parse_characters("x")
            return left, parse_ints(parser)

        batch: tuple[list[int], list[int]] = pair() if parser.parse_optional_keyword("batch") else ([], [])
        parser.parse_keyword("contract")
        contract = pair()
        accum = parser.parse_type() if parser.parse_optional_keyword("accum") else None
        out = parser.parse_type() if parser.parse_optional_keyword("out") else None
        precision = parser.parse_identifier() if parser.parse_optional_keyword("precision") else None
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        at = parser.pos
        signature = parser.parse_type()
        if not isinstance(signature, FunctionType) or len(signature.inputs) != 2 or len(signature.outputs) != 1:
            parser.raise_error("expected (lhs type, rhs type) -> result type", at, parser.pos)
        left, right = signature.inputs.data
        op = cls(
            parser.resolve_operand(lhs, left),
            parser.resolve_operand(rhs, right),
            contract,
            batch,
            accum,
            out,
            signature.outputs.data[0],
            precision,
        )
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        for word, sides in (
            ("batch", (self.batch_lhs, self.batch_rhs)),
            ("contract", (self.contract_lhs, self.contract_rhs)),
        ):
            if word == "batch" and not any(map(len, sides)):
                continue
            left, right = (list(ints(side)) for side in sides)
            printer.print_string(f" {word} {left} x {right}")
        for word, dtype in (("accum", self.accum_dtype), ("out", self.out_dtype)):
            if dtype is not None:
                printer.print_string(f" {word} ")
                printer.print_attribute(dtype)
        if self.precision is not None:
            printer.print_string(f" precision {self.precision.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(FunctionType.from_lists([o.type for o in self.operands], [self.result.type]))

    def verify_(self) -> None:
        dtype = element(self.lhs)
        require_domain(self, dtype, "number")
        if not are_paired(dtype, other := element(self.rhs)):
            self.require_element(self.rhs, dtype, "rhs")
        if dtype != other and (self.accum_dtype is None or self.out_dtype is None):
            raise InvalidAttributeValue(
                self,
                name="accum" if self.accum_dtype is None else "out",
                problem=f"has no default for {dtype} x {other}",
                help="write accum and out",
            )
        for left, right, what in (
            (self.batch_lhs, self.batch_rhs, "batch"),
            (self.contract_lhs, self.contract_rhs, "contract"),
        ):
            if len(left) != len(right):
                raise InvalidAttributeValue(
                    self,
                    name=what,
                    problem=f"pairs {len(left)} axes of lhs with {len(right)} of rhs",
                    help="give as many axes on each side",
                )
        bl, br, cl, cr = self.axes()
        for side, batch, contract in (("lhs", bl, cl), ("rhs", br, cr)):
            if both := set(batch) & set(contract):
                raise InvalidAttributeValue(
                    self, name="contract", problem=f"shares axis {min(both)} of {side} with batch", help=""
                )
        lhs, rhs = sizes(self.lhs), sizes(self.rhs)
        for what, left, right in (("batch", bl, br), ("contract", cl, cr)):
            for a, b in zip(left, right, strict=True):
                if not may_be_equal(lhs[a], rhs[b]):
                    want = f"{lhs[a]} as axis {a} of lhs"
                    raise ShapeMismatch(self, what=f"rhs ({what} axis {b})", got=rhs[b], want=want)
                equate(self, rhs[b], lhs[a], f"rhs ({what} axis {b})")
        out = self.out_dtype or dtype
        self.require_element(self.result, out, "the result")
        self.require_shape(self.result, self.result_sizes(), "the result")
        require_kind(self, self.accum, dtype, "accum")
        require_castable(self, self.accum, out, "the cast to out")
        require_precision(self, self.precision, (dtype, self.accum))
