"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.context import Context
from xdsl.ir import Dialect


def nearest(name: str, known: Iterable[str], *, count: int = 1) -> list[str]:
    """Returns at most `count` names of `known` that are similar to `name`, best first."""
    from difflib import get_close_matches  # only needed on errors

    near = [other for other in dict.fromkeys(known) if abs(len(other) - len(name)) <= max(2, len(name) // 3)]
    return get_close_matches(name, near, n=count, cutoff=0.6)


def did_you_mean(name: str, known: Iterable[str], *, count: int = 1, otherwise: str = "") -> str:
    """
    Returns a help line with similar names, or `otherwise`.

    >>> did_you_mean("csee", ["cse", "dce"])
    "did you mean 'cse'?"
    """
    near = nearest(name, known, count=count)
    return "did you mean " + " or ".join(f"'{n}'" for n in near) + "?" if near else otherwise


WRITTEN = {
    **dict.fromkeys(("matmul", "dot", "gemm", "mm"), "ptir.dot_general %x, %w contract [1] x [0]"),
    **dict.fromkeys(("sum", "prod", "reduce_sum", "reduce_max"), "ptir.reduce sum %x axes [1]; also max, min, mul"),
    **dict.fromkeys(("max", "min"), "ptir.maximum or ptir.minimum of two tensors, ptir.reduce max along axes"),
    "relu": "ptir.maximum with a ptir.constant dense<0.0> that a ptir.broadcast_to gives the shape of the operand",
    "softmax": "it with ptir.reduce max, ptir.sub, ptir.exp, ptir.reduce sum and ptir.div: see examples/softmax.mlir",
    **dict.fromkeys(("silu", "swish"), "ptir.mul of x and ptir.logistic x"),
    "sigmoid": "ptir.logistic, or ptir.reciprocal of 1 + exp(-x)",
    **dict.fromkeys(("broadcast", "expand", "broadcast_in_dim"), "ptir.broadcast_to"),
    "permute": "ptir.transpose",
    "where": "ptir.select",
    **dict.fromkeys(("convert", "astype"), "ptir.cast"),
}
"""How to write ops of other frameworks in PTIR, by their names there."""


def suggest_operation(name: str, ctx: Context) -> str:
    """Returns the help for an operation that `ctx` does not know, which may be a name from another framework."""
    dialect, _, word = name.rpartition(".")
    if dialect in ("", "ptir") or ctx.get_optional_dialect(dialect.partition(".")[0]) is None:
        if word in WRITTEN:
            return f"write {WRITTEN[word]}"
        if dialect != "ptir" and ctx.get_optional_op(f"ptir.{word}") is not None:
            return f"did you mean 'ptir.{word}'?"
    return _suggest(name, ctx, lambda dialect: (op.name for op in dialect.operations))


def suggest_attribute(name: str, ctx: Context) -> str:
    """Returns the help for an attribute or a type that `ctx` does not know."""
    return _suggest(name, ctx, lambda dialect: (attribute.name for attribute in dialect.attributes))


_FLOATS = ("bf16", "f16", "f32", "f64", "f8E4M3FN", "f8E5M2", "tf32")
_TYPES = ("tensor", "memref", "vector", "tuple", "complex", "index", "none", *_FLOATS, "i1", "i8", "i32", "i64")
_FOREIGN_TYPES = {
    "bool": "i1",
    "half": "f16",
    "float": "f32",
    "double": "f64",
    "bfloat16": "bf16",
    "int": "i32",
    "long": "i64",
    **{f"float{n}": f"f{n}" for n in (16, 32, 64)},
    **{f"{sign}int{n}": f"{sign}i{n}" for sign in ("", "u") for n in (8, 16, 32, 64)},
}
"""The builtin types by their names in NumPy, C and PyTorch."""


def suggest_type(name: str) -> str:
    """Returns the help for a word that is not a builtin type."""
    lower = name.lower()
    if (own := _FOREIGN_TYPES.get(lower, lower)) in _TYPES or own in _FOREIGN_TYPES.values():
        return f"MLIR writes {own}"
    return did_you_mean(name, _TYPES, otherwise="types of dialects begin with !")


def _suggest(name: str, ctx: Context, members: Callable[[Dialect], Iterable[str]]) -> str:
    if "." not in name:
        return "operations are named dialect.operation"
    dialect_name = name.partition(".")[0]
    if (dialect := ctx.get_optional_dialect(dialect_name)) is None:
        near = did_you_mean(dialect_name, ctx.registered_dialect_names, otherwise="--show-dialects lists them")
        return f"there is no dialect '{dialect_name}'; {near}"
    return did_you_mean(name, members(dialect))
