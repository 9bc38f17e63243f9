"""
Reads Tiny JSON into a module.

The location of an op is its place in the text, so that diagnostics of the verifier point there. A reduction whose result
type differs from its accumulator type becomes a `tiny.reduce` and a cast:

    {"op":"Reduce","fn":"sum",…,"accum":"fp32"}, result fp16      →      tiny.reduce sum … accum f32      tiny.unary cast

A sum of a `mul` in a type narrower than the accumulator is a contraction, as the spec writes it (§1.2, where the products
are declared fp16). It adds the exact products, so the operands are cast first; other uses of the `mul` get the rounded
products. With `"products": "rounded"` the sum gets the rounded products, too.

    {"op":"Binary","fn":"mul",…}, fp16; {"op":"Reduce","fn":"sum",…}  →  tiny.unary cast ×2 to f32, tiny.binary mul, tiny.reduce sum
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import UNSET
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.lexer import Span

from ....dialects import tiny
from ....dialects.common.shapes import element, is_as_wide, is_predicate, product_type
from ....dialects.common.syntax import axes_attr
from ....dialects.ptir.dims import sizes, sizes_text, tensor_type
from ....dialects.tiny.vocabulary import OP_NAME
from ....text.known_sizes import may_be_equal
from ..common.decoding import Form, decode
from ..common.errors import Contradiction, UndefinedId
from ..common.places import Path, Places
from ..common.reading import Reader
from . import program as form
from .errors import AmbiguousAxis, UnknownType
from .flow import Flow
from .inference import (
    Sizes,
    binary_result_dtype,
    broadcast_sizes,
    default_accumulator,
    padded_sizes,
    permuted_sizes,
    reduced_sizes,
    same_kind,
)
from .program import Attrs, Program, Value
from .values import read_dtype, read_literal, read_number, read_size, read_value, type_text, write_dtype

_ELSEWHERE = {
    **dict.fromkeys(("MatMul", "Gemm", "Conv", "Conv2d", "Contraction"), "a contraction is a Binary mul and a Reduce sum of it"),
    **dict.fromkeys(("slice", "narrow"), "it is called shrink"),
    **dict.fromkeys(("transpose",), "it is called permute"),
    **dict.fromkeys(("broadcast", "broadcast_to"), "it is called expand"),
    **{f"{word}{n}": f"it is called fp{n}" for word in ("f", "float") for n in (16, 32, 64)},
    **{f"int{n}": f"it is called si{n}" for n in (4, 8, 16, 32, 64)},
    **{f"{word}{n}": f"it is called ui{n}" for word in ("u", "uint") for n in (4, 8, 16, 32, 64)},
    **dict.fromkeys(("bool",), "it is called i1"),
}  # fmt: skip
"""Hints for words of other vocabularies."""

_FORM = Form(
    Program,
    "a program is JSON; IR is read by --export-tiny-json",
    lambda word: _ELSEWHERE.get(word, ""),
    maps={"values": Value},
)


def import_json(text: str, file: StringAttr | None = None) -> ModuleOp:
    """
    Returns the module of a tiny program in JSON, not yet verified. `file` names the text in locations.

    Whatever the text is, raises no other error than `SourceError` or, at an invalid op, `VerifyError`.
    """
    file = file or StringAttr("<json>")
    return TinyReader(*decode(text, file.data, _FORM), file).module()


class TinyReader(Reader):
    """Reads a decoded program, whose parts are at `places`."""

    def __init__(self, program: Program, places: Places, file: StringAttr):
        super().__init__(places, file)
        self.program = program
        self.values: dict[str, SSAValue] = {}
        self.exact: dict[tuple[tiny.BinaryOp, Attribute], tiny.BinaryOp] = {}
        self.block = Block()

    def module(self) -> ModuleOp:
        version = None if self.program.spec_version is UNSET else self.program.spec_version
        return self.finish_module([self.function()], version, self.program.extensions)

    def function(self) -> FuncOp:
        """Returns the function of tiny ops."""
        program = self.program
        flow = Flow(program, self.places)
        for name in flow.inputs:
            argument = self.block.insert_arg(read_value(program.values[name]), len(self.block.args))
            argument.location = self.location(["values", name])
            self._define(name, argument)
        for k in flow.order:
            self._op(program.ops[k], ["ops", k])
        results = [self.values[name] for name in flow.outputs]
        function = self.finish_function(program.name, self.block, results, ["name"], ["outputs"])
        self._erase_rounded()
        return function

    # --- ops --------------------------------------------------------------------------------------

    def _op(self, op: form.OpForm, path: Path) -> None:
        operands = [self.values[name] for name in op.inputs]
        match op:
            case form.MovementForm():
                new = self._movement(op, operands[0], path)
            case form.UnaryForm():
                new = self._unary(op, operands[0], path)
            case form.BinaryForm():
                given = binary_result_dtype(op.fn, element(operands[-1])), broadcast_sizes([sizes(v) for v in operands])
                new = self._make(tiny.BinaryOp, operands, {"fn": StringAttr(op.fn)}, op, given, path)
            case form.ReduceForm():
                new = self._reduce(op, operands[0], path)
            case form.ConstForm():
                with self.errors_at([*path, "value"]):
                    new = tiny.ConstOp(read_literal(op.value, self._require_declared(op, path)))
            case form.IotaForm():
                t = self._require_declared(op, path)
                given = t.element_type, sizes(t)
                new = self._make(tiny.IotaOp, [], {"axis": IntegerAttr(op.axis, i64)}, op, given, path)
        new.location = self._op_location(path)
        if op.name is not UNSET and op.name != op.outputs[0]:
            new.attributes[OP_NAME] = StringAttr(op.name)
        self.block.add_op(new)
        self._define(op.outputs[0], new.results[0])

    def _movement(self, op: form.MovementForm, x: SSAValue, path: Path) -> Operation:
        attrs = Attrs() if op.attrs is UNSET else op.attrs
        numbers = {name: getattr(attrs, name) for name in ("perm", "low", "high", "start", "strides")}
        given = {name: list(value) for name, value in numbers.items() if value is not UNSET}
        properties: dict[str, Attribute] = {"kind": StringAttr(op.kind)}
        properties.update({name: axes_attr(value) for name, value in given.items()})
        if op.kind == "view" or attrs.offset is not UNSET:
            properties["offset"] = IntegerAttr(0 if attrs.offset is UNSET else attrs.offset, i64)
        if op.kind == "pad" or attrs.value is not UNSET:
            with self.errors_at([*path, "attrs", "value"]):
                zero = False if is_predicate(element(x)) else 0
                properties["value"] = read_number(zero if attrs.value is UNSET else attrs.value, element(x))
        written = self._new_shape(op, attrs, path)
        match op.kind:
            case "permute":
                of = permuted_sizes(sizes(x), given["perm"]) if "perm" in given else None
            case "pad":
                of = padded_sizes(sizes(x), given["low"], given["high"]) if {"low", "high"} <= given.keys() else None
            case _:
                of = sizes(self._require_declared(op, path)) if written is None else written
        return self._make(tiny.MovementOp, [x], properties, op, (element(x), of), path, written)

    def _new_shape(self, op: form.MovementForm, attrs: Attrs, path: Path) -> Sizes | None:
        """Returns the result's sizes in the attributes, which must agree with the declaration."""
        if attrs.new_shape is UNSET:
            return None
        written = [read_size(s) for s in attrs.new_shape]
        declared = self._declared(op.outputs[0])
        if declared is not None and list(sizes(declared)) != written:
            message = f"'new_shape' is {sizes_text(written)}, but {op.outputs[0]} is declared {type_text(declared)}"
            raise self.contradiction([*path, "attrs", "new_shape"], message)
        return written

    def _unary(self, op: form.UnaryForm, x: SSAValue, path: Path) -> Operation:
        properties = {"fn": StringAttr(op.fn)}
        dtype = None if op.dtype is UNSET else read_dtype(op.dtype)
        if op.fn in ("cast", "bitcast"):
            given = dtype or self._require_declared(op, path).element_type
        else:
            given = i1 if op.fn == "is_finite" else element(x)
        if dtype not in (None, given):
            raise self.contradiction([*path, "dtype"], f"'dtype' is {op.dtype}, but {op.fn} gives {write_dtype(given)}")
        return self._make(tiny.UnaryOp, [x], properties, op, (given, sizes(x)), path)

    def _reduce(self, op: form.ReduceForm, x: SSAValue, path: Path) -> Operation:
        axes = [self._axis(axis, sizes(x), [*path, "axes", k]) for k, axis in enumerate(op.axes)]
        declared = self._declared(op.outputs[0])
        out = element(x if declared is None else declared)
        accum = default_accumulator(op.fn, element(x), out) if op.accum is UNSET else read_dtype(op.accum)
        if op.fn == "sum" and op.products == "exact":
            x = self._exact_product(x, accum)
        properties = {"fn": StringAttr(op.fn), "reduce_axes": axes_attr(axes), "accum": accum}
        of = reduced_sizes(sizes(x), axes)
        if out == accum:
            return self._make(tiny.ReduceOp, [x], properties, op, (accum, of), path)
        if declared is not None and of is not None and not same_kind(out, accum):
            self._refuse_declaration(op, declared, tensor_type(accum, of), path)
        reduce = self._make(tiny.ReduceOp, [x], properties, None, (accum, of), path)
        self.block.add_op(reduce)
        return self._make(tiny.UnaryOp, [reduce.results[0]], {"fn": StringAttr("cast")}, op, (out, of), path)

    def _exact_product(self, x: SSAValue, accum: Attribute) -> SSAValue:
        """Returns the exact product if `x` is a product in a type narrower than `accum`, else `x`."""
        mul, dtype = x.owner, element(x)
        if not tiny.is_product(mul) or is_as_wide(dtype, accum) or not same_kind(dtype, accum):
            return x
        wide = product_type(dtype, dtype, accum)
        if wide is None:
            return x
        if (mul, wide) not in self.exact:
            casts = [tiny.UnaryOp("cast", v, wide) for v in mul.inputs]
            self.exact[mul, wide] = tiny.BinaryOp.create(
                operands=[c.result for c in casts],
                properties=mul.properties.copy(),
                result_types=[tensor_type(wide, sizes(x))],
            )
            made = (*casts, self.exact[mul, wide])
            for op in made:
                op.location = mul.location
            self.block.insert_ops_after(made, mul)
        return self.exact[mul, wide].result

    def _erase_rounded(self) -> None:
        """Erases rounded products without uses; the exact product takes over the name."""
        for (mul, _), product in self.exact.items():
            if mul.parent is not None and not mul.result.uses:
                product.result.name_hint = mul.result.name_hint
                product.attributes.update(mul.attributes)
                mul.detach()
                mul.erase()

    def _axis(self, axis: form.Axis, of: Sizes, path: Path) -> int:
        if isinstance(axis, int):
            return axis
        if axis.lstrip("-").isdecimal():
            return int(axis)
        found = [k for k, size in enumerate(of) if size == axis]
        if not found:
            help = "an axis is named by its size, if that has a name, or by its number"
            raise UndefinedId(self.places.span(path), what="axis", id=axis, where=f" in {sizes_text(of)}", help=help)
        if len(found) > 1:
            axes = ", ".join(map(str, found))
            raise AmbiguousAxis(self.places.span(path), name=axis, axes=axes, shape=sizes_text(of))
        return found[0]

    def _make(
        self,
        kind: type[IRDLOperation],
        operands: Sequence[SSAValue],
        properties: Mapping[str, Attribute],
        op: form.OpForm | None,
        given: tuple[Attribute, Sizes | None],
        path: Path,
        written: Sizes | None = None,
    ) -> Operation:
        """
        Creates an op with the inferred element type and sizes `given`. Its result type is the one declared for `op`, or else
        `written`, or else `given`. If no sizes could be inferred, the op is invalid and its verifier raises.
        """
        dtype, of = given
        declared = None if op is None else self._declared(op.outputs[0])
        if declared is None and written is not None:
            if of is not None and not _may_agree(written, of):
                message = f"'new_shape' is {sizes_text(written)}, but the result is {sizes_text(of)}"
                raise self.contradiction([*path, "attrs", "new_shape"], message)
            declared = tensor_type(dtype, written)
        t = declared or (tensor_type(dtype, of) if of is not None else operands[0].type)
        made = kind.create(operands=operands, result_types=[t], properties=properties, location=self._op_location(path))
        if of is None:
            made.verify_()
            raise UnknownType(self._op_span(path), name="the result", why="the op is invalid")
        if declared is None:
            self._require_known(made, of, path)
        elif declared.element_type != dtype or not _may_agree(sizes(declared), of):
            self._refuse_declaration(cast(form.OpForm, op), declared, tensor_type(dtype, of), path)
        return made

    # --- types ------------------------------------------------------------------------------------

    def _declared(self, name: str) -> TensorType[Attribute] | None:
        value = self.program.values.get(name)
        return None if value is None else read_value(value)

    def _require_declared(self, op: form.OpForm, path: Path) -> TensorType[Attribute]:
        """Returns the declared type of the result of an op whose type cannot be inferred."""
        if (declared := self._declared(op.outputs[0])) is None:
            why = "nothing else determines the result type of this op"
            raise UnknownType(self.places.span([*path, "outputs", 0]), name=op.outputs[0], why=why)
        return declared

    def _require_known(self, made: Operation, of: Sizes, path: Path) -> None:
        """Requires a declaration for a size that is computed from named sizes but has no name."""
        if None in of and not any(None in sizes(v) for v in made.operands):
            axis = list(of).index(None)
            name = self.places.span([*path, "outputs", 0])
            raise UnknownType(name, name=name.text.strip('"'), why=f"axis {axis} has a size without a name")

    def _refuse_declaration(self, op: form.OpForm, declared: Attribute, gives: Attribute, path: Path) -> None:
        name = op.outputs[0]
        message = f"value {name} is declared {type_text(declared)}, but its op gives {type_text(gives)}"
        notes = [(self._op_span(path), f"this op defines {name}")]
        raise Contradiction(self.places.span(["values", name]), message=message, help="", span_notes=notes)

    # --- small things -----------------------------------------------------------------------------

    def _define(self, name: str, value: SSAValue) -> None:
        """Records a value by name. A name of digits is not kept as a hint, since the printer of IR numbers unnamed values."""
        value.name_hint = None if name.isdecimal() else name
        self.values[name] = value

    def _op_span(self, path: Path) -> Span[str]:
        """Returns the span of the word that names the op: its function, its kind, or else `op`."""
        return next(s for word in ("fn", "kind", "op") if (s := self.places.find([*path, word])) is not None)

    def _op_location(self, path: Path) -> FileLineColLoc:
        return self.location_of(self._op_span(path))


def _may_agree(a: Sizes, b: Sizes) -> bool:
    return len(a) == len(b) and all(map(may_be_equal, a, b))
