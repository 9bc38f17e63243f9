"""
The table of operations: one row for each op of the dialect, with its variant in JSON and its fields.

    {"Reduce": {"kind": "Sum", "axes": [1], "keepdims": false, "accum_dtype": "F32", "out_dtype": null}}
    {"ElementwiseBinary": "Add"}            a variant whose value is a word
    "Select"                                a variant without a value

Variants and fields have the names of the contract's `Operation`. Ops and fields that only the dialect has are extensions;
such a field is written only if it differs from its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, Literal, cast

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, VarResultDef

from ....dialects import tiny
from ....dialects.ptir import PTIR
from .fields import (
    Axes,
    Field,
    dtype,
    enum,
    flag,
    indices_dtype,
    integer,
    integer_list,
    padding_pairs,
    per_axis,
    region,
    result_dtype,
    result_shape,
    result_size,
    result_sizes,
    scalar,
    scalar_or_zero,
    update_sizes,
    window_length,
)
from .special import (
    attributes,
    carry_count,
    filter_axes,
    float_number,
    largest,
    literal,
    new_shape,
    scan_output_count,
    string,
)
from .values import Tagged


@dataclass(frozen=True)
class Row:
    """
    An op and its variant. The variant's value is `word`, or an object of `fields`, or with `whole` the value of the only
    field. A row with none of them is a unit: the variant itself is a word.
    """

    op: str
    variant: str
    fields: tuple[Field, ...] = ()
    word: str = ""
    whole: bool = False

    @property
    def is_unit(self) -> bool:
        return not (self.fields or self.word)


# --- the table ----------------------------------------------------------------------------------

UNARY, BINARY = (
    tuple(op.name.removeprefix("ptir.") for op in ops.values()) for ops in (tiny.UNARY_OPS, tiny.BINARY_OPS)
)
COMPARISONS = {
    "lt": "Less", "le": "LessEqual", "eq": "Equal", "ge": "GreaterEqual", "gt": "Greater", "ne": "NotEqual",
}  # fmt: skip


def _named(*kinds: str) -> dict[str, str]:
    """Maps keywords of the IR to the variants of the same names."""
    return {kind: kind.title().replace("_", "") for kind in kinds}


def _windows(window: Axes) -> tuple[Field, ...]:
    return per_axis("strides", "strides", window, 1), padding_pairs("padding", window)


DTYPES = dtype("accum_dtype", absent=None), dtype("out_dtype", absent=None)
RANDOM = result_shape(), result_dtype(), integer("seed", absent=UNSET)

TABLE: tuple[Row, ...] = (
    Row("constant", "Constant", (literal(),), whole=True),
    *(Row(op, "ElementwiseUnary", word=word) for op, word in _named(*UNARY).items()),
    *(Row(op, "ElementwiseBinary", word=word) for op, word in _named(*BINARY).items()),
    Row("is_finite", "IsFinite"),
    Row("bitcast", "Bitcast", (result_dtype(),)),
    Row("compare", "Compare", (enum("op", COMPARISONS),)),
    Row("select", "Select"),
    Row("clamp", "Clamp"),
    Row("cast", "Cast", (result_dtype(),)),
    Row("stop_gradient", "StopGradient"),
    Row(
        "reduce",
        "Reduce",
        (
            enum("kind", _named("sum", "max", "min", "mul", "any", "all")),
            integer_list("axes", "reduce_axes"),
            flag("keepdims"),
            *DTYPES,
        ),
    ),
    Row("argmax", "ArgMax", (integer("axis"), flag("keepdims"), result_dtype("output_dtype"))),
    Row("top_k", "TopK", (integer("k"), integer("axis"), largest(), indices_dtype())),
    Row(
        "dot_general",
        "DotGeneral",
        (
            *(integer_list(name) for name in ("batch_lhs", "batch_rhs", "contract_lhs", "contract_rhs")),
            *DTYPES,
            enum("precision", {"tf32": "Tf32"}, absent=UNSET),
        ),
    ),
    Row("reshape", "Reshape", (new_shape(),)),
    Row("transpose", "Transpose", (integer_list("perm"),)),
    Row("broadcast_to", "BroadcastTo", (result_shape("result_shape"),)),
    Row("slice", "Slice", (integer_list("starts"), result_sizes())),
    Row("concat", "Concat", (integer("axis"),)),
    Row(
        "pad",
        "Pad",
        (integer_list("low"), integer_list("high"), integer_list("interior"), scalar("pad_value", "value")),
    ),
    Row("tile", "Tile", (integer_list("repeats"),)),
    Row("iota", "Iota", (result_shape(), result_dtype(), integer("axis"))),
    Row("dim_cast", "DimCast", (result_shape("result_shape"),)),
    Row("tuple", "Tuple"),
    Row("tuple_element", "TupleElement", (integer("index"),)),
    Row("take", "Take"),
    Row("gather", "Gather", (integer("axis"),)),
    Row(
        "scatter_add",
        "ScatterAdd",
        (
            *(integer_list(f"{name}_dims") for name in ("update_window", "inserted_window")),
            integer_list("scatter_dims_to_operand_dims"),
            integer("index_vector_dim", absent=None),
        ),
    ),
    Row(
        "scatter_reduce",
        "ScatterReduce",
        (integer("axis"), enum("reduce", _named("add", "max", "min", "replace", "mul"), "kind")),
    ),
    Row("dynamic_slice", "DynamicSlice", (result_sizes(),)),
    Row("dynamic_update_slice", "DynamicUpdateSlice", (update_sizes(),)),
    Row(
        "segment_reduce",
        "SegmentReduce",
        (
            enum("kind", _named("sum", "max", "min")),
            result_size("num_segments", 0),
            dtype("accum_dtype", absent=None),
            flag("indices_are_sorted"),
            flag("unique"),
        ),
    ),
    Row("layer_norm", "LayerNorm", (float_number("epsilon"), integer("feature_axis"))),
    Row("cond", "Cond", (region("true_region", 0), region("false_region", 1))),
    Row("while", "While", (region("cond_region", 0), region("body_region", 1))),
    Row("scan", "Scan", (region("body_region", 0), carry_count(), scan_output_count())),
    Row(
        "reduce_window",
        "ReduceWindow",
        (
            integer_list("window_dims", "window"),
            *_windows(window_length),
            per_axis("base_dilation", "base_dilation", window_length, 1),
            per_axis("window_dilation", "dilation", window_length, 1),
            enum("reduce", _named("sum", "max", "min", "mul", "any", "all"), "kind"),
            dtype("accum_dtype", absent=None),
            dtype("out_dtype", absent=UNSET),
        ),
    ),
    Row(
        "extract_patches",
        "ExtractPatches",
        (
            integer_list("window"),
            *_windows(window_length),
            per_axis("dilation", "dilation", window_length, 1),
            scalar_or_zero("pad_value"),
        ),
    ),
    Row(
        "convolution",
        "Convolution",
        (
            *_windows(filter_axes),
            per_axis("dilation", "dilation", filter_axes, 1),
            integer("groups", absent=UNSET),
            *DTYPES,
            enum("precision", {"tf32": "Tf32"}, absent=UNSET),
        ),
    ),
    Row("custom_call", "CustomCall", (string("target"), attributes("attrs", "attrs", always=True))),
    Row(
        "composite",
        "Composite",
        (string("name", "known_as"), attributes("attrs", "facts", always=False), region("body_region", 0)),
    ),
    Row("rng_uniform", "RngUniform", RANDOM),
    Row("rng_normal", "RngNormal", RANDOM),
    Row("quantize", "Quantize", (result_dtype("output_dtype"), integer("axis", absent=None))),
    Row("dequantize", "Dequantize", (integer("axis", absent=None), result_dtype("output_dtype", optional=True))),
    Row("requantize", "Requantize", (result_dtype("output_dtype"), integer("axis", absent=None))),
)
"""All ops of the dialect."""


# --- the schema ---------------------------------------------------------------------------------


def _payload(variant: str, rows: list[Row]) -> Any:
    """Returns the type of a variant's value."""
    if rows[0].word:
        return Literal[tuple(row.word for row in rows)]  # pyright: ignore[reportInvalidTypeForm]
    if rows[0].whole:
        return rows[0].fields[0].type
    fields = [(f.name, f.type) if f.default is NODEFAULT else (f.name, f.type, f.default) for f in rows[0].fields]
    return msgspec.defstruct(f"{variant}Spec", fields, forbid_unknown_fields=True, kw_only=True)


VARIANTS = {variant: list(rows) for variant, rows in groupby(TABLE, lambda row: row.variant)}
UNITS = tuple(variant for variant, (row, *_) in VARIANTS.items() if row.is_unit)
PAYLOADS = {variant: _payload(variant, rows) for variant, rows in VARIANTS.items() if variant not in UNITS}

OperationStruct = msgspec.defstruct(
    "Operation",
    [(variant, payload | UnsetType, UNSET) for variant, payload in PAYLOADS.items()],
    bases=(Tagged,),
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename=None,
)
OperationForm: Any = Literal[UNITS] | OperationStruct  # pyright: ignore[reportInvalidTypeForm]
"""An operation in JSON: a unit variant as a word, or an object with one variant."""

_BY_OP = {f"ptir.{row.op}": row for row in TABLE}
OPS: dict[str, type[IRDLOperation]] = {op.name: cast("type[IRDLOperation]", op) for op in PTIR.operations}


@cache
def result_count(op: type[IRDLOperation]) -> int | None:
    """Returns the number of results of an op, or None if it is variadic."""
    definitions = [definition for _, definition in op.get_irdl_definition().results]
    return None if any(isinstance(d, VarResultDef) for d in definitions) else len(definitions)


def row_of(op: Operation) -> Row | None:
    """Returns the row of an op, or None if it is not of the dialect."""
    return _BY_OP.get(op.name)


def find_row(form: Any) -> tuple[Row, Any]:
    """Returns the row of an operation in JSON, and its variant's value."""
    if isinstance(form, str):
        return VARIANTS[form][0], None
    variant = next(name for name in PAYLOADS if getattr(form, name) is not UNSET)
    payload, rows = getattr(form, variant), VARIANTS[variant]
    return next((row for row in rows if row.word and row.word == payload), rows[0]), payload


def make_form(row: Row, values: Mapping[str, Any]) -> Any:
    """Returns the operation in JSON with these values of its fields."""
    if row.is_unit:
        return row.variant
    if row.whole:
        payload = values[row.fields[0].name]
    else:
        payload = row.word or PAYLOADS[row.variant](**values)
    return OperationStruct(**{row.variant: payload})
