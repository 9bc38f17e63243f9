"""
The ops of IntentIR's JSON, and their attributes.

An attribute of the kind `ints` has a list, `pair` a list of two or one number for both, `amount` a number or an expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.irdl import IRDLOperation

from ....dialects import intent
from ....dialects.intent.elementwise import BINARIES, UNARIES
from ....dialects.intent.movement import REDUCTIONS


@dataclass(frozen=True)
class Field:
    """An attribute in JSON: its kind, the property that holds it, its value if it is absent (None: it must be given), other names."""

    kind: str
    property: str = ""
    default: object = None
    aliases: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True)
class OpForm:
    """An op: its class, its function if the class has several, the number of its inputs, its attributes."""

    kind: type[IRDLOperation]
    inputs: tuple[int, int]
    fn: str = ""
    fields: Mapping[str, Field] = field(default_factory=dict[str, Field])


_AXES = Field("ints", "reduce_axes", required=False, aliases=("dims",))
_KEEPDIMS = Field("flag", "keepdims", False)

OPS: Mapping[str, OpForm] = MappingProxyType(
    {
        **{fn: OpForm(intent.UnaryOp, (1, 1), fn) for fn in UNARIES},
        **{fn: OpForm(intent.BinaryOp, (2, 2), fn) for fn in BINARIES},
        **{
            f"reduce_{fn}": OpForm(intent.ReduceOp, (1, 1), fn, {"axes": _AXES, "keepdims": _KEEPDIMS})
            for fn in REDUCTIONS
        },
        "reduce_sum": OpForm(
            intent.ReduceOp,
            (1, 1),
            "sum",
            {"axes": _AXES, "keepdims": _KEEPDIMS, "scale": Field("amount", "scale", required=False)},
        ),
        "where": OpForm(intent.WhereOp, (3, 3)),
        "cast": OpForm(intent.CastOp, (1, 1), "", {"to": Field("dtype")}),
        "const": OpForm(
            intent.ConstOp, (0, 0), "", {"value": Field("amount", "value"), "dtype": Field("dtype", required=False)}
        ),
        "iota": OpForm(
            intent.IotaOp,
            (0, 0),
            "",
            {
                "axis": Field("int", "axis", 0),
                "shape": Field("shape", required=False),
                "dtype": Field("dtype", required=False),
            },
        ),
        "gather": OpForm(intent.GatherOp, (2, 1 + 8)),
        "broadcast_in_dim": OpForm(
            intent.BroadcastInDimOp,
            (1, 1),
            "",
            {"out_shape": Field("shape"), "broadcast_dims": Field("ints", "broadcast_dims")},
        ),
        "transpose": OpForm(intent.TransposeOp, (1, 1), "", {"perm": Field("ints", "perm")}),
        "reshape": OpForm(intent.ReshapeOp, (1, 1), "", {"shape": Field("shape")}),
        "matmul": OpForm(
            intent.MatmulOp,
            (2, 2),
            "",
            {
                "transpose_a": Field("flag", "transpose_lhs", False),
                "transpose_b": Field("flag", "transpose_rhs", False),
                "accum_dtype": Field("accum", "accum_dtype", required=False),
                "epilogue": Field("epilogue", required=False),
            },
        ),
        "softmax": OpForm(intent.SoftmaxOp, (1, 1), "", {"axis": Field("int", "axis", -1)}),
        "dropout": OpForm(intent.DropoutOp, (3, 3), "", {"n_rounds": Field("int", "rounds", 10)}),
        "correlation": OpForm(intent.CorrelationOp, (3, 3)),
        "resize": OpForm(intent.ResizeOp, (1, 1), "", {"hw_fl": Field("int", "fraction_bits", 7)}),
        "warp": OpForm(intent.WarpOp, (2, 2)),
        "rope": OpForm(intent.RopeOp, (3, 3)),
        "conv2d": OpForm(
            intent.Conv2dOp,
            (2, 3),
            "",
            {
                "stride": Field("pair", "stride", [1, 1]),
                "padding": Field("pair", "padding", [0, 0]),
                "dilation": Field("pair", "dilation", [1, 1]),
                "groups": Field("int", "groups", 1),
            },
        ),
        "upsample_bicubic2d_aa": OpForm(intent.UpsampleBicubic2dAaOp, (1, 1)),
    }
)
EPILOGUE = (*UNARIES, *BINARIES, "where", "cast")
"""The ops of an epilogue."""
