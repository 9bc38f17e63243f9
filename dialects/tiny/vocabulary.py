"""
The function names of `tiny.unary` and `tiny.binary`, and the element types on which each function is defined.

Each elementwise `ptir` op with one or two operands has a function of the same meaning; two tables map functions to ops.
`tf32`, `cast`, `bitcast`, the comparisons and `where` are documented at `tiny.unary` and `tiny.binary`. Three functions are
formulas, which need several ops in `ptir`; they are computed in f32 (in f64 for f64) and rounded once:

    relu(x) = max(x, 0)            gelu(x) = x/2 · (1 + erf(x/√2))            silu(x) = x · sigmoid(x)

Spec: `tensor-compiler.ja §1.2`, `§12.1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation

from .. import ptir
from ..common.report import FAILURES
from ..common.shapes import is_predicate
from ..ptir.domains import DOMAINS
from ..ptir.elementwise import EQUALITIES

OP_NAME = "tiny.name"
"""The attribute that holds the name that an op has in Tiny JSON, if it differs from the name of its result."""

UNARY_OPS: Mapping[str, type[ptir.UnaryOp]] = MappingProxyType(
    {
        "neg": ptir.NegOp,
        "abs": ptir.AbsOp,
        "exp": ptir.ExpOp,
        "exp2": ptir.Exp2Op,
        "log": ptir.LogOp,
        "tanh": ptir.TanhOp,
        "erf": ptir.ErfOp,
        "sqrt": ptir.SqrtOp,
        "rsqrt": ptir.RsqrtOp,
        "recip": ptir.ReciprocalOp,
        "sin": ptir.SinOp,
        "cos": ptir.CosOp,
        "floor": ptir.FloorOp,
        "ceil": ptir.CeilOp,
        "round": ptir.RoundOp,
        "sign": ptir.SignOp,
        "log1p": ptir.Log1pOp,
        "expm1": ptir.Expm1Op,
        "erfc": ptir.ErfcOp,
        "sigmoid": ptir.LogisticOp,
        "not": ptir.NotOp,
    }
)
"""The functions of `tiny.unary`, and the corresponding `ptir` ops."""

BINARY_OPS: Mapping[str, type[ptir.BinaryOp]] = MappingProxyType(
    {
        "add": ptir.AddOp,
        "sub": ptir.SubOp,
        "mul": ptir.MulOp,
        "div": ptir.DivOp,
        "max": ptir.MaximumOp,
        "min": ptir.MinimumOp,
        "pow": ptir.PowOp,
        "remainder": ptir.RemainderOp,
        "and": ptir.AndOp,
        "or": ptir.OrOp,
        "xor": ptir.XorOp,
        "shift_left": ptir.ShiftLeftOp,
        "shift_right_arithmetic": ptir.ShiftRightArithmeticOp,
        "shift_right_logical": ptir.ShiftRightLogicalOp,
    }
)
"""The functions of `tiny.binary`, and the corresponding `ptir` ops."""

KERNEL_UNARY: Mapping[str, type[Operation]] = MappingProxyType(
    {
        "neg": arith.NegfOp,
        "abs": math.AbsFOp,
        "exp": math.ExpOp,
        "exp2": math.Exp2Op,
        "log": math.LogOp,
        "sqrt": math.SqrtOp,
        "rsqrt": math.RsqrtOp,
        "recip": arith.DivfOp,
        "sin": math.SinOp,
        "cos": math.CosOp,
        "floor": math.FloorOp,
        "ceil": math.CeilOp,
        "round": math.RoundEvenOp,
        "log1p": math.Log1pOp,
        "expm1": math.ExpM1Op,
        "tanh": math.TanhOp,
        "erf": math.ErfOp,
    }
)
"""The functions of `tiny.unary` that kernels compute by one `arith` or `math` op on floats; `recip` is a division of 1."""

COMPARISONS = ptir.COMPARISONS
FORMULAS = ("relu", "gelu", "silu")
UNARIES = (*UNARY_OPS, *FORMULAS, "is_finite", "tf32", "cast", "bitcast")
CHECKS: Mapping[str, str] = MappingProxyType({f"require_{word}": word for word in FAILURES if word != "division"})
"""The functions of `tiny.binary` that fail where their predicate does not hold, and how they fail."""
BINARIES = (*BINARY_OPS, *COMPARISONS, "where", *CHECKS)
REDUCTIONS = (*ptir.REDUCTIONS, "mul")

_DOMAINS: Mapping[str, str] = {
    **{fn: op.DOMAIN for fn, op in {**UNARY_OPS, **BINARY_OPS}.items()},
    **dict.fromkeys(("gelu", "silu", "is_finite"), "float"),
    **dict.fromkeys(("relu", "bitcast"), "real"),
}


def problem_with(fn: str, dtype: Attribute) -> str:
    """Returns why `fn` is not defined on operands of `dtype`, or an empty string."""
    if fn == "tf32":
        return "" if dtype == f32 else "tf32 is defined on f32"
    ordered = fn in COMPARISONS and fn not in EQUALITIES and not is_predicate(dtype)
    types, contains = DOMAINS["real" if ordered else _DOMAINS.get(fn, "any")]
    return "" if contains(dtype) else f"{fn} is defined on {types}"
